/* SPDX-License-Identifier: BSD-3-Clause */
/* Builds the tree from the homes of shapes and loops (analysis/homes.h): the items of a loop, and
 * their frames (call_frames.h), are known; a loop belongs to the innermost frame that contains all
 * its accesses. Items of one frame are listed together, at the first of them. */
#include "analysis/memory/structure.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/memory/structure_entries.h"
#include "analysis/memory/structure_rows.h"
#include "analysis/usual.h"
#include "base/order.h"

#define DEPTH_MAX 512u		/* of the tree; what is deeper is listed without functions */

/* --- nodes of entries --- */

BOB_COMPARE(by_rank, struct entry, BOB_UP(rank))

/* Moves entries of a frame within `around` to the first of them. */
static bob_status group(struct building *b, struct entry *e, size_t count, uint32_t around)
{
	const uint32_t depth = b->frames.frames.at[around].depth + 1;
	int moved = 0;

	if (BOB_VEC_REACH(&b->first, b->frames.frames.count))
		return BOB_ERR_NOMEM;
	for (size_t i = 0; i < count; i++) {
		size_t *first = &b->first.at[bob_call_frame_around(&b->frames, e[i].frame, depth)];

		e[i].rank = i;
		if (e[i].frame == around)
			continue;
		if (!*first)
			*first = i + 1;
		e[i].rank = *first - 1;
		moved |= e[i].rank != i;
	}
	for (size_t i = 0; i < count; i++)
		b->first.at[bob_call_frame_around(&b->frames, e[i].frame, depth)] = 0;
	if (!moved)
		return BOB_OK;
	for (size_t i = 0; i < count; i++) /* the order within a frame stays */
		e[i].rank = e[i].rank << 31 | i;
	qsort(e, count, sizeof(*e), by_rank);
	return BOB_OK;
}

static struct bob_structure_node *add_node(struct building *b, const struct entry *e,
					   uint32_t depth)
{
	struct bob_structure_node n = { .kind = e->kind, .depth = depth, .shape = e->item >> 1,
					.index = e->index, .part = b->s->part, .joined = 1,
					.image = e->image, .pc = e->pc,
					.site_image = BOB_STRUCTURE_NONE, .count = e->count,
					.rule = BOB_STRUCTURE_NONE,
					.peeled = BOB_STRUCTURE_NONE };

	return BOB_VEC_ADD(&b->s->nodes, n) ? NULL : &b->s->nodes.at[b->s->nodes.count - 1];
}

/* Ends the subtree of node `at`: adds up what is in it. */
static void end_node(struct bob_structure *s, size_t at)
{
	struct bob_structure_node *n = &s->nodes.at[at];

	n->end = (uint32_t)s->nodes.count;
	for (size_t i = at + 1; i < s->nodes.count; i = s->nodes.at[i].end) {
		n->loads += s->nodes.at[i].loads;
		n->stores += s->nodes.at[i].stores;
	}
}

static bob_status list(struct building *b, struct entry *e, size_t count, uint32_t around,
		       uint32_t depth);

/* Iterations of a loop that were folded outside it show in its accesses: it has as many as most of
 * the accesses that happen at least as often as `least`. */
static bob_status count_iterations(const struct entries *items, uint64_t least,
				   uint64_t *iterations)
{
	uint64_t *count = calloc(items->count + 1, sizeof(*count));
	size_t n = 0;

	if (!count)
		return BOB_ERR_NOMEM;
	for (size_t i = 0; i < items->count; i++)
		if (items->at[i].kind == BOB_STRUCTURE_ACCESS && items->at[i].count >= least)
			count[n++] = items->at[i].count;
	if (n)
		*iterations = bob_usual(count, n);
	free(count);
	return BOB_OK;
}

