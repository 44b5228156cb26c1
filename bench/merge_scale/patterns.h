/* SPDX-License-Identifier: BSD-3-Clause */
/* Synthetic programs: the calls of one rank of many, as events with values. Each models a real
 * program recorded at 4 to 64 ranks: it has the same functions, words and call paths of three
 * calls, and its differences between ranks follow the same rule. */
#ifndef BENCH_MERGE_PATTERNS_H
#define BENCH_MERGE_PATTERNS_H

#include <stdint.h>

struct rank; /* the recorded one: synth.h */

struct pattern {
	const char *name, *like; /* like: the modelled program */
	uint32_t least, most;	/* useful numbers of ranks, as powers of two */
	int irregular;		/* no rule: costs at least a number per rank */
	void (*run)(struct rank *r);
};

extern const struct pattern patterns[];
extern const uint32_t pattern_count;

#endif
