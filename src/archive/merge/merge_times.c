/* SPDX-License-Identifier: BSD-3-Clause */
/* Merges statistics of times under the shapes of merged events. Events are identified by key and
 * call path. */
#include <stdlib.h>
#include <string.h>

#include "archive/write/event_write.h"
#include "archive/merge/merging.h"
#include "archive/events/times.h"
#include "base/hash.h"

/* --- shapes by contents --- */

struct site {
	const uint8_t *key;
	size_t key_len;
	uint64_t place[BOB_EVENT_DEPTH_MAX]; /* outermost first, recursion folded */
	uint32_t depth;
};

struct index {
	const struct bob_folded *f;
	uint32_t *slot;		/* hash table: shape + 1 */
	size_t slots;
};

static uint64_t hash_of(const struct site *s)
{
	return bob_hash64(bob_hash64(s->key_len, s->key, s->key_len), s->place, 8ull * s->depth);
}

/* Returns 0 if the shape is not an event. */
static int site_of_shape(const struct bob_folded *f, uint32_t shape, struct site *s)
{
	struct bob_fold_shape sh;
	struct bob_event_def d;
	uint32_t path;
	uint64_t place;

	bob_folded_shape(f, shape, &sh);
	if (bob_event_leaf_key(sh.key, sh.key_len, sh.words, &d) != BOB_OK || d.open)
		return 0;
	s->key = d.key;
	s->key_len = d.key_len;
	s->depth = 0;
	for (path = sh.path; path != BOB_FOLD_NO_PATH; s->depth++)
		if (s->depth == BOB_EVENT_DEPTH_MAX || !bob_folded_path(f, path, &path, &place))
			return 0;
	path = sh.path;
	for (uint32_t i = s->depth; i > 0; i--)
		bob_folded_path(f, path, &path, &s->place[i - 1]);
	return 1;
}

static int same_site(const struct site *a, const struct site *b)
{
	return a->key_len == b->key_len && a->depth == b->depth &&
	       !memcmp(a->key, b->key, a->key_len) && !memcmp(a->place, b->place, 8ull * a->depth);
}

static uint32_t *find_slot(const struct index *x, const struct site *s)
{
	struct site there;
	size_t at = (size_t)hash_of(s) & (x->slots - 1);

	for (; x->slot[at]; at = (at + 1) & (x->slots - 1))
		if (site_of_shape(x->f, x->slot[at] - 1, &there) && same_site(&there, s))
			break;
	return &x->slot[at];
}

static bob_status index_open(struct index *x, const struct bob_folded *f)
{
	struct site s;

	x->f = f;
	for (x->slots = 64; x->slots < 2ull * bob_folded_shapes(f) + 2;)
		x->slots *= 2;
	x->slot = calloc(x->slots, sizeof(*x->slot));
	if (!x->slot)
		return BOB_ERR_NOMEM;
	for (uint32_t i = 0; i < bob_folded_shapes(f); i++)
		if (site_of_shape(f, i, &s))
			*find_slot(x, &s) = i + 1;
	return BOB_OK;
}

/* --- gathering --- */

struct gather {
	struct index index;
	const struct bob_fold_rename *rename; /* NULL: names are unchanged */
	struct bob_time_rows *rows;
};

static uint64_t renamed(const struct gather *g, uint64_t place)
{
	return g->rename && g->rename->place ? g->rename->place(g->rename->ctx, place) : place;
}

static uint32_t shape_of_def(const struct gather *g, const struct bob_event_stream *e,
			     uint32_t number)
{
	struct site s;

	if (number >= e->def_count || !e->defs[number].key)
		return BOB_TIME_NO_SHAPE;
	s.key = e->defs[number].key;
	s.key_len = e->defs[number].key_len;
	s.depth = bob_event_fold_path(e->defs[number].place, e->defs[number].depth, s.place);
	for (uint32_t i = 0; i < s.depth; i++)
		s.place[i] = renamed(g, s.place[i]);
	return *find_slot(&g->index, &s) - 1; /* not found: BOB_TIME_NO_SHAPE */
}

