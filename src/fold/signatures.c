/* SPDX-License-Identifier: BSD-3-Clause */
/* Signature trees: the call paths of folded traces without the traces. Sides that merge exchange
 * these once, and then send traces that refer to paths by their numbers in the tree. The order of
 * paths is canonical: preorder, children by ascending place. So equal trees have equal bytes.
 *
 *     tree:         version (1 byte), varint paths; per path: number of calls of the previous path
 *                   that are not on it, zigzag (place - place of the previous path)
 *     under a tree: varint mark of the tree, varint paths; per path: zigzag (number - number of
 *                   the previous path) */
#include "fold/signatures.h"

#include "base/hash.h"
#include "base/varint.h"
#include "fold/folded.h"

#define TREE_VERSION 1u

struct bob_fold_tree {
	struct bob_tables tables; /* only paths */
	uint32_t mark;		/* hash of all paths, to distinguish trees */
};

/* --- life --- */

static bob_status make_tree(const struct bob_alloc *alloc, struct bob_fold_tree **out)
{
	struct bob_fold_tree *t = alloc->resize(alloc->ctx, NULL, 0, sizeof(*t));

	if (!t)
		return BOB_ERR_NOMEM;
	if (bob_tables_init(&t->tables, alloc) != BOB_OK) {
		alloc->resize(alloc->ctx, t, sizeof(*t), 0);
		return BOB_ERR_NOMEM;
	}
	*out = t;
	return BOB_OK;
}

void bob_fold_tree_close(struct bob_fold_tree *t)
{
	struct bob_alloc a;

	if (!t)
		return;
	a = t->tables.blocks.alloc;
	bob_tables_free(&t->tables);
	a.resize(a.ctx, t, sizeof(*t), 0);
}

/* Completes `t`, or frees it if `st` is a failure. */
static bob_status end_tree(struct bob_fold_tree *t, bob_status st, struct bob_fold_tree **out)
{
	uint64_t hash;

	if (st != BOB_OK) {
		bob_fold_tree_close(t);
		return st;
	}
	hash = t->tables.path_count;
	for (uint32_t i = 1; i < t->tables.path_count; i++)
		hash = bob_hash_mix(hash ^ t->tables.path[i].place) + t->tables.path[i].parent;
	t->mark = (uint32_t)bob_hash_mix(hash);
	*out = t;
	return BOB_OK;
}

/* --- canonical order --- */

/* Sorts the paths 0 .. n - 1 by place (merge sort). `spare` has the same capacity. Returns the
 * array with the result, one of both. */
static uint32_t *sorted(const struct bob_table_path *path, uint32_t *at, uint32_t *spare,
			uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		at[i] = i;
	for (uint64_t width = 1; width < n; width *= 2) {
		uint32_t *from = at;

		for (uint64_t begin = 0; begin < n; begin += 2 * width) {
			uint64_t mid = begin + width < n ? begin + width : n;
			uint64_t end = mid + width < n ? mid + width : n;
			uint64_t a = begin, b = mid;

			for (uint64_t i = begin; i < end; i++)
				spare[i] = b == end || (a < mid && path[from[a]].place <=
									   path[from[b]].place) ?
						   from[a++] :
						   from[b++];
		}
		at = spare;
		spare = from;
	}
	return at;
}

/* Lists the children of each path: first[path], then next[]; 0: end. */
static void link_paths(const struct bob_tables *t, uint32_t *first, uint32_t *next, uint32_t *order)
{
	for (uint32_t i = t->path_count; i--;) {
		uint32_t path = order[i];

		if (!path)
			continue;
		next[path] = first[t->path[path].parent];
		first[t->path[path].parent] = path;
	}
}

