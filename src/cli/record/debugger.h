/* SPDX-License-Identifier: BSD-3-Clause */
/* A debugger that attaches to a recorded process may set a breakpoint at any instruction of the
 * file, hence also within a jump of the agent, 1 to 4 bytes after an entry, where its byte would
 * change the target of the jump. So the launcher, an ancestor of the process with permission to
 * write into it, restores the original bytes of such entries while the debugger has stopped all
 * threads, before it can let them run with a breakpoint. Threads inside trampolines are not
 * disturbed. These functions are not recorded any more; others are. The file's head records when
 * (debugged_mono_ns), the agent records which. */
#ifndef BOB_CLI_DEBUGGER_H
#define BOB_CLI_DEBUGGER_H

#include <stdint.h>

struct cli_debugged {
	int watch[2];		/* inotify; -1: none */
	uint32_t tracer;	/* the debugger that has been handled; 0: none */
	uint32_t tries;		/* times that not all threads were stopped */
	uint32_t gone;		/* the process has ended */
};
struct cli_watched;
struct cli_watching;

/* Opens inotify; returns its descriptor, or -1. */
int cli_debugger_notify(void);
/* From now on the descriptor is readable when a process opens this process's memory, as debuggers
 * do. */
void cli_debugger_watch(int notify, struct cli_watched *f);
/* Stops watching: the process does not write to its file any more. */
void cli_debugger_unwatch(int notify, struct cli_watched *f);
/* Restores the entries of each process that has a debugger. 1: a debugger has not stopped all
 * threads yet; look again soon. */
int cli_debuggers_look(struct cli_watching *w, uint64_t now_ms);

#endif
