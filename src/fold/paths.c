/* SPDX-License-Identifier: BSD-3-Clause */
/* The tree of call paths: a hash table maps (parent, place) to the child; recursion leads back to
 * the earlier node. */
#include "fold/paths.h"

#include "base/hash.h"

/* The prefix of the path that ends in `place`, if any. */
static uint32_t folded(const struct bob_paths *p, uint32_t path, uint64_t place)
{
	while (path && p->node[path].place != place)
		path = p->node[path].parent;
	return path;
}

uint32_t bob_paths_child(struct bob_paths *p, uint32_t parent, uint64_t place, int *is_new)
{
	uint32_t at = (uint32_t)(bob_hash_mix(place ^ (uint64_t)parent << 40) % BOB_PATHS_SLOTS);

	*is_new = 0;
	for (; p->slot[at].child; at = (at + 1) % BOB_PATHS_SLOTS)
		if (p->slot[at].place == place && p->slot[at].parent == parent)
			return p->slot[at].child;
	p->count += !p->count;
	uint32_t child = folded(p, parent, place);
	if (p->used == BOB_PATHS_SLOTS - BOB_PATHS_SLOTS / 4 ||
	    (!child && p->count == BOB_PATHS_MAX))
		return BOB_PATHS_NONE;
	if (!child) {
		child = p->count++;
		p->node[child].parent = parent;
		p->node[child].place = place;
		*is_new = 1;
	}
	p->used++;
	p->slot[at].place = place;
	p->slot[at].parent = parent;
	p->slot[at].child = child;
	return child;
}
