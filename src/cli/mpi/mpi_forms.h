/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds one expression for a number that differs between ranks: "7", "rank+1", "(rank+1) mod 4",
 * "rank^2", "10+5*rank". */
#ifndef BOB_CLI_MPI_FORMS_H
#define BOB_CLI_MPI_FORMS_H

#include <stdio.h>

#include "archive/events/mpi_functions.h"

/* The processes of a value. */
struct cli_mpi_who {
	uint32_t count;
	const uint32_t *me;	/* rank of each; ~0: unknown */
	uint32_t peers;		/* number of ranks; 0: unknown */
};

struct cli_mpi_form {
	enum {
		CLI_MPI_ABSOLUTE,
		CLI_MPI_RELATIVE,
		CLI_MPI_AROUND,
		CLI_MPI_XOR,
		CLI_MPI_AFFINE,
		CLI_MPI_APART /* no such expression */
	} kind;
	uint64_t base;		/* added to the rank, or combined by xor; AFFINE: value at rank 0 */
	uint64_t step;
};

/* The simplest form of these values, one per process. */
struct cli_mpi_form cli_mpi_form_of(const struct cli_mpi_who *who, enum bob_mpi_role role,
				    const uint64_t *v);
void cli_mpi_form_print(const struct cli_mpi_who *who, const struct cli_mpi_form *f,
			enum bob_mpi_role role, FILE *out);

#endif
