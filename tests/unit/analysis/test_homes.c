/* SPDX-License-Identifier: BSD-3-Clause */
/* Homes of folded sequences: each event once, in the loop of the program that was folded. A
 * sequence is a text, of which each letter is an event; the homes are printed as a text, too: loops
 * in brackets, after their iterations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/homes.h"

#define LETTERS 26u

struct sequence {
	struct bob_folder *folder;
	uint8_t *bytes;
	size_t len;
	void *mem;
	uint32_t letter[LETTERS]; /* shape + 1 */
};

static void take(void *ctx, const void *bytes, size_t len)
{
	struct sequence *s = ctx;

	s->bytes = realloc(s->bytes, s->len + len + 1);
	assert_non_null(s->bytes);
	memcpy(s->bytes + s->len, bytes, len);
	s->len += len;
}

static void put(struct sequence *s, const char *text)
{
	for (; *text; text++) {
		uint32_t *shape = &s->letter[*text - 'a'];

		if (!*shape) {
			assert_int_equal(bob_folder_shape(s->folder, text, 1, BOB_FOLD_NO_PATH, 0,
							  shape),
					 BOB_OK);
			++*shape;
		}
		bob_folder_put(s->folder, *shape - 1, NULL);
	}
}

static void begin(struct sequence *s)
{
	*s = (struct sequence){ .mem = NULL };
	s->mem = aligned_alloc(64, (bob_folder_size() + 63) / 64 * 64);
	assert_non_null(s->mem);
	memset(s->mem, 0, bob_folder_size());
	s->folder = bob_folder_begin(s->mem, take, s);
}

static void *resize(void *ctx, void *old, size_t old_size, size_t size)
{
	(void)ctx, (void)old_size;
	if (size)
		return realloc(old, size);
	free(old);
	return NULL;
}

static const struct bob_alloc alloc = { resize, NULL };

static void print(const struct bob_homes *h, const struct bob_folded *f, uint32_t item, char **to)
{
	for (; item != BOB_HOME_NO_ITEM; item = bob_home_of(h, item)->next) {
		const struct bob_home *home = bob_home_of(h, item);
		struct bob_fold_shape s;

		if (!(item & 1)) {
			bob_folded_shape(f, item >> 1, &s);
			*to += sprintf(*to, "%c", s.key[0]);
			continue;
		}
		*to += sprintf(*to, "%u(", (unsigned)home->count);
		print(h, f, home->first, to);
		*to += sprintf(*to, ")");
	}
}

static int not_x(void *ctx, uint32_t shape)
{
	struct bob_fold_shape s;

	bob_folded_shape(ctx, shape, &s);
	return s.key[0] != 'x';
}

/* Ends the sequence, which has `events` events, and compares its homes with `want`. */
static void check(struct sequence *s, uint64_t events, const char *want)
{
	char text[4096] = "", *end = text;
	struct bob_folded *f;
	struct bob_homes *h;
	uint64_t sum = 0;

	bob_folder_end(s->folder);
	assert_int_equal(bob_folded_open(s->bytes, s->len, 1, &alloc, &f), BOB_OK);
	assert_int_equal(bob_homes_create(f, 0, 0, not_x, f, &h), BOB_OK);
	print(h, f, bob_homes_first(h), &end);
	assert_string_equal(text, want);
	for (uint32_t i = 0; i < bob_folded_shapes(f); i++)
		sum += bob_home_of(h, 2 * i)->count;
	assert_int_equal(sum, events);
	bob_homes_destroy(h);
	assert_int_equal(bob_homes_create(f, 0, 1, NULL, NULL, &h), BOB_ERR_INVAL);
	bob_folded_close(f);
	free(s->bytes);
	free(s->mem);
}

static void test_straight(void **state)
{
	struct sequence s;

	(void)state;
	begin(&s);
	check(&s, 0, "");
	begin(&s);
	put(&s, "abc");
	check(&s, 3, "abc");
}

static void test_loops(void **state)
{
	struct sequence s;

	(void)state;
	begin(&s);
	put(&s, "a");
	for (int i = 0; i < 40; i++)
		put(&s, "bc");
	put(&s, "d");
	check(&s, 82, "a40(bc)d");
	begin(&s);
	for (int i = 0; i < 30; i++) {
		put(&s, "a");
		for (int k = 0; k < 20; k++)
			put(&s, "b");
		put(&s, "c");
	}
	check(&s, 660, "30(a600(b)c)");
}

/* The inner loop runs zero times at first, then once more each time: its first iterations are in
 * other places. */
static void test_triangle(void **state)
{
	struct sequence s;
	uint64_t events = 0;

	(void)state;
	begin(&s);
	put(&s, "z");
	for (int i = 0; i < 40; i++) {
		put(&s, "a");
		for (int k = 0; k < i; k++)
			put(&s, "bc");
		put(&s, "d");
		events += 2 + 2 * (uint64_t)i;
	}
	check(&s, events + 1, "z39(a777(bc)d)");
}

/* A branch: two loops of control are one loop of the program. */
static void test_branch(void **state)
{
	struct sequence s;

	(void)state;
	begin(&s);
	for (int i = 0; i < 60; i++)
		put(&s, i % 6 < 3 ? "abd" : "acd");
	check(&s, 180, "60(acbd)");
}

/* No two iterations are equal, so that nothing folds; but what is executed again is in a loop. */
static void test_spine(void **state)
{
	static const char *const rounds[] = { "abcd", "abdc", "acbd", "acdb", "adbc" };
	struct sequence s;

	(void)state;
	begin(&s);
	put(&s, "s");
	for (int i = 0; i < 5; i++)
		put(&s, rounds[i]);
	put(&s, "e");
	check(&s, 22, "s5(abcd)e");
	begin(&s); /* marks are no evidence of a loop */
	put(&s, "xaxbxcx");
	check(&s, 7, "xabc");
}

/* A loop whose first iteration is separate begins where the program's loop does. */
static void test_rotation(void **state)
{
	struct sequence s;

	(void)state;
	begin(&s);
	put(&s, "sbc");
	for (int i = 0; i < 30; i++)
		put(&s, "abc");
	put(&s, "e");
	check(&s, 94, "s30(bca)e");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_straight), cmocka_unit_test(test_loops),
		cmocka_unit_test(test_triangle), cmocka_unit_test(test_branch),
		cmocka_unit_test(test_spine),	 cmocka_unit_test(test_rotation),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
