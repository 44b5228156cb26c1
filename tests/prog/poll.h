/* SPDX-License-Identifier: BSD-3-Clause */
/* What poll.c and mpi_poll.c share: work, and how its time is taken.
 *
  * A count of polls means nothing if a process loses its processor to others. So the polls of a
 * round are those of two processors without other work: as many as fit, at the poller's speed, into
 * the processor time of the work. */
#ifndef POLL_H
#define POLL_H

#include <time.h>

#define WORK 2000 /* times 10 calls: more than a recorder's buffer holds */

static double processor_time(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Registers only: nothing that worker and poller share. */
static inline void spin(unsigned n)
{
	while (n--)
		__asm__ volatile("" : : : "memory");
}

/* A poll takes much longer than recording it, or what is measured is the recording of polls. */
static inline void between_polls(void)
{
	spin(400);
}

__attribute__((noinline)) void poll_leaf(void)
{
	spin(60);
}

__attribute__((noinline)) void poll_inner(unsigned n)
{
	while (n--)
		poll_leaf();
}

/* Returns its processor time. */
static double work(void)
{
	double before = processor_time();

	for (unsigned i = 0; i < WORK; i++)
		poll_inner(9);
	return processor_time() - before;
}

#endif
