/* SPDX-License-Identifier: BSD-3-Clause */
/* record --mpi: finds the program's MPI, and the library that records its calls (src/mpi). */
#ifndef BOB_CLI_MPI_SHIM_H
#define BOB_CLI_MPI_SHIM_H

#include "cli/record/recording.h"

#define CLI_MPI_NAMES "openmpi|mpich"

#define CLI_MPI_LEVELS "off|flat|rank|all|custom"

/* For option tables; the argument is the struct cli_vars. 0, or an exit status after a
 * complaint. */
int cli_mpi_functions(const char *verb, void *vars, const char *arg);
int cli_mpi_level(const char *verb, void *vars, const char *arg);
int cli_mpi_vectors(const char *verb, void *vars, const char *arg);
#define MPI_OPTIONS(type, vars)                                                                    \
	{ "mpi-functions", 0, "PATTERN",                                                           \
	  "record only these MPI functions, or a class such as p2p, collective, rma, io; "         \
	  "may be repeated",                                                                       \
	  CLI_TAKE(type, vars, cli_mpi_functions) },                                               \
	{ "mpi-level", 0, "LEVEL",                                                                 \
	  "--mpi: all (default); rank: ranks are not merged; flat: nothing is folded; "            \
	  "custom: only Init, Finalize and Pcontrol; off",                                         \
	  .values = CLI_MPI_LEVELS, CLI_TAKE(type, vars, cli_mpi_level) },                         \
	{ "mpi-vectors", 0, "N",                                                                   \
	  "of vectors of numbers keep only the length, the first N elements, and a hash of "       \
	  "the rest; none: only the length",                                                       \
	  CLI_TAKE(type, vars, cli_mpi_vectors) }

/* Whether the level (default: all) is one of `words`, "a|b". */
int cli_mpi_level_is(const struct cli_vars *v, const char *words);

/* Finds the MPI of the program at `path`: by the libraries it is linked with, by its contents, or
 * by the MPI launcher's environment. `said` is the user's choice, or NULL. NULL after a complaint:
 * none, or MPI is linked into the program without the relink library (mpi/relink/relink.h). */
const char *cli_mpi_find(const char *verb, const char *path, const char *said);
/* Prints linker arguments for a program that links this MPI statically. 0, or 1 after a complaint:
 * there is no such relink library. */
int cli_mpi_link(const char *verb, const char *mpi);
/* --when, --plugin: for the struct cli_vars. 0, or an exit status after a complaint. */
int cli_when_option(const char *verb, void *vars, const char *text);
int cli_plugin_option(const char *verb, void *vars, const char *path);
/* Sets the variables for programs of this MPI (NULL: no MPI, only the program's events), before
 * cli_recording_finish. 0, or 125 after a complaint: this bobbin has no shim for it. */
int cli_mpi_choose(struct cli_vars *v, const char *verb, const char *mpi);

#endif
