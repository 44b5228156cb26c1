/* SPDX-License-Identifier: BSD-3-Clause */
/* Collectors: processes that fold what instrumented programs record, one for each recorded process
 * (docs/collector.md).
 *
 * The launcher starts a *host* before the program: it sees new files in the trace directory, starts
 * a collector for each that expects one of this launcher, and another one where a collector was
 * killed. Neither is the program's child, or in its process group; both outlive the launcher as
 * long as processes are recorded.
 *
 * One thread. Nothing is printed. */
#ifndef BOB_CLI_COLLECTOR_H
#define BOB_CLI_COLLECTOR_H

#include <stdint.h>

enum cli_collected {
	CLI_COLLECTED = 0,	/* the process has ended, and all it recorded is folded */
	CLI_COLLECTED_NONE,	/* it has no launcher, or another one */
	CLI_COLLECTED_FAILED	/* not: what it recorded is in the log */
};

/* In a process of its own: folds for the process whose file this is, until that has ended.
 * `launcher` and `restarts` as in struct bob_collector. */
enum cli_collected cli_collector(const char *path, uint32_t launcher, uint32_t restarts);
/* The collector that was there has ended: another one may come (1), or none will (0). */
void cli_collector_gone(const char *path, int another);
/* Has the process that writes this file ended, according to the file or the system? */
int cli_collector_is_over(const char *path);

/* --- the host --- */

struct cli_collectors {
	int ask, answer;	/* pipes; -1: there is no host */
	int host;		/* its process */
};

/* For the trace in `dir`, absolute. BOBBIN_LAUNCHER of the program has to be `getpid()`. Returns 0,
 * or -1: there is none. */
int cli_collectors_begin(struct cli_collectors *c, const char *dir);
/* When the program has ended: waits until what ended processes recorded is folded. */
void cli_collectors_end(struct cli_collectors *c);

#endif
