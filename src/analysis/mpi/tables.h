/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI calls and events as tables, which the caller destroys, with rows in the order of the
 * analysis; NULL if memory is exhausted. Threads: those of the analysis. */
#ifndef BOB_ANALYSIS_MPI_TABLES_H
#define BOB_ANALYSIS_MPI_TABLES_H

#include "analysis/mpi/late.h"
#include "analysis/mpi/matrix.h"
#include "analysis/mpi/call_counts.h"
#include "analysis/naming.h"
#include "table/table.h"

/* Calls by the key of `m`. Without MPI calls, text has no columns of bytes, and calls are titled
 * events. */
struct bob_table *bob_mpi_calls_table(struct bob_mpi_table *m, const struct bob_trace *t,
				      const struct bob_naming *names);
/* False only if `m` has nothing but the program's own events. */
bool bob_mpi_table_has_mpi(const struct bob_mpi_table *m);
/* Wait states by call site, with causes. */
struct bob_table *bob_mpi_late_table(const struct bob_mpi_late *l, const struct bob_trace *t,
				     const struct bob_naming *names);
/* Pairs of ranks, by sender, then by receiver. */
struct bob_table *bob_mpi_pairs_table(struct bob_mpi_matrix *m);

#endif
