/* SPDX-License-Identifier: BSD-3-Clause */
/* record --wrap: the wrappers of a spec as a library in the user's cache, made if it is not there
 * yet. */
#ifndef BOB_CLI_WRAP_LIBRARY_H
#define BOB_CLI_WRAP_LIBRARY_H

#include "cli/record/recording.h"

struct cli_wrap {
	const char *spec;	/* its file; NULL: nothing is wrapped */
	struct bob_wrap_spec *read;
	uint32_t mpi;		/* functions of MPI in it */
	char program[BOB_SYS_PATH];
};

/* Reads the spec and holds it against the program at `path`. 0, or 125 after a complaint. */
int cli_wrap_open(struct cli_wrap *w, const char *path, int quiet);
/* Which functions of MPI are recorded: those of the spec, if no others were asked for (`all`: MPI
 * was, level custom apart). 0, or 125. */
int cli_wrap_mpi(const struct cli_wrap *w, struct cli_vars *v, int all);
/* Then the library, after what is preloaded: call after cli_mpi_choose. 0, or 125 after a
 * complaint. */
int cli_wrap_preload(const struct cli_wrap *w, struct cli_vars *v);
void cli_wrap_close(struct cli_wrap *w);

#endif
