/* SPDX-License-Identifier: BSD-3-Clause */
/* Records one event from begin to end. hot.h has the inline fast path. */
#include "events/hot.h"

/* The event's number for the agent, which has a small range. */
static uint32_t place_number(uint32_t what)
{
	return what < BOB_EV_USER ? what : BOB_AGENT_USER_EVENT;
}

bool bob_ev_define(struct bob_ev_event *e, struct bob_ev_thread *t, uint32_t what, bool nowhere,
		   const void *caller, const void *cfa, uint32_t *number)
{
	const bool anywhere = nowhere && !t->places;
	uint64_t frame = 0;
	const bob_status st = bob_ev_site(t, what, nowhere, caller, cfa, number, &frame);

	if (st == BOB_OK && anywhere)
		t->nowhere_def[bob_ev_user_id(what) % BOB_EV_NOWHERE] =
			(struct bob_ev_nowhere){ what, *number, t->sites_age };
	e->frame = anywhere ? 0 : frame;
	if (st != BOB_OK && st != BOB_NONE)
		bob_ev_thread_stop(st);
	return st == BOB_OK;
}

bool bob_ev_open(struct bob_ev_event *e, struct bob_ev_thread *t, uint32_t what, const void *caller,
		 const void *cfa)
{
	return bob_ev_hot_open(e, t, what, what >= BOB_EV_USER && bob_ev_user_is_nowhere(what),
			       caller, cfa);
}

bool bob_ev_open_as(struct bob_ev_event *e, struct bob_ev_thread *t, uint32_t what, uint32_t number)
{
	if (t->pending && !bob_ev_settle(t))
		return false;
	return bob_ev_hot_start(e, t, what, number);
}

/* Without space the event is lost, too: an event and its times belong together. */
void bob_ev_keep_moment(struct bob_ev_event *e, uint64_t ns)
{
	e->lost |= bob_exact_put(&e->thread->exact, ns) != BOB_OK;
}

/* Recorded after the event's own record: after a kill an event may lack its place, but no place
 * lacks its event. */
void bob_ev_take_place(struct bob_ev_event *e)
{
	struct bob_ev_thread *t = e->thread;

	if (t->unplaced && bob_ev_agent->events_missing(t->unplaced))
		t->unplaced = 0;
	if (!t->unplaced)
		e->has_place = bob_ev_agent->event_begins(place_number(e->what), e->sp, e->frame,
							  &e->mark);
	t->unplaced += !e->has_place;
}

void bob_ev_begun(struct bob_ev_event *e)
{
	bob_ev_hot_begun(e, e->thread);
}

void bob_ev_took(struct bob_ev_event *e, uint32_t number, uint64_t since_ns, uint64_t end_ns)
{
	bob_ev_hot_took(e, e->thread, number, since_ns, end_ns);
}

void bob_ev_leave_place(struct bob_ev_event *e)
{
	if (e->has_place)
		bob_ev_agent->event_ends(place_number(e->what), e->mark);
}

void bob_ev_done(struct bob_ev_event *e)
{
	bob_ev_hot_done(e, e->thread);
}

bool bob_ev_put(struct bob_ev_event *e)
{
	return bob_ev_hot_put(e, e->thread);
}

void bob_ev_part(struct bob_ev_event *e)
{
	static uint64_t nowhere[BOB_EV_FIXED_WORDS]; /* write-only */
	struct bob_event_writer *w = e->thread->writer;
	bob_status st;

	if (e->lost)
		return;
	st = bob_event_writer_cut(w);
	e->words = 0;
	e->word = st == BOB_OK ? bob_event_writer_open(w, e->number, e->capacity, &st) : NULL;
	if (e->word) {
		bob_event_writer_begun(w, 0);
	} else {
		e->lost = true;
		e->word = nowhere;
	}
}

void bob_ev_more(struct bob_ev_event *e, uint32_t more)
{
	static uint64_t nowhere[BOB_EV_FIXED_WORDS]; /* write-only */
	bob_status why;

	if (!e->lost)
		e->word = bob_event_writer_more(e->thread->writer, e->words, e->words + more, &why);
	e->lost |= !e->word;
	e->capacity = e->words + more;
	if (e->lost) {
		e->word = nowhere;
		e->words = 0;
		e->capacity = BOB_EV_FIXED_WORDS;
	}
}
