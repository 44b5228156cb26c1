/* SPDX-License-Identifier: BSD-3-Clause */
/* The texts of one call's words. */
#ifndef BOB_CLI_MPI_ONE_H
#define BOB_CLI_MPI_ONE_H

#include "analysis/mpi/objects.h"
#include "cli/mpi/mpi_call.h"

struct cli_mpi_one {
	struct cli_mpi_cells cells; /* first: it is what the callbacks get */
	const struct bob_mpi_call *call;
	uint32_t thread;	/* its number in the process */
	uint64_t made;		/* requests of the thread before the call */
	int numbered;		/* requests are shown by number, not by how many came since */
};

void cli_mpi_one_print(struct cli_mpi_one *one, FILE *out);

#endif
