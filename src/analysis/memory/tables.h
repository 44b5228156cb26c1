/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory accesses as tables. All return a table that the caller destroys, its rows in the order of
 * the analysis; NULL if there is no memory. Threads: as the analysis. */
#ifndef BOB_ANALYSIS_MEMORY_TABLES_H
#define BOB_ANALYSIS_MEMORY_TABLES_H

#include "analysis/memory/memory.h"
#include "analysis/memory/syncs.h"
#include "analysis/naming.h"
#include "table/table.h"

/* Accesses by what `m` was made for. */
struct bob_table *bob_memory_table(const struct bob_memory *m, const struct bob_naming *names);
/* What did not fold, and why. */
struct bob_table *bob_memory_unfolded_table(const struct bob_memory *m,
					    const struct bob_naming *names);
/* What threads synchronise by. */
struct bob_table *bob_syncs_table(const struct bob_sync_table *s, const struct bob_naming *names);

#endif
