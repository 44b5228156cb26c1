/* SPDX-License-Identifier: BSD-3-Clause */
/* Measures of concerns as a table, one row per value; undefined values are empty. Threads: one. */
#ifndef BOB_ANALYSIS_CONCERNS_TABLES_H
#define BOB_ANALYSIS_CONCERNS_TABLES_H

#include "analysis/concerns/concerns.h"
#include "table/table.h"

/* Makes an empty table, which the caller destroys; NULL: no memory. */
struct bob_table *bob_concerns_table(void);
void bob_concerns_rows(struct bob_table *t, const struct bob_concerns_map *map,
		       const struct bob_concerns_counts *counts);

#endif
