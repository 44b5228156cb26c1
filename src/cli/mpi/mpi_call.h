/* SPDX-License-Identifier: BSD-3-Clause */
/* Formats an MPI call in a readable form:
 *
 *     MPI_Isend(1 INT, dest=rank+1, tag=7, comm#1)
 *     MPI_Waitall(2, requests [last-1, last]) -> statuses [from rank-1, tag 7, 4 B; -]
 *
 * Callbacks supply the texts of its words: for one call, or for the same call of many ranks and
 * iterations. */
#ifndef BOB_CLI_MPI_CALL_H
#define BOB_CLI_MPI_CALL_H

#include <stdio.h>

#include "archive/events/mpi_functions.h"

struct cli_mpi_cells {
	const struct bob_mpi_function *function;
	int open;		/* the call had not returned */
	int requests;		/* show new requests */
	/* The word's value if it has only one; 0: it has several. */
	int (*constant)(const struct cli_mpi_cells *c, uint32_t word, uint64_t *value);
	void (*word)(const struct cli_mpi_cells *c, uint32_t word, enum bob_mpi_role role,
		     FILE *out);
	/* `length` is the word with the vector's length. */
	void (*vector)(const struct cli_mpi_cells *c, uint32_t vector, uint32_t length,
		       enum bob_mpi_role role, FILE *out);
};

/* Prints without a newline. */
void cli_mpi_call_print(const struct cli_mpi_cells *c, FILE *out);

#endif
