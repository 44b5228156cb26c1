/* SPDX-License-Identifier: BSD-3-Clause */
/* Formats the words of a single call. */
#ifndef BOB_CLI_MPI_ONE_H
#define BOB_CLI_MPI_ONE_H

#include "analysis/mpi/objects.h"
#include "cli/mpi/mpi_call.h"

struct cli_mpi_one {
	struct cli_mpi_cells cells; /* first member: callbacks get its address */
	const struct bob_mpi_call *call;
	uint32_t thread;	/* its number in the process */
	uint64_t made;		/* requests that the thread had created before the call */
	int numbered;		/* show requests by number, not relative to the newest */
};

void cli_mpi_one_print(struct cli_mpi_one *one, FILE *out);

#endif
