/* SPDX-License-Identifier: BSD-3-Clause */
/* Time marks, taken from outside: the launcher reads the commit word of every thread of the
 * processes it started and notes (position, time) when it has moved. The threads pay nothing. Marks
 * are kept in memory, at most 64 KB per thread (then every second one is dropped and the thread is
 * looked at half as often), and written as one MARKS file when the run has ended.
 * Threads: one. Everything is freed by cli_sampler_end. */
#ifndef BOB_CLI_SAMPLER_H
#define BOB_CLI_SAMPLER_H

#include <sys/types.h>

struct cli_sampler;

/* For the trace directory `dir` (absolute). NULL if memory ran out: then there are no marks. */
struct cli_sampler *cli_sampler_begin(const char *dir);
/* Look at all threads that are due; `child` is the program, whose descendants count too. Returns how many ms
 * to wait before the next look. */
unsigned cli_sampler_tick(struct cli_sampler *s, pid_t child);
/* A last look, then write the file. Failures leave no file behind. */
void cli_sampler_end(struct cli_sampler *s, pid_t child);

#endif
