/* SPDX-License-Identifier: BSD-3-Clause */
/* Hash map, the parts that are not inline: growing, clearing and freeing the index, and removal. */
#include "base/host/map.h"

#define SLOTS_FIRST 16u

bob_status bob_index_grow(struct bob_index *x)
{
	const uint32_t slots = x->slots ? 2 * x->slots : SLOTS_FIRST;
	struct bob_index_slot *old = x->slot, *slot;

	if (x->slots == BOB_INDEX_SLOTS_MAX)
		return BOB_ERR_NOMEM;
	slot = calloc(slots, sizeof(*slot));
	if (!slot)
		return BOB_ERR_NOMEM;
	bob_index_move(x, slot, slots);
	free(old);
	return BOB_OK;
}

void bob_index_clear(struct bob_index *x)
{
	if (x->used)
		memset(x->slot, 0, x->slots * sizeof(*x->slot));
	x->used = 0;
}

void bob_index_free(struct bob_index *x)
{
	free(x->slot);
	*x = (struct bob_index){ 0 };
}

int bob_map_remove(struct bob_index *x, void *rows, size_t *count, size_t size, const void *key,
		   size_t key_size)
{
	const size_t last = *count - 1;
	char *row = bob_map_find(x, rows, size, key, key_size), *moved;
	size_t number;

	if (!row)
		return 0;
	number = (size_t)(row - (char *)rows) / size;
	bob_index_remove(x, bob_map_hash(key, key_size), (uint32_t)number);
	moved = (char *)rows + last * size;
	if (number != last) {
		bob_index_renumber(x, bob_map_hash(moved, key_size), (uint32_t)last,
				   (uint32_t)number);
		memcpy(row, moved, size);
	}
	*count = last;
	return 1;
}
