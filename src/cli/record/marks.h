/* SPDX-License-Identifier: BSD-3-Clause */
/* Time marks, taken from outside: the launcher reads the commit word of every thread of the
 * processes it started and notes (position, time) when it has moved. The threads pay nothing. Marks
 * are kept in memory, at most 64 KB per thread (then every second one is dropped and the thread is
 * looked at half as often), and written as one MARKS file when the run has ended.
 * A thread that has ended is not read any more. Threads: one. */
#ifndef BOB_CLI_MARKS_H
#define BOB_CLI_MARKS_H

#include <stdint.h>

#include "archive/format.h"

/* The threads of one process. */
struct cli_sampled {
	uint64_t scanned;	/* chunks before this offset of the file are known */
	struct cli_sampled_stream *stream;
	uint32_t count, capacity;
	uint32_t live;		/* the first of them have not ended */
};
struct cli_watching;

/* Threads that came since the last look. 1: the process has ended, there will be no more. */
int cli_marks_scan(struct cli_sampled *s, int fd);
/* Take the marks of the threads that are due at `now_ms`; all: of each. */
void cli_marks_look(struct cli_sampled *s, int fd, uint64_t now_ms, uint32_t interval_ms, int all);
/* Write them into the directory, if there are any. Failures leave no file. */
void cli_marks_write(const struct cli_watching *w);
void cli_marks_free(struct cli_sampled *s);

#endif
