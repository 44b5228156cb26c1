/* SPDX-License-Identifier: BSD-3-Clause */
/* Accesses to instrumented variables as tables, which the caller destroys; NULL if memory is
 * exhausted. Threads: one. */
#ifndef BOB_ANALYSIS_ARRAYS_TABLES_H
#define BOB_ANALYSIS_ARRAYS_TABLES_H

#include "analysis/arrays/arrays.h"
#include "analysis/naming.h"
#include "table/table.h"

/* The statements that access a variable. */
struct bob_table *bob_array_statements_table(const struct bob_array *a,
					     const struct bob_naming *names);
/* An empty table of elements of variables with up to `rank` subscripts. */
struct bob_table *bob_array_elements_table(uint32_t rank);
/* Adds the elements in the cells [first, end) that were accessed in `window`; `shown`: value of the
 * column of windows. */
void bob_array_elements_rows(struct bob_table *t, uint32_t rank, const struct bob_array *a,
			     uint32_t window, uint32_t shown, uint64_t first, uint64_t end);

#endif
