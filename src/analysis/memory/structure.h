/* SPDX-License-Identifier: BSD-3-Clause */
/* The memory accesses of a thread as the program that made them: a tree of functions by call path,
 * of the loops in them, and of the accesses in those, each instruction once per call path. Inlined
 * functions are functions of the tree if they have loops or calls. It is
 * made of the folded form (analysis/homes.h). A thread is expanded only if loops of it have trip
 * counts without a rule, to count their iterations. ScalaMemTrace (2010) prints
 * nested descriptors in the order in which they were folded; here iterations that were folded
 * separately are joined to their loop.
 *
 * Owner: the caller; bob_structure_destroy. Threads: one object, one thread. Texts live as long as
 * the trace. */
#ifndef BOB_ANALYSIS_STRUCTURE_H
#define BOB_ANALYSIS_STRUCTURE_H

#include "analysis/memory/series.h"

#define BOB_STRUCTURE_NONE UINT32_MAX

enum bob_structure_kind {
	BOB_STRUCTURE_FUNCTION,
	BOB_STRUCTURE_LOOP,	/* of records */
	BOB_STRUCTURE_LEAF,	/* a loop that is one record */
	BOB_STRUCTURE_ACCESS,
	BOB_STRUCTURE_SYNC,	/* a synchronisation (bob_leaf.sync) */
	BOB_STRUCTURE_EVENT	/* a call of MPI, or an event of the program */
};

/* A line of the tree, in preorder. */
struct bob_structure_node {
	uint32_t kind;		/* enum bob_structure_kind */
	uint32_t depth;		/* 0: outermost */
	uint32_t end;		/* the first node after the node's subtree */
	uint32_t shape;		/* LEAF, ACCESS, SYNC, EVENT */
	uint32_t index;		/* ACCESS: of the leaf's accesses */
	uint32_t part;		/* of the thread's folded accesses */
	/* ACCESS: equal neighbours that this row represents: itself, and the following nodes at
	 * distances of `apart` bytes. 0: a row before it represents it. */
	uint32_t joined;
	int64_t apart;
	/* ACCESS of a loop: the same instruction in iterations that were folded outside the loop,
	 * which it represents; BOB_STRUCTURE_NONE: none */
	uint32_t peeled;
	/* FUNCTION, ACCESS, EVENT: a place in the code; image BOB_STRUCTURE_NONE: none */
	uint32_t image;
	uint64_t pc;
	/* FUNCTION: inlined, and where; the member `function` is NULL if it is not */
	struct bob_inlined_frame inlined;
	/* FUNCTION: where it was called; image BOB_STRUCTURE_NONE: not known, or inlined */
	uint32_t site_image;
	uint64_t site;
	uint64_t count;		/* executions; LOOP, LEAF: iterations; 0: unknown */
	uint64_t entries;	/* LOOP, LEAF: how often it began */
	/* LOOP, LEAF: the access whose addresses give the trip counts, or BOB_STRUCTURE_NONE; which
	 * loop of its addresses this is; of how many of them it consists, as control may represent
	 * a nest as one loop; and the loops of the program up to and with this one */
	uint32_t rule, first, own_loops, loops;
	uint64_t loads, stores;	/* in the subtree; atomic accesses are stores */
};

struct bob_structure;

/* BOB_NONE: the thread has no folded accesses. Errors: BOB_ERR_NOMEM, BOB_ERR_CORRUPT. */
bob_status bob_structure_create(const struct bob_trace *t, uint32_t thread,
				struct bob_structure **out);
void bob_structure_destroy(struct bob_structure *s); /* NULL is allowed */
const struct bob_structure_node *bob_structure_nodes(const struct bob_structure *s,
						     uint32_t *count);
/* The columns from which the node was made. */
struct bob_series_source bob_structure_source(const struct bob_structure *s,
					      const struct bob_structure_node *n);
/* The nest of a LOOP or LEAF, *own loops of it: *out has their trip counts, which may depend on
 * loops around them; the innermost is loop *first of the piece. Returns 0 if no rule is known. */
int bob_structure_trips(const struct bob_structure *s, uint32_t node, struct bob_piece *out,
			uint32_t *first, uint32_t *own);
/* The addresses of an ACCESS, those that it represents included, in the innermost loop; see
 * bob_series_of_access. */
bob_status bob_structure_addresses(const struct bob_structure *s, uint32_t node,
				   struct bob_leaf *leaf, struct bob_leaf_access *a,
				   struct bob_series *out);
/* True if conditional or repeated accesses are counted as if they always happened. */
int bob_structure_is_inexact(const struct bob_structure *s);

#endif
