/* SPDX-License-Identifier: BSD-3-Clause */
/* What every C kernel of the benchmark shares: start, clock, random numbers, verdict, end.
 *
 * A kernel prints its checks on standard output (rank 0, the same bytes on every run) and the
 * time of its main loop on standard error. It ends with status 1 if any check fails.
 * Threads: all functions but frame_random_* are called by the MPI thread only. */
#ifndef FRAME_H
#define FRAME_H

#include <stdint.h>

struct frame {
	const char *name;
	char size;		/* 'S' or 'L' */
	int rank;
	int ranks;
	int failed_count;
	double started_s;
	double elapsed_s;
};

/* Starts MPI and reads the size letter, the only argument. Bad usage ends the program with 2. */
void frame_begin(struct frame *f, const char *name, int *argc, char ***argv);

/* `n` must be a multiple of the number of ranks; otherwise the program ends with status 2. */
int frame_share(const struct frame *f, int n);

/* The main loop runs between these two; both are collective. */
void frame_start(struct frame *f);
void frame_stop(struct frame *f);

/* Prints "what value" and counts a failure unless |value - want| <= tol * max(|want|, 1e-300).
 * The value must be the same on all ranks. */
void frame_check(struct frame *f, const char *what, double value, double want, double tol);
/* Counts a failure unless value <= limit; prints only the outcome (a rounding error is not the
 * same for every number of ranks). */
void frame_check_below(struct frame *f, const char *what, double value, double limit);

/* Prints the verdict, ends MPI; the result is the exit status. */
int frame_end(struct frame *f);

/* Sum over all ranks. */
double frame_sum(double x);

/* A 64-bit linear congruential generator with jump-ahead; state is the caller's. */
uint64_t frame_random_at(uint64_t seed, uint64_t index);
uint64_t frame_random_next(uint64_t state);
double frame_random_unit(uint64_t state);	/* [0, 1) */
void frame_random_fill(uint64_t *state, double *out, int count);

void *frame_alloc(uint64_t count, uint64_t size);	/* zeroed; ends the program if it fails */

#endif
