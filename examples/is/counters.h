/* SPDX-License-Identifier: BSD-3-Clause */
/* Counters of the calling thread, as available: L1 data cache misses, page faults, processor
 * time. */
#ifndef IS_COUNTERS_H
#define IS_COUNTERS_H

#include <stdint.h>

#define COUNTERS 3

struct counters {
	int fd[COUNTERS];	/* -1: not available */
};

void counters_open(struct counters *c);
void counters_close(struct counters *c);
/* Counts since counters_open; -1: not available. */
void counters_read(const struct counters *c, int64_t value[COUNTERS]);
extern const char *const counter_names[COUNTERS];

#endif
