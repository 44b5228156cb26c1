/* SPDX-License-Identifier: BSD-3-Clause */
/* bobbin show of MPI calls: calls of ranks as loops, with equal ranks combined; or one thread's
 * calls one by one. */
#ifndef BOB_CLI_MPI_SHOW_H
#define BOB_CLI_MPI_SHOW_H

#include <stdio.h>

#include "cli/between.h"

struct bob_mpi_function;
struct cli_mpi_show {
	uint64_t lines;		/* per set of ranks or, one by one, per thread; 0: all */
	uint64_t first, last;	/* one by one: numbers of the thread's calls, last inclusive */
	const char *const *only, *const * not ; /* patterns of functions */
	int only_count, not_count;
	const struct cli_between *between; /* one by one: only this stretch */
};

/* For the chosen threads that have MPI calls. Return an exit status. */
int cli_mpi_show_folded(struct cli_session *s, const struct cli_mpi_show *o, FILE *out);
int cli_mpi_show_calls(struct cli_session *s, const struct cli_mpi_show *o, FILE *out);
/* Whether a function of this name (without MPI_) is to be shown. */
int cli_mpi_show_wants(const struct cli_mpi_show *o, const struct bob_mpi_function *f);

#endif
