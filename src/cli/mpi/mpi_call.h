/* SPDX-License-Identifier: BSD-3-Clause */
/* Formats an MPI call as a person would write it:
 *
 *     MPI_Isend(1 INT, dest=rank+1, tag=7, comm#1)
 *     MPI_Waitall(2, requests [last-1, last]) -> statuses [from rank-1, tag 7, 4 B; -]
 *
 * The caller supplies the texts of its words: of one call, or of the same call of many ranks and
 * iterations. */
#ifndef BOB_CLI_MPI_CALL_H
#define BOB_CLI_MPI_CALL_H

#include <stdio.h>

#include "archive/events/mpi_functions.h"

struct cli_mpi_cells {
	const struct bob_mpi_function *function;
	int open;		/* it had not come back */
	int requests;		/* new requests are shown */
	/* The one value of the word; 0: it has several. */
	int (*constant)(const struct cli_mpi_cells *c, uint32_t word, uint64_t *value);
	void (*word)(const struct cli_mpi_cells *c, uint32_t word, enum bob_mpi_role role,
		     FILE *out);
	/* `length` is the word that says how long it is. */
	void (*vector)(const struct cli_mpi_cells *c, uint32_t vector, uint32_t length,
		       enum bob_mpi_role role, FILE *out);
};

/* Without a line's end. */
void cli_mpi_call_print(const struct cli_mpi_cells *c, FILE *out);

#endif
