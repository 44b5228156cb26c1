/* SPDX-License-Identifier: BSD-3-Clause */
/* Clocks of the system, in ns. */
#ifndef BOB_BASE_HOST_CLOCK_H
#define BOB_BASE_HOST_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t bob_clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

#endif
