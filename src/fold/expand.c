/* SPDX-License-Identifier: BSD-3-Clause */
/* State of an expansion: opens the columns of a part, walks its spine and loops, and decodes the
 * values of an event on demand. Errors: BOB_ERR_CORRUPT for invalid bytes, BOB_ERR_NOMEM. */
#include "fold/expand.h"

#include <string.h>

#include "fold/entries.h"

/* --- columns --- */

static bob_status open_column(struct bob_expand *x, uint32_t number, int in_line)
{
	uint32_t member;
	const struct bob_fold_sharing *s =
		bob_folded_find(x->folded, x->folded->column[number], x->part, &member);
	struct bob_expand_column *c;

	if (!s)
		return BOB_ERR_CORRUPT;
	c = bob_blocks_get(&x->blocks, sizeof(*c));
	if (!c)
		return BOB_ERR_NOMEM;
	memset(c, 0, sizeof(*c));
	c->in_line = in_line;
	c->before = x->newest;
	x->newest = x->column[number] = c;
	c->failed = bob_group_open(&c->reader, x->folded, s, member);
	return BOB_OK;
}

static void *allocate_trips(void *ctx, size_t bytes)
{
	struct bob_expand *x = ctx;
	void *p = bob_blocks_get(&x->blocks, bytes);

	return p ? memset(p, 0, bytes) : NULL;
}

bob_status bob_expand_column(struct bob_expand *x, uint32_t number, int in_line,
			     struct bob_expand_column **out)
{
	struct bob_expand_column *c = x->column[number];
	bob_status st = c ? BOB_OK : open_column(x, number, in_line);

	if (st != BOB_OK)
		return st;
	*out = c = x->column[number];
	if (c->ready || c->given_up || c->failed != BOB_OK)
		return c->failed;
	c->failed = bob_group_piece(&c->reader, &c->piece, &c->given_up);
	if (c->given_up) {
		c->failed = BOB_OK;
		c->last = c->reader.last;
		bob_trips_dec_init(&c->trips, c->reader.structure,
				   (size_t)(c->reader.structure_end - c->reader.structure),
				   allocate_trips, x, &x->trips_budget);
	} else if (c->failed == BOB_OK && bob_piece_begin(&c->piece, 0, 0, &c->walk) == BOB_OK) {
		c->ready = 1;
	} else if (c->failed != BOB_ERR_NOMEM) {
		c->failed = BOB_ERR_CORRUPT;
	}
	return c->failed;
}

bob_status bob_expand_difference(struct bob_expand *x, struct bob_expand_column *c, uint64_t *value)
{
	bob_status st = c->in_line ? bob_trips_get(&c->trips, &c->last) :
				     bob_values_get(&x->values, &c->last);

	*value = c->last;
	return st == BOB_OK || st == BOB_ERR_NOMEM ? st : BOB_ERR_CORRUPT;
}

/* --- parts --- */

/* Allocates the model of a stream only for parts that have values: the model of given-up columns is
 * large, and most traces do not need it. */
static bob_status begin_values(const struct bob_expand *x, struct bob_values_dec *d, uint8_t **mem,
			       unsigned bits, uint32_t list)
{
	const struct bob_alloc *a = &x->blocks.alloc;
	uint32_t member;
	const struct bob_fold_sharing *s = bob_folded_find(x->folded, list, x->part, &member);

	if (!s) {
		memset(d, 0, sizeof(*d));
		return BOB_OK;
	}
	if (!*mem)
		*mem = a->resize(a->ctx, NULL, 0, bob_values_size(bits));
	if (!*mem)
		return BOB_ERR_NOMEM;
	bob_values_clear(*mem, bits);
	bob_values_dec_init(d, *mem, bits, s->bytes.at, s->bytes.len);
	return BOB_OK;
}

static void close_columns(struct bob_expand *x)
{
	for (; x->newest; x->newest = x->newest->before)
		bob_group_close(&x->newest->reader);
	bob_blocks_free(&x->blocks);
}

static bob_status begin_part(struct bob_expand *x)
{
	const struct bob_folded *f = x->folded;
	bob_status st;

	close_columns(x);
	memset(x->column, 0, x->capacity * sizeof(*x->column));
	st = begin_values(x, &x->spine, &x->spine_mem, BOB_FOLD_SPINE_BITS, f->spines);
	if (st == BOB_OK)
		st = begin_values(x, &x->values, &x->values_mem, BOB_FOLD_VALUES_BITS, f->values);
	x->item = 0;
	x->events = 0;
	x->trips_budget = BOB_TRIPS_BYTES;
	return st;
}

