/* SPDX-License-Identifier: BSD-3-Clause */
/* record --wrap: the wrappers of a spec as a library in the user's cache, compiled if it is not
 * there. */
#ifndef BOB_CLI_WRAP_LIBRARY_H
#define BOB_CLI_WRAP_LIBRARY_H

#include "cli/record/recording.h"

struct cli_wrap {
	const char *spec;	/* its file; NULL: nothing is wrapped */
	struct bob_wrap_spec *read;
	uint32_t mpi;		/* number of MPI functions in it */
	char program[BOB_SYS_PATH];
};

/* Reads the spec and checks it against the program at `path`. 0, or 125 after a complaint. */
int cli_wrap_open(struct cli_wrap *w, const char *path, int quiet);
/* Selects the MPI functions to record: those of the spec, unless others were requested (`all`: MPI
 * was requested, except at level custom). 0, or 125. */
int cli_wrap_mpi(const struct cli_wrap *w, struct cli_vars *v, int all);
/* Builds the library and preloads it last: call after cli_mpi_choose. 0, or 125 after a
 * complaint. */
int cli_wrap_preload(const struct cli_wrap *w, struct cli_vars *v);
void cli_wrap_close(struct cli_wrap *w);

#endif