static bob_status list_loop(struct building *b, const struct entry *e, uint32_t depth)
{
	const struct bob_home *home = bob_home_of(b->homes, e->item);
	struct bob_structure_node *n = add_node(b, e, depth);
	const size_t at = b->s->nodes.count - 1;
	struct entries items = { 0 };
	struct bob_leaf leaf;
	bob_status st;

	if (!n)
		return BOB_ERR_NOMEM;
	n->entries = home->entries;
	if (e->kind == BOB_STRUCTURE_LOOP) {
		st = bob_entries_of_home(b, home->first, &items);
		if (st == BOB_OK)
			st = count_iterations(&items, home->is_united ? 1 : n->count, &n->count);
	} else {
		n->entries = home->count;
		st = bob_entries_leaf(b, e->item >> 1, &leaf);
		if (st == BOB_OK)
			st = bob_entries_of_leaf(b, e->item, &leaf, e->count, &items);
	}
	if (st == BOB_OK)
		st = list(b, items.at, items.count, e->frame, depth + 1);
	BOB_VEC_FREE(&items);
	if (st == BOB_OK)
		end_node(b->s, at);
	return st;
}

static bob_status list_entry(struct building *b, const struct entry *e, uint32_t depth)
{
	struct bob_structure_node *n;
	struct bob_leaf leaf;
	bob_status st;

	if (e->kind == BOB_STRUCTURE_LOOP || e->kind == BOB_STRUCTURE_LEAF)
		return list_loop(b, e, depth);
	n = add_node(b, e, depth);
	if (!n)
		return BOB_ERR_NOMEM;
	if (e->kind == BOB_STRUCTURE_ACCESS) {
		st = bob_entries_leaf(b, e->item >> 1, &leaf);
		if (st != BOB_OK)
			return st;
		if (b->access[e->index].type == BOB_ACCESS_LOAD)
			n->loads = e->count;
		else
			n->stores = e->count;
	}
	end_node(b->s, b->s->nodes.count - 1);
	return BOB_OK;
}

/* Lists the entries of one frame within `around`. */
static bob_status list_frame(struct building *b, struct entry *e, size_t count, uint32_t around,
			     uint32_t depth)
{
	const uint32_t level = b->frames.frames.at[around].depth + 1;
	const uint32_t frame = bob_call_frame_around(&b->frames, e->frame, level);
	const struct bob_frame_key key = b->frames.frames.at[frame].key;
	const struct entry f = { .kind = BOB_STRUCTURE_FUNCTION, .image = key.image,
				 .pc = key.function };
	struct bob_structure_node *n = add_node(b, &f, depth);
	const size_t at = b->s->nodes.count - 1;
	bob_status st;

	if (!n)
		return BOB_ERR_NOMEM;
	n->inlined = b->frames.frames.at[frame].inlined;
	if (!n->inlined.function) {
		n->site_image = key.site_image;
		n->site = key.site;
	}
	st = list(b, e, count, frame, depth + 1);
	if (st == BOB_OK)
		end_node(b->s, at);
	return st;
}

/* Are these entries, which are in one frame, only accesses of an inlined function? They are listed
 * without it: most inlined functions are accessors. */
static int is_trivial(const struct building *b, const struct entry *e, size_t count, uint32_t level)
{
	for (size_t i = 0; i < count; i++) {
		uint32_t at = e[i].frame;

		if (e[i].kind != BOB_STRUCTURE_ACCESS)
			return 0;
		for (; b->frames.frames.at[at].depth >= level;
		     at = b->frames.frames.at[at].key.parent)
			if (!b->frames.frames.at[at].inlined.function)
				return 0;
	}
	return 1;
}

