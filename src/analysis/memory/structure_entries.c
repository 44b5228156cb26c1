/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes entries of the items of a home (structure_entries.h). A loop belongs to the innermost frame
 * that contains all its accesses. */
#include "analysis/memory/structure_entries.h"

#define NESTING_MAX 4096u	/* of loops */

/* The iterations of an event that is a run of a loop; of others 0. */
static uint64_t iterations_in(const struct building *b, const struct bob_fold_event *event)
{
	struct bob_leaf leaf;

	if (bob_trace_leaf(b->s->trace, b->s->thread, event->shape, &leaf, NULL, 0) != BOB_OK ||
	    leaf.kind != BOB_LEAF_LOOP || !leaf.counter_step || leaf.words >= event->words ||
	    leaf.counter >= event->words)
		return 0;
	return (uint64_t)((int64_t)(event->word[leaf.words] - event->word[leaf.counter]) /
			  leaf.counter_step);
}

/* Counts the iterations of all such loops one by one. */
static bob_status count_expanded(struct building *b)
{
	const struct bob_structure *s = b->s;
	const size_t shapes = bob_folded_shapes(s->folded);
	struct bob_fold_cursor *c;
	struct bob_fold_event event;
	uint64_t events = 0;
	size_t part = 0;
	bob_status st;

	if (BOB_VEC_REACH(&b->expanded, shapes * bob_folded_parts(s->folded, s->participant)))
		return BOB_ERR_NOMEM;
	st = bob_fold_cursor_open(s->folded, s->participant, &c);
	if (st != BOB_OK)
		return st;
	while ((st = bob_fold_cursor_next(c, &event)) == BOB_OK) {
		if (part * shapes + event.shape >= b->expanded.count)
			break;
		b->expanded.at[part * shapes + event.shape] += iterations_in(b, &event);
		part += bob_folded_parted(s->folded, s->participant, ++events) != 0;
	}
	bob_fold_cursor_close(c);
	return st == BOB_END ? BOB_OK : st == BOB_OK ? BOB_ERR_CORRUPT : st;
}

/* All iterations of a loop that is one record. If its trip counts are irregular, only expansion
 * gives them. */
static bob_status iterations_of(struct building *b, uint32_t shape, const struct bob_leaf *leaf,
				uint64_t *count)
{
	const struct bob_series_source source = source_of(b->s, b->s->part);
	bob_status st = BOB_OK;

	if (bob_series_iterations(&source, shape, leaf, count))
		return BOB_OK;
	if (!b->expanded.count)
		st = count_expanded(b);
	if (st == BOB_OK)
		*count = b->expanded
				 .at[(size_t)b->s->part * bob_folded_shapes(b->s->folded) + shape];
	return st;
}

bob_status bob_entries_leaf(struct building *b, uint32_t shape, struct bob_leaf *leaf)
{
	bob_status st =
		bob_trace_leaf(b->s->trace, b->s->thread, shape, leaf, b->access, ACCESSES_MAX);

	return st != BOB_OK || leaf->accesses > ACCESSES_MAX ? BOB_ERR_CORRUPT : BOB_OK;
}

/* Adds the accesses of a leaf. */
bob_status bob_entries_of_leaf(struct building *b, uint32_t item, const struct bob_leaf *leaf,
			       uint64_t count, struct entries *to)
{
	struct bob_fold_shape shape;
	bob_status st = BOB_OK;

	bob_folded_shape(b->s->folded, item >> 1, &shape);
	for (uint32_t i = 0; i < leaf->accesses && st == BOB_OK; i++) {
		struct entry e = { .kind = BOB_STRUCTURE_ACCESS, .item = item, .index = i,
				   .image = leaf->image, .pc = b->access[i].pc, .count = count };

		b->s->is_inexact |= b->access[i].guarded;
		st = bob_call_frame_at(&b->frames, shape.path, leaf->image, e.pc, &e.frame);
		if (st == BOB_OK)
			st = BOB_VEC_ADD(to, e);
	}
	return st;
}

