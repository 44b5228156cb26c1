/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds code that did not fold in the structure of a thread's folded accesses: loops with irregular
 * trip counts, and items that occur often in the spine outside of loops, because the order of
 * accesses does not repeat. */
#include <stdlib.h>

#include "analysis/memory/rows.h"

/* The first instruction of an item. */
static int first_pc(const struct bob_memory *m, uint32_t thread, const struct bob_folded *f,
		    uint32_t item, struct bob_memory_unfolded *u)
{
	struct bob_leaf leaf;
	uint32_t len;

	for (int depth = 0; item & 1 && depth < 64; depth++) {
		const uint32_t *body = bob_folded_body(f, item >> 1, &len);

		if (!len)
			return 0;
		item = body[0];
	}
	if (item & 1 || bob_trace_leaf(m->trace, thread, item >> 1, &leaf, NULL, 0) != BOB_OK)
		return 0;
	u->process = m->process;
	u->image = leaf.image;
	u->pc = leaf.pc;
	return 1;
}

static int count_item(void *ctx, uint32_t item)
{
	uint64_t *items = ctx;

	items[item]++;
	return 0;
}

static int count_piece(void *ctx, const struct bob_piece *p)
{
	(void)p;
	return ++*(uint32_t *)ctx == BOB_MEMORY_PIECES_MAX;
}

void bob_memory_look_at_order(struct bob_memory *m, uint32_t thread, uint32_t part,
			      const uint64_t *shape, const uint64_t *loop)
{
	uint32_t participant;
	const struct bob_folded *f = bob_trace_folded(m->trace, thread, &participant);
	uint32_t shapes = bob_folded_shapes(f), loops = bob_folded_loops(f);
	size_t most = 2 * (size_t)(shapes > loops ? shapes : loops) + 2;
	uint64_t *items = calloc(most, sizeof(*items));

	if (!items) {
		m->failed = 1;
		return;
	}
	for (uint32_t i = 0; i < loops; i++) {
		struct bob_memory_unfolded u = { .reason = BOB_MEMORY_TRIPS, .all = loop[i] };
		uint32_t pieces = 0;
		int left = 0;

		(void)bob_folded_pieces(f, participant, part, 2 * i + 1, 0, count_piece, &pieces,
					&left);
		u.values = loop[i];
		if ((left || pieces > BOB_MEMORY_PIECES_FEW) && loop[i] &&
		    first_pc(m, thread, f, 2 * i + 1, &u))
			bob_memory_add_unfolded(m, &u);
	}
	(void)bob_folded_spine(f, participant, part, count_item, items);
	for (uint32_t item = 0; item < most; item++) {
		struct bob_memory_unfolded u = { .reason = BOB_MEMORY_ORDER };

		if (items[item] <= BOB_MEMORY_PIECES_FEW || !first_pc(m, thread, f, item, &u))
			continue;
		u.values = items[item];
		u.all = item & 1 ? items[item] : shape[item >> 1];
		bob_memory_add_unfolded(m, &u);
	}
	free(items);
}
