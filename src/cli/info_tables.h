/* SPDX-License-Identifier: BSD-3-Clause */
/* bobbin info: sizes and counts per process. */
#ifndef BOB_CLI_INFO_TABLES_H
#define BOB_CLI_INFO_TABLES_H

#include <stdio.h>

#include "bobbin/trace.h"
#include "table/table.h"

/* State of a process: "ended", ... */
const char *cli_process_state(const struct bob_process_info *p);
/* Why the recording ended, if before the process, and how the process ended: "exit status 3",
 * "killed by SIGSEGV, core dumped". Returns `text`. */
#define CLI_END_MAX 160
const char *cli_process_end(const struct bob_process_info *p, char text[CLI_END_MAX]);
/* Prints the last entered functions of threads that did not end by themselves, except in processes
 * that exited; at most `max` threads. */
void cli_info_last(const struct bob_trace *t, uint32_t max, FILE *out);
/* The function that a thread entered last, with its image; "" if unknown. Returns `text`. */
#define CLI_LAST_MAX 512
const char *cli_last_entry(const struct bob_trace *t, uint32_t thread, char text[CLI_LAST_MAX]);
/* Compression ratio of the streams; 0: there are none. */
double cli_info_ratio(const struct bob_trace_sizes *s);
void cli_info_sizes(const struct bob_trace *t, const struct bob_trace_sizes *s, FILE *out);
/* Prints the size of begin and end times of MPI calls, if recorded, and the accuracy of the
 * clocks. */
void cli_info_moments(const struct bob_trace *t, const struct bob_trace_sizes *s, FILE *out);
/* The caller destroys it; NULL: out of memory. */
struct bob_table *cli_info_processes(const struct bob_trace *t, const struct bob_trace_sizes *s);

#endif
