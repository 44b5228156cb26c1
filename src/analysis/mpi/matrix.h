/* SPDX-License-Identifier: BSD-3-Clause */
/* Communication matrix: messages and bytes by sender and receiver, as ranks in MPI_COMM_WORLD.
 *
 * Owner: the caller. Threads: one. */
#ifndef BOB_ANALYSIS_MPI_MATRIX_H
#define BOB_ANALYSIS_MPI_MATRIX_H

#include <stddef.h>

#include "analysis/mpi/call_bytes.h"

enum bob_mpi_matrix_of {
	BOB_MPI_MATRIX_MESSAGES, /* point-to-point */
	/* data of collective calls, if its recipients are defined */
	BOB_MPI_MATRIX_COLLECTIVES,
	/* from origin to target by Put, Accumulate and the like; from target to origin by Get and
	 * the like */
	BOB_MPI_MATRIX_ONE_SIDED,
};

struct bob_mpi_cell {
	uint32_t from, to;
	uint64_t messages, bytes;
	uint64_t unknown;	/* messages of unknown size */
};

struct bob_mpi_matrix;

bob_status bob_mpi_matrix_create(const struct bob_trace *t, enum bob_mpi_matrix_of of,
				 struct bob_mpi_matrix **out);
void bob_mpi_matrix_destroy(struct bob_mpi_matrix *m); /* NULL is allowed */
/* Adds what the calls of a thread send. Damage is skipped, and BOB_ERR_CORRUPT is returned at the
 * end. Errors: BOB_ERR_NOMEM. */
bob_status bob_mpi_matrix_add(struct bob_mpi_matrix *m, uint32_t thread, struct bob_error *err);
/* Nonempty cells by sender, then by receiver. Borrowed until the next bob_mpi_matrix_add. */
const struct bob_mpi_cell *bob_mpi_matrix_cells(struct bob_mpi_matrix *m, size_t *count);
/* Number of ranks: the highest rank + 1, and at least the size of the recorded worlds. */
uint32_t bob_mpi_matrix_ranks(const struct bob_mpi_matrix *m);
/* Are there one-sided calls? Independent of the kind of matrix. */
int bob_mpi_matrix_has_one_sided(const struct bob_mpi_matrix *m);
/* Messages whose sender or receiver is unknown. */
uint64_t bob_mpi_matrix_lost(const struct bob_mpi_matrix *m);

#endif