/* Decodes the next item of the spine. Advances to the next part at its end; BOB_END after the
 * last. */
static bob_status next_of_spine(struct bob_expand *x)
{
	for (;;) {
		bob_status st = bob_values_get(&x->spine, &x->item);

		if (st == BOB_OK)
			return bob_tables_has(&x->folded->tables, x->item) ? BOB_OK :
									     BOB_ERR_CORRUPT;
		if (st != BOB_END)
			return st;
		if (x->events != bob_list_at(&x->folded->events, x->part))
			return BOB_ERR_CORRUPT;
		if (x->part + 1 == x->parts_end)
			return BOB_END;
		x->part++;
		st = begin_part(x);
		if (st != BOB_OK)
			return st;
	}
}

/* --- events --- */

bob_status bob_expand_event(struct bob_expand *x, uint32_t shape, uint64_t *word)
{
	const struct bob_table_shape *s = &x->folded->tables.shape[shape];

	for (uint32_t i = 0; i < s->words; i++) {
		bob_status st = bob_expand_value(x, s->column + i, 0, &word[i]);

		if (st != BOB_OK)
			return st;
	}
	x->events++;
	return BOB_OK;
}

static bob_status enter(struct bob_expand *x, uint32_t number)
{
	const struct bob_table_loop *l = &x->folded->tables.loop[number];
	uint64_t trips;
	bob_status st = bob_expand_value(x, l->column, 1, &trips);

	if (st == BOB_OK && trips)
		x->frame[x->depth++] = (struct bob_expand_frame){ .loop = l, .number = number,
								  .left = trips,
								  .trips = trips };
	return st;
}

void bob_expand_iterated(struct bob_expand *x, uint64_t count)
{
	struct bob_expand_frame *f = &x->frame[x->depth - 1];

	f->at = 0;
	f->has_event = 0;
	f->left -= count;
	if (!f->left && --x->depth)
		f[-1].has_event = 1;
}

bob_status bob_expand_item(struct bob_expand *x, uint32_t *shape)
{
	struct bob_expand_frame *f = x->depth ? &x->frame[x->depth - 1] : NULL;
	bob_status st;
	uint32_t item;

	if (f) {
		item = f->loop->item[f->at++];
	} else {
		st = next_of_spine(x);
		if (st != BOB_OK)
			return st;
		item = (uint32_t)x->item;
	}
	if (item & 1) {
		st = enter(x, item >> 1);
		return st == BOB_OK ? BOB_NONE : st;
	}
	if (f)
		f->has_event = 1;
	*shape = item >> 1;
	return BOB_OK;
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

bob_status bob_expand_open(struct bob_expand *x, const struct bob_folded *f, uint32_t participant)
{
	const struct bob_alloc *a = &f->tables.blocks.alloc;
	bob_status st;

	memset(x, 0, sizeof(*x));
	if (participant >= f->first_count)
		return BOB_ERR_INVAL;
	x->folded = f;
	x->blocks.alloc = *a;
	x->part = bob_folded_first(f, participant);
	x->parts_end = bob_folded_first(f, participant + 1);
	if (!bob_array_grow(a, &x->column, &x->capacity, 0, f->tables.column_count + 1,
			    sizeof(*x->column)) ||
	    !bob_array_grow(a, &x->frame, &x->frame_capacity, 0, deepest(&f->tables),
			    sizeof(*x->frame))) {
		bob_expand_close(x);
		return BOB_ERR_NOMEM;
	}
	st = begin_part(x);
	if (st != BOB_OK)
		bob_expand_close(x);
	return st;
}

void bob_expand_close(struct bob_expand *x)
{
	const struct bob_alloc *a = &x->blocks.alloc;

	bob_array_free(a, x->spine_mem, 1, bob_values_size(BOB_FOLD_SPINE_BITS));
	bob_array_free(a, x->values_mem, 1, bob_values_size(BOB_FOLD_VALUES_BITS));
	bob_array_free(a, x->column, x->capacity, sizeof(*x->column));
	bob_array_free(a, x->frame, x->frame_capacity, sizeof(*x->frame));
	close_columns(x);
}
