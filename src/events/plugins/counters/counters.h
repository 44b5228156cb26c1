/* SPDX-License-Identifier: BSD-3-Clause */
/* Counter sources of the plug-in `counters`: the kernel (perf.c) and PAPI (papi.c). Each numbers
 * its counters from 0, and reads those of the calling thread, opening them on the thread's first
 * read.
 *
 * Threads: finding: one, before the program starts; reading: any. */
#ifndef BOB_EVENTS_COUNTERS_H
#define BOB_EVENTS_COUNTERS_H

#include <stdint.h>

#define BOB_COUNTERS_MOST 16u

/* Number of a counter. -1: unknown, or the machine does not have it. */
int bob_perf_find(const char *name);
/* Name of a counter of the kernel; NULL: past the last one. */
const char *bob_perf_name(uint32_t number);
int bob_perf_read(uint32_t number, uint64_t *value); /* 0: cannot be read */

/* Loads PAPI's library if it is installed. Names: PAPI_TOT_CYC, perf::CYCLES, sde:::..., as
 * papi_avail and papi_native_avail list them. */
int bob_papi_find(const char *name);
int bob_papi_read(uint32_t number, uint64_t *value);

#endif
