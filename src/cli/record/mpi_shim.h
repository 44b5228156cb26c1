/* SPDX-License-Identifier: BSD-3-Clause */
/* record --mpi: which MPI a program has, and the library that records its calls (src/mpi). */
#ifndef BOB_CLI_MPI_SHIM_H
#define BOB_CLI_MPI_SHIM_H

#include "cli/record/recording.h"

#define CLI_MPI_NAMES "openmpi|mpich"

#define CLI_MPI_LEVELS "off|flat|rank|all|custom"

enum { MPI_FUNCTIONS, MPI_LEVEL, MPI_VECTORS, MPI_COMMON };
#define MPI_OPTIONS                                                                                \
	{ "mpi-functions", 0, "PATTERN",                                                           \
	  "only these functions of MPI, or a class such as p2p, collective, rma, io; may be repeated", NULL, NULL }, \
	{ "mpi-level", 0, "LEVEL",                                                                 \
	  "of MPI: all (default); rank: ranks are not merged; flat: nothing is folded; custom: only Init, Finalize and Pcontrol; off", \
	  NULL, CLI_MPI_LEVELS },                                                                  \
	{ "mpi-vectors", 0, "N", "keep only the first N elements of vectors of numbers, their length and a hash of the rest; none: their length alone", NULL, NULL }

/* Take one of these, `which` counted from the first. 0, or an exit status after a complaint. */
int cli_mpi_option(struct cli_vars *v, const char *verb, int which, const char *arg);

/* Is the level, all if none was chosen, one of `words`, "a|b"? */
int cli_mpi_level_is(const struct cli_vars *v, const char *words);

/* Of the program at `path`: by the libraries it is linked with, by what is linked into it, else by
 * what the MPI launcher says in the environment. `said` is what the user says, or NULL. NULL after
 * a complaint: none, or one that is linked into the program without the relink library
 * (mpi/relink/relink.h). */
const char *cli_mpi_find(const char *verb, const char *path, const char *said);
/* Prints what is to be added to the link of a program with this MPI in it. 0, or 1 after a
 * complaint: there is none such. */
int cli_mpi_link(const char *verb, const char *mpi);
/* --when. 0, or 125 after a complaint: it is no condition. */
int cli_when_option(struct cli_vars *v, const char *verb, const char *text);
/* --plugin. 0, or 125 after a complaint: it is no plug-in. */
int cli_plugin_option(struct cli_vars *v, const char *verb, const char *path);
/* Variables for programs of this MPI (NULL: of none, for events of their own), before
 * cli_recording_finish. 0, or 125 after a complaint: this bobbin has no shim for it. */
int cli_mpi_choose(struct cli_vars *v, const char *verb, const char *mpi);

#endif
