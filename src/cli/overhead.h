/* SPDX-License-Identifier: BSD-3-Clause */
/* Estimate of the cost of recording to the program: events * ns per call + coded bits * ns per bit,
 * with the costs measured on the machine of the run (calibrate.h), which the trace contains. */
#ifndef BOB_CLI_OVERHEAD_H
#define BOB_CLI_OVERHEAD_H

#include <stdint.h>
#include <stdio.h>

#include "bobbin/trace.h"
#include "cli/record/calibrate.h"

/* Zeroed to begin with; then add the threads that count. */
struct cli_overhead {
	uint64_t events;
	uint64_t added_ns;
	uint64_t lives_ns;	/* how long the threads lived, together */
	uint64_t slow;		/* calls that took the slow path, whose cost is not measured */
	struct cli_costs least, most; /* of the machines of the run */
	int no_lives;		/* of a thread its end is not known: no share of time */
	const char *unknown;	/* why there is no estimate; NULL: there is one */
};

/* Rounded to the nearest; UINT64_MAX if it is more. */
uint64_t cli_overhead_ns(uint64_t events, uint64_t stream_bytes, const struct cli_costs *c);
/* A thread without calls changes nothing. */
void cli_overhead_add(struct cli_overhead *o, const struct bob_process_info *p,
		      const struct bob_thread_info *th);
/* "overhead    ...", one or two lines. Nothing if there were no calls. */
void cli_overhead_print(const struct cli_overhead *o, FILE *out);

#endif
