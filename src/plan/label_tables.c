/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of distances from a label, as in `goto *(&&first + distance[i])`: the form that GCC's
 * manual recommends for shared libraries and that glibc's printf uses. The code takes the addresses
 * of the label and of the table, each by a lea; entries have 4 bytes. A table ends before the first
 * entry that does not lead to the start of an instruction in the same range of code. */
#include <string.h>

#include "plan/arch/x86_64/length.h"
#include "plan/image.h"

/* Limits against hostile files, far above those of real code. */
#define LABELS_MAX 64u
#define TABLES_MAX 256u
#define ENTRIES_MAX 4096u

static void find_starts(const struct bob_plan_code *c, uint64_t lo, uint64_t hi, uint64_t *starts)
{
	for (uint64_t at = lo; at < hi;) {
		struct bob_x86_insn in;
		unsigned len = bob_x86_decode(c->bytes + (at - c->lo), &in);

		bob_plan_set_bit(starts, at - lo);
		at += len ? len : 1;
	}
}

static bob_status follow(struct bob_plan_image *img, struct bob_plan_code *c, uint64_t lo,
			 uint64_t hi, const uint64_t *starts, uint64_t label, uint64_t table)
{
	const uint8_t *p;

	for (unsigned i = 0; i < ENTRIES_MAX; i++) {
		int32_t distance;
		uint64_t to;

		p = bob_plan_bytes_at(img, table + 4ul * i, sizeof(distance));
		if (!p)
			return BOB_OK;
		memcpy(&distance, p, sizeof(distance));
		to = label + (uint64_t)(int64_t)distance;
		if (to < lo || to >= hi || !bob_plan_bit(starts, to - lo))
			return BOB_OK;
		if (img->stats.jump_table_targets >= img->stats.code_bytes)
			return BOB_ERR_FULL; /* a hostile file */
		img->stats.jump_table_targets += !bob_plan_bit(c->outside, to - c->lo);
		bob_plan_set_bit(c->target, to - c->lo);
		bob_plan_set_bit(c->outside, to - c->lo);
	}
	return BOB_OK;
}

bob_status bob_plan_label_tables(struct bob_plan_image *img, struct bob_plan_code *c, uint64_t lo,
				 uint64_t hi, const struct bob_plan_u64s *labels,
				 const struct bob_plan_u64s *tables)
{
	const size_t n = labels->count < LABELS_MAX ? labels->count : LABELS_MAX;
	const size_t m = tables->count < TABLES_MAX ? tables->count : TABLES_MAX;
	bob_status st = BOB_OK;
	uint64_t *starts;

	if (n == 0 || m == 0)
		return BOB_OK;
	starts = calloc((hi - lo) / 64 + 1, sizeof(*starts));
	if (!starts)
		return BOB_ERR_NOMEM;
	find_starts(c, lo, hi, starts);
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; st == BOB_OK && k < m; k++)
			st = follow(img, c, lo, hi, starts, labels->at[i], tables->at[k]);
	free(starts);
	return st;
}
