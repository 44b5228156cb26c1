/* SPDX-License-Identifier: BSD-3-Clause */
/* Time marks, taken from outside: the launcher samples the commit word of every thread of the
 * processes that it started, and notes (position, time) when it has changed. This costs the threads
 * nothing. Marks are kept in memory, at most 64 KB per thread (then every second one is dropped,
 * and the thread is sampled half as often), and written as one MARKS file at the end of the run.
 * Ended threads are not sampled. Threads: one. */
#ifndef BOB_CLI_MARKS_H
#define BOB_CLI_MARKS_H

#include <stdint.h>

#include "archive/format.h"

/* Threads of a process. */
struct cli_sampled {
	uint64_t scanned;	/* offset in the file up to which chunks are known */
	struct cli_sampled_stream *stream;
	uint32_t count, capacity;
	uint32_t live;		/* the first `live` ones have not ended */
};
struct cli_watching;

/* Finds new threads. 1: the process has ended, no more will follow. */
int cli_marks_scan(struct cli_sampled *s, int fd);
/* Samples the threads that are due at `now_ms`; with `all` each of them. */
void cli_marks_look(struct cli_sampled *s, int fd, uint64_t now_ms, uint32_t interval_ms, int all);
/* Writes the marks into the directory, if there are any. Failures leave no file. */
void cli_marks_write(const struct cli_watching *w);
void cli_marks_free(struct cli_sampled *s);

#endif
