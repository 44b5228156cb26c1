/* SPDX-License-Identifier: BSD-3-Clause */
/* Queries of a folded trace's structure, without expansion. */
#include <string.h>

#include "fold/entries.h"
#include "fold/folded.h"
#include "fold/trips.h"

uint32_t bob_folded_parts(const struct bob_folded *f, uint32_t participant)
{
	return participant < f->first_count ?
		       bob_folded_first(f, participant + 1) - bob_folded_first(f, participant) :
		       0;
}

int bob_folded_parted(const struct bob_folded *f, uint32_t participant, uint64_t events)
{
	uint64_t seen = 0;

	if (participant >= f->first_count)
		return 0;
	for (uint32_t i = bob_folded_first(f, participant),
		      end = bob_folded_first(f, participant + 1);
	     i < end && seen < events; i++)
		seen += bob_list_at(&f->events, i);
	return seen == events;
}

uint32_t bob_folded_loops(const struct bob_folded *f)
{
	return f->tables.loop_count;
}

const uint32_t *bob_folded_body(const struct bob_folded *f, uint32_t loop, uint32_t *len)
{
	*len = f->tables.loop[loop].len;
	return f->tables.loop[loop].item;
}

bob_status bob_folded_spine(const struct bob_folded *f, uint32_t participant, uint32_t part,
			    int (*visit)(void *ctx, uint32_t item), void *ctx)
{
	const struct bob_alloc *a = &f->tables.blocks.alloc;
	size_t size = bob_values_size(BOB_FOLD_SPINE_BITS);
	const struct bob_fold_sharing *s;
	struct bob_values_dec d;
	uint64_t item = 0;
	uint32_t member;
	bob_status st;

	if (part >= bob_folded_parts(f, participant))
		return BOB_ERR_INVAL;
	s = bob_folded_find(f, f->spines, bob_folded_first(f, participant) + part, &member);
	if (!s)
		return BOB_ERR_CORRUPT;
	uint8_t *mem = a->resize(a->ctx, NULL, 0, size);
	if (!mem)
		return BOB_ERR_NOMEM;
	memset(mem, 0, size);
	bob_values_dec_init(&d, mem, BOB_FOLD_SPINE_BITS, s->bytes.at, s->bytes.len);
	while ((st = bob_values_get(&d, &item)) == BOB_OK)
		if (!bob_tables_has(&f->tables, item)) {
			st = BOB_ERR_CORRUPT;
			break;
		} else if (visit(ctx, (uint32_t)item)) {
			break;
		}
	a->resize(a->ctx, mem, size, 0);
	return st == BOB_END ? BOB_OK : st;
}

static bob_status find_column(const struct bob_folded *f, uint32_t item, uint32_t word,
			      uint32_t *column)
{
	const struct bob_tables *t = &f->tables;

	if (!bob_tables_has(t, item))
		return BOB_ERR_INVAL;
	if (item & 1) {
		*column = t->loop[item >> 1].column;
		return word ? BOB_ERR_INVAL : BOB_OK;
	}
	*column = t->shape[item >> 1].column + word;
	return word < t->shape[item >> 1].words ? BOB_OK : BOB_ERR_INVAL;
}

bob_status bob_folded_pieces(const struct bob_folded *f, uint32_t participant, uint32_t part,
			     uint32_t item, uint32_t word,
			     int (*visit)(void *ctx, const struct bob_piece *p), void *ctx,
			     int *left)
{
	const struct bob_fold_sharing *s;
	struct bob_group_reader r;
	struct bob_piece p;
	uint32_t member, column = 0;
	bob_status st = find_column(f, item, word, &column);

	*left = 0;
	if (part >= bob_folded_parts(f, participant))
		st = BOB_ERR_INVAL;
	if (st != BOB_OK)
		return st;
	s = bob_folded_find(f, f->column[column], bob_folded_first(f, participant) + part, &member);
	if (!s)
		return BOB_NONE;
	st = bob_group_open(&r, f, s, member);
	while (st == BOB_OK) {
		st = bob_group_piece(&r, &p, left);
		if (st == BOB_OK && visit(ctx, &p))
			break;
	}
	bob_group_close(&r);
	return st == BOB_END ? BOB_OK : st;
}

/* --- counting --- */

static void *allocate_trips(void *ctx, size_t bytes)
{
	void *p = bob_blocks_get(ctx, bytes);

	return p ? memset(p, 0, bytes) : NULL;
}

static bob_status sum_given_up(const struct bob_folded *f, const uint8_t *at, const uint8_t *end,
			       uint64_t last, uint64_t *sum)
{
	struct bob_blocks blocks = { .alloc = f->tables.blocks.alloc };
	size_t budget = BOB_TRIPS_BYTES;
	struct bob_trips_dec d;
	bob_status st;

	bob_trips_dec_init(&d, at, (size_t)(end - at), allocate_trips, &blocks, &budget);
	while ((st = bob_trips_get(&d, &last)) == BOB_OK)
		*sum += last;
	bob_blocks_free(&blocks);
	return st;
}

/* Iterations of a loop: the sum of its trip counts. */
static bob_status sum_trips(const struct bob_folded *f, uint32_t part, uint32_t column,
			    uint64_t *sum)
{
	const struct bob_fold_sharing *s;
	struct bob_group_reader r;
	struct bob_piece p;
	uint32_t member;
	uint64_t z;
	int given_up = 0;
	bob_status st;

	*sum = 0;
	s = bob_folded_find(f, f->column[column], part, &member);
	if (!s)
		return BOB_OK;
	st = bob_group_open(&r, f, s, member);
	while (st == BOB_OK) {
		st = bob_group_piece(&r, &p, &given_up);
		if (st == BOB_OK)
			st = bob_piece_sum(&p, &z);
		if (st == BOB_OK)
			*sum += z;
	}
	if (given_up)
		st = sum_given_up(f, r.structure, r.structure_end, r.last, sum);
	bob_group_close(&r);
	return st == BOB_END ? BOB_OK : st;
}

struct counting {
	uint64_t *shape, *loop;
};

static int count_item(void *ctx, uint32_t item)
{
	struct counting *c = ctx;

	if (!(item & 1))
		c->shape[item >> 1]++;
	return 0;
}

bob_status bob_folded_counts(const struct bob_folded *f, uint32_t participant, uint32_t part,
			     uint64_t *shape, uint64_t *loop)
{
	const struct bob_tables *t = &f->tables;
	struct counting c = { shape, loop };
	bob_status st;

	memset(shape, 0, t->shape_count * sizeof(*shape));
	memset(loop, 0, t->loop_count * sizeof(*loop));
	st = bob_folded_spine(f, participant, part, count_item, &c);
	for (uint32_t i = 0; i < t->loop_count && st == BOB_OK; i++) {
		const struct bob_table_loop *l = &t->loop[i];

		st = sum_trips(f, bob_folded_first(f, participant) + part, l->column, &loop[i]);
		for (uint32_t k = 0; k < l->len && loop[i]; k++)
			if (!(l->item[k] & 1))
				shape[l->item[k] >> 1] += loop[i];
	}
	return st;
}
