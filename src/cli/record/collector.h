/* SPDX-License-Identifier: BSD-3-Clause */
/* Collectors: processes that fold what instrumented programs record, one per recorded process
 * (docs/collector.md).
 *
 * The launcher starts a *host* before the program. The host watches the trace directory for new
 * files, starts a collector for each that expects one of this launcher, and restarts killed
 * collectors. Neither is the program's child or in its process group; both outlive the launcher
 * while processes are recorded.
 *
 * One thread. Nothing is printed. */
#ifndef BOB_CLI_COLLECTOR_H
#define BOB_CLI_COLLECTOR_H

#include <stdint.h>

enum cli_collected {
	CLI_COLLECTED = 0,	/* the process has ended, and all its records are folded */
	CLI_COLLECTED_NONE,	/* it has no launcher, or another one */
	CLI_COLLECTED_FAILED	/* not folded: the records are in the log */
};

/* Runs in its own process: folds for the process with this file until that has ended. `launcher`
 * and `restarts` as in struct bob_collector. */
enum cli_collected cli_collector(const char *path, uint32_t launcher, uint32_t restarts);
/* The collector has ended: another one will follow (1), or none will (0). */
void cli_collector_gone(const char *path, int another);
/* Whether the process that writes this file has ended, according to the file or the system. */
int cli_collector_is_over(const char *path);

/* --- the host --- */

struct cli_collectors {
	int ask, answer;	/* pipes; -1: there is no host */
	int host;		/* its process */
};

/* Starts the host for the trace in `dir`, an absolute path. The program's BOBBIN_LAUNCHER must be
 * `getpid()`. Returns 0, or -1: failed. */
int cli_collectors_begin(struct cli_collectors *c, const char *dir);
/* After the program has ended: waits until the records of ended processes are folded. */
void cli_collectors_end(struct cli_collectors *c);

#endif
