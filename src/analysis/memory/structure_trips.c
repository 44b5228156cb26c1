/* SPDX-License-Identifier: BSD-3-Clause */
/* Trip counts of loops, from the addresses of accesses in them (structure_rows.h). */
#include <string.h>

#include "analysis/memory/structure_rows.h"
#include "analysis/memory/variables.h"

/* Does the loop have the same trip count at each entry, and no iterations outside it? */
static int has_same_trips(const struct bob_structure *s, const struct bob_structure_node *n,
			  uint64_t each)
{
	const struct bob_series_source source = bob_structure_source(s, n);
	struct bob_series trips;

	return n->kind == BOB_STRUCTURE_LOOP && n->shape < bob_folded_loops(source.folded) &&
	       bob_series_of_word(&source, 2 * n->shape + 1, 0, &trips) == BOB_OK &&
	       bob_series_is_one(&trips) && !bob_series_varies(&trips) &&
	       trips.piece[0].base == each && each * n->entries == n->count;
}

/* The loops of an access's addresses, as far as they belong to a loop around it. */
struct rule {
	uint32_t node;
	uint32_t dims;		/* 0: none */
	uint32_t first;		/* the innermost of these */
	int partial;		/* only the loop itself is known, not those around it */
	int moves;		/* the addresses change */
};

/* Number of values of all loops of a piece but the innermost. */
static uint64_t outer_points(const struct bob_piece *p)
{
	struct bob_piece q = { .dims = p->dims - 1 };

	for (uint32_t d = 0; d < q.dims; d++) {
		q.count[d] = p->count[d + 1];
		for (uint32_t e = d + 1; e < q.dims; e++)
			q.grow[bob_piece_pair(d, e)] = p->grow[bob_piece_pair(d + 1, e + 1)];
	}
	return bob_piece_points(&q);
}

static int is_constant_loop(const struct bob_piece *p, uint32_t d)
{
	for (uint32_t e = d + 1; e < p->dims; e++)
		if (p->grow[bob_piece_pair(d, e)])
			return 0;
	return 1;
}

/* Does the access happen in each iteration of the loop, or in a loop that does (`inner`), by one
 * rule? `around`: iterations of the loop around this one. */
static bob_status examine(const struct bob_structure *s, const struct bob_structure_node *loop,
			  const struct bob_structure_node *n, uint32_t inner, uint64_t around,
			  struct rule *r)
{
	const struct bob_piece *p;
	struct bob_leaf_access a;
	struct bob_series series;
	struct bob_leaf leaf;
	bob_status st;

	if (n->kind != BOB_STRUCTURE_ACCESS || (!inner && n->count != loop->count))
		return BOB_OK;
	st = bob_structure_read_addresses(s, n, &leaf, &a, &series);
	p = &series.piece[0];
	if (st != BOB_OK || a.word == BOB_LEAF_NO_WORD || !bob_series_is_one(&series) ||
	    p->dims <= inner || (inner && outer_points(p) != loop->count))
		return st;
	r->first = inner;
	r->dims = p->dims - inner;
	r->moves = bob_series_varies(&series);
	if (r->dims > loop->loops)
		return BOB_OK;
	/* the loops around it may be one loop here: 10,000 where the program has 20 of 500 */
	r->partial = 1;
	if (!is_constant_loop(p, inner) ||
	    (loop->kind == BOB_STRUCTURE_LOOP && p->count[inner] * around != loop->count))
		r->dims = 0;
	return BOB_OK;
}

/* Accesses of inner loops know best: a direct one may be one loop where the program has several, as
 * in a walk through a whole matrix. Of equal ones those that move, and the fewest loops. */
static int is_better(const struct rule *a, const struct rule *b)
{
	if (!a->dims || !b->dims)
		return a->dims != 0;
	if (a->partial != b->partial)
		return !a->partial;
	if (a->first != b->first)
		return a->first > b->first;
	if (a->moves != b->moves)
		return a->moves;
	return a->dims < b->dims;
}