/* Adds all paths of `from` to `to` in canonical order. */
static bob_status add_ordered(const struct bob_tables *from, struct bob_tables *to)
{
	const struct bob_alloc *a = &to->blocks.alloc;
	uint32_t n = from->path_count, capacity = 0, *first = NULL, *next, *number, path = 0;
	bob_status st = BOB_OK;

	if (!bob_array_grow(a, &first, &capacity, 0, 4 * (size_t)n, sizeof(*first)))
		return BOB_ERR_NOMEM;
	next = first + n;
	number = next + n;
	memset(first, 0, 2 * (size_t)n * sizeof(*first));
	link_paths(from, first, next, sorted(from->path, number, number + n, n));
	number[0] = 0;
	while (st == BOB_OK) {
		if (first[path]) {
			path = first[path];
		} else {
			while (path && !next[path])
				path = from->path[path].parent;
			if (!path)
				break;
			path = next[path];
		}
		st = bob_tables_path(to, number[from->path[path].parent], from->path[path].place,
				     &number[path]);
	}
	bob_array_free(a, first, capacity, sizeof(*first));
	return st;
}

static bob_status ordered(const struct bob_tables *from, const struct bob_alloc *alloc,
			  struct bob_fold_tree **out)
{
	struct bob_fold_tree *t;
	bob_status st = make_tree(alloc, &t);

	return st != BOB_OK ? st : end_tree(t, add_ordered(from, &t->tables), out);
}

bob_status bob_fold_tree_of(const struct bob_folded *f, const struct bob_alloc *alloc,
			    struct bob_fold_tree **out)
{
	return ordered(&f->tables, alloc, out);
}

static bob_status add_all(const struct bob_tables *from, const struct bob_alloc *alloc,
			  struct bob_tables *to)
{
	struct bob_fold_maps maps = { .alloc = *alloc };
	bob_status st = BOB_OK;

	for (uint32_t i = 1; i < from->path_count && st == BOB_OK; i++)
		st = bob_maps_path(&maps, to, from->path[i].parent, from->path[i].place);
	bob_maps_free(&maps);
	return st;
}

bob_status bob_fold_tree_merge(const struct bob_fold_tree *a, const struct bob_fold_tree *b,
			       const struct bob_alloc *alloc, struct bob_fold_tree **out)
{
	struct bob_tables both;
	bob_status st = bob_tables_init(&both, alloc);

	if (st == BOB_OK)
		st = add_all(&a->tables, alloc, &both);
	if (st == BOB_OK)
		st = add_all(&b->tables, alloc, &both);
	if (st == BOB_OK)
		st = ordered(&both, alloc, out);
	bob_tables_free(&both);
	return st;
}

/* --- queries --- */

uint32_t bob_fold_tree_count(const struct bob_fold_tree *t)
{
	return t->tables.path_count - 1;
}

int bob_fold_tree_path(const struct bob_fold_tree *t, uint32_t path, uint32_t *parent,
		       uint64_t *place)
{
	if (!path || path >= t->tables.path_count)
		return 0;
	*parent = t->tables.path[path].parent;
	*place = t->tables.path[path].place;
	return 1;
}

uint32_t bob_fold_tree_find(const struct bob_fold_tree *t, uint32_t parent, uint64_t place)
{
	return bob_tables_find_path(&t->tables, parent, place);
}

/* --- bytes --- */

bob_status bob_fold_tree_pack(const struct bob_fold_tree *t, bob_fold_write_fn write, void *ctx)
{
	const struct bob_table_path *path = t->tables.path;
	struct bob_buffer b = { .alloc = t->tables.blocks.alloc };
	bob_status st;

	bob_buffer_varint(&b, TREE_VERSION);
	bob_buffer_varint(&b, t->tables.path_count - 1);
	for (uint32_t i = 1; i < t->tables.path_count; i++) {
		uint32_t up = 0;

		for (uint32_t at = i - 1; at != path[i].parent; at = path[at].parent)
			up++;
		bob_buffer_varint(&b, up);
		bob_buffer_signed(&b, path[i].place - path[i - 1].place);
	}
	st = b.failed ? BOB_ERR_NOMEM : BOB_OK;
	if (st == BOB_OK)
		write(ctx, b.at, b.len);
	bob_buffer_free(&b);
	return st;
}

/* Reads the path after the newest one. */
static bob_status get_path(struct bob_tables *t, const uint8_t **at, const uint8_t *end)
{
	uint32_t parent = t->path_count - 1, number, child = 0;
	uint64_t up, step, place;

	if (bob_varint_get(at, end, &up) || bob_varint_get(at, end, &step))
		return BOB_ERR_CORRUPT;
	place = t->path[parent].place + (uint64_t)bob_unzigzag(step);
	for (; up; up--) {
		if (!parent)
			return BOB_ERR_CORRUPT;
		child = parent;
		parent = t->path[parent].parent;
	}
	if (child && place <= t->path[child].place)
		return BOB_ERR_CORRUPT;
	return bob_tables_path(t, parent, place, &number);
}

