/* SPDX-License-Identifier: BSD-3-Clause */
/* A debugger that attaches to a recorded process may set a breakpoint at any instruction of the
 * file, so also inside a jump of the agent, 1 to 4 bytes after an entry, where its byte would
 * change where the jump leads. So the launcher, an ancestor of the process, which may write into
 * it, restores the original bytes of such entries while the debugger holds all threads: before it
 * can let them run with a breakpoint. Threads inside trampolines are not disturbed. The functions
 * are recorded no more; others are. The file's head says when (debugged_mono_ns), the agent says
 * which. */
#ifndef BOB_CLI_DEBUGGER_H
#define BOB_CLI_DEBUGGER_H

#include <stdint.h>

struct cli_debugged {
	int watch[2];		/* of inotify; -1: none */
	uint32_t tracer;	/* the debugger that has been dealt with; 0: none */
	uint32_t tries;		/* so often were not all threads stopped */
	uint32_t gone;		/* there is no such process any more */
};
struct cli_watched;
struct cli_watching;

/* A descriptor of inotify, or -1. */
int cli_debugger_notify(void);
/* From now on it can be read when a process opens the memory of this process, as debuggers do. */
void cli_debugger_watch(int notify, struct cli_watched *f);
/* No longer: the process writes no more to its file. */
void cli_debugger_unwatch(int notify, struct cli_watched *f);
/* Restores the entries of each process that has a debugger. 1: a debugger has not stopped all
 * threads yet; look again soon. */
int cli_debuggers_look(struct cli_watching *w, uint64_t now_ms);

#endif
