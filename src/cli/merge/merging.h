/* SPDX-License-Identifier: BSD-3-Clause */
/* Merges the folded streams of a trace's threads: rewrites each process file without obsolete
 * chunks, and replaces the old one. Then merges the processes. */
#ifndef BOB_CLI_MERGING_H
#define BOB_CLI_MERGING_H

#include <stdint.h>

#include "bobbin/trace.h"

struct cli_merged {
	uint32_t processes;	/* merged processes */
	uint32_t left;		/* killed processes: their raw data are not merged */
	uint32_t named;		/* image files that got names, lines and variables */
	uint64_t before, after;	/* bytes of their files */
};

/* Whether the process is `root` or a descendant. Parents of traced processes are known by index. */
int cli_is_below(const struct bob_trace *t, uint32_t process, uint32_t root);
/* Merges the threads of process `root` and of its descendants. Returns an exit status; if it is not
 * 0, a message has been printed. */
int cli_merge(const char *verb, const char *dir, uint32_t root, struct cli_merged *result);
/* Merges all ended processes of the trace, with their threads, into one file `trace.bob`; removes
 * their own files when it is complete. Processes that cannot be in it, or a single process, have
 * their threads merged in their own file: *threads. `drop_below` omits what occurs in fewer of all
 * merged threads, or of the threads of a single process. Also adds names, lines and variables.
 * Damaged files stay unchanged. Nothing is merged if the trace has processes of several runs, or if
 * `trace.bob` or another file with several processes is damaged. */
int cli_merge_all(const char *verb, const char *dir, uint32_t drop_below,
		  struct cli_merged *threads, struct cli_merged *result);
/* Whether cli_merge_all would refuse. Prints nothing. */
int cli_merge_is_refused(const char *dir);
/* Prints what is lost of the trace, and which files stay unchanged; then ranks without files,
 * unless `quiet`. Returns an exit status. */
int cli_merge_print_missing(const char *dir, int quiet);

#endif
