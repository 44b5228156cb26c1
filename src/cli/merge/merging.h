/* SPDX-License-Identifier: BSD-3-Clause */
/* Merging the folded streams of a trace's threads: each process file is rewritten without obsolete
 * chunks and replaces the old one. Then the processes are merged. */
#ifndef BOB_CLI_MERGING_H
#define BOB_CLI_MERGING_H

#include <stdint.h>

#include "bobbin/trace.h"

struct cli_merged {
	uint32_t processes;	/* that were merged */
	uint32_t left;		/* killed: what is not folded is not merged */
	uint32_t named;		/* files of images that got names, lines and variables */
	uint64_t before, after;	/* bytes of their files */
};

/* Is the process `root` or a descendant? Parents of traced processes are known by index. */
int cli_is_below(const struct bob_trace *t, uint32_t process, uint32_t root);
/* The threads of the process `root` and of its descendants. A message has been printed where it is
 * not 0: a status for exit. */
int cli_merge(const char *verb, const char *dir, uint32_t root, struct cli_merged *result);
/* All processes of the trace that have ended in one file, `trace.bob`, the threads of each merged;
 * their own files are removed when it is complete. What cannot be in it, or is the only one, has
 * its threads merged in its own file: *threads. With `drop_below`, what occurs in fewer threads of
 * all that are put together is left out, or of the one process that there is. Names, lines and
 * variables come, too. Damaged files stay as they are. Processes of several runs are not merged at
 * all, nor is anything if `trace.bob`, or another file that processes lie in, is damaged. */
int cli_merge_all(const char *verb, const char *dir, uint32_t drop_below,
		  struct cli_merged *threads, struct cli_merged *result);
/* Would that merge nothing? Nothing is printed. */
int cli_merge_is_refused(const char *dir);
/* What is lost of the trace, and that a file stays as it is; then ranks that have none, unless
 * `quiet`. A status for exit. */
int cli_merge_print_missing(const char *dir, int quiet);

#endif