static uint32_t shape_of_shape(const struct gather *g, const struct bob_folded *from,
			       uint32_t shape)
{
	struct site s;

	if (shape == BOB_TIME_NO_SHAPE || !site_of_shape(from, shape, &s))
		return BOB_TIME_NO_SHAPE;
	for (uint32_t i = 0; i < s.depth; i++)
		s.place[i] = renamed(g, s.place[i]);
	return *find_slot(&g->index, &s) - 1;
}

static bob_status take_slot(const struct gather *g, const struct bob_event_stream *e,
			    const struct bob_time_slot *slot, uint32_t participant)
{
	struct bob_time_row x = { .count = slot->count, .interval = slot->interval,
				  .duration = slot->duration,
				  .interval_of = { participant, participant },
				  .duration_of = { participant, participant } };

	x.from = slot->from == BOB_TIME_NONE ? BOB_TIME_NO_SHAPE : shape_of_def(g, e, slot->from);
	x.to = shape_of_def(g, e, slot->to);
	return x.to == BOB_TIME_NO_SHAPE ? BOB_OK : bob_time_rows_add(g->rows, &x);
}

static bob_status take_stream(const struct gather *g, const struct bob_process *p, size_t i)
{
	const struct bob_stream *s = p->streams[i];
	uint64_t id = bob_merged_id(p, i);
	struct bob_time_slot slot;
	uint32_t participant;
	bob_status st = BOB_OK;

	if (g->rename && g->rename->id)
		id = g->rename->id(g->rename->ctx, id);
	if (!bob_participant_find(g->index.f, id, &participant))
		return BOB_OK;
	for (size_t k = 0; bob_time_slot_at(s, k, &slot) && st == BOB_OK; k++)
		st = take_slot(g, &s->mpi, &slot, participant);
	return st;
}

static uint32_t participant_of(const struct gather *g, const struct bob_folded *from, uint32_t i)
{
	uint64_t id = bob_folded_id(from, i);
	uint32_t out;

	if (g->rename && g->rename->id)
		id = g->rename->id(g->rename->ctx, id);
	return bob_participant_find(g->index.f, id, &out) ? out : 0;
}

static bob_status take_merged(const struct gather *g, const struct bob_common *c)
{
	bob_status st = BOB_OK;

	for (size_t i = 0; i < c->times.count && st == BOB_OK; i++) {
		struct bob_time_row x = c->times.row[i];

		x.from = shape_of_shape(g, c->events, x.from);
		x.to = shape_of_shape(g, c->events, x.to);
		x.interval_of.min = participant_of(g, c->events, x.interval_of.min);
		x.interval_of.max = participant_of(g, c->events, x.interval_of.max);
		x.duration_of.min = participant_of(g, c->events, x.duration_of.min);
		x.duration_of.max = participant_of(g, c->events, x.duration_of.max);
		if (x.to != BOB_TIME_NO_SHAPE)
			st = bob_time_rows_add(g->rows, &x);
	}
	return st;
}

bob_status bob_times_merge(const struct bob_folded *f, const struct bob_time_source *from,
			   size_t count, struct bob_time_rows *rows)
{
	struct gather g = { .rows = rows };
	bob_status st = index_open(&g.index, f);

	for (size_t i = 0; i < count && st == BOB_OK; i++) {
		const struct bob_process *p = from[i].process;

		g.rename = from[i].rename;
		if (!p) /* a head: its processes' own files have the statistics */
			continue;
		if (p->common->events)
			st = take_merged(&g, p->common);
		for (size_t k = 0; k < p->stream_count && st == BOB_OK && !p->common->events; k++)
			st = take_stream(&g, p, k);
	}
	free(g.index.slot);
	bob_time_rows_finish(rows);
	return st;
}

bob_status bob_times_pack(const struct bob_folded *f, const struct bob_time_source *from,
			  size_t count, struct bob_bytes *out)
{
	struct bob_time_rows rows = { 0 };
	bob_status st = bob_times_merge(f, from, count, &rows);

	if (st == BOB_OK && rows.count)
		bob_time_rows_pack(&rows, out);
	bob_time_rows_free(&rows);
	return st == BOB_OK && out->failed ? BOB_ERR_NOMEM : st;
}
