/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI calls and events as tables. All return a table that the caller destroys, its rows in the
 * order of the analysis; NULL if there is no memory. Threads: as the analysis. */
#ifndef BOB_ANALYSIS_MPI_TABLES_H
#define BOB_ANALYSIS_MPI_TABLES_H

#include "analysis/mpi/late.h"
#include "analysis/mpi/matrix.h"
#include "analysis/mpi/table.h"
#include "analysis/naming.h"
#include "table/table.h"

/* Calls by what `m` was made for. Without calls of MPI, text has no columns of bytes, and calls are
 * events. */
struct bob_table *bob_mpi_calls_table(struct bob_mpi_table *m, const struct bob_trace *t,
				      const struct bob_naming *names);
/* Does `m` have calls of MPI, or nothing at all? Else the program's own events are all there is. */
bool bob_mpi_table_has_mpi(const struct bob_mpi_table *m);
/* Places that waited, and what for. */
struct bob_table *bob_mpi_late_table(const struct bob_mpi_late *l, const struct bob_trace *t,
				     const struct bob_naming *names);
/* Pairs of ranks, by sender, then by receiver. */
struct bob_table *bob_mpi_pairs_table(struct bob_mpi_matrix *m);

#endif
