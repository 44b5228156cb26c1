/* SPDX-License-Identifier: BSD-3-Clause */
/* Estimates the cost of recording to the program: events * ns per call + coded bits * ns per bit,
 * with the costs measured on the machine of the run (calibrate.h), which the trace contains. */
#ifndef BOB_CLI_OVERHEAD_H
#define BOB_CLI_OVERHEAD_H

#include <stdint.h>
#include <stdio.h>

#include "bobbin/trace.h"
#include "cli/record/calibrate.h"

/* Zero it, then add the relevant threads. */
struct cli_overhead {
	uint64_t events;
	uint64_t added_ns;
	uint64_t lives_ns;	/* sum of the threads' lifetimes */
	uint64_t slow;		/* calls on the slow path, whose cost is not measured */
	struct cli_costs least, most; /* over the machines of the run */
	int no_lives;		/* a thread's end is unknown: no share of time */
	const char *unknown;	/* why there is no estimate; NULL: there is one */
};

/* Rounded to the nearest; saturates at UINT64_MAX. */
uint64_t cli_overhead_ns(uint64_t events, uint64_t stream_bytes, const struct cli_costs *c);
/* A thread without calls has no effect. */
void cli_overhead_add(struct cli_overhead *o, const struct bob_process_info *p,
		      const struct bob_thread_info *th);
/* Prints "overhead    ...", one or two lines; nothing if there were no calls. */
void cli_overhead_print(const struct cli_overhead *o, FILE *out);

#endif
