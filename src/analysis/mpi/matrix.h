/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers of messages and bytes by sender and receiver, as ranks of MPI_COMM_WORLD.
 *
 * Owner: the caller. Threads: one. */
#ifndef BOB_ANALYSIS_MPI_MATRIX_H
#define BOB_ANALYSIS_MPI_MATRIX_H

#include <stddef.h>

#include "analysis/mpi/bytes.h"

enum bob_mpi_matrix_of {
	BOB_MPI_MATRIX_MESSAGES, /* point-to-point */
	/* data of collective calls, where their definition says whose they become */
	BOB_MPI_MATRIX_COLLECTIVES,
	/* what Put, Accumulate and the like give to the target; what Get and the like take from
	 * it */
	BOB_MPI_MATRIX_ONE_SIDED,
};

struct bob_mpi_cell {
	uint32_t from, to;
	uint64_t messages, bytes;
	uint64_t unknown;	/* messages whose bytes are not known */
};

struct bob_mpi_matrix;

bob_status bob_mpi_matrix_create(const struct bob_trace *t, enum bob_mpi_matrix_of of,
				 struct bob_mpi_matrix **out);
void bob_mpi_matrix_destroy(struct bob_mpi_matrix *m); /* NULL is allowed */
/* What the calls of this thread send. BOB_ERR_CORRUPT at the end, if something was: the rest is
 * counted. BOB_ERR_NOMEM. */
bob_status bob_mpi_matrix_add(struct bob_mpi_matrix *m, uint32_t thread, struct bob_error *err);
/* By sender, then by receiver; only those with messages. Borrowed until more is added. */
const struct bob_mpi_cell *bob_mpi_matrix_cells(struct bob_mpi_matrix *m, size_t *count);
/* Ranks: one more than the highest, and at least as many as the world that the processes say they
 * are of. */
uint32_t bob_mpi_matrix_ranks(const struct bob_mpi_matrix *m);
/* Are there one-sided calls, also if they were not requested? */
int bob_mpi_matrix_has_one_sided(const struct bob_mpi_matrix *m);
/* Messages whose sender or receiver is not known. */
uint64_t bob_mpi_matrix_lost(const struct bob_mpi_matrix *m);

#endif
