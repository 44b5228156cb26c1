/* SPDX-License-Identifier: BSD-3-Clause */
/* The launcher watches the processes that it started, the program and its descendants: it finds
 * their new files, takes time marks (marks.h), extends files for processes that cannot (keeper.h)
 * and detects debuggers (debugger.h). It uses pread and pwrite only: a file that is truncated
 * meanwhile causes a short read, not a signal. Threads: one. */
#ifndef BOB_CLI_WATCHING_H
#define BOB_CLI_WATCHING_H

#include <sys/types.h>

#include "cli/record/debugger.h"
#include "cli/record/marks.h"

struct cli_watched {
	char name[256];
	int fd;			/* -1: the process has ended */
	int ended;		/* the process says so; threads may still write */
	uint32_t pid, seq;
	struct cli_sampled sampled;
	struct cli_debugged debugged;
};

struct cli_watching {
	int dir_fd;
	char *dir;		/* of the trace, wherever it is moved to */
	const char *cache;	/* of plans; borrowed */
	char host[64];
	int takes_marks, translates; /* calls, memory accesses are recorded */
	int notify;		/* inotify: a process opens the memory of another; -1: none */
	int keeper;		/* where processes ask for files; -1: nowhere */
	uint64_t secret;	/* of those who may */
	int wake;		/* epoll: one of these can be read; -1: none */
	int depend;		/* a process needs the keeper */
	uint32_t made;		/* files, by the keeper */
	uint64_t begin_ns;
	uint64_t scan_ms;	/* next time to look for files */
	uint64_t marks_ms;	/* ... and to take marks */
	uint64_t debuggers_ms;	/* ... and for debuggers */
	struct cli_watched *file;
	uint32_t count;
};

/* `keeper` (CLI_KEEPER_ADDRESS bytes) gets the value of BOBBIN_KEEPER, "" if no process listens.
 * The caller then says what is recorded. -1: out of memory; then nothing can be watched. */
int cli_watching_begin(struct cli_watching *w, const char *dir, const char *cache, char *keeper);
/* As bob_launch's tick; `ctx` is the struct cli_watching. */
unsigned cli_watching_tick(void *ctx, int child);
/* A last look; the marks are written. How many files the keeper has made: of processes that could
 * write no file of an image. */
uint32_t cli_watching_end(struct cli_watching *w, pid_t child);

#endif
