/* SPDX-License-Identifier: BSD-3-Clause */
/* record: ranks of programs without MPI, and when to merge their traces (docs/ranks.md). */
#ifndef BOB_CLI_RANK_FUNCTIONS_H
#define BOB_CLI_RANK_FUNCTIONS_H

#include "cli/record/recording.h"

/* For option tables; the argument is the struct cli_vars. 0, or an exit status after a
 * complaint. */
int cli_ranks_init(const char *verb, void *vars, const char *arg);
int cli_ranks_finalize(const char *verb, void *vars, const char *arg);
int cli_ranks_rank(const char *verb, void *vars, const char *arg);
int cli_ranks_place(const char *verb, void *vars, const char *arg);
int cli_ranks_flush(const char *verb, void *vars, const char *arg);
#define RANKS_OPTIONS(type, vars)                                                                  \
	{ "init", 0, "FUNCTION",                                                                   \
	  "without MPI: a process becomes a rank when this function returns (docs/ranks.md)",      \
	  CLI_TAKE(type, vars, cli_ranks_init) },                                                  \
	{ "finalize", 0, "FUNCTION",                                                               \
	  "merge what the ranks recorded when this function is entered",                           \
	  CLI_TAKE(type, vars, cli_ranks_finalize) },                                              \
	{ "rank", 0, "R/N",                                                                        \
	  "with --init: this process is rank R of N (default: ranks are numbered in order "        \
	  "of arrival)",                                                                           \
	  .env = "BOBBIN_RANK", CLI_TAKE(type, vars, cli_ranks_rank) },                            \
	{ "ranks", 0, "DIR",                                                                       \
	  "with --init: the directory in which ranks find each other (default: the trace); "       \
	  "a new one for each run",                                                                \
	  CLI_TAKE(type, vars, cli_ranks_place) },                                                 \
	{ "flush-every", 0, "WHAT",                                                                \
	  "--mpi, --events: when to write out recorded events: every 1000 events of a "            \
	  "thread, every 10s, or at an event: step, MPI_Barrier/10; 'step,all' also merges "       \
	  "the ranks",                                                                             \
	  CLI_TAKE(type, vars, cli_ranks_flush) }

/* All processes of the trace have ended: removes the files by which they met. */
void cli_ranks_clear(const char *dir);

#endif
