/* SPDX-License-Identifier: BSD-3-Clause */
/* The time stamp counter as the clock of events (clock.h), if it runs evenly. */
#include "events/clock.h"

#include <cpuid.h>

#include "events/recorder.h"

#define POWER_LEAF 0x80000007u
#define POWER_EVEN_COUNTER (1u << 8)
#define TRIES 3u
#define NEAR_TICKS 512u		/* as long as reading the clock may take to be a good anchor */

enum { NOT_ASKED, EVEN, UNEVEN };

static bool is_even(void)
{
	static uint32_t known; /* threads that ask at the same time hear the same */
	uint32_t is = __atomic_load_n(&known, __ATOMIC_RELAXED), a, b, c, d;

	if (is == NOT_ASKED) {
		is = __get_cpuid(POWER_LEAF, &a, &b, &c, &d) && d & POWER_EVEN_COUNTER ? EVEN :
											 UNEVEN;
		__atomic_store_n(&known, is, __ATOMIC_RELAXED);
	}
	return is == EVEN;
}

/* In order with what is around it. */
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
	t->jumps++; /* a clock that is slow to read, or an emulator */
	return bob_ticks_only_ns(t, ns);
}