/* Adds an event or a synchronisation, which is in the frame of its caller. */
static bob_status add_mark(struct building *b, uint32_t item, const struct bob_leaf *leaf,
			   uint64_t count, struct entries *to)
{
	struct entry e = { .item = item, .image = BOB_STRUCTURE_NONE, .count = count };
	struct bob_fold_shape shape;
	uint32_t parent;
	uint64_t place;
	bob_status st;

	bob_folded_shape(b->s->folded, item >> 1, &shape);
	e.kind = leaf->kind == BOB_LEAF_SYNC ? BOB_STRUCTURE_SYNC : BOB_STRUCTURE_EVENT;
	if (bob_folded_path(b->s->folded, shape.path, &parent, &place))
		bob_trace_place(b->s->trace, b->frames.process, place, &e.image, &e.pc);
	st = bob_call_frame_of_caller(&b->frames, shape.path, &e.frame);
	return st == BOB_OK ? BOB_VEC_ADD(to, e) : st;
}

/* Adds a loop that is one record, in the frame of its accesses. */
static bob_status add_leaf_loop(struct building *b, uint32_t item, const struct bob_leaf *leaf,
				struct entries *to)
{
	struct entry e = { .kind = BOB_STRUCTURE_LEAF, .item = item };
	struct bob_fold_shape shape;
	uint32_t frame;
	bob_status st = BOB_OK;

	bob_folded_shape(b->s->folded, item >> 1, &shape);
	st = iterations_of(b, item >> 1, leaf, &e.count);
	for (uint32_t i = 0; i < leaf->accesses && st == BOB_OK; i++) {
		st = bob_call_frame_at(&b->frames, shape.path, leaf->image, b->access[i].pc,
				       &frame);
		e.frame = i && st == BOB_OK ? bob_call_frame_common(&b->frames, e.frame, frame) :
					      frame;
	}
	return st == BOB_OK && leaf->accesses ? BOB_VEC_ADD(to, e) : st;
}

static bob_status loop_frame(struct building *b, uint32_t loop, uint32_t *frame);

static bob_status add_item(struct building *b, uint32_t item, struct entries *to)
{
	const struct bob_home *home = bob_home_of(b->homes, item);
	struct entry e = { .kind = BOB_STRUCTURE_LOOP, .item = item, .count = home->count };
	struct bob_leaf leaf;
	bob_status st;

	if (item & 1) {
		st = loop_frame(b, item >> 1, &e.frame);
		return st == BOB_OK ? BOB_VEC_ADD(to, e) : st == BOB_NONE ? BOB_OK : st;
	}
	st = bob_entries_leaf(b, item >> 1, &leaf);
	if (st != BOB_OK)
		return st;
	switch (leaf.kind) {
	case BOB_LEAF_BLOCK:
		return bob_entries_of_leaf(b, item, &leaf, home->count, to);
	case BOB_LEAF_LOOP:
		return add_leaf_loop(b, item, &leaf, to);
	case BOB_LEAF_SYNC:
	case BOB_LEAF_VALUES:
		return add_mark(b, item, &leaf, home->count, to);
	default:
		b->s->is_inexact |= leaf.kind == BOB_LEAF_AGAIN;
		return BOB_OK;
	}
}

/* The items of a home. */
bob_status bob_entries_of_home(struct building *b, uint32_t first, struct entries *to)
{
	bob_status st = BOB_OK;

	for (uint32_t i = first; i != BOB_HOME_NO_ITEM && st == BOB_OK;
	     i = bob_home_of(b->homes, i)->next)
		st = add_item(b, i, to);
	return st;
}

/* The innermost frame that contains all of a loop. BOB_NONE: it has no entries. */
static bob_status loop_frame(struct building *b, uint32_t loop, uint32_t *frame)
{
	uint32_t *known = &b->loop_frame.at[loop];
	struct entries items = { 0 };
	bob_status st;

	if (*known) {
		*frame = *known - 1;
		return BOB_OK;
	}
	if (b->nesting == NESTING_MAX)
		return BOB_ERR_CORRUPT;
	b->nesting++;
	st = bob_entries_of_home(b, bob_home_of(b->homes, 2 * loop + 1)->first, &items);
	b->nesting--;
	if (st == BOB_OK && !items.count)
		st = BOB_NONE;
	for (size_t i = 0; i < items.count && st == BOB_OK; i++)
		*frame = i ? bob_call_frame_common(&b->frames, *frame, items.at[i].frame) :
			     items.at[i].frame;
	if (st == BOB_OK)
		b->loop_frame.at[loop] = *frame + 1;
	BOB_VEC_FREE(&items);
	return st;
}
