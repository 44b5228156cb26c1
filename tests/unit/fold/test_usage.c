/* SPDX-License-Identifier: BSD-3-Clause */
/* What columns take: words with a rule the same, however many events there are; values without one
 * are counted. */
#include "fold/usage.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "events.h"

/* Events of three words: constant; affine, from participant to participant, too; without a rule. */
static struct bob_folded *folded(uint64_t id, uint64_t count)
{
	struct events_bytes out = { 0 };
	uint8_t *mem = events_map(NULL);
	struct bob_folder *folder = bob_folder_begin(mem, events_write, &out);
	struct bob_folded *f;
	uint64_t chance = id * 7919 + 1;
	uint32_t shape;

	assert_int_equal(bob_folder_shape(folder, "e", 1, BOB_FOLD_NO_PATH, 3, &shape), BOB_OK);
	for (uint64_t i = 0; i < count; i++) {
		chance = chance * 6364136223846793005u + 1442695040888963407u;
		bob_folder_put(folder, shape, (const uint64_t[]){ 5, id + 3 * i, chance >> 33 });
	}
	bob_folder_end(folder);
	assert_int_equal(bob_folded_open(out.at, out.len, id, &events_alloc, &f), BOB_OK);
	free(out.at);
	events_map(mem);
	return f;
}

static struct bob_fold_usage usage_of(const struct bob_folded *f, uint32_t item, uint32_t word)
{
	struct bob_fold_usage_counts counts = { 0 };
	struct bob_fold_usage usage;

	assert_int_equal(bob_folded_usage(f, item, word, &counts, &usage), BOB_OK);
	bob_fold_usage_end(f, &counts);
	return usage;
}

static void test_one(void **state)
{
	struct bob_folded *few = folded(1, 1000), *many = folded(1, 5000);
	struct bob_fold_usage a, b;

	(void)state;
	assert_int_equal(bob_folded_shapes(few), 1);
	assert_int_equal(bob_folded_loops(few), 1);
	for (uint32_t w = 0; w < 2; w++) {
		a = usage_of(few, 0, w);
		b = usage_of(many, 0, w);
		assert_int_equal(a.forms, 1);
		assert_int_equal(a.without + a.most + b.without + b.most, 0);
		assert_in_range(a.bytes, 1, 31);
		assert_in_range(b.bytes, a.bytes, a.bytes + 4); /* longer numbers */
	}
	a = usage_of(few, 1, 0);
	assert_int_equal(a.without, 0);
	a = usage_of(few, 0, 2);
	b = usage_of(many, 0, 2);
	assert_int_equal(a.without, 1);
	assert_in_range(a.most, 500, 1000);
	assert_int_equal(b.most, a.most + 4000);
	assert_true(bob_folded_usage_of_values(many) > bob_folded_usage_of_values(few) + 3 * 4000);
	bob_folded_close(few);
	bob_folded_close(many);
}

/* A rule for all, or values of each. */
static void test_merged(void **state)
{
	struct bob_folded *one = folded(1, 1000), *two = folded(2, 1000), *f;
	struct bob_fold_usage_counts counts = { 0 };
	struct bob_fold_usage a, b;

	(void)state;
	assert_int_equal(bob_folded_merge(one, two, &events_alloc, &f), BOB_OK);
	for (uint32_t w = 0; w < 2; w++) {
		a = usage_of(f, 0, w);
		assert_int_equal(a.forms, 1);
		assert_int_equal(a.without, 0);
		assert_in_range(a.bytes, 1, 31);
	}
	a = usage_of(f, 0, 2);
	assert_int_equal(a.without, 2);
	assert_int_equal(a.most, usage_of(one, 0, 2).most);
	for (uint32_t w = 3; w--;) /* what was counted for another column goes for this one */
		assert_int_equal(bob_folded_usage(f, 0, w, &counts, &b), BOB_OK);
	assert_int_equal(bob_folded_usage(f, 0, 2, &counts, &b), BOB_OK);
	assert_int_equal(b.most, a.most);
	bob_fold_usage_end(f, &counts);
	assert_int_equal(bob_folded_usage_of_values(f),
			 bob_folded_usage_of_values(one) + bob_folded_usage_of_values(two));
	bob_folded_close(one);
	bob_folded_close(two);
	bob_folded_close(f);
}

static void test_wrong(void **state)
{
	struct bob_folded *f = folded(1, 100);
	struct bob_fold_usage_counts counts = { 0 };
	struct bob_fold_usage a;

	(void)state;
	assert_int_equal(bob_folded_usage(f, 0, 3, &counts, &a), BOB_ERR_INVAL);
	assert_int_equal(bob_folded_usage(f, 1, 1, &counts, &a), BOB_ERR_INVAL);
	assert_int_equal(bob_folded_usage(f, 2 * bob_folded_shapes(f), 0, &counts, &a),
			 BOB_ERR_INVAL);
	assert_int_equal(bob_folded_usage(f, 2 * bob_folded_loops(f) + 1, 0, &counts, &a),
			 BOB_ERR_INVAL);
	bob_folded_close(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one),
		cmocka_unit_test(test_merged),
		cmocka_unit_test(test_wrong),
	};

	return cmocka_run_group_tests_name("fold.usage", tests, NULL, NULL);
}
