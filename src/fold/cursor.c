/* SPDX-License-Identifier: BSD-3-Clause */
/* Expanding: a stack of running loops, a reader for each column, one value at a time. The bytes may be
 * anything: every iteration must have an event, so that the work between two events is bounded by what
 * the tables hold. */
#include <string.h>

#include "base/varint.h"
#include "fold/columns.h"
#include "fold/entries.h"
#include "fold/folded.h"
#include "fold/piece.h"
#include "fold/values.h"

struct column {
	struct bob_piece piece;
	struct bob_piece_walk walk;
	struct bob_group_reader reader;
	uint64_t last;		/* difference is to this, if given up */
	int walking, given_up, in_line;
	struct column *before;	/* opened before, of the same part */
};

struct frame {
	const struct bob_table_loop *loop;
	uint64_t left;		/* iterations, this one included */
	uint32_t at;
	uint32_t has_event;	/* in this iteration */
};

struct bob_fold_cursor {
	const struct bob_folded *folded;
	uint32_t part, parts_end;	/* index */
	uint32_t room;			/* of `column` */
	struct column **column;		/* by number; NULL: not read yet */
	struct column *newest;
	struct frame *frame;
	uint32_t depth, frame_room;
	struct bob_values_dec spine, values;
	uint64_t item;			/* the newest of the spine */
	uint64_t events;		/* of this part */
	uint8_t *spine_mem, *values_mem;
	bob_status failed;
	uint64_t word[BOB_FOLD_WORDS_MAX];
	struct bob_blocks blocks;	/* of this part's columns */
};

/* --- columns --- */

static bob_status next_piece(struct column *c)
{
	bob_status st = bob_group_piece(&c->reader, &c->piece, &c->given_up);

	c->walking = 0;
	if (c->given_up) {
		c->last = c->reader.last;
		return BOB_OK;
	}
	if (st == BOB_OK && bob_piece_begin(&c->piece, 0, 0, &c->walk) == BOB_OK) {
		c->walking = 1;
		return BOB_OK;
	}
	return st == BOB_ERR_NOMEM ? st : BOB_ERR_CORRUPT;
}

static bob_status next_difference(struct bob_fold_cursor *k, struct column *c, uint64_t *value)
{
	uint64_t z;

	if (!c->in_line) {
		if (bob_values_get(&k->values, &c->last) != BOB_OK)
			return BOB_ERR_CORRUPT;
	} else {
		if (bob_varint_get(&c->reader.structure, c->reader.structure_end, &z))
			return BOB_ERR_CORRUPT;
		c->last += (uint64_t)bob_unzigzag(z);
	}
	*value = c->last;
	return BOB_OK;
}

static bob_status open_column(struct bob_fold_cursor *k, uint32_t number, int in_line)
{
	uint32_t member;
	const struct bob_fold_sharing *s =
		bob_folded_find(k->folded, k->folded->column[number], k->part, &member);
	struct column *c;

	if (!s)
		return BOB_ERR_CORRUPT;
	c = bob_blocks_get(&k->blocks, sizeof(*c));
	if (!c)
		return BOB_ERR_NOMEM;
	c->walking = 0;
	c->given_up = 0;
	c->in_line = in_line;
	c->before = k->newest;
	k->newest = k->column[number] = c;
	return bob_group_open(&c->reader, k->folded, s, member);
}

static bob_status next_value(struct bob_fold_cursor *k, uint32_t number, int in_line,
			     uint64_t *value)
{
	struct column *c = k->column[number];
	bob_status st = BOB_OK;

	if (__builtin_expect(!c, 0)) {
		st = open_column(k, number, in_line);
		if (st != BOB_OK)
			return st;
		c = k->column[number];
	}
	if (!c->walking || bob_piece_next(&c->piece, 0, &c->walk) != BOB_OK) {
		if (!c->given_up)
			st = next_piece(c);
		if (st != BOB_OK)
			return st;
		if (c->given_up)
			return next_difference(k, c, value);
	}
	*value = c->walk.value;
	return BOB_OK;
}

/* --- parts --- */

static void begin_values(const struct bob_fold_cursor *k, struct bob_values_dec *d, uint8_t *mem,
			 unsigned bits, uint32_t list)
{
	uint32_t member;
	const struct bob_fold_sharing *s = bob_folded_find(k->folded, list, k->part, &member);

	if (s)
		memset(mem, 0, bob_values_size(bits));
	bob_values_dec_init(d, mem, bits, s ? s->bytes.at : mem, s ? s->bytes.len : 0);
}

static void close_columns(struct bob_fold_cursor *k)
{
	for (; k->newest; k->newest = k->newest->before)
		bob_group_close(&k->newest->reader);
	bob_blocks_free(&k->blocks);
}

static void begin_part(struct bob_fold_cursor *k)
{
	const struct bob_folded *f = k->folded;

	close_columns(k);
	memset(k->column, 0, k->room * sizeof(*k->column));
	begin_values(k, &k->spine, k->spine_mem, BOB_FOLD_SPINE_BITS, f->spines);
	begin_values(k, &k->values, k->values_mem, BOB_FOLD_VALUES_BITS, f->values);
	k->item = 0;
	k->events = 0;
}

