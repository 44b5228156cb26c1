/* SPDX-License-Identifier: BSD-3-Clause */
/* Statistics of event durations. For each pair (previous event, event) of definitions
 * (event_write.h): the interval between them, which is the program's own time, and the duration of
 * the second. Pairs distinguish the first iteration of a loop from the following ones. The
 * statistics do not depend on the order of addition: counts, sums, sums of squares, extremes, and a
 * histogram by powers of two.
 *
 *     TIMES  rows of struct bob_time_slot, in place in the mapped file; in a killed process at
 *            most the last event is missing
 *
 * Freestanding. Owner: the caller. Threads: one stream, one thread. Budget: <= 20 ns an event
 * (bench/mpi). */
#ifndef BOB_ARCHIVE_TIME_WRITE_H
#define BOB_ARCHIVE_TIME_WRITE_H

#include "archive/write/fold_write.h"

#define BOB_TIME_BINS 40u	/* bin i: values of i bits; the last one: or more */
#define BOB_TIME_NONE 0xffffffffu /* `from` of a thread's first event */
#define BOB_TIME_PAIRS_MAX (1u << 16)

struct bob_time_sums { /* ns */
	uint64_t min, max, sum;
	uint64_t square[2];	/* sum of squares, 128 bits, low half first */
	uint64_t bin[BOB_TIME_BINS];
};

struct bob_time_slot {
	uint32_t from, to;	/* numbers of definitions */
	uint64_t count;
	struct bob_time_sums interval, duration;
};
BOB_STATIC_ASSERT(sizeof(struct bob_time_slot) == 736, "time slot");

static inline uint32_t bob_time_bin(uint64_t ns)
{
	uint32_t bits = ns ? 64u - (uint32_t)__builtin_clzll(ns) : 0;

	return bits < BOB_TIME_BINS ? bits : BOB_TIME_BINS - 1;
}

struct bob_times;

/* Size of the state: zeroed address space, aligned to 64. */
size_t bob_times_size(void);
struct bob_times *bob_times_begin(void *mem, bob_fold_chunk_fn chunk, void *ctx, uint32_t stream);
/* Pairs beyond BOB_TIME_PAIRS_MAX, or without space in the file, are omitted; bob_times_left_out
 * counts their events. */
void bob_times_add(struct bob_times *t, uint32_t from, uint32_t to, uint64_t interval_ns,
		   uint64_t duration_ns);
uint64_t bob_times_left_out(const struct bob_times *t);

/* Adds the sums `b` of at least one event to those of `a_count` events. Pure. */
void bob_time_sums_add(struct bob_time_sums *a, uint64_t a_count, const struct bob_time_sums *b);

#endif
