/* SPDX-License-Identifier: BSD-3-Clause */
/* record: who the ranks of a program without MPI are, and when they become one (docs/ranks.md). */
#ifndef BOB_CLI_RANKS_H
#define BOB_CLI_RANKS_H

#include "cli/record/recording.h"

enum { RANKS_INIT, RANKS_FINALIZE, RANKS_RANK, RANKS_PLACE, RANKS_FLUSH, RANKS_COMMON };
#define RANKS_OPTIONS                                                                              \
	{ "init", 0, "FUNCTION",                                                                   \
	  "a process is a rank, without MPI, from the end of this function on (docs/ranks.md)", NULL, NULL }, \
	{ "finalize", 0, "FUNCTION",                                                               \
	  "when this function begins what ranks have recorded becomes one", NULL, NULL },          \
	{ "rank", 0, "R/N", "with --init: this is rank R of N; else ranks are numbered as they come", \
	  "BOBBIN_RANK", NULL },                                                                   \
	{ "ranks", 0, "DIR",                                                                       \
	  "with --init: the directory in which ranks meet, instead of the trace's; a new one for each run", \
	  NULL, NULL },                                                                            \
	{ "flush-every", 0, "WHAT",                                                                \
	  "--mpi, --events: write out what was recorded every 1000 events of a thread, 10s, or event: step, MPI_Barrier/10; 'step,all': ranks become one then", \
	  NULL, NULL }

/* Take one of these, `which` counted from the first. 0, or an exit status after a complaint. */
int cli_ranks_option(struct cli_vars *v, const char *verb, int which, const char *arg);
/* All processes of the trace have ended: what they left where they met is of no use any more. */
void cli_ranks_clear(const char *dir);

#endif