/* Examines the accesses directly in node `at`. */
static bob_status try_accesses(const struct bob_structure *s, const struct bob_structure_node *node,
			       const struct bob_structure_node *loop, uint32_t at, uint32_t inner,
			       uint64_t around, struct rule *best)
{
	bob_status st = BOB_OK;

	for (uint32_t i = at + 1; i < node[at].end && st == BOB_OK; i = node[i].end) {
		struct rule r = { .node = i };

		st = examine(s, loop, &node[i], inner, around, &r);
		if (st == BOB_OK && is_better(&r, best))
			*best = r;
	}
	return st;
}

/* Finds the access that gives the trip counts of a loop; node->loops are the loops around it, which
 * have `around` iterations. */
static bob_status find_rule(const struct bob_structure *s, struct bob_structure_node *node,
			    uint32_t at, uint64_t around)
{
	struct bob_structure_node *n = &node[at];
	struct rule best = { 0 };
	bob_status st;

	n->own_loops = 1;
	if (n->entries > 1 && has_same_trips(s, n, n->count / n->entries)) {
		n->loops++;
		return BOB_OK;
	}
	st = try_accesses(s, node, n, at, 0, around, &best);
	for (uint32_t i = at + 1; i < n->end && st == BOB_OK; i = node[i].end)
		if (n->kind == BOB_STRUCTURE_LOOP && node[i].kind == BOB_STRUCTURE_LEAF)
			st = try_accesses(s, node, n, i, 1, around, &best);
	if (best.dims) {
		n->rule = best.node;
		n->first = best.first;
	}
	if (best.dims && !best.partial && n->kind == BOB_STRUCTURE_LOOP)
		n->own_loops = best.dims - n->loops;
	n->loops += n->own_loops;
	return st;
}

/* Finds the rules of the loops in [from, end), which are in `loops` loops of `around`
 * iterations. */
static bob_status find_rules(const struct bob_structure *s, struct bob_structure_node *node,
			     uint32_t from, uint32_t end, uint32_t loops, uint64_t around)
{
	bob_status st = BOB_OK;

	for (uint32_t i = from; i < end && st == BOB_OK; i = node[i].end) {
		const int is_loop = node[i].kind == BOB_STRUCTURE_LOOP ||
				    node[i].kind == BOB_STRUCTURE_LEAF;

		node[i].loops = loops;
		if (is_loop)
			st = find_rule(s, node, i, around);
		if (st == BOB_OK)
			st = find_rules(s, node, i + 1, node[i].end, node[i].loops,
					is_loop ? node[i].count : around);
	}
	return st;
}

bob_status bob_structure_find_rules(const struct bob_structure *s, struct bob_structure_node *node,
				    size_t count)
{
	return find_rules(s, node, 0, (uint32_t)count, 0, 1);
}

int bob_structure_trips(const struct bob_structure *s, uint32_t at, struct bob_piece *out,
			uint32_t *first, uint32_t *own)
{
	uint32_t count;
	const struct bob_structure_node *n = &bob_structure_nodes(s, &count)[at];
	struct bob_leaf_access a;
	struct bob_series series;
	struct bob_leaf leaf;

	*first = 0;
	*own = 1;
	memset(out, 0, sizeof(*out));
	if (n->rule != BOB_STRUCTURE_NONE) {
		const struct bob_structure_node *rule = &bob_structure_nodes(s, &count)[n->rule];

		if (bob_structure_read_addresses(s, rule, &leaf, &a, &series) != BOB_OK)
			return 0;
		*out = series.piece[0];
		*first = n->first;
		*own = n->own_loops;
		return 1;
	}
	out->dims = 1;
	out->count[0] = n->entries ? n->count / n->entries : 0;
	return n->entries == 1 ? n->count != 0 : has_same_trips(s, n, out->count[0]);
}
