/* SPDX-License-Identifier: BSD-3-Clause */
/* Clock of events (clock.h) from the time stamp counter, where the counter runs at a constant
 * rate. */
#include "events/clock.h"

#include <cpuid.h>

#include "events/recorder.h"

#define POWER_LEAF 0x80000007u
#define POWER_EVEN_COUNTER (1u << 8)
#define TRIES 3u
#define NEAR_TICKS 512u		/* longest reading of the clock for an anchor */

enum { NOT_ASKED, EVEN, UNEVEN };

static bool is_even(void)
{
	static uint32_t known; /* a race is harmless: all threads find the same */
	uint32_t is = __atomic_load_n(&known, __ATOMIC_RELAXED), a, b, c, d;

	if (is == NOT_ASKED) {
		is = __get_cpuid(POWER_LEAF, &a, &b, &c, &d) && d & POWER_EVEN_COUNTER ? EVEN :
											 UNEVEN;
		__atomic_store_n(&known, is, __ATOMIC_RELAXED);
	}
	return is == EVEN;
}

/* Ordered with the surrounding instructions. */
static uint64_t ticks_now(void)
{
	__builtin_ia32_lfence();
	return __builtin_ia32_rdtsc();
}

__attribute__((noinline, cold)) uint64_t bob_ev_clock_read(struct bob_ticks *t)
{
	uint64_t ns = 0;

	if (t->jumps == BOB_TICKS_JUMPS_MAX || !is_even())
		return bob_ticks_only_ns(t, bob_ev_now_ns());
	for (uint32_t i = 0; i < TRIES; i++) {
		const uint64_t before = ticks_now();
		uint64_t took;

		ns = bob_ev_now_ns();
		took = ticks_now() - before;
		if (took < NEAR_TICKS)
			return bob_ticks_anchor(t, before + took / 2, ns);
	}
	t->jumps++; /* slow clock, or an emulator */
	return bob_ticks_only_ns(t, ns);
}
