/* SPDX-License-Identifier: BSD-3-Clause */
/* One call, from the wrapper's first line to its last. */
#include <string.h>

#include "mpi/recorder.h"

/* Its words go nowhere. */
static bool follow(struct bob_mpi_call *c, struct bob_mpi_thread *t, uint32_t function)
{
	c->thread = t;
	c->function = function;
	c->word = t->nowhere;
	c->words = 0;
	c->room = BOB_MPI_FIXED_WORDS;
	bob_mpi_keep_begin(t);
	bob_mpi_depth = 1;
	return true;
}

bool bob_mpi_enter(struct bob_mpi_call *c, uint32_t function, const void *caller, const void *cfa)
{
	struct bob_mpi_thread *t;
	bob_status st;

	c->passed = false;
	if (bob_mpi_depth || !bob_mpi_agent || bob_mpi_is_off())
		return false;
	if (bob_mpi_how[function] == BOB_MPI_PASS) {
		bob_mpi_depth = 1;
		c->passed = true;
		return false;
	}
	t = bob_mpi_thread();
	if (!t)
		return false;
	c->silent = bob_mpi_how[function] == BOB_MPI_FOLLOW;
	if (c->silent)
		return follow(c, t, function);
	st = bob_mpi_site(t, function, caller, cfa, &c->event, &c->frame);
	if (st == BOB_NONE)
		return false;
	c->room = BOB_MPI_FIXED_WORDS;
	c->word = st == BOB_OK ? bob_event_writer_open(t->writer, c->event, c->room, &st) : NULL;
	if (!c->word) {
		bob_mpi_thread_stop(st);
		return false;
	}
	c->thread = t;
	c->function = function;
	c->words = 0;
	c->lost = false;
	c->sp = (uint64_t)(uintptr_t)cfa - sizeof(uint64_t);
	bob_mpi_keep_begin(t);
	bob_mpi_depth = 1;
	return true;
}

/* Without room for it the call is lost: events and their moments go together. */
static inline void keep_moment(struct bob_mpi_call *c, uint64_t ns)
{
	if (c->thread->is_exact && bob_exact_put(&c->thread->exact, ns) != BOB_OK)
		c->lost = true;
}

/* Behind the event's own record: after a kill there may be an event without a place, never a place without an event. */
static void take_place(struct bob_mpi_call *c)
{
	struct bob_mpi_thread *t = c->thread;

	c->has_place = false;
	if (!t->places)
		return;
	if (t->unplaced && bob_mpi_agent->events_missing(t->unplaced))
		t->unplaced = 0;
	if (!t->unplaced)
		c->has_place = bob_mpi_agent->event_begins(c->function, c->sp, c->frame, &c->mark);
	t->unplaced += !c->has_place;
}

void bob_mpi_before(struct bob_mpi_call *c)
{
	if (c->silent)
		return;
	bob_event_writer_begun(c->thread->writer, c->words);
	take_place(c);
	if (c->thread->times || c->thread->is_exact)
		c->begin_ns = bob_mpi_now_ns();
	keep_moment(c, c->begin_ns);
}

static void add_times(struct bob_mpi_call *c, struct bob_mpi_thread *t)
{
	uint64_t gap_ns = t->before == BOB_TIME_NONE ? 0 : c->begin_ns - t->end_ns;

	t->end_ns = bob_mpi_now_ns();
	keep_moment(c, t->end_ns);
	if (t->times)
		bob_times_add(t->times, t->before, c->event, gap_ns, t->end_ns - c->begin_ns);
	t->before = c->event;
}

void bob_mpi_after(struct bob_mpi_call *c, int result)
{
	(void)result;
	if (c->silent)
		return;
	if (c->thread->times || c->thread->is_exact)
		add_times(c, c->thread);
	if (c->has_place)
		bob_mpi_agent->event_ends(c->function, c->mark);
}

void bob_mpi_leave(struct bob_mpi_call *c)
{
	bob_status st = BOB_OK;

	if (!c->silent)
		st = c->lost ? BOB_ERR_FULL : bob_event_writer_put(c->thread->writer, c->words);
	bob_mpi_depth = 0;
	if (st != BOB_OK)
		bob_mpi_thread_stop(st);
}

void bob_mpi_part(struct bob_mpi_call *c)
{
	static uint64_t nowhere[BOB_MPI_FIXED_WORDS]; /* nobody reads it */
	struct bob_event_writer *w = c ? c->thread->writer : NULL;
	bob_status st = BOB_OK;

	bob_mpi_agent->cut();
	if (!c || c->lost)
		return;
	st = bob_event_writer_cut(w);
	c->words = 0; /* it has none yet: MPI_Finalize has no parameters */
	c->word = st == BOB_OK ? bob_event_writer_open(w, c->event, c->room, &st) : NULL;
	if (c->word) {
		bob_event_writer_begun(w, 0);
	} else {
		c->lost = true;
		c->word = nowhere;
	}
}

void bob_mpi_more(struct bob_mpi_call *c, uint32_t more)
{
	static uint64_t nowhere; /* what is put when there is no room; nobody reads it */
	bob_status why;

	if (c->silent) {
		c->words = 0;
		return;
	}
	if (!c->lost)
		c->word = bob_event_writer_more(c->thread->writer, c->words, c->words + more, &why);
	c->lost |= !c->word;
	c->room = c->words + more;
	if (c->lost) {
		c->word = &nowhere;
		c->words = 0;
		c->room = 1;
	}
}

/* --- memory of a call --- */

/* Blocks of a call that needed more than the newest one had. */
struct kept {
	struct kept *older;
	uint64_t room;
};

static void drop_older(struct kept *k)
{
	while (k) {
		struct kept *older = k->older;

		bob_mpi_unmap(k, k->room);
		k = older;
	}
}

void bob_mpi_keep_begin(struct bob_mpi_thread *t)
{
	if (t->kept && t->kept->older) {
		drop_older(t->kept->older);
		t->kept->older = NULL;
	}
	t->kept_used = sizeof(struct kept);
}

void bob_mpi_keep_end(struct bob_mpi_thread *t)
{
	drop_older(t->kept);
	t->kept = NULL;
}

void *bob_mpi_keep(struct bob_mpi_call *c, uint64_t count, uint64_t size)
{
	struct bob_mpi_thread *t = c->thread;
	uint64_t bytes = (count * size + 15) & ~15ull, room = t->kept ? t->kept->room : 0;
	void *p;

	if (size && count > (1ull << 40) / size)
		return NULL;
	if (room < t->kept_used || room - t->kept_used < bytes) {
		struct kept *k;

		for (room = room ? room : 4096; room < 2 * bytes + sizeof(*k);)
			room *= 2;
		k = bob_mpi_map(room);
		if (!k)
			return NULL;
		k->older = t->kept;
		k->room = room;
		t->kept = k;
		t->kept_used = sizeof(*k);
	}
	p = (uint8_t *)t->kept + t->kept_used;
	t->kept_used += bytes;
	return p;
}
