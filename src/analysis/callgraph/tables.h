/* SPDX-License-Identifier: BSD-3-Clause */
/* A call graph as tables, which the caller destroys. Rows are in descending order of calls, except
 * for call paths. NULL if memory is exhausted. Threads: those of the call graph. */
#ifndef BOB_ANALYSIS_CALLGRAPH_TABLES_H
#define BOB_ANALYSIS_CALLGRAPH_TABLES_H

#include "analysis/analysis.h"
#include "analysis/naming.h"
#include "table/table.h"

/* Numbers of distinct callers and callees of a function. */
struct bob_call_degree {
	uint32_t callers, callees;
};
/* By function number; free() it. NULL if memory is exhausted. */
struct bob_call_degree *bob_callgraph_degrees(struct bob_callgraph *g,
					      const struct bob_functions *f);
/* Functions that were called. */
struct bob_table *bob_callgraph_functions_table(struct bob_callgraph *g,
						const struct bob_functions *f,
						const struct bob_naming *names);
/* Images whose functions were called; calls from other images are counted separately. */
struct bob_table *bob_callgraph_images_table(struct bob_callgraph *g,
					     const struct bob_functions *f);
/* Functions that were called from another image: the used interface of each library. */
struct bob_table *bob_callgraph_api_table(struct bob_callgraph *g, const struct bob_functions *f,
					  const struct bob_naming *names);
/* The callers of function `number` (`callers`), or its callees. */
struct bob_table *bob_callgraph_neighbours_table(struct bob_callgraph *g,
						 const struct bob_functions *f, uint32_t number,
						 bool callers, const struct bob_naming *names);

/* Pairs of caller and callee. */
struct bob_table *bob_callgraph_arcs_table(struct bob_callgraph *g, const struct bob_functions *f,
					   const struct bob_naming *names);
/* Call paths of at most `depth` functions with at least `least` calls on or below them, in
 * preorder. `c` must be sorted. */
struct bob_table *bob_callgraph_paths_table(const struct bob_contexts *c,
					    const struct bob_functions *f, uint32_t depth,
					    uint64_t least, const struct bob_naming *names);

#endif
