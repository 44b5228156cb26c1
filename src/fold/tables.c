/* SPDX-License-Identifier: BSD-3-Clause */
/* Interning of paths, shapes and loops: one array and one hash index with open addressing for
 * each. */
#include "fold/tables.h"

#include <string.h>

#include "base/hash.h"

/* --- the index --- */

typedef uint64_t (*hash_fn)(const struct bob_tables *t, uint32_t number);

static uint64_t path_hash(uint32_t parent, uint64_t place)
{
	return bob_hash_mix(place + bob_hash_mix(parent));
}

static uint64_t hash_of_path(const struct bob_tables *t, uint32_t number)
{
	return path_hash(t->path[number].parent, t->path[number].place);
}

static uint64_t hash_of_shape(const struct bob_tables *t, uint32_t number)
{
	const struct bob_table_shape *s = &t->shape[number];

	return bob_hash64((uint64_t)s->path << 32 | s->words, s->key, s->key_len);
}

static uint64_t hash_of_loop(const struct bob_tables *t, uint32_t number)
{
	const struct bob_table_loop *l = &t->loop[number];

	return bob_hash64(l->len, l->item, l->len * sizeof(*l->item));
}

static void insert(struct bob_table_index *x, uint64_t hash, uint32_t number)
{
	uint32_t at = (uint32_t)hash & (x->capacity - 1);

	while (x->slot[at])
		at = (at + 1) & (x->capacity - 1);
	x->slot[at] = number + 1;
	x->used++;
}

static bob_status grow_index(struct bob_tables *t, struct bob_table_index *x, hash_fn hash)
{
	const struct bob_alloc *a = &t->blocks.alloc;
	struct bob_table_index next = { .capacity = x->capacity ? x->capacity * 2 : 64 };

	if (x->used < x->capacity / 2)
		return BOB_OK;
	next.slot = a->resize(a->ctx, NULL, 0, next.capacity * sizeof(*next.slot));
	if (!next.slot)
		return BOB_ERR_NOMEM;
	memset(next.slot, 0, next.capacity * sizeof(*next.slot));
	for (uint32_t i = 0; i < x->capacity; i++)
		if (x->slot[i])
			insert(&next, hash(t, x->slot[i] - 1), x->slot[i] - 1);
	bob_array_free(a, x->slot, x->capacity, sizeof(*x->slot));
	*x = next;
	return BOB_OK;
}

/* Looks for an entry equal to the newest one (number `newest`), which is not in the index yet. */
static uint32_t find(const struct bob_tables *t, const struct bob_table_index *x, uint64_t hash,
		     uint32_t newest, int (*same)(const struct bob_tables *, uint32_t, uint32_t))
{
	uint32_t at = (uint32_t)hash & (x->capacity - 1);

	for (; x->slot[at]; at = (at + 1) & (x->capacity - 1))
		if (same(t, x->slot[at] - 1, newest))
			return x->slot[at] - 1;
	return BOB_TABLES_NONE;
}

static int same_path(const struct bob_tables *t, uint32_t a, uint32_t b)
{
	return t->path[a].place == t->path[b].place && t->path[a].parent == t->path[b].parent;
}

static int same_shape(const struct bob_tables *t, uint32_t a, uint32_t b)
{
	const struct bob_table_shape *p = &t->shape[a], *q = &t->shape[b];

	return p->path == q->path && p->words == q->words && p->key_len == q->key_len &&
	       !memcmp(p->key, q->key, p->key_len);
}

static int same_loop(const struct bob_tables *t, uint32_t a, uint32_t b)
{
	const struct bob_table_loop *p = &t->loop[a], *q = &t->loop[b];

	return p->len == q->len && !memcmp(p->item, q->item, p->len * sizeof(*p->item));
}

/* --- adding --- */

bob_status bob_tables_path(struct bob_tables *t, uint32_t parent, uint64_t place, uint32_t *number)
{
	uint32_t n = t->path_count;

	if (parent >= n || n == BOB_TABLES_MAX)
		return BOB_ERR_CORRUPT;
	if (!bob_array_grow(&t->blocks.alloc, &t->path, &t->path_capacity, n, 1,
			    sizeof(*t->path)) ||
	    grow_index(t, &t->paths, hash_of_path) != BOB_OK)
		return BOB_ERR_NOMEM;
	t->path[n] = (struct bob_table_path){ .place = place, .parent = parent };
	*number = find(t, &t->paths, hash_of_path(t, n), n, same_path);
	if (*number == BOB_TABLES_NONE) {
		insert(&t->paths, hash_of_path(t, n), n);
		*number = t->path_count++;
	}
	return BOB_OK;
}

