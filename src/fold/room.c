/* SPDX-License-Identifier: BSD-3-Clause */
/* A column's sharings, one by one: the bytes of each, and of the first member of each how many of its values no piece has. */
#include "fold/room.h"

#include <string.h>

#include "fold/folded.h"

/* How often the item comes in a part: a shape that many times, a loop's trips are as many as it has runs, which nobody counts. */
static bob_status count_values(const struct bob_folded *f, uint32_t part, uint32_t item,
			       uint64_t *count)
{
	const struct bob_alloc *a = &f->tables.blocks.alloc;
	const size_t shapes = f->tables.shape_count + 1u,
		     size = (shapes + f->tables.loop_count + 1u) * sizeof(uint64_t);
	uint64_t *counts = a->resize(a->ctx, NULL, 0, size);
	uint32_t low = 0, high = f->first_count;
	bob_status st;

	if (!counts)
		return BOB_ERR_NOMEM;
	while (high - low > 1) { /* whose part it is */
		uint32_t middle = low + (high - low) / 2;

		if (bob_folded_first(f, middle) <= part)
			low = middle;
		else
			high = middle;
	}
	st = bob_folded_counts(f, low, part - bob_folded_first(f, low), counts, counts + shapes);
	*count = item & 1 ? 0 : counts[item >> 1];
	a->resize(a->ctx, counts, size, 0);
	return st;
}

static bob_status look_at(const struct bob_folded *f, const struct bob_fold_sharing *s,
			  uint32_t item, struct bob_fold_room *room)
{
	const struct bob_list *set = &f->set[s->set];
	struct bob_group_reader r;
	struct bob_piece p;
	uint64_t values, covered = 0, n;
	int given_up = 0;
	bob_status st = bob_group_open(&r, f, s, 0);

	while (st == BOB_OK) {
		st = bob_group_piece(&r, &p, &given_up);
		if (st != BOB_OK)
			break;
		p.base = 1;
		memset(p.step, 0, sizeof(p.step));
		st = bob_piece_sum(&p, &n);
		covered += n;
	}
	bob_group_close(&r);
	if (st != BOB_END || !given_up)
		return st == BOB_END ? BOB_OK : st;
	st = count_values(f, (uint32_t)bob_list_at(set, 0), item, &values);
	room->without += set->count;
	if (st == BOB_OK && values > covered && values - covered > room->most)
		room->most = values - covered;
	return st;
}

bob_status bob_folded_room(const struct bob_folded *f, uint32_t item, uint32_t word,
			   struct bob_fold_room *room)
{
	const struct bob_tables *t = &f->tables;
	bob_status st = BOB_OK;
	uint32_t column;

	memset(room, 0, sizeof(*room));
	if (!bob_tables_has(t, item) || (item & 1 ? word : word >= t->shape[item >> 1].words))
		return BOB_ERR_INVAL;
	column = item & 1 ? t->loop[item >> 1].column : t->shape[item >> 1].column + word;
	for (uint32_t i = f->column[column]; i && st == BOB_OK; i = f->sharing[i - 1].next) {
		const struct bob_fold_sharing *s = &f->sharing[i - 1];

		room->bytes += s->bytes.len;
		room->forms++;
		st = look_at(f, s, item, room);
	}
	return st;
}

uint64_t bob_folded_room_of_values(const struct bob_folded *f)
{
	uint64_t bytes = 0;

	for (uint32_t i = f->values; i; i = f->sharing[i - 1].next)
		bytes += f->sharing[i - 1].bytes.len;
	return bytes;
}
