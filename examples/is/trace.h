/* SPDX-License-Identifier: BSD-3-Clause */
/* A trace by hand: a file for each rank, a line for each record. */
#ifndef IS_TRACE_H
#define IS_TRACE_H

#include <stdint.h>

/* Opens PREFIX.RANK.trace. Returns 0, or -1. */
int trace_open(const char *prefix, int rank);
double trace_now(void);
/* A call of MPI that began at `from` and has ended. */
void trace_call(const char *function, int count, double from);
void trace_value(const char *name, int64_t value);
/* Returns 0, or -1: not all was written. */
int trace_close(void);

#endif