bob_status bob_fold_tree_unpack(const void *bytes, size_t len, const struct bob_alloc *alloc,
				struct bob_fold_tree **out)
{
	const uint8_t *at = bytes, *end = len ? at + len : at;
	uint64_t version, n;
	struct bob_fold_tree *t;
	bob_status st;

	if (bob_varint_get(&at, end, &version))
		return BOB_ERR_CORRUPT;
	if (version != TREE_VERSION)
		return BOB_ERR_VERSION;
	if (bob_varint_get(&at, end, &n))
		return BOB_ERR_CORRUPT;
	st = make_tree(alloc, &t);
	if (st != BOB_OK)
		return st;
	for (uint64_t i = 0; i < n && st == BOB_OK; i++)
		st = get_path(&t->tables, &at, end);
	if (st == BOB_OK && at != end)
		st = BOB_ERR_CORRUPT;
	return end_tree(t, st, out);
}

/* --- traces under a tree --- */

bob_status bob_tree_put_paths(const struct bob_fold_tree *tree, const struct bob_tables *t,
			      struct bob_buffer *b)
{
	const struct bob_alloc *a = &t->blocks.alloc;
	uint32_t *number = NULL, capacity = 0;
	bob_status st = BOB_OK;

	if (!bob_array_grow(a, &number, &capacity, 0, t->path_count, sizeof(*number)))
		return BOB_ERR_NOMEM;
	bob_buffer_varint(b, tree->mark);
	bob_buffer_varint(b, t->path_count - 1);
	number[0] = 0;
	for (uint32_t i = 1; i < t->path_count && st == BOB_OK; i++) {
		number[i] = bob_fold_tree_find(tree, number[t->path[i].parent], t->path[i].place);
		st = number[i] ? BOB_OK : BOB_ERR_INVAL;
		bob_buffer_signed(b, (uint64_t)number[i] - number[i - 1]);
	}
	bob_array_free(a, number, capacity, sizeof(*number));
	return st;
}

/* Adds path `number` of the tree and its ancestors to `t`. local[]: number in `t` by number in the
 * tree; 0: not yet added. */
static bob_status add_path(const struct bob_fold_tree *tree, uint64_t number, uint32_t *local,
			   struct bob_tables *t)
{
	const struct bob_table_path *p;

	if (!number || number >= tree->tables.path_count || local[number])
		return BOB_ERR_CORRUPT;
	p = &tree->tables.path[number];
	if (p->parent && !local[p->parent])
		return BOB_ERR_CORRUPT;
	return bob_tables_path(t, local[p->parent], p->place, &local[number]);
}

bob_status bob_tree_get_paths(const struct bob_fold_tree *tree, const uint8_t **at,
			      const uint8_t *end, struct bob_tables *t)
{
	const struct bob_alloc *a = &t->blocks.alloc;
	uint32_t *local = NULL, capacity = 0;
	uint64_t mark, n, step, number = 0;
	bob_status st = BOB_OK;

	if (bob_varint_get(at, end, &mark))
		return BOB_ERR_CORRUPT;
	if (mark != tree->mark)
		return BOB_ERR_INVAL;
	if (bob_varint_get(at, end, &n))
		return BOB_ERR_CORRUPT;
	if (!bob_array_grow(a, &local, &capacity, 0, tree->tables.path_count, sizeof(*local)))
		return BOB_ERR_NOMEM;
	memset(local, 0, tree->tables.path_count * sizeof(*local));
	for (uint64_t i = 0; i < n && st == BOB_OK; i++) {
		st = bob_varint_get(at, end, &step);
		number += st == BOB_OK ? (uint64_t)bob_unzigzag(step) : 0;
		if (st == BOB_OK)
			st = add_path(tree, number, local, t);
	}
	bob_array_free(a, local, capacity, sizeof(*local));
	return st;
}
