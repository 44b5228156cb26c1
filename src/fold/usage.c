/* SPDX-License-Identifier: BSD-3-Clause */
/* Space per column: sums the bytes of its sharings and, for the first member of each, counts the
 * values that no piece covers. */
#include "fold/usage.h"

#include <string.h>

#include "base/search.h"
#include "fold/folded.h"

static size_t counts_bytes(const struct bob_folded *f)
{
	return (f->tables.shape_count + f->tables.loop_count + 2u) * sizeof(uint64_t);
}

void bob_fold_usage_end(const struct bob_folded *f, struct bob_fold_usage_counts *counts)
{
	const struct bob_alloc *a = &f->tables.blocks.alloc;

	if (counts->at)
		a->resize(a->ctx, counts->at, counts_bytes(f), 0);
	counts->at = NULL;
}

/* Counts by walking the whole part. */
static bob_status count_part(const struct bob_folded *f, uint32_t part,
			     struct bob_fold_usage_counts *counts)
{
	const struct bob_alloc *a = &f->tables.blocks.alloc;
	uint32_t owner;
	size_t after;
	bob_status st;

	if (counts->at && counts->part == part)
		return BOB_OK;
	if (!counts->at)
		counts->at = a->resize(a->ctx, NULL, 0, counts_bytes(f));
	if (!counts->at)
		return BOB_ERR_NOMEM;
	/* the participant of the part */
	BOB_PARTITION_POINT(after, f->first_count, i, bob_folded_first(f, (uint32_t)i) <= part);
	owner = (uint32_t)(after - (after > 0));
	counts->part = part;
	st = bob_folded_counts(f, owner, part - bob_folded_first(f, owner), counts->at,
			       counts->at + f->tables.shape_count + 1);
	if (st != BOB_OK)
		bob_fold_usage_end(f, counts);
	return st;
}

static bob_status look_at(const struct bob_folded *f, const struct bob_fold_sharing *s,
			  uint32_t item, struct bob_fold_usage_counts *counts,
			  struct bob_fold_usage *usage)
{
	const struct bob_list *set = &f->set[s->set];
	struct bob_group_reader r;
	struct bob_piece p;
	uint64_t covered = 0, n;
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
	usage->without += set->count;
	if (item & 1) /* for loops the number of executions is unknown */
		return BOB_OK;
	st = count_part(f, (uint32_t)bob_list_at(set, 0), counts);
	if (st != BOB_OK)
		return st;
	n = counts->at[item >> 1];
	if (n > covered && n - covered > usage->most)
		usage->most = n - covered;
	return BOB_OK;
}

bob_status bob_folded_usage(const struct bob_folded *f, uint32_t item, uint32_t word,
			    struct bob_fold_usage_counts *counts, struct bob_fold_usage *usage)
{
	const struct bob_tables *t = &f->tables;
	bob_status st = BOB_OK;
	uint32_t column;

	memset(usage, 0, sizeof(*usage));
	if (!bob_tables_has(t, item) || (item & 1 ? word : word >= t->shape[item >> 1].words))
		return BOB_ERR_INVAL;
	column = item & 1 ? t->loop[item >> 1].column : t->shape[item >> 1].column + word;
	for (uint32_t i = f->column[column]; i && st == BOB_OK; i = f->sharing[i - 1].next) {
		const struct bob_fold_sharing *s = &f->sharing[i - 1];

		usage->bytes += s->bytes.len;
		usage->forms++;
		st = look_at(f, s, item, counts, usage);
	}
	return st;
}

uint64_t bob_folded_usage_of_values(const struct bob_folded *f)
{
	uint64_t bytes = 0;

	for (uint32_t i = f->values; i; i = f->sharing[i - 1].next)
		bytes += f->sharing[i - 1].bytes.len;
	return bytes;
}
