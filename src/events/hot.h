/* SPDX-License-Identifier: BSD-3-Clause */
/* Inline fast path of event.c, for event.c itself and for the program's own events: as separate
 * functions, saving and restoring registers would be a third of all instructions. All other callers
 * use the functions of recorder.h, which are the same code.
 *
 * Threads: an event belongs to its thread. Budget: 60 ns for begin and end without signature, 20 of
 * which read the counter (bench/events). */
#ifndef BOB_EVENTS_HOT_H
#define BOB_EVENTS_HOT_H

#include "events/clock.h"
#include "events/recorder.h"

#define BOB_EV_HOT static inline __attribute__((always_inline))

/* --- event.c: slow path --- */

/* Looks up or creates the definition; sets *number. False: the event is not recorded. */
bool bob_ev_define(struct bob_ev_event *e, struct bob_ev_thread *t, uint32_t what, bool nowhere,
		   const void *caller, const void *cfa, uint32_t *number);
/* Appends begin and end of this event (exact times). */
void bob_ev_keep_moment(struct bob_ev_event *e, uint64_t ns);
/* Records the event's position among the thread's calls or memory accesses. */
void bob_ev_take_place(struct bob_ev_event *e);

/* --- begin --- */

BOB_EV_HOT bool bob_ev_hot_start(struct bob_ev_event *e, struct bob_ev_thread *t, uint32_t what,
				 uint32_t number)
{
	bob_status why;

	e->capacity = BOB_EV_FIXED_WORDS;
	e->word = bob_event_writer_open(t->writer, number, BOB_EV_FIXED_WORDS, &why);
	if (__builtin_expect(!e->word, 0)) {
		bob_ev_thread_stop(why);
		return false;
	}
	e->thread = t;
	e->what = what;
	e->number = number;
	e->words = 0;
	e->lost = false;
	return true;
}

/* The definition, if it is among the newest ones of events without a place. */
BOB_EV_HOT const struct bob_ev_nowhere *bob_ev_hot_nowhere(const struct bob_ev_thread *t,
							   uint32_t what)
{
	const struct bob_ev_nowhere *d = &t->nowhere_def[bob_ev_user_id(what) % BOB_EV_NOWHERE];

	return d->what == what && d->age == t->sites_age && !t->places ? d : NULL;
}

/* `nowhere`: the event has no call path. */
BOB_EV_HOT bool bob_ev_hot_open(struct bob_ev_event *e, struct bob_ev_thread *t, uint32_t what,
				bool nowhere, const void *caller, const void *cfa)
{
	const struct bob_ev_nowhere *d;
	uint32_t number;

	if (__builtin_expect(t->pending, 0) && !bob_ev_settle(t))
		return false;
	e->frame = 0;
	e->sp = (uint64_t)(uintptr_t)cfa - sizeof(uint64_t);
	d = nowhere ? bob_ev_hot_nowhere(t, what) : NULL;
	if (d)
		number = d->number;
	else if (!bob_ev_define(e, t, what, nowhere, caller, cfa, &number))
		return false;
	return bob_ev_hot_start(e, t, what, number);
}

/* Exact times are on the clock of bob_ev_now_ns. */
BOB_EV_HOT uint64_t bob_ev_hot_moment(struct bob_ev_thread *t)
{
	return t->is_exact ? bob_ev_now_ns() : bob_ev_clock_ns(&t->clock);
}

BOB_EV_HOT void bob_ev_hot_begun(struct bob_ev_event *e, struct bob_ev_thread *t)
{
	bob_event_writer_begun(t->writer, e->words);
	e->has_place = false;
	if (__builtin_expect(t->places, 0))
		bob_ev_take_place(e);
	if (t->times || t->is_exact)
		e->begin_ns = bob_ev_hot_moment(t);
	if (__builtin_expect(t->is_exact, 0))
		bob_ev_keep_moment(e, e->begin_ns);
}

/* --- end --- */

BOB_EV_HOT void bob_ev_hot_took(struct bob_ev_event *e, struct bob_ev_thread *t, uint32_t number,
				uint64_t since_ns, uint64_t end_ns)
{
	if (__builtin_expect(t->is_exact, 0))
		bob_ev_keep_moment(e, end_ns);
	else if (!t->times)
		return;
	if (t->times)
		bob_times_add(t->times, t->before, number,
			      t->before == BOB_TIME_NONE ? 0 : e->begin_ns - t->end_ns,
			      end_ns - since_ns);
	t->end_ns = end_ns;
	t->before = number;
}

BOB_EV_HOT void bob_ev_hot_done(struct bob_ev_event *e, struct bob_ev_thread *t)
{
	if (t->times || t->is_exact)
		bob_ev_hot_took(e, t, e->number, e->begin_ns, bob_ev_hot_moment(t));
	if (__builtin_expect(e->has_place, 0))
		bob_ev_leave_place(e);
}

BOB_EV_HOT bool bob_ev_hot_put(struct bob_ev_event *e, struct bob_ev_thread *t)
{
	const bob_status st = __builtin_expect(e->lost, 0) ?
				      BOB_ERR_FULL :
				      bob_event_writer_put(t->writer, e->words);

	if (__builtin_expect(st != BOB_OK, 0))
		bob_ev_thread_stop(st);
	return st == BOB_OK;
}

#endif
