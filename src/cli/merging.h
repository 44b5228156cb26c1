/* SPDX-License-Identifier: BSD-3-Clause */
/* Merging the folded streams of a trace's threads: each process file is written once more, without what is not
 * needed any more, and put in the place of the old one. Then the processes. */
#ifndef BOB_CLI_MERGING_H
#define BOB_CLI_MERGING_H

#include <stdint.h>

#include "bobbin/trace.h"

struct cli_merged {
	uint32_t processes;	/* that were merged */
	uint32_t left;		/* killed: what is not folded is not merged */
	uint64_t before, after;	/* bytes of their files */
};

/* Is the process `root` or a descendant? Parents of traced processes are known by index. */
int cli_is_below(const struct bob_trace *t, uint32_t process, uint32_t root);
/* All processes of the trace, or, if `root` is not 0, those of this pid and its descendants. With `raw` also what is not folded,
 * and processes that were killed. A message has been printed where it is not 0: a status for exit. */
int cli_merge(const char *verb, const char *dir, uint32_t root, int raw, struct cli_merged *result);
/* All processes of the trace in one file, `trace.bob`, once the threads of each are merged; their own files are removed when it
 * is complete. Traces of one process stay as they are. With `drop_below`, what occurs in fewer threads of all is left out, of one
 * process, too. */
int cli_merge_processes(const char *verb, const char *dir, uint32_t drop_below,
			struct cli_merged *result);

#endif
