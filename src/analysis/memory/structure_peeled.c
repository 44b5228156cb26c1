/* SPDX-License-Identifier: BSD-3-Clause */
/* Joins iterations that were folded outside their loop. An engine may record the first iteration of
 * a loop as a block of its own, before it recognises the loop. Both have the same instructions, so
 * an access in the loop and one directly around it are one access of the program if their addresses
 * are one nest together: the loop with one more iteration at its beginning. */
#include <string.h>

#include "analysis/memory/structure_rows.h"
#include "analysis/memory/variables.h"
#include "base/host/map.h"

struct key {
	uint64_t pc;
	uint32_t image, type;
};

/* An access directly in a node, by its instruction. */
struct direct {
	struct key key;
	uint32_t node;
};

struct directs {
	BOB_MAP(struct direct);
};

/* All loops of `all` but the innermost are those of `outer`, with the same steps. */
static int has_outer(const struct bob_piece *all, const struct bob_piece *outer)
{
	if (outer->dims + 1 != all->dims)
		return 0;
	for (uint32_t d = 0; d < outer->dims; d++) {
		if (outer->step[d] != all->step[d + 1])
			return 0;
		for (uint32_t e = d + 1; e < outer->dims; e++)
			if (outer->grow[bob_piece_pair(d, e)] !=
			    all->grow[bob_piece_pair(d + 1, e + 1)])
				return 0;
	}
	return 1;
}

/* The values of `first` and `rest` as one piece, if `first` is one iteration before each run of the
 * innermost loop of `rest`. Outer loops of `rest` may be shorter: they lack runs of no
 * iterations. */
static int join(const struct bob_piece *first, const struct bob_piece *rest, struct bob_piece *out)
{
	*out = *rest;
	out->base = first->base;
	if (!rest->dims || !has_outer(rest, first) || rest->base - first->base != rest->step[0])
		return 0;
	out->count[0]++;
	for (uint32_t d = 0; d < first->dims; d++)
		out->count[d + 1] = first->count[d];
	return bob_piece_points(out) == bob_piece_points(first) + bob_piece_points(rest);
}

/* The same; of a single address in any order. */
static int join_series(const struct bob_series *first, struct bob_series *rest)
{
	struct bob_piece all = { .base = rest->piece[0].base, .dims = 1 };

	if (!bob_series_is_one(first) || !bob_series_is_one(rest))
		return 0;
	if (!bob_series_varies(first) && !bob_series_varies(rest) &&
	    first->piece[0].base == rest->piece[0].base)
		all.count[0] =
			bob_piece_points(&first->piece[0]) + bob_piece_points(&rest->piece[0]);
	else if (!join(&first->piece[0], &rest->piece[0], &all))
		return 0;
	rest->piece[0] = all;
	return 1;
}

bob_status bob_structure_add_peeled(const struct bob_structure *s,
				    const struct bob_structure_node *n, struct bob_series *x)
{
	uint32_t count;
	const struct bob_structure_node *node = bob_structure_nodes(s, &count);
	struct bob_leaf_access a;
	struct bob_series first;
	struct bob_leaf leaf;
	bob_status st = bob_structure_read_addresses(s, &node[n->peeled], &leaf, &a, &first);

	if (st == BOB_OK && a.word != BOB_LEAF_NO_WORD)
		(void)join_series(&first, x);
	return st;
}

/* Can `n`, of a loop, represent the access `peeled`, too? */
static bob_status fits(const struct bob_structure *s, const struct bob_structure_node *n,
		       const struct bob_structure_node *peeled, int *yes)
{
	struct bob_leaf_access a, b;
	struct bob_series rest, first;
	struct bob_leaf leaf;
	bob_status st = bob_structure_read_addresses(s, n, &leaf, &a, &rest);

	*yes = 0;
	if (st == BOB_OK)
		st = bob_structure_read_addresses(s, peeled, &leaf, &b, &first);
	if (st == BOB_OK && a.size == b.size && !a.guarded && !b.guarded)
		*yes = a.word == BOB_LEAF_NO_WORD ?
			       b.word == BOB_LEAF_NO_WORD && a.offset == b.offset :
			       b.word != BOB_LEAF_NO_WORD && join_series(&first, &rest);
	return st;
}

/* Moves the accesses of `from` to `to`, which is in a loop. */
static void move(struct bob_structure_node *node, uint32_t from, uint32_t to, uint32_t loop)
{
	node[to].peeled = from;
	node[to].count += node[from].count;
	node[to].loads += node[from].loads;
	node[to].stores += node[from].stores;
	node[loop].loads += node[from].loads;
	node[loop].stores += node[from].stores;
	node[from].loads = node[from].stores = 0;
	node[from].joined = 0;
}

static struct key key_of(const struct bob_structure_node *n)
{
	return (struct key){ n->pc, n->image, n->loads != 0 };
}

static bob_status find_directs(const struct bob_structure_node *node, uint32_t from, uint32_t end,
			       struct directs *to)
{
	for (uint32_t i = from; i < end; i = node[i].end) {
		const struct key key = key_of(&node[i]);
		struct direct *d;

		if (node[i].kind != BOB_STRUCTURE_ACCESS)
			continue;
		d = BOB_MAP_PUT(to, &key);
		if (!d)
			return BOB_ERR_NOMEM;
		d->node = d->node ? d->node : i;
	}
	return BOB_OK;
}

static int is_loop(const struct bob_structure_node *n)
{
	return n->kind == BOB_STRUCTURE_LEAF || n->kind == BOB_STRUCTURE_LOOP;
}

/* Joins accesses of a loop with those around it. The loop has more iterations if most accesses have
 * them: others may be of the code before it, such as its condition. */
static bob_status join_loop(const struct bob_structure *s, struct bob_structure_node *node,
			    uint32_t loop, const struct directs *around)
{
	uint32_t moved = 0, left = 0;
	uint64_t count = 0;

	for (uint32_t i = loop + 1; i < node[loop].end; i = node[i].end) {
		const struct key key = key_of(&node[i]);
		const struct direct *d = BOB_MAP_FIND(around, &key);
		bob_status st;
		int yes;

		if (node[i].kind != BOB_STRUCTURE_ACCESS)
			continue;
		left += node[i].count == node[loop].count;
		if (!d || !node[d->node].joined)
			continue;
		st = fits(s, &node[i], &node[d->node], &yes);
		if (st != BOB_OK)
			return st;
		if (!yes)
			continue;
		left -= node[i].count == node[loop].count;
		moved++;
		move(node, d->node, i, loop);
		count = node[i].count;
	}
	if (moved > left)
		node[loop].count = count;
	return BOB_OK;
}

/* Joins in the nodes of [from, end), which have the same parent, and in those below. */
static bob_status join_range(const struct bob_structure *s, struct bob_structure_node *node,
			     uint32_t from, uint32_t end)
{
	struct directs around = { 0 };
	bob_status st = BOB_OK;
	int loops = 0;

	for (uint32_t i = from; i < end && st == BOB_OK; i = node[i].end) {
		loops |= is_loop(&node[i]);
		st = join_range(s, node, i + 1, node[i].end);
	}
	if (loops && st == BOB_OK)
		st = find_directs(node, from, end, &around);
	for (uint32_t i = from; loops && i < end && st == BOB_OK; i = node[i].end)
		if (is_loop(&node[i]))
			st = join_loop(s, node, i, &around);
	BOB_MAP_FREE(&around);
	return st;
}

bob_status bob_structure_join_peeled(const struct bob_structure *s, struct bob_structure_node *node,
				     size_t count)
{
	return join_range(s, node, 0, (uint32_t)count);
}