/* The next item of the spine; BOB_END: none, in no part. */
static bob_status next_item(struct bob_fold_cursor *k)
{
	for (;;) {
		bob_status st = bob_values_get(&k->spine, &k->item);

		if (st == BOB_OK)
			return bob_tables_has(&k->folded->tables, k->item) ? BOB_OK :
									     BOB_ERR_CORRUPT;
		if (st != BOB_END)
			return st;
		if (k->events != k->folded->part[k->part].events)
			return BOB_ERR_CORRUPT;
		if (k->part + 1 == k->parts_end)
			return BOB_END;
		k->part++;
		begin_part(k);
	}
}

/* --- events --- */

static bob_status give(struct bob_fold_cursor *k, uint32_t shape, struct bob_fold_event *event)
{
	const struct bob_table_shape *s = &k->folded->tables.shape[shape];

	for (uint32_t i = 0; i < s->words; i++) {
		bob_status st = next_value(k, s->column + i, 0, &k->word[i]);

		if (st != BOB_OK)
			return st;
	}
	k->events++;
	event->shape = shape;
	event->words = s->words;
	event->word = k->word;
	return BOB_OK;
}

static bob_status enter(struct bob_fold_cursor *k, uint32_t number)
{
	const struct bob_table_loop *l = &k->folded->tables.loop[number];
	uint64_t trips;
	bob_status st = next_value(k, l->column, 1, &trips);

	if (st != BOB_OK || !trips)
		return st;
	k->frame[k->depth++] = (struct frame){ .loop = l, .left = trips };
	return BOB_OK;
}

/* The newest loop has come to the end of its body. */
static bob_status end_of_body(struct bob_fold_cursor *k)
{
	struct frame *f = &k->frame[k->depth - 1];

	if (!f->has_event)
		return BOB_ERR_CORRUPT;
	f->at = 0;
	f->has_event = 0;
	if (--f->left)
		return BOB_OK;
	if (--k->depth)
		f[-1].has_event = 1;
	return BOB_OK;
}

static bob_status step(struct bob_fold_cursor *k, struct bob_fold_event *event)
{
	for (;;) {
		struct frame *f = k->depth ? &k->frame[k->depth - 1] : NULL;
		bob_status st = BOB_OK;
		uint32_t item;

		if (f && f->at == f->loop->len) {
			st = end_of_body(k);
			if (st != BOB_OK)
				return st;
			continue;
		}
		if (f) {
			item = f->loop->item[f->at++];
		} else {
			st = next_item(k);
			if (st != BOB_OK)
				return st;
			item = (uint32_t)k->item;
		}
		if (!(item & 1)) {
			if (f)
				f->has_event = 1;
			return give(k, item >> 1, event);
		}
		st = enter(k, item >> 1);
		if (st != BOB_OK)
			return st;
	}
}

bob_status bob_fold_cursor_next(struct bob_fold_cursor *c, struct bob_fold_event *event)
{
	bob_status st = c->failed;

	if (st == BOB_OK)
		st = step(c, event);
	c->failed = st;
	return st;
}

/* --- life --- */

static uint32_t deepest(const struct bob_tables *t)
{
	uint32_t depth = 1;

	for (uint32_t i = 0; i < t->loop_count; i++)
		if (t->loop[i].depth > depth)
			depth = t->loop[i].depth;
	return depth;
}

bob_status bob_fold_cursor_open(const struct bob_folded *f, uint32_t participant,
				struct bob_fold_cursor **out)
{
	const struct bob_alloc *a = &f->tables.blocks.alloc;
	struct bob_fold_cursor *k;

	if (participant >= f->first_count)
		return BOB_ERR_INVAL;
	k = a->resize(a->ctx, NULL, 0, sizeof(*k));
	if (!k)
		return BOB_ERR_NOMEM;
	memset(k, 0, sizeof(*k));
	k->folded = f;
	k->blocks.alloc = *a;
	k->part = f->first[participant];
	k->parts_end = participant + 1 < f->first_count ? f->first[participant + 1] : f->part_count;
	k->spine_mem = a->resize(a->ctx, NULL, 0, bob_values_size(BOB_FOLD_SPINE_BITS));
	k->values_mem = a->resize(a->ctx, NULL, 0, bob_values_size(BOB_FOLD_VALUES_BITS));
	if (!k->spine_mem || !k->values_mem ||
	    !bob_array_grow(a, &k->column, &k->room, 0, f->tables.column_count + 1,
			    sizeof(*k->column)) ||
	    !bob_array_grow(a, &k->frame, &k->frame_room, 0, deepest(&f->tables),
			    sizeof(*k->frame))) {
		bob_fold_cursor_close(k);
		return BOB_ERR_NOMEM;
	}
	begin_part(k);
	*out = k;
	return BOB_OK;
}

void bob_fold_cursor_close(struct bob_fold_cursor *c)
{
	struct bob_alloc a;

	if (!c)
		return;
	a = c->blocks.alloc;
	bob_array_free(&a, c->spine_mem, 1, bob_values_size(BOB_FOLD_SPINE_BITS));
	bob_array_free(&a, c->values_mem, 1, bob_values_size(BOB_FOLD_VALUES_BITS));
	bob_array_free(&a, c->column, c->room, sizeof(*c->column));
	bob_array_free(&a, c->frame, c->frame_room, sizeof(*c->frame));
	close_columns(c);
	a.resize(a.ctx, c, sizeof(*c), 0);
}
