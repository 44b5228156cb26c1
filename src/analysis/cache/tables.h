/* SPDX-License-Identifier: BSD-3-Clause */
/* Results of cache simulations as tables, which the caller destroys; NULL if memory is exhausted.
 * Threads: those of the simulation. */
#ifndef BOB_ANALYSIS_CACHE_TABLES_H
#define BOB_ANALYSIS_CACHE_TABLES_H

#include <stdio.h>

#include "analysis/cache/rows.h"
#include "analysis/naming.h"
#include "table/table.h"

/* Sums by level. */
struct bob_table *bob_cache_levels_table(const struct bob_cache_rows *r);
/* In descending order of misses of the last level, then of the level above it. The columns depend
 * only on the levels of the machine, also in an empty table. */
struct bob_table *bob_cache_rows_table(const struct bob_cache_rows *r,
				       const struct bob_naming *names);
/* Lines that one core's stores invalidated in another. bob_cache_sharing_table makes an empty
 * table; bob_cache_sharing_rows adds the rows of one process. `threads`: threads of the
 * simulation. */
struct bob_table *bob_cache_sharing_table(void);
void bob_cache_sharing_rows(struct bob_table *t, const struct bob_cache_rows *r,
			    const struct bob_cache_replay *replay, const uint32_t *threads,
			    const struct bob_naming *names);

/* Prints the variables in the bytes of a line that cores use, separated by commas, with offsets
 * unless they begin there. */
void bob_cache_line_variables(const struct bob_trace *t, uint32_t process,
			      const struct bob_cache_replay *replay,
			      const struct bob_cache_sharing *row, uint32_t line_bytes, FILE *out);
#define BOB_CACHE_CORES_SHOWN 8u /* per line */

#endif
