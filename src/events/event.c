/* SPDX-License-Identifier: BSD-3-Clause */
/* One event, from its beginning to its end. */
#include "events/clock.h"
#include "events/recorder.h"

/* As the agent knows it: a number among few. */
static uint32_t place_number(uint32_t what)
{
	return what < BOB_EV_USER ? what : BOB_AGENT_USER_EVENT;
}

static bool start(struct bob_ev_event *e, struct bob_ev_thread *t, uint32_t what, uint32_t number,
		  bob_status st)
{
	e->room = BOB_EV_FIXED_WORDS;
	e->word = st == BOB_OK ? bob_event_writer_open(t->writer, number, e->room, &st) : NULL;
	if (!e->word) {
		bob_ev_thread_stop(st);
		return false;
	}
	e->thread = t;
	e->what = what;
	e->number = number;
	e->words = 0;
	e->lost = false;
	return true;
}

/* A user's event that comes from nowhere. */
static inline bob_status nowhere_site(struct bob_ev_thread *t, uint32_t what, uint32_t *number)
{
	__typeof__(t->nowhere_def[0]) *d = &t->nowhere_def[bob_ev_user_id(what) % BOB_EV_NOWHERE];
	uint64_t frame;
	bob_status st;

	if (__builtin_expect(d->what == what && d->age == t->sites_age, 1)) {
		*number = d->number;
		return BOB_OK;
	}
	st = bob_ev_site(t, what, true, t, NULL, number, &frame);
	if (st == BOB_OK) {
		d->what = what;
		d->number = *number;
		d->age = t->sites_age;
	}
	return st;
}

bool bob_ev_open(struct bob_ev_event *e, struct bob_ev_thread *t, uint32_t what, const void *caller,
		 const void *cfa)
{
	const bool nowhere = what >= BOB_EV_USER && bob_ev_user_is_nowhere(what);
	uint32_t number;
	bob_status st;

	if (t->pending && !bob_ev_settle(t))
		return false;
	e->frame = 0;
	st = nowhere && !t->places ? nowhere_site(t, what, &number) :
				     bob_ev_site(t, what, nowhere, caller, cfa, &number, &e->frame);
	if (st == BOB_NONE)
		return false;
	e->sp = (uint64_t)(uintptr_t)cfa - sizeof(uint64_t);
	return start(e, t, what, number, st);
}

bool bob_ev_open_as(struct bob_ev_event *e, struct bob_ev_thread *t, uint32_t what, uint32_t number)
{
	if (t->pending && !bob_ev_settle(t))
		return false;
	return start(e, t, what, number, BOB_OK);
}

/* Without room for it the event is lost: events and their moments go together. */
static __attribute__((noinline)) void keep_moment(struct bob_ev_event *e, uint64_t ns)
{
	e->lost |= bob_exact_put(&e->thread->exact, ns) != BOB_OK;
}

/* Behind the event's own record: after a kill there may be an event without a place, never a place without an event. */
static __attribute__((noinline)) void take_place(struct bob_ev_event *e)
{
	struct bob_ev_thread *t = e->thread;

	if (t->unplaced && bob_ev_agent->events_missing(t->unplaced))
		t->unplaced = 0;
	if (!t->unplaced)
		e->has_place = bob_ev_agent->event_begins(place_number(e->what), e->sp, e->frame,
							  &e->mark);
	t->unplaced += !e->has_place;
}

/* Moments that are kept as they are have to be the clock's. */
static inline uint64_t moment(struct bob_ev_thread *t)
{
	return t->is_exact ? bob_ev_now_ns() : bob_ev_clock_ns(&t->clock);
}

void bob_ev_begun(struct bob_ev_event *e)
{
	bob_event_writer_begun(e->thread->writer, e->words);
	e->has_place = false;
	if (__builtin_expect(e->thread->places, 0))
		take_place(e);
	if (e->thread->times || e->thread->is_exact)
		e->begin_ns = moment(e->thread);
	if (__builtin_expect(e->thread->is_exact, 0))
		keep_moment(e, e->begin_ns);
}

static inline void took(struct bob_ev_event *e, uint32_t number, uint64_t since_ns, uint64_t end_ns)
{
	struct bob_ev_thread *t = e->thread;

	if (__builtin_expect(t->is_exact, 0))
		keep_moment(e, end_ns);
	else if (!t->times)
		return;
	if (t->times)
		bob_times_add(t->times, t->before, number,
			      t->before == BOB_TIME_NONE ? 0 : e->begin_ns - t->end_ns,
			      end_ns - since_ns);
	t->end_ns = end_ns;
	t->before = number;
}

void bob_ev_took(struct bob_ev_event *e, uint32_t number, uint64_t since_ns, uint64_t end_ns)
{
	took(e, number, since_ns, end_ns);
}

void bob_ev_leave_place(struct bob_ev_event *e)
{
	if (e->has_place)
		bob_ev_agent->event_ends(place_number(e->what), e->mark);
}

void bob_ev_done(struct bob_ev_event *e)
{
	if (e->thread->times || e->thread->is_exact)
		took(e, e->number, e->begin_ns, moment(e->thread));
	bob_ev_leave_place(e);
}

bool bob_ev_put(struct bob_ev_event *e)
{
	bob_status st = e->lost ? BOB_ERR_FULL : bob_event_writer_put(e->thread->writer, e->words);

	if (st != BOB_OK)
		bob_ev_thread_stop(st);
	return st == BOB_OK;
}

void bob_ev_part(struct bob_ev_event *e)
{
	static uint64_t nowhere[BOB_EV_FIXED_WORDS]; /* nobody reads it */
	struct bob_event_writer *w = e->thread->writer;
	bob_status st;

	if (e->lost)
		return;
	st = bob_event_writer_cut(w);
	e->words = 0;
	e->word = st == BOB_OK ? bob_event_writer_open(w, e->number, e->room, &st) : NULL;
	if (e->word) {
		bob_event_writer_begun(w, 0);
	} else {
		e->lost = true;
		e->word = nowhere;
	}
}

void bob_ev_more(struct bob_ev_event *e, uint32_t more)
{
	static uint64_t nowhere; /* what is put when there is no room; nobody reads it */
	bob_status why;

	if (!e->lost)
		e->word = bob_event_writer_more(e->thread->writer, e->words, e->words + more, &why);
	e->lost |= !e->word;
	e->room = e->words + more;
	if (e->lost) {
		e->word = &nowhere;
		e->words = 0;
		e->room = 1;
	}
}
