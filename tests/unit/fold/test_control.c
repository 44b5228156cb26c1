/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../share.h"
#include "events.h"

static uint64_t state_of_draw;

static uint64_t draw(uint64_t n)
{
	state_of_draw = state_of_draw * 6364136223846793005u + 1442695040888963407u;
	return (state_of_draw >> 33) % n;
}

/* Ends `e`; its size: items of the spine, pieces of trip counts. */
static size_t end(struct events *e, const char *what)
{
	const char *wrong = events_end(e);
	size_t size;

	if (wrong)
		print_message("%s: %s at event %zu of %zu\n", what, wrong, e->done, e->count);
	assert_null(wrong);
	size = events_size(e);
	events_free(e);
	return size;
}

enum { PLAIN, NEST, TRIANGLE, WHILE_LOOP, BRANCH, SKIPPED, BREAK_AFTER_LOOP, TAIL_SKIPPED, CODES };

/* Programs whose structure does not depend on n. */
static void code(struct events *e, int kind, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		switch (kind) {
		case PLAIN:
			events_put(e, 1);
			events_put(e, 2);
			break;
		case NEST:
			events_put(e, 1);
			for (unsigned j = 0; j < n; j++) {
				events_put(e, 2);
				for (unsigned k = 0; k < n; k++)
					events_put(e, 3);
				events_put(e, 4);
			}
			break;
		case TRIANGLE:
			events_put(e, 1);
			for (unsigned j = 0; j < i; j++)
				events_put(e, 2);
			events_put(e, 3);
			break;
		case WHILE_LOOP: /* the head runs once more than the body */
			for (unsigned j = 0; j < n; j++) {
				events_put(e, 1);
				events_put(e, 2);
			}
			events_put(e, 1);
			events_put(e, 3);
			break;
		case BRANCH: /* every third time another way */
			events_put(e, 1);
			events_put(e, i % 3 ? 2 : 3);
			events_put(e, 4);
			break;
		case SKIPPED:
			events_put(e, 1);
			for (unsigned j = 0; j < i % 4; j++)
				events_put(e, 2);
			events_put(e, 3);
			break;
		case TAIL_SKIPPED:
			events_put(e, 1);
			for (unsigned j = 0; j < (i * 5) % 4; j++)
				events_put(e, 2);
			break;
		default:
			for (unsigned j = 0; j < n; j++) {
				events_put(e, 1);
				for (unsigned k = 0; k < n; k++)
					events_put(e, 2);
				if (j == n - 1)
					break;
				events_put(e, 3);
			}
			events_put(e, 4);
		}
}

static void test_codes(void **state)
{
	(void)state;
	for (int kind = 0; kind < CODES; kind++) {
		size_t size[2];

		for (int large = 0; large < 2; large++) {
			struct events e;

			events_begin(&e);
			code(&e, kind, large ? 120 : 30);
			size[large] = end(&e, "code");
		}
		assert_in_range(size[0], 2, 20);
		assert_in_range(size[1], 2, size[0] + 1);
	}
}

/* Random programs: nests of loops with fixed and random trip counts, branches and breaks. */
static void random_code(struct events *e, unsigned depth, uint64_t seed)
{
	uint64_t saved = state_of_draw;

	state_of_draw = seed;
	unsigned statements = 1 + (unsigned)draw(4);
	for (unsigned s = 0; s < statements && e->count < 6000; s++) {
		uint64_t kind = draw(8), inner = draw(1000), trips = draw(6);
		uint32_t shape = (uint32_t)draw(5);
		uint64_t here = state_of_draw;

		state_of_draw = saved;	/* what follows differs from run to run */
		if (kind == 1)
			trips = draw(6);
		if (kind == 2 && draw(3) == 0)
			trips = 0;
		uint64_t stop = kind == 3 ? draw(8) : 99;
		saved = state_of_draw;
		state_of_draw = here;
		if (!depth || kind > 5) {
			events_put(e, shape);
			continue;
		}
		for (uint64_t i = 0; i < trips; i++) {
			state_of_draw = saved;
			random_code(e, depth - 1, inner);
			saved = state_of_draw;
			if (i == stop)
				break;
			events_put(e, shape);
		}
		state_of_draw = here;
	}
	state_of_draw = saved;
}

static void test_random_codes(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 400; seed++) {
		struct events e;

		state_of_draw = seed * 7919;
		events_begin(&e);
		uint64_t program = draw(1000);
		for (int i = 0; i < 12; i++)
			random_code(&e, 1 + (unsigned)draw(4), draw(3) ? program : draw(1000));
		(void)end(&e, "random code");
	}
}

