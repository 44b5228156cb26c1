/* SPDX-License-Identifier: BSD-3-Clause */
/* A hash index: finds row numbers of an array by the hash of the rows' keys. Open addressing with
 * linear probing [Knuth, TAOCP 3, 6.4, algorithms L and R]. Each slot keeps 32 bits of the hash, so
 * growing and removing never read a row, and a probe compares keys only if these bits are equal.
 * The caller compares keys:
 *
 * 	struct bob_probe p = bob_probe_of(hash);
 *
 * 	while (bob_index_next(x, &p))
 * 		if (row[p.number].key == key)
 * 			return &row[p.number];
 *
 * Numbers with equal hashes are found in the order in which they were added.
 *
 * Freestanding: the caller allocates and frees the slots. base/host/map.h is a map that grows.
 * Threads: one while it changes. Units: `slots` is a power of two or 0; at most half of them are
 * used. The lower 32 bits of hashes must be well mixed (bob_hash_mix, bob_hash64). Errors: none. A
 * zeroed struct is an empty index. */
#ifndef BOB_BASE_INDEX_H
#define BOB_BASE_INDEX_H

#include <stddef.h>
#include <stdint.h>

#define BOB_INDEX_SLOTS_MAX (1u << 31)

struct bob_index_slot {
	uint32_t hash;
	uint32_t number;	/* row number + 1; 0: the slot is free */
};

struct bob_index {
	struct bob_index_slot *slot;
	uint32_t slots, used;
};

struct bob_probe {
	uint32_t hash, at;
	uint32_t number;	/* valid after bob_index_next returned 1 */
};

static inline struct bob_probe bob_probe_of(uint64_t hash)
{
	return (struct bob_probe){ (uint32_t)hash, (uint32_t)hash, 0 };
}

/* Returns 1 with the next row number of this hash in p->number, or 0 if there is no further one. */
static inline int bob_index_next(const struct bob_index *x, struct bob_probe *p)
{
	const uint32_t mask = x->slots - 1;
	const struct bob_index_slot *s;

	if (!x->slots)
		return 0;
	while ((s = &x->slot[p->at & mask])->number) {
		p->at++;
		p->number = s->number - 1;
		if (s->hash == p->hash)
			return 1;
	}
	return 0;
}

/* Whether the index must grow before the next addition. */
static inline int bob_index_is_full(const struct bob_index *x)
{
	return x->used >= x->slots / 2;
}

/* Requires that the index is not full and does not contain `number`. */
static inline void bob_index_add(struct bob_index *x, uint64_t hash, uint32_t number)
{
	const uint32_t mask = x->slots - 1;
	uint32_t at = (uint32_t)hash & mask;

	while (x->slot[at].number)
		at = (at + 1) & mask;
	x->slot[at] = (struct bob_index_slot){ (uint32_t)hash, number + 1 };
	x->used++;
}

/* Move all numbers to `slot`: zeroed, at least twice as many slots as numbers. The caller frees the
 * old slots. */
static inline void bob_index_move(struct bob_index *x, struct bob_index_slot *slot, uint32_t slots)
{
	const struct bob_index old = *x;
	uint32_t begin = 0;

	*x = (struct bob_index){ slot, slots, 0 };
	/* start at a free slot, so that a run of used slots that wraps around the end keeps its
	 * order */
	while (begin < old.slots && old.slot[begin].number)
		begin++;
	for (uint32_t i = 0; i < old.slots; i++) {
		const struct bob_index_slot *s = &old.slot[(begin + i) & (old.slots - 1)];

		if (s->number)
			bob_index_add(x, s->hash, s->number - 1);
	}
}

/* The slot of row `number`, which must be in the index. */
static inline struct bob_index_slot *bob_index_slot_of(const struct bob_index *x, uint64_t hash,
						       uint32_t number)
{
	const uint32_t mask = x->slots - 1;
	uint32_t at = (uint32_t)hash & mask;

	while (x->slot[at].number != number + 1)
		at = (at + 1) & mask;
	return &x->slot[at];
}

static inline void bob_index_renumber(const struct bob_index *x, uint64_t hash, uint32_t from,
				      uint32_t to)
{
	bob_index_slot_of(x, hash, from)->number = to + 1;
}

/* Later slots of the same run move up, but not beyond the slot that their hash selects. */
static inline void bob_index_remove(struct bob_index *x, uint64_t hash, uint32_t number)
{
	const uint32_t mask = x->slots - 1;
	uint32_t hole = (uint32_t)(bob_index_slot_of(x, hash, number) - x->slot);

	for (uint32_t at = (hole + 1) & mask; x->slot[at].number; at = (at + 1) & mask)
		if (((at - x->slot[at].hash) & mask) >= ((at - hole) & mask)) {
			x->slot[hole] = x->slot[at];
			hole = at;
		}
	x->slot[hole] = (struct bob_index_slot){ 0, 0 };
	x->used--;
}

#endif
