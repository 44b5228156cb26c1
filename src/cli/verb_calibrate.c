/* SPDX-License-Identifier: BSD-3-Clause */
/* bobbin calibrate, internal: measures the cost of one call on this machine, by the thread's CPU
 * clock. The launcher runs it natively and under the agent; the difference is the cost of recording
 * (record/calibrate.c).
 *
 * The same loop calls the same functions in two orders. The codec learns the regular one within its
 * first round, which then costs no coded bits; it cannot learn the random one, so every call is
 * coded. The minimum over several rounds is printed, because disturbances only make a round
 * longer. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include "cli/record/calibrate.h"
#include "base/host/clock.h"
#include "cli/terminal/complain.h"
#include "cli/verbs.h"

const struct cli_option calibrate_options[] = {
	{ 0 },
};

#define FUNCTIONS 8u
#define ROUND_MAX 65536u

struct order {
	uint32_t rounds, calls;	/* `calls` per round */
	int random;
};

static const struct order regular = { 15, 65536, 0 }, scrambled = { 10, 10240, 1 };

/* Small but not empty, and neither merged nor inlined, so that each has an entry. */
#define CALLEE(n)                                                                                  \
	static __attribute__((noinline)) uint32_t bob_calibrate_##n(uint32_t x)                    \
	{                                                                                          \
		__asm__ volatile("" : "+r"(x));                                                    \
		return x * (2 * (n) + 3u) + (x >> 7);                                              \
	}
CALLEE(0)
CALLEE(1)
CALLEE(2)
CALLEE(3)
CALLEE(4)
CALLEE(5)
CALLEE(6)
CALLEE(7)

static uint32_t (*const callee[FUNCTIONS])(uint32_t) = {
	bob_calibrate_0, bob_calibrate_1, bob_calibrate_2, bob_calibrate_3,
	bob_calibrate_4, bob_calibrate_5, bob_calibrate_6, bob_calibrate_7,
};

static __attribute__((noinline)) uint32_t bob_calibrate_round(const uint8_t *which, uint32_t n)
{
	uint32_t x = n;

	for (uint32_t i = 0; i < n; i++)
		x = callee[which[i]](x);
	return x;
}

/* xorshift64* (Vigna 2016): random enough for a codec that looks back some hundred calls */
static uint8_t next_random(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return (uint8_t)(*state * 0x2545f4914f6cdd1du >> 61);
}

/* Returns picoseconds per call. */
static uint64_t measure(const struct order *o)
{
	static uint8_t which[ROUND_MAX];
	uint64_t seed = 0x9e3779b97f4a7c15u, best = UINT64_MAX;
	volatile uint32_t sink;

	for (uint32_t r = 0; r < o->rounds; r++) {
		for (uint32_t i = 0; i < o->calls; i++)
			which[i] = o->random ? next_random(&seed) : (uint8_t)(i % FUNCTIONS);
		uint64_t begin = bob_clock_ns(CLOCK_THREAD_CPUTIME_ID);

		sink = bob_calibrate_round(which, o->calls);
		uint64_t ns = bob_clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin;

		if (ns < best)
			best = ns;
	}
	(void)sink;
	return best * 1000 / o->calls;
}

int verb_calibrate(int argc, char **argv)
{
	(void)argv;
	if (argc > 1)
		return cli_misuse("calibrate", "takes no arguments");
	struct cli_calibration c = {
		.random_calls = (uint64_t)scrambled.rounds * scrambled.calls,
		.calls = (uint64_t)scrambled.rounds * scrambled.calls +
			 (uint64_t)regular.rounds * regular.calls,
	};

	c.regular_ps = measure(&regular);
	c.random_ps = measure(&scrambled);
	printf(CLI_CALIBRATION_LINE, c.regular_ps, c.random_ps, c.random_calls, c.calls);
	return 0;
}
