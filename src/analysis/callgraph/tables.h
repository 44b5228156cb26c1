/* SPDX-License-Identifier: BSD-3-Clause */
/* A call graph as tables. The tables belong to the caller, who destroys them, and have most calls
 * first, but for call paths; NULL if there is no memory. Threads: as the call graph. */
#ifndef BOB_ANALYSIS_CALLGRAPH_TABLES_H
#define BOB_ANALYSIS_CALLGRAPH_TABLES_H

#include "analysis/analysis.h"
#include "analysis/naming.h"
#include "table/table.h"

/* Different functions that call a function, and that it calls. */
struct bob_call_degree {
	uint32_t callers, callees;
};
/* By function number; the caller frees it. NULL if there is no memory. */
struct bob_call_degree *bob_callgraph_degrees(struct bob_callgraph *g,
					      const struct bob_functions *f);
/* Functions that were called. */
struct bob_table *bob_callgraph_functions_table(struct bob_callgraph *g,
						const struct bob_functions *f,
						const struct bob_naming *names);
/* Images whose functions were called; calls from other images apart. */
struct bob_table *bob_callgraph_images_table(struct bob_callgraph *g,
					     const struct bob_functions *f);
/* Functions that were called from another image: the interface of a library as it was used. */
struct bob_table *bob_callgraph_api_table(struct bob_callgraph *g, const struct bob_functions *f,
					  const struct bob_naming *names);
/* Who calls function `number` (`callers`), or what it calls. */
struct bob_table *bob_callgraph_neighbours_table(struct bob_callgraph *g,
						 const struct bob_functions *f, uint32_t number,
						 bool callers, const struct bob_naming *names);

/* Pairs of caller and callee. */
struct bob_table *bob_callgraph_arcs_table(struct bob_callgraph *g, const struct bob_functions *f,
					   const struct bob_naming *names);
/* Call paths of at most `depth` functions and with at least `least` calls on or below them: each
 * follows the one that it extends. `c` is sorted. */
struct bob_table *bob_callgraph_paths_table(const struct bob_contexts *c,
					    const struct bob_functions *f, uint32_t depth,
					    uint64_t least, const struct bob_naming *names);

#endif
