/* SPDX-License-Identifier: BSD-3-Clause */
/* The launcher watches the processes that it started, i.e. the program and its descendants: it
 * finds their new files, takes time marks (marks.h), extends files for processes that cannot
 * (keeper.h) and detects debuggers (debugger.h). It uses pread and pwrite only: a file that is
 * truncated meanwhile causes a short read, not a signal. Threads: one. */
#ifndef BOB_CLI_WATCHING_H
#define BOB_CLI_WATCHING_H

#include <sys/types.h>

#include "cli/record/debugger.h"
#include "cli/record/marks.h"

struct cli_watched {
	char name[256];
	int fd;			/* -1: the process has ended */
	int ended;		/* according to its file; threads may still write */
	uint32_t pid, seq;
	struct cli_sampled sampled;
	struct cli_debugged debugged;
};

struct cli_watching {
	int dir_fd;
	char *dir;		/* of the trace, even after it is moved */
	const char *cache;	/* of plans; borrowed */
	char host[64];
	int takes_marks, translates; /* calls, or memory accesses, are recorded */
	int notify;		/* inotify: a process opens another's memory; -1: none */
	int keeper;		/* socket for processes that request files; -1: none */
	uint64_t secret;	/* that requests must contain */
	int wake;		/* epoll over these descriptors; -1: none */
	int depend;		/* a process needs the keeper */
	uint32_t made;		/* number of files created by the keeper */
	uint64_t begin_ns;
	uint64_t scan_ms;	/* next time to look for files */
	uint64_t marks_ms;	/* ... to take marks */
	uint64_t debuggers_ms;	/* ... to look for debuggers */
	struct cli_watched *file;
	uint32_t count;
};

/* `keeper` (CLI_KEEPER_ADDRESS bytes) receives the value of BOBBIN_KEEPER, "" without a socket. The
 * caller then sets what is recorded. -1: out of memory; nothing can be watched. */
int cli_watching_begin(struct cli_watching *w, const char *dir, const char *cache, char *keeper);
/* Tick of bob_launch; `ctx` is the struct cli_watching. */
unsigned cli_watching_tick(void *ctx, int child);
/* Polls a last time and writes the marks. Returns the number of files that the keeper created;
 * their processes could not write image files. */
uint32_t cli_watching_end(struct cli_watching *w, pid_t child);

#endif