static void test_random_shapes(void **state)
{
	(void)state;
	for (uint32_t kinds = 1; kinds < 6; kinds++) {
		struct events e;

		events_begin(&e);
		for (int i = 0; i < 100000; i++)
			events_put(&e, (uint32_t)draw(kinds));
		(void)end(&e, "random shapes");
	}
}

/* More shapes, longer bodies and deeper nests than fit. */
static void test_limits(void **state)
{
	struct events e;

	(void)state;
	events_begin(&e);
	for (int round = 0; round < 6; round++)
		for (uint32_t i = 0; i < 3 * BOB_BODY_MAX / 2; i++)
			events_put(&e, i);
	for (uint32_t i = 0; i < 3 * BOB_TAIL; i++)
		events_put(&e, i % BOB_SHAPES_MAX);
	for (uint32_t i = 0; i < BOB_LOOPS_MAX + 100; i++)
		for (int k = 0; k < 4; k++)
			events_put(&e, i);
	(void)end(&e, "limits");
	events_begin(&e);
	for (uint32_t i = 0; i < 1u << 20; i++) { /* a loop in a loop in a loop ... */
		events_put(&e, 40);
		for (uint32_t k = i + 1; !(k & 1); k >>= 1)
			events_put(&e, (uint32_t)__builtin_ctz(k) + (k & 2 ? 1 : 0));
	}
	(void)end(&e, "deep");
}

/* All sequences of at most ten of three shapes; with a sanitizer, of more than six one in five. */
static void test_exhaustive(void **state)
{
	static struct events e;

	(void)state;
	for (unsigned n = 0, all = 1; n <= 10; n++, all *= 3)
		for (unsigned code = 0; code < all; code++) {
			if (n > 6 && !share_has(code))
				continue;
			events_begin(&e);
			for (unsigned i = 0, c = code; i < n; i++, c /= 3)
				events_put(&e, c % 3);
			(void)end(&e, "short");
		}
}

/* A loop is left within a body whose loops were skipped, and these loops are then repeated: they
 * are no iterations of a loop around them, for such would have no event. */
static void test_skipped_beside(void **state)
{
	static const uint8_t shapes[] = {
		6, 6, 2, 3, 4, 5, 2, 3, 4, 5, 2, 3, 4, 5, 2, 3, 4, 5, 2, 3, 4, 5, 6, 6, 2, 3, 4, 5,
		2, 3, 4, 5, 2, 3, 4, 5, 2, 3, 4, 5, 2, 3, 4, 7, 8, 9, 10, 5, 6, 6, 2, 3, 4, 5, 2, 3,
		4, 5, 2, 3, 4, 5, 2, 3, 4, 5, 2, 3, 4, 5, 6, 6, 2, 3, 4, 5, 2, 3, 4, 5, 2, 3, 4, 7,
		8, 9, 10, 5, 2, 3, 4, 5, 2, 3, 4, 5, 2, 3, 4, 5, 6, 6, 2, 3, 4, 5, 2, 3, 4, 5, 7,
	};
	struct events e;

	(void)state;
	events_begin(&e);
	for (size_t i = 0; i < sizeof(shapes); i++)
		events_put(&e, shapes[i]);
	(void)end(&e, "skipped loops");
}

/* Runs of a few loops of different lengths, and now and then something between: all that was missed
 * above needs long sequences. */
static void test_interrupted(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 300; seed++) {
		struct events e;

		state_of_draw = seed * 104729;
		events_begin(&e);
		for (int turn = 0; turn < 60; turn++) {
			uint64_t lead = draw(4), trips = draw(7);

			for (uint64_t i = 0; i < lead; i++)
				events_put(&e, 6);
			for (uint64_t i = 0; i < trips * 4; i++) {
				if (draw(40) == 0)
					for (uint32_t k = 7; k < 9; k++)
						events_put(&e, k);
				events_put(&e, (uint32_t)(i % 4));
			}
		}
		(void)end(&e, "interrupted");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_codes),	      cmocka_unit_test(test_random_codes),
		cmocka_unit_test(test_random_shapes), cmocka_unit_test(test_limits),
		cmocka_unit_test(test_exhaustive),    cmocka_unit_test(test_skipped_beside),
		cmocka_unit_test(test_interrupted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
