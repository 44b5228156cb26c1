/* SPDX-License-Identifier: BSD-3-Clause */
/* Addresses of accesses, and equal neighbours (structure_rows.h). */
#include "analysis/memory/structure_rows.h"

#include <stdlib.h>
#include <string.h>

static bob_status read_access(const struct bob_structure *s, const struct bob_structure_node *n,
			      struct bob_leaf *leaf, struct bob_leaf_access *out)
{
	const struct bob_series_source source = bob_structure_source(s, n);
	struct bob_leaf_access *a = calloc(n->index + (size_t)1, sizeof(*a));
	bob_status st = a ? BOB_OK : BOB_ERR_NOMEM;

	if (a)
		st = bob_trace_leaf(source.trace, source.thread, n->shape, leaf, a, n->index + 1);
	if (st == BOB_OK && n->index >= leaf->accesses)
		st = BOB_ERR_CORRUPT;
	if (st == BOB_OK)
		*out = a[n->index];
	free(a);
	return st;
}

/* The addresses of one access, its offset included. */
bob_status bob_structure_read_addresses(const struct bob_structure *s,
					const struct bob_structure_node *n, struct bob_leaf *leaf,
					struct bob_leaf_access *a, struct bob_series *out)
{
	const struct bob_series_source source = bob_structure_source(s, n);
	bob_status st = read_access(s, n, leaf, a);

	if (st == BOB_OK)
		st = bob_series_of_access(&source, n->shape, leaf, a, n->count, out);
	for (uint32_t i = 0; st == BOB_OK && i < out->count && i < BOB_SERIES_PIECES; i++)
		out->piece[i].base += (uint64_t)a->offset;
	if (st == BOB_OK && n->peeled != BOB_STRUCTURE_NONE)
		st = bob_structure_add_peeled(s, n, out);
	return st;
}

/* Adds an innermost loop to a piece. */
static void add_innermost(struct bob_piece *p, uint64_t count, int64_t step)
{
	struct bob_piece q = { .base = p->base, .dims = p->dims + 1 };

	q.count[0] = count;
	q.step[0] = (uint64_t)step;
	for (uint32_t d = 0; d < p->dims; d++) {
		q.count[d + 1] = p->count[d];
		q.step[d + 1] = p->step[d];
		for (uint32_t e = d + 1; e < p->dims; e++)
			q.grow[bob_piece_pair(d + 1, e + 1)] = p->grow[bob_piece_pair(d, e)];
	}
	*p = q;
}

bob_status bob_structure_addresses(const struct bob_structure *s, uint32_t node,
				   struct bob_leaf *leaf, struct bob_leaf_access *a,
				   struct bob_series *out)
{
	uint32_t count;
	const struct bob_structure_node *n = &bob_structure_nodes(s, &count)[node];
	bob_status st = bob_structure_read_addresses(s, n, leaf, a, out);

	if (st == BOB_OK && n->joined > 1)
		add_innermost(&out->piece[0], n->joined, n->apart);
	return st;
}

/* --- equal neighbours --- */

struct row {
	struct bob_source_line line;
	struct bob_leaf leaf;
	struct bob_leaf_access a;
	struct bob_series series;
};

static bob_status read_row(const struct bob_structure *s, const struct bob_structure_node *n,
			   struct row *r)
{
	const struct bob_series_source source = bob_structure_source(s, n);

	memset(&r->line, 0, sizeof(r->line));
	(void)bob_trace_source(source.trace, bob_trace_thread(source.trace, source.thread)->process,
			       n->image, n->pc, &r->line);
	return bob_structure_read_addresses(s, n, &r->leaf, &r->a, &r->series);
}

static int can_join(const struct row *r)
{
	return bob_series_is_one(&r->series) && !r->a.guarded && r->a.word != BOB_LEAF_NO_WORD &&
	       r->series.piece[0].dims < BOB_PIECE_DIMS;
}

static int same_rule(const struct bob_piece *a, const struct bob_piece *b)
{
	return a->dims == b->dims && !memcmp(a->count, b->count, a->dims * sizeof(*a->count)) &&
	       !memcmp(a->step, b->step, a->dims * sizeof(*a->step)) &&
	       (a->dims < 2 ||
		!memcmp(a->grow, b->grow, bob_piece_pair(0, a->dims) * sizeof(*a->grow)));
}

static int equal_rows(const struct row *a, const struct row *b)
{
	return a->a.type == b->a.type && a->a.size == b->a.size && a->leaf.image == b->leaf.image &&
	       a->line.line == b->line.line &&
	       (a->line.file == b->line.file || !a->line.line ||
		!strcmp(a->line.file, b->line.file)) &&
	       same_rule(&a->series.piece[0], &b->series.piece[0]);
}

/* Joins a run of rows that begins at `at`, whose row is r[0]. Returns the next node. */
static size_t join_run(const struct bob_structure *s, struct bob_structure_node *node, size_t at,
		       size_t count, struct row r[2], bob_status *st)
{
	struct bob_structure_node *n = &node[at];
	uint64_t last = r[0].series.piece[0].base;
	size_t i = at + 1;

	for (; i < count && node[i].kind == BOB_STRUCTURE_ACCESS && node[i].depth == n->depth &&
	       node[i].part == n->part && node[i].count == n->count && node[i].joined;
	     i++) {
		int64_t apart;

		*st = read_row(s, &node[i], &r[1]);
		if (*st != BOB_OK || !can_join(&r[1]) || !equal_rows(&r[0], &r[1]))
			break;
		apart = (int64_t)(r[1].series.piece[0].base - last);
		if (!apart || (n->joined > 1 && apart != n->apart))
			break;
		n->apart = apart;
		n->joined++;
		node[i].joined = 0;
		last = r[1].series.piece[0].base;
	}
	if (n->joined == 2 && n->apart != r[0].a.size && -n->apart != r[0].a.size) {
		n->joined = node[at + 1].joined = 1; /* two different operands */
		return at + 1;
	}
	return i;
}

bob_status bob_structure_join(const struct bob_structure *s, struct bob_structure_node *node,
			      size_t count)
{
	struct row *r = calloc(2, sizeof(*r));
	bob_status st = r ? BOB_OK : BOB_ERR_NOMEM;
	size_t i = 0;

	while (i < count && st == BOB_OK) {
		if (node[i].kind != BOB_STRUCTURE_ACCESS || !node[i].joined) {
			i++;
			continue;
		}
		st = read_row(s, &node[i], &r[0]);
		if (st == BOB_OK)
			i = can_join(&r[0]) ? join_run(s, node, i, count, r, &st) : i + 1;
	}
	free(r);
	return st;
}
