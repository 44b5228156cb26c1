/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory accesses as tables, which the caller destroys, with rows in the order of the analysis;
 * NULL if memory is exhausted. Threads: those of the analysis. */
#ifndef BOB_ANALYSIS_MEMORY_TABLES_H
#define BOB_ANALYSIS_MEMORY_TABLES_H

#include "analysis/memory/memory.h"
#include "analysis/memory/syncs.h"
#include "analysis/naming.h"
#include "table/table.h"

/* Accesses, by the key of `m`. */
struct bob_table *bob_memory_table(const struct bob_memory *m, const struct bob_naming *names);
/* Code that did not fold, and the reason. */
struct bob_table *bob_memory_unfolded_table(const struct bob_memory *m,
					    const struct bob_naming *names);
/* Objects of synchronisation. */
struct bob_table *bob_syncs_table(const struct bob_sync_table *s, const struct bob_naming *names);

#endif
