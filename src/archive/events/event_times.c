/* SPDX-License-Identifier: BSD-3-Clause */
/* Durations of events and intervals between them: per thread as recorded, or over all threads of
 * merged processes. */
#include <string.h>

#include "archive/write/event_write.h"
#include "archive/reader.h"

static struct bob_value_times value_times(const struct bob_time_sums *s, uint32_t min, uint32_t max)
{
	struct bob_value_times v = { .min_ns = s->min, .max_ns = s->max, .sum_ns = s->sum,
				     .square = { s->square[0], s->square[1] },
				     .min_thread = min, .max_thread = max };

	memcpy(v.bin, s->bin, sizeof(v.bin));
	return v;
}

static void site_of_def(const struct bob_event_stream *e, uint32_t number, uint32_t thread,
			uint64_t *place, struct bob_value_site *out)
{
	*out = (struct bob_value_site){ .thread = thread };
	if (number >= e->def_count || !e->defs[number].key)
		return;
	out->key = e->defs[number].key;
	out->key_len = e->defs[number].key_len;
	out->place = place;
	out->depth = bob_event_fold_path(e->defs[number].place, e->defs[number].depth, place);
}

static int visit_thread(const struct bob_trace *t, uint32_t thread,
			int (*visit)(void *ctx, const struct bob_value_pair *p), void *ctx)
{
	uint64_t from[BOB_EVENT_DEPTH_MAX], to[BOB_EVENT_DEPTH_MAX];
	const struct bob_stream *s = t->threads[thread];
	struct bob_time_slot slot;
	struct bob_value_pair p;
	int stop = 0;

	for (size_t k = 0; !stop && bob_time_slot_at(s, k, &slot); k++) {
		site_of_def(&s->mpi, slot.from, thread, from, &p.from);
		site_of_def(&s->mpi, slot.to, thread, to, &p.to);
		p.count = slot.count;
		p.interval = value_times(&slot.interval, thread, thread);
		p.duration = value_times(&slot.duration, thread, thread);
		stop = p.to.key && p.count && visit(ctx, &p);
	}
	return stop;
}

static void site_of_shape(const struct bob_folded *f, uint32_t shape, uint32_t thread,
			  uint64_t *place, struct bob_value_site *out)
{
	struct bob_fold_shape s;
	struct bob_event_def d;
	uint32_t path, depth = 0;

	*out = (struct bob_value_site){ .thread = thread };
	if (shape == BOB_TIME_NO_SHAPE)
		return;
	bob_folded_shape(f, shape, &s);
	if (bob_event_leaf_key(s.key, s.key_len, s.words, &d) != BOB_OK)
		return;
	for (path = s.path; path != BOB_FOLD_NO_PATH && depth < BOB_EVENT_DEPTH_MAX; depth++)
		bob_folded_path(f, path, &path, &place[depth]);
	for (uint32_t i = 0; i < depth / 2; i++) {
		uint64_t x = place[i];

		place[i] = place[depth - 1 - i];
		place[depth - 1 - i] = x;
	}
	out->key = d.key;
	out->key_len = d.key_len;
	out->place = place;
	out->depth = depth;
}

/* The thread of a participant of the merged events. If the file has lost it, or the events are in a
 * head that the threads' own files continue, another thread. UINT32_MAX: there is none. */
static uint32_t thread_of(const struct bob_trace *t, const struct bob_common *c,
			  uint32_t participant)
{
	uint32_t other = t->thread_count ? 0 : UINT32_MAX;
	int is_found = 0;

	for (uint32_t i = 0; i < t->thread_count; i++) {
		const struct bob_event_stream *e = &t->threads[i]->mpi;

		if (e->folded == c->events && e->participant == participant)
			return i;
		if (e->folded == c->events && !is_found++)
			other = i;
	}
	return other;
}

static int visit_merged(const struct bob_trace *t, const struct bob_common *c,
			int (*visit)(void *ctx, const struct bob_value_pair *p), void *ctx)
{
	uint64_t from[BOB_EVENT_DEPTH_MAX], to[BOB_EVENT_DEPTH_MAX];
	struct bob_value_pair p;
	int stop = thread_of(t, c, 0) == UINT32_MAX; /* all its threads are lost */

	for (size_t i = 0; i < c->times.count && !stop; i++) {
		const struct bob_time_row *r = &c->times.row[i];
		uint32_t thread = thread_of(t, c, r->duration_of.max);

		site_of_shape(c->events, r->from, thread, from, &p.from);
		site_of_shape(c->events, r->to, thread, to, &p.to);
		p.count = r->count;
		p.interval = value_times(&r->interval, thread_of(t, c, r->interval_of.min),
					 thread_of(t, c, r->interval_of.max));
		p.duration = value_times(&r->duration, thread_of(t, c, r->duration_of.min), thread);
		stop = p.to.key && visit(ctx, &p);
	}
	return stop;
}

bob_status bob_trace_value_times(const struct bob_trace *t, enum bob_value_kind kind,
				 int (*visit)(void *ctx, const struct bob_value_pair *p), void *ctx)
{
	int stop = kind != BOB_VALUES_MPI;

	for (size_t i = 0; i < t->common_count && !stop; i++)
		stop = visit_merged(t, t->commons[i], visit, ctx);
	for (uint32_t i = 0; i < t->thread_count && !stop; i++)
		if (!t->processes[t->threads[i]->info.process]->common->events)
			stop = visit_thread(t, i, visit, ctx);
	return BOB_OK;
}
