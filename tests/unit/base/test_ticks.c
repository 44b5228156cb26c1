/* SPDX-License-Identifier: BSD-3-Clause */
/* A made-up clock and counter: what is said must be near the clock, never go back, and seldom read
 * it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/ticks.h"

struct world {
	struct bob_ticks t;
	uint64_t ns, ticks_of_ns; /* 2^-32 ticks a ns */
	uint64_t offset;	/* of the counter */
	uint64_t noise_ns;	/* reading both together is wrong by so much, at most */
	uint64_t random;
	uint64_t reads, calls, last_ns;
};

static uint64_t next_random(struct world *w)
{
	w->random = w->random * 6364136223846793005u + 1442695040888963407u;
	return w->random >> 33;
}

static uint64_t counter(const struct world *w, uint64_t ns)
{
	return w->offset + (uint64_t)((unsigned __int128)ns * w->ticks_of_ns >> 32);
}

/* Returns how far off it is. */
static uint64_t say(struct world *w)
{
	uint64_t said;

	w->calls++;
	if (!bob_ticks_ns(&w->t, counter(w, w->ns), &said)) {
		const uint64_t noise = w->noise_ns ? next_random(w) % w->noise_ns : 0;

		said = bob_ticks_anchor(&w->t, counter(w, w->ns - noise), w->ns);
		w->reads++;
	}
	assert_true(said >= w->last_ns);
	w->last_ns = said;
	return said > w->ns ? said - w->ns : w->ns - said;
}

static struct world make(double ghz, uint64_t noise_ns)
{
	return (struct world){ .ns = 5000000000u, .noise_ns = noise_ns, .random = 1,
			       .ticks_of_ns = (uint64_t)(ghz * 4294967296.0) };
}

static void test_near(void **state)
{
	static const double ghz[] = { 0.024, 1, 2.1, 3.999, 10 };

	(void)state;
	for (size_t i = 0; i < sizeof(ghz) / sizeof(ghz[0]); i++) {
		struct world w = make(ghz[i], 20);

		while (w.ns < 8000000000u) {
			w.ns += next_random(&w) % 2000;
			assert_true(say(&w) <= 150);
		}
		assert_int_equal(w.t.jumps, 0);
		assert_true(w.reads < w.calls / 500 + 2000);
	}
}

/* The clock is slewed: 500 in a million, this way and that. */
static void test_slewed(void **state)
{
	struct world w = make(2.5, 20);
	uint64_t worst = 0;

	(void)state;
	for (int turn = 0; turn < 8; turn++) {
		const uint64_t at = counter(&w, w.ns);

		w.ticks_of_ns = (uint64_t)(2.5 * (turn % 2 ? 0.99975 : 1.00025) * 4294967296.0);
		w.offset += at - counter(&w, w.ns);
		for (const uint64_t end = w.ns + 2000000000u; w.ns < end;) {
			const uint64_t off = (w.ns += next_random(&w) % 20000, say(&w));

			worst = off > worst ? off : worst;
		}
	}
	assert_int_equal(w.t.jumps, 0);
	assert_true(worst <= 1000); /* 500 in a million of 1 ms, and reading */
}

/* Long pauses: the clock is read then, and nothing else is wrong. */
static void test_seldom(void **state)
{
	struct world w = make(3, 20);

	(void)state;
	for (int i = 0; i < 100; i++) {
		w.ns += 3000000u * (uint64_t)(1 + i * i);
		assert_true(say(&w) <= 150);
	}
	assert_int_equal(w.reads, w.calls);
}

/* The counter goes on while the clock stops, falls back, or is another one's: noticed within 1 ms
 * of use, and in the end it is not used. */
static void test_jumps(void **state)
{
	struct world w = make(2, 20);

	(void)state;
	for (int jump = 0; jump < 20; jump++) {
		uint64_t wrong = 0;

		for (const uint64_t end = w.ns + 20000000u; w.ns < end;) {
			w.ns += 100;
			wrong += say(&w) > 150;
		}
		assert_true(wrong <= 3 * BOB_TICKS_HOLD_NS / 100);
		w.offset += jump % 2 ? 1000000 : -(uint64_t)1500000;
	}
	assert_int_equal(w.t.jumps, BOB_TICKS_JUMPS_MAX);
	for (int i = 0; i < 1000; i++) {
		w.ns += 1000;
		assert_int_equal(say(&w), 0);
	}
}

/* A counter that does not move is not used. */
static void test_still(void **state)
{
	struct world w = make(0, 0);

	(void)state;
	for (int i = 0; i < 10000; i++) {
		w.ns += 5000;
		assert_int_equal(say(&w), 0);
	}
	assert_int_equal(w.reads, w.calls);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_near),  cmocka_unit_test(test_slewed),
		cmocka_unit_test(test_seldom), cmocka_unit_test(test_jumps),
		cmocka_unit_test(test_still),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
