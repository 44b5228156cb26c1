/* SPDX-License-Identifier: BSD-3-Clause */
/* IS: ranks of integer keys by a distributed bucket sort. */
#ifndef IS_H
#define IS_H

#include <stdint.h>

#define IS_BUCKETS 1024
#define IS_BLOCK 1024	/* keys of one call of a helper */

struct is_keys {	/* the keys of one rank */
	uint32_t *key;
	int count;
};

struct is_sort {
	int ranks, rank;
	uint32_t key_limit;	/* keys are below, a multiple of IS_BUCKETS */
	int shift;		/* key >> shift is its bucket */
	uint32_t *packed;	/* own keys in the order of buckets; as many as own keys */
	uint32_t *got;		/* keys of own buckets */
	int got_count, got_capacity;
	uint32_t low, high;	/* own buckets hold low <= key < high */
	uint32_t *below;	/* below[k - low]: how many got keys are smaller than k */
	uint64_t before;	/* keys on lower ranks */
};

void is_sort_create(struct is_sort *s, uint32_t key_limit, int own_count, int rank, int ranks);
void is_sort_destroy(struct is_sort *s);

/* Sends every key to the rank of its bucket and ranks it there. Collective. */
void is_sort_rank(struct is_sort *s, const struct is_keys *keys);

/* How many of all keys are smaller than k. Collective. */
uint64_t is_sort_below(const struct is_sort *s, uint32_t k);

/* Puts got in order; the number of pairs out of order, over all ranks. Collective. */
uint64_t is_sort_finish(struct is_sort *s);

void is_count_buckets(const uint32_t *key, int count, int shift, int *size);
void is_pack(const uint32_t *key, int count, int shift, int *next, uint32_t *packed);
void is_count_keys(const uint32_t *key, int count, uint32_t low, uint32_t *number);

#endif
