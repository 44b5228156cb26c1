/* SPDX-License-Identifier: BSD-3-Clause */
/* Synthetic programs: what one rank of so many calls, as events with values. Each is fitted from a real one, recorded at 4 to 64 ranks:
 * the same functions, words and call paths of three calls; what differs from rank to rank follows the same rule. */
#ifndef BENCH_MERGE_PATTERNS_H
#define BENCH_MERGE_PATTERNS_H

#include <stdint.h>

struct rank; /* that is being recorded: synth.h */

struct pattern {
	const char *name, *like; /* like: which real program */
	uint32_t least, most;	/* ranks, as powers of two, that it makes sense for */
	int irregular;		/* no rule: what it costs is a number or more a rank */
	void (*run)(struct rank *r);
};

extern const struct pattern patterns[];
extern const uint32_t pattern_count;

#endif
