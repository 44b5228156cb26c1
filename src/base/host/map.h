/* SPDX-License-Identifier: BSD-3-Clause */
/* A hash map: rows in a vec (vec.h), in the order in which they were added, and an index of their
 * numbers (base/index.h).
 *
 * 	BOB_MAP(struct row) rows;	rows.at[i], rows.count, rows.cap, rows.index
 *
 * The key is either what a row begins with -- BOB_MAP_FIND, _PUT and _REMOVE take its address and
 * compare its bytes, so it must have no padding -- or anything else that the caller hashes and
 * compares itself, with BOB_MAP_ADD and, for finding, bob_index_next. One map has keys of one of
 * these kinds. A zeroed map is empty.
 *
 * Owner: the caller; BOB_MAP_FREE. Rows move when the map grows, so pointers to them hold until the
 * next put or add; numbers stay until something is removed. Threads: one while it changes. Units:
 * rows. Errors: NULL, there is no memory (or there are 2^30 rows); the map is unchanged then. */
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

/* The row with this key; NULL: there is no such row. */
#define BOB_MAP_FIND(m, key)                                                                       \
	((__typeof__((m)->at))bob_map_find(&(m)->index, (m)->at, sizeof(*(m)->at), key,            \
					   sizeof(*(key))))
/* The row with this key. A new one is zeroed but for the key. */
#define BOB_MAP_PUT(m, key)                                                                        \
	((__typeof__((m)->at))bob_map_put(&(m)->index, &(m)->at, &(m)->count, &(m)->cap,           \
					  sizeof(*(m)->at), key, sizeof(*(key))))
/* The last row takes the number of the one that is removed. 0: there is no such row. */
#define BOB_MAP_REMOVE(m, key)                                                                     \
	bob_map_remove(&(m)->index, (m)->at, &(m)->count, sizeof(*(m)->at), key, sizeof(*(key)))
/* A new row, zeroed, under this hash. */
#define BOB_MAP_ADD(m, hash)                                                                       \
	((__typeof__((m)->at))bob_map_add(&(m)->index, &(m)->at, &(m)->count, &(m)->cap,           \
					  sizeof(*(m)->at), hash))
/* No rows; the memory stays. */
#define BOB_MAP_CLEAR(m) ((m)->count = 0, bob_index_clear(&(m)->index))
/* It is empty afterwards. */
#define BOB_MAP_FREE(m) (BOB_VEC_FREE(m), bob_index_free(&(m)->index))

/* Memory for one more number. BOB_ERR_NOMEM. */
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