/* Lists entries that are all in frame `around`. */
static bob_status list(struct building *b, struct entry *e, size_t count, uint32_t around,
		       uint32_t depth)
{
	const uint32_t level = b->frames.frames.at[around].depth + 1;
	bob_status st = group(b, e, count, around);
	size_t i = 0;

	while (i < count && st == BOB_OK) {
		const uint32_t frame = bob_call_frame_around(&b->frames, e[i].frame, level);
		size_t end = i + 1;

		if (e[i].frame == around || depth >= DEPTH_MAX) {
			st = list_entry(b, &e[i++], depth);
			continue;
		}
		while (end < count &&
		       bob_call_frame_around(&b->frames, e[end].frame, level) == frame)
			end++;
		if (is_trivial(b, e + i, end - i, level))
			for (; i < end && st == BOB_OK; i++)
				st = list_entry(b, &e[i], depth);
		else
			st = list_frame(b, e + i, end - i, around, depth);
		i = end;
	}
	return st;
}

/* --- life --- */

/* Accesses; not marks, which may have the same path in several places. */
static int is_code(void *ctx, uint32_t shape)
{
	const struct building *b = ctx;
	struct bob_leaf leaf;

	return bob_trace_leaf(b->s->trace, b->s->thread, shape, &leaf, NULL, 0) == BOB_OK &&
	       (leaf.kind == BOB_LEAF_BLOCK || leaf.kind == BOB_LEAF_LOOP);
}

static bob_status add_part(struct building *b)
{
	struct entries items = { 0 };
	bob_status st = bob_homes_create(b->s->folded, b->s->participant, b->s->part, is_code, b,
					 &b->homes);

	b->loop_frame.count = 0;
	if (st == BOB_OK)
		st = BOB_VEC_REACH(&b->loop_frame, bob_homes_loops(b->homes) + (size_t)1);
	if (st == BOB_OK)
		st = bob_entries_of_home(b, bob_homes_first(b->homes), &items);
	if (st == BOB_OK)
		st = list(b, items.at, items.count, BOB_FRAME_ROOT, 0);
	BOB_VEC_FREE(&items);
	bob_homes_destroy(b->homes);
	b->homes = NULL;
	return st;
}

static bob_status build(struct bob_structure *s)
{
	struct building *b = calloc(1, sizeof(*b));
	bob_status st;

	if (!b)
		return BOB_ERR_NOMEM;
	b->s = s;
	st = bob_call_frames_begin(&b->frames, s->trace,
				   bob_trace_thread(s->trace, s->thread)->process, s->folded);
	for (; st == BOB_OK && s->part < bob_folded_parts(s->folded, s->participant); s->part++)
		st = add_part(b);
	bob_call_frames_free(&b->frames);
	BOB_VEC_FREE(&b->loop_frame);
	BOB_VEC_FREE(&b->first);
	BOB_VEC_FREE(&b->expanded);
	free(b);
	if (st == BOB_OK)
		st = bob_structure_join_peeled(s, s->nodes.at, s->nodes.count);
	if (st == BOB_OK)
		st = bob_structure_join(s, s->nodes.at, s->nodes.count);
	if (st == BOB_OK)
		st = bob_structure_find_rules(s, s->nodes.at, s->nodes.count);
	return st;
}

bob_status bob_structure_create(const struct bob_trace *t, uint32_t thread,
				struct bob_structure **out)
{
	struct bob_structure *s = calloc(1, sizeof(*s));
	bob_status st;

	if (!s)
		return BOB_ERR_NOMEM;
	s->trace = t;
	s->thread = thread;
	s->folded = bob_trace_folded(t, thread, &s->participant);
	st = s->folded ? build(s) : BOB_NONE;
	if (st == BOB_OK)
		*out = s;
	else
		bob_structure_destroy(s);
	return st;
}

void bob_structure_destroy(struct bob_structure *s)
{
	if (!s)
		return;
	BOB_VEC_FREE(&s->nodes);
	free(s);
}

const struct bob_structure_node *bob_structure_nodes(const struct bob_structure *s, uint32_t *count)
{
	*count = (uint32_t)s->nodes.count;
	return s->nodes.at;
}

struct bob_series_source bob_structure_source(const struct bob_structure *s,
					      const struct bob_structure_node *n)
{
	return source_of(s, n->part);
}

int bob_structure_is_inexact(const struct bob_structure *s)
{
	return s->is_inexact;
}
