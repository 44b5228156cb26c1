/* SPDX-License-Identifier: BSD-3-Clause */
/* A hash map: rows in a growing array (vec.h) in insertion order, and an index of row numbers
 * (base/index.h).
 *
 * 	BOB_MAP(struct row) rows;	rows.at[i], rows.count, rows.cap, rows.index
 *
 * There are two kinds of keys, and a map uses one of them. Either a row begins with its key:
 * BOB_MAP_FIND, _PUT and _REMOVE take the key's address and compare its bytes, so it must have no
 * padding. Or the caller hashes and compares keys itself, with BOB_MAP_ADD and bob_index_next. A
 * zeroed map is empty.
 *
 * Owner: the caller, who frees with BOB_MAP_FREE. Pointers to rows are valid until the next put or
 * add, row numbers until the next removal. Threads: one while it changes. Units: rows. Errors: NULL
 * if there is no memory or the map has 2^30 rows; the map is then unchanged. */
#ifndef BOB_BASE_MAP_H
#define BOB_BASE_MAP_H

#include "base/hash.h"
#include "base/host/vec.h"
#include "base/index.h"

#define BOB_MAP(type)                                                                              \
	struct {                                                                                   \
		type *at;                                                                          \
		size_t count, cap;                                                                 \
		struct bob_index index;                                                            \
	}

/* The row with this key; NULL if there is none. */
#define BOB_MAP_FIND(m, key)                                                                       \
	((__typeof__((m)->at))bob_map_find(&(m)->index, (m)->at, sizeof(*(m)->at), key,            \
					   sizeof(*(key))))
/* The row with this key. If there is none, a new one is added: the key, and zeros. */
#define BOB_MAP_PUT(m, key)                                                                        \
	((__typeof__((m)->at))bob_map_put(&(m)->index, &(m)->at, &(m)->count, &(m)->cap,           \
					  sizeof(*(m)->at), key, sizeof(*(key))))
/* Remove a row; the last row gets its number. Returns 0 if there is no such row. */
#define BOB_MAP_REMOVE(m, key)                                                                     \
	bob_map_remove(&(m)->index, (m)->at, &(m)->count, sizeof(*(m)->at), key, sizeof(*(key)))
/* Add a zeroed row with this hash. */
#define BOB_MAP_ADD(m, hash)                                                                       \
	((__typeof__((m)->at))bob_map_add(&(m)->index, &(m)->at, &(m)->count, &(m)->cap,           \
					  sizeof(*(m)->at), hash))
/* Remove all rows, keep the memory. */
#define BOB_MAP_CLEAR(m) ((m)->count = 0, bob_index_clear(&(m)->index))
/* Free the memory. The map is empty afterwards. */
#define BOB_MAP_FREE(m) (BOB_VEC_FREE(m), bob_index_free(&(m)->index))

/* Make capacity for one more number. Errors: BOB_ERR_NOMEM. */
bob_status bob_index_grow(struct bob_index *x);
void bob_index_clear(struct bob_index *x);
void bob_index_free(struct bob_index *x);

static inline bob_status bob_index_reserve(struct bob_index *x)
{
	return bob_index_is_full(x) ? bob_index_grow(x) : BOB_OK;
}

static inline uint64_t bob_map_hash(const void *key, size_t key_size)
{
	uint64_t word;

	if (key_size != sizeof(word))
		return bob_hash64(0, key, key_size);
	memcpy(&word, key, sizeof(word));
	return bob_hash_mix(word);
}

static inline void *bob_map_find(const struct bob_index *x, const void *rows, size_t size,
				 const void *key, size_t key_size)
{
	struct bob_probe p = bob_probe_of(bob_map_hash(key, key_size));

	while (bob_index_next(x, &p)) {
		const char *row = (const char *)rows + p.number * size;

		if (!memcmp(row, key, key_size))
			return (void *)(uintptr_t)row;
	}
	return NULL;
}

static inline void *bob_map_add(struct bob_index *x, void *array, size_t *count, size_t *cap,
				size_t size, uint64_t hash)
{
	void *row;

	if (bob_index_reserve(x) != BOB_OK)
		return NULL;
	row = bob_vec_push(array, count, cap, size);
	if (row)
		bob_index_add(x, hash, (uint32_t)(*count - 1));
	return row;
}

static inline void *bob_map_put(struct bob_index *x, void *array, size_t *count, size_t *cap,
				size_t size, const void *key, size_t key_size)
{
	void *rows, *row;

	memcpy(&rows, array, sizeof(rows));
	row = bob_map_find(x, rows, size, key, key_size);
	if (row)
		return row;
	row = bob_map_add(x, array, count, cap, size, bob_map_hash(key, key_size));
	return row ? memcpy(row, key, key_size) : NULL;
}

int bob_map_remove(struct bob_index *x, void *rows, size_t *count, size_t size, const void *key,
		   size_t key_size);

#endif
