/* SPDX-License-Identifier: BSD-3-Clause */
/* What the plug-in `counters` counts with: the kernel (perf.c), PAPI (papi.c). Each numbers its
 * counters from 0 and reads those of the calling thread; opening them, once for each thread, is its
 * business.
 *
 * Threads: finding, one, before the program begins; reading, any. */
#ifndef BOB_EVENTS_COUNTERS_H
#define BOB_EVENTS_COUNTERS_H

#include <stdint.h>

#define BOB_COUNTERS_MOST 16u

/* Its number. -1: it is not known there, or the machine does not have it. */
int bob_perf_find(const char *name);
/* The name of a counter of the kernel; NULL: there are no more. */
const char *bob_perf_name(uint32_t number);
int bob_perf_read(uint32_t number, uint64_t *value); /* 0: it cannot be read */

/* PAPI's library is loaded if it is there and was not; its names: PAPI_TOT_CYC, perf::CYCLES,
 * sde:::..., as papi_avail and papi_native_avail say. */
int bob_papi_find(const char *name);
int bob_papi_read(uint32_t number, uint64_t *value);

#endif
