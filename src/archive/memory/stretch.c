/* SPDX-License-Identifier: BSD-3-Clause */
/* State machine of a stretch: before, inside, after; for single records and for counts of many
 * records at once. */
#include "archive/memory/stretch.h"

#include <string.h>

void bob_stretch_begin(struct bob_stretch_state *s, const struct bob_stretch *stretch)
{
	memset(s, 0, sizeof(*s));
	s->from = (struct bob_stretch_target){ stretch->from, stretch->from.number, 0 };
	s->to = (struct bob_stretch_target){ stretch->to, stretch->to.number, 0 };
	s->keep_syncs = stretch->keep_syncs;
	s->phase = stretch->from.given ? BOB_STRETCH_BEFORE : BOB_STRETCH_INSIDE;
}

static int is_waited_for(const struct bob_stretch_target *t)
{
	return t->end.given && !t->found;
}

static int fits(const struct bob_stretch_target *t, uint64_t what)
{
	return is_waited_for(t) && (t->end.by_number || t->end.what == what);
}

static int hits(struct bob_stretch_target *t, uint64_t what)
{
	if (!fits(t, what))
		return 0;
	if (t->left) {
		t->left--;
		return 0;
	}
	t->found = 1;
	return 1;
}

static void fail(struct bob_stretch_state *s, enum bob_stretch_lack why)
{
	if (!s->lack)
		s->lack = why;
	s->phase = BOB_STRETCH_AFTER;
}

void bob_stretch_lost(struct bob_stretch_state *s)
{
	if (is_waited_for(&s->from) || is_waited_for(&s->to))
		fail(s, BOB_STRETCH_DAMAGED);
}

/* Counts the event for both ends, in any phase. */
static int takes_event(struct bob_stretch_state *s, const struct bob_mem_desc *d)
{
	int is_from = hits(&s->from, d->pc), is_to = hits(&s->to, d->pc);
	/* the program's own events contain other events: a stretch begins and ends at their
	 * beginning */
	int whole = d->mark == BOB_MEM_EVENT || d->pc == BOB_STRETCH_OWN;

	s->has_events = 1;
	switch (s->phase) {
	case BOB_STRETCH_BEFORE:
		if (is_to)
			fail(s, BOB_STRETCH_BACKWARDS);
		else if (is_from)
			s->phase = whole ? BOB_STRETCH_INSIDE : BOB_STRETCH_IN_FROM;
		return s->phase != BOB_STRETCH_BEFORE && s->phase != BOB_STRETCH_AFTER;
	case BOB_STRETCH_IN_FROM: /* left by a longjmp */
		s->phase = BOB_STRETCH_INSIDE;
		break;
	case BOB_STRETCH_INSIDE:
		break;
	case BOB_STRETCH_IN_TO:
	case BOB_STRETCH_AFTER:
		s->phase = BOB_STRETCH_AFTER;
		return 0;
	}
	if (is_to)
		s->phase = whole ? BOB_STRETCH_AFTER : BOB_STRETCH_IN_TO;
	return 1;
}

static int takes_end(struct bob_stretch_state *s)
{
	switch (s->phase) {
	case BOB_STRETCH_IN_FROM:
		s->phase = BOB_STRETCH_INSIDE;
		return 1;
	case BOB_STRETCH_IN_TO:
		s->phase = BOB_STRETCH_AFTER;
		return 1;
	default:
		return s->phase == BOB_STRETCH_INSIDE;
	}
}

/* Their kinds are unknown. */
static void skip_unmarked(struct bob_stretch_state *s, struct bob_stretch_target *t, uint64_t count)
{
	if (!is_waited_for(t) || !count)
		return;
	if (!t->end.by_number || t->left < count)
		fail(s, BOB_STRETCH_NO_PLACE);
	else
		t->left -= count;
}

int bob_stretch_takes(struct bob_stretch_state *s, const struct bob_mem_desc *d,
		      const uint64_t *word)
{
	switch (d->kind == BOB_MEM_MARK ? d->mark : 0) {
	case BOB_MEM_SYNC:
		return s->keep_syncs || s->phase == BOB_STRETCH_INSIDE;
	case BOB_MEM_EVENT:
	case BOB_MEM_EVENT_BEGIN:
		return takes_event(s, d);
	case BOB_MEM_EVENT_END:
		return takes_end(s);
	case BOB_MEM_EVENTS:
		skip_unmarked(s, &s->from, word[0]);
		skip_unmarked(s, &s->to, word[0]);
		break;
	default:
		s->has_accesses |= d->access_count != 0;
		break;
	}
	return s->phase == BOB_STRETCH_INSIDE;
}

enum bob_stretch_lack bob_stretch_end(const struct bob_stretch_state *s)
{
	if (s->lack)
		return s->lack;
	if (!s->has_accesses)
		return BOB_STRETCH_NO_ACCESSES;
	if (!s->has_events)
		return BOB_STRETCH_NO_EVENTS;
	if (is_waited_for(&s->from))
		return BOB_STRETCH_NO_FROM;
	return is_waited_for(&s->to) ? BOB_STRETCH_NO_TO : BOB_STRETCH_FOUND;
}

/* --- many records at once --- */

static void add(uint64_t *to, uint64_t times)
{
	if (__builtin_add_overflow(*to, times, to))
		*to = UINT64_MAX;
}

void bob_stretch_count(const struct bob_stretch_state *s, const struct bob_mem_desc *d,
		       struct bob_stretch_tally *t, uint64_t times)
{
	add(&t->accesses, d->access_count ? times : 0);
	if (d->kind != BOB_MEM_MARK)
		return;
	if (d->mark == BOB_MEM_SYNC)
		add(&t->syncs, times);
	if (d->mark == BOB_MEM_EVENTS)
		add(&t->unmarked, times);
	if (d->mark != BOB_MEM_EVENT && d->mark != BOB_MEM_EVENT_BEGIN)
		return;
	add(&t->events, times);
	if (fits(&s->from, d->pc))
		add(&t->from, times);
	if (fits(&s->to, d->pc))
		add(&t->to, times);
}

/* Number of repetitions of a sequence with `fit` matching events before the awaited one. */
static uint64_t times_before(const struct bob_stretch_target *t, uint64_t fit)
{
	return is_waited_for(t) && fit ? t->left / fit : UINT64_MAX;
}

uint64_t bob_stretch_passable(const struct bob_stretch_state *s, const struct bob_stretch_tally *t)
{
	uint64_t from = times_before(&s->from, t->from), to = times_before(&s->to, t->to);

	if ((s->keep_syncs && t->syncs) || t->unmarked)
		return 0;
	if (s->phase == BOB_STRETCH_AFTER)
		return UINT64_MAX;
	if (s->phase != BOB_STRETCH_BEFORE)
		return 0;
	return from < to ? from : to;
}

void bob_stretch_pass(struct bob_stretch_state *s, const struct bob_stretch_tally *t,
		      uint64_t times)
{
	s->has_events |= t->events != 0;
	s->has_accesses |= t->accesses != 0;
	if (s->phase == BOB_STRETCH_AFTER)
		return;
	s->from.left -= t->from * times;
	s->to.left -= t->to * times;
}

int bob_stretch_is_over(const struct bob_stretch_state *s)
{
	return s->phase == BOB_STRETCH_AFTER && !s->keep_syncs;
}
