/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the ends of a stretch among a thread's calls, and among its events. The events are passed
 * to the stretch as if they were marks. */
#include <string.h>

#include "archive/reader.h"
#include "archive/events/user_key.h"
#include "base/varint.h"

/* --- events by name --- */

static int is_named(const struct bob_value_event *e, const char *name)
{
	struct bob_user_key k;
	enum bob_user_phase phase;

	return bob_user_decode(e->key, e->key_len, &k, &phase) == BOB_OK && phase != BOB_USER_END &&
	       !strcmp(k.name, name);
}

/* Number of the event `end` among all events of the thread; UINT64_MAX: it does not exist, or
 * events were lost before it. */
static uint64_t number_of(const struct bob_trace *t, uint32_t thread,
			  const struct bob_stretch_end *end)
{
	struct bob_value_cursor *c;
	struct bob_value_event e;
	uint64_t number = 0, left = end->number;
	bob_status st = bob_value_cursor_open(t, thread, BOB_VALUES_MPI, &c, NULL);

	if (st != BOB_OK)
		return UINT64_MAX;
	while ((st = bob_value_cursor_next(c, &e, NULL)) == BOB_OK && !e.lost) {
		if (is_named(&e, end->name) && !left--)
			break;
		number++;
	}
	bob_value_cursor_close(c);
	return st == BOB_OK && !e.lost ? number : UINT64_MAX;
}

static void resolve(const struct bob_trace *t, uint32_t thread, struct bob_stretch_end *end)
{
	if (!end->given || !end->name)
		return;
	end->number = number_of(t, thread, end);
	end->by_number = 1;
	end->name = NULL;
}

void bob_stretch_resolve(const struct bob_trace *t, uint32_t thread,
			 const struct bob_stretch *stretch, struct bob_stretch *out)
{
	*out = *stretch;
	resolve(t, thread, &out->from);
	resolve(t, thread, &out->to);
}

/* --- events among calls --- */

struct finder {
	struct bob_stretch_state state;
	uint64_t first, last;
};

static void begin(struct finder *f, const struct bob_trace *t, uint32_t thread,
		  const struct bob_stretch *stretch)
{
	struct bob_stretch own;

	bob_stretch_resolve(t, thread, stretch, &own);
	bob_stretch_begin(&f->state, &own);
	f->state.has_accesses = 1; /* not checked here */
	f->first = 0;
	f->last = UINT64_MAX;
}

/* Reports an event at position `at`. */
static void report(struct finder *f, uint64_t what, uint64_t at)
{
	const struct bob_mem_desc d = { .kind = BOB_MEM_MARK, .mark = BOB_MEM_EVENT, .pc = what };
	int from = f->state.from.found, to = f->state.to.found;

	(void)bob_stretch_takes(&f->state, &d, NULL);
	if (f->state.from.found > from)
		f->first = at;
	if (f->state.to.found > to)
		f->last = at;
}

static void report_missing(struct finder *f, uint64_t count)
{
	const struct bob_mem_desc d = { .kind = BOB_MEM_MARK, .mark = BOB_MEM_EVENTS };

	(void)bob_stretch_takes(&f->state, &d, &count);
}

static bob_status end(const struct finder *f, bob_status st, uint64_t *first, uint64_t *last,
		      enum bob_stretch_lack *lack)
{
	*first = f->first;
	*last = f->last;
	*lack = bob_stretch_end(&f->state);
	return st < 0 && st != BOB_ERR_CORRUPT ? st : BOB_OK;
}

bob_status bob_trace_stretch_positions(const struct bob_trace *t, uint32_t thread,
				       const struct bob_stretch *stretch, uint64_t *first,
				       uint64_t *last, enum bob_stretch_lack *lack)
{
	struct bob_cursor *c;
	struct bob_event ev;
	struct finder f;
	bob_status st = bob_cursor_open(t, thread, &c, NULL);

	if (st != BOB_OK)
		return st;
	begin(&f, t, thread, stretch);
	bob_cursor_enable_values(c);
	while (!bob_stretch_is_over(&f.state)) {
		st = bob_cursor_next(c, &ev, NULL);
		if (st == BOB_ERR_CORRUPT)
			bob_stretch_lost(&f.state);
		else if (st != BOB_OK)
			break;
		else if (ev.kind == BOB_EVENT_VALUES)
			report(&f, ev.id, ev.pos);
		else if (ev.kind == BOB_EVENT_NO_PLACE)
			report_missing(&f, ev.id);
	}
	bob_cursor_close(c);
	return end(&f, st, first, last, lack);
}

bob_status bob_trace_stretch_numbers(const struct bob_trace *t, uint32_t thread,
				     const struct bob_stretch *stretch, uint64_t *first,
				     uint64_t *last, enum bob_stretch_lack *lack)
{
	struct bob_value_cursor *c;
	struct bob_value_event e;
	struct finder f;
	uint64_t number = 0;
	bob_status st = bob_value_cursor_open(t, thread, BOB_VALUES_MPI, &c, NULL);

	if (st != BOB_OK)
		return st;
	begin(&f, t, thread, stretch);
	for (; !bob_stretch_is_over(&f.state); number++) {
		const uint8_t *at;
		uint64_t what = UINT64_MAX;

		st = bob_value_cursor_next(c, &e, NULL);
		if (st != BOB_OK && st != BOB_ERR_CORRUPT)
			break;
		if (st == BOB_ERR_CORRUPT) {
			bob_stretch_lost(&f.state);
			continue;
		}
		if (e.lost)
			bob_stretch_lost(&f.state);
		at = e.key;
		(void)bob_varint_get(&at, e.key + e.key_len, &what);
		report(&f, what, number);
	}
	bob_value_cursor_close(c);
	return end(&f, st, first, last, lack);
}
