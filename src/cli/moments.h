/* SPDX-License-Identifier: BSD-3-Clause */
/* Parses time ranges and converts them to ranges of positions in a thread's stream. Positions
 * between two recorded marks are interpolated. */
#ifndef BOB_CLI_MOMENTS_H
#define BOB_CLI_MOMENTS_H

#include "bobbin/trace.h"

struct cli_time_range {
	int given;
	uint64_t first_ns, last_ns;	/* since the start of the run */
};

/* "A..B" with a unit ns us ms s min after each number (default s); either end may be omitted.
 * Returns 0 or -1. */
int cli_time_range_parse(struct cli_time_range *r, const char *text);
/* Returns 0, or -1 if the thread has no marks. */
int cli_time_range_to_positions(const struct cli_time_range *r, const struct bob_trace *t,
				uint32_t thread, uint64_t *first, uint64_t *last);

#endif