uint32_t bob_tables_find_path(const struct bob_tables *t, uint32_t parent, uint64_t place)
{
	const struct bob_table_index *x = &t->paths;
	uint32_t at = (uint32_t)path_hash(parent, place) & (x->capacity - 1);

	for (; x->capacity && x->slot[at]; at = (at + 1) & (x->capacity - 1)) {
		uint32_t number = x->slot[at] - 1;

		if (t->path[number].parent == parent && t->path[number].place == place)
			return number;
	}
	return 0;
}

bob_status bob_tables_shape(struct bob_tables *t, uint32_t path, uint32_t words, const uint8_t *key,
			    uint32_t key_len, uint32_t *number)
{
	uint32_t n = t->shape_count;
	uint8_t *copy;

	if (path >= t->path_count || n == BOB_TABLES_MAX || words > BOB_FOLD_WORDS_MAX ||
	    key_len > BOB_FOLD_KEY_MAX || words > BOB_TABLES_MAX - t->column_count)
		return BOB_ERR_CORRUPT;
	if (!bob_array_grow(&t->blocks.alloc, &t->shape, &t->shape_capacity, n, 1,
			    sizeof(*t->shape)) ||
	    grow_index(t, &t->shapes, hash_of_shape) != BOB_OK)
		return BOB_ERR_NOMEM;
	t->shape[n] = (struct bob_table_shape){ key, key_len, path, words, t->column_count };
	*number = find(t, &t->shapes, hash_of_shape(t, n), n, same_shape);
	if (*number != BOB_TABLES_NONE)
		return BOB_OK;
	copy = bob_blocks_get(&t->blocks, key_len);
	if (!copy)
		return BOB_ERR_NOMEM;
	memcpy(copy, key, key_len);
	t->shape[n].key = copy;
	insert(&t->shapes, hash_of_shape(t, n), n);
	t->column_count += words;
	*number = t->shape_count++;
	return BOB_OK;
}

static bob_status depth_of(const struct bob_tables *t, const uint32_t *item, uint32_t len,
			   uint32_t *depth)
{
	*depth = 1;
	for (uint32_t i = 0; i < len; i++) {
		if (!bob_tables_has(t, item[i]))
			return BOB_ERR_CORRUPT;
		if (item[i] & 1 && t->loop[item[i] >> 1].depth >= *depth)
			*depth = t->loop[item[i] >> 1].depth + 1;
	}
	return len ? BOB_OK : BOB_ERR_CORRUPT;
}

bob_status bob_tables_loop(struct bob_tables *t, const uint32_t *item, uint32_t len,
			   uint32_t *number)
{
	uint32_t n = t->loop_count, depth, *copy;

	if (depth_of(t, item, len, &depth) != BOB_OK || n == BOB_TABLES_MAX ||
	    t->column_count == BOB_TABLES_MAX)
		return BOB_ERR_CORRUPT;
	if (!bob_array_grow(&t->blocks.alloc, &t->loop, &t->loop_capacity, n, 1,
			    sizeof(*t->loop)) ||
	    grow_index(t, &t->loops, hash_of_loop) != BOB_OK)
		return BOB_ERR_NOMEM;
	t->loop[n] = (struct bob_table_loop){ item, len, t->column_count, depth };
	*number = find(t, &t->loops, hash_of_loop(t, n), n, same_loop);
	if (*number != BOB_TABLES_NONE)
		return BOB_OK;
	copy = bob_blocks_get(&t->blocks, len * sizeof(*copy));
	if (!copy)
		return BOB_ERR_NOMEM;
	memcpy(copy, item, len * sizeof(*copy));
	t->loop[n].item = copy;
	insert(&t->loops, hash_of_loop(t, n), n);
	t->column_count++;
	*number = t->loop_count++;
	return BOB_OK;
}

/* --- life --- */

bob_status bob_tables_init(struct bob_tables *t, const struct bob_alloc *alloc)
{
	memset(t, 0, sizeof(*t));
	t->blocks.alloc = *alloc;
	if (!bob_array_grow(alloc, &t->path, &t->path_capacity, 0, 1, sizeof(*t->path)))
		return BOB_ERR_NOMEM;
	t->path[0] = (struct bob_table_path){ 0 };
	t->path_count = 1;
	return BOB_OK;
}

void bob_tables_free(struct bob_tables *t)
{
	const struct bob_alloc *a = &t->blocks.alloc;

	bob_array_free(a, t->path, t->path_capacity, sizeof(*t->path));
	bob_array_free(a, t->shape, t->shape_capacity, sizeof(*t->shape));
	bob_array_free(a, t->loop, t->loop_capacity, sizeof(*t->loop));
	bob_array_free(a, t->paths.slot, t->paths.capacity, sizeof(uint32_t));
	bob_array_free(a, t->shapes.slot, t->shapes.capacity, sizeof(uint32_t));
	bob_array_free(a, t->loops.slot, t->loops.capacity, sizeof(uint32_t));
	bob_blocks_free(&t->blocks);
}
