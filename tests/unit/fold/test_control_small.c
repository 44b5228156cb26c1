/* SPDX-License-Identifier: BSD-3-Clause */
/* Control with limits so small that they are reached all the time: nests deeper than the cursor,
 * items that leave the tail, more loops than fit. */
#define BOB_CURSOR_MAX 3u
#define BOB_TAIL 16u
#define BOB_LOOPS_MAX 8u
#define BOB_BODY_MAX 6u

#include "fold/control.c" /* instead of the library's, whose limits are others */
#include "fold/near.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "events.h"

static uint64_t state_of_draw;

static uint64_t draw(uint64_t n)
{
	state_of_draw = state_of_draw * 6364136223846793005u + 1442695040888963407u;
	return (state_of_draw >> 33) % n;
}

static void fold_and_expand(struct events *e)
{
	const char *wrong = events_end(e);

	if (wrong)
		print_message("%s at event %zu of %zu\n", wrong, e->done, e->count);
	assert_null(wrong);
	events_free(e);
}

/* A loop in a loop in a loop ...: shape `d` opens the body of the d-th. */
static void nest(struct events *e, unsigned depth, unsigned trips)
{
	for (unsigned i = 0; i < trips + (draw(20) == 0); i++) {
		if (draw(30))
			events_put(e, depth);
		if (depth)
			nest(e, depth - 1, trips);
	}
}

static void test_deep(void **state)
{
	(void)state;
	for (unsigned depth = 1; depth < 8; depth++)
		for (unsigned seed = 0; seed < 20; seed++) {
			struct events e;

			state_of_draw = seed;
			events_begin(&e);
			nest(&e, depth, 3);
			nest(&e, depth, 2);
			fold_and_expand(&e);
		}
}

/* Statements are shapes or repeat what was before, at any distance. */
static void test_random(void **state)
{
	(void)state;
	for (unsigned seed = 0; seed < 4000; seed++) {
		struct events e;

		state_of_draw = seed * 7919;
		events_begin(&e);
		for (uint64_t kinds = 1 + draw(6); e.count < 600;) {
			uint64_t back = 1 + draw(1 + draw(40)), times = draw(5);

			events_put(&e, (uint32_t)draw(kinds));
			for (uint64_t i = 0; back <= e.count && i < back * times; i++)
				events_put(&e, e.in[e.count - back]);
		}
		fold_and_expand(&e);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_deep),
		cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
