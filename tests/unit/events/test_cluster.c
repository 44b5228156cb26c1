/* SPDX-License-Identifier: BSD-3-Clause */
/* The plug-in `cluster`: distances, groups over any tree, their bytes, clusters that are there to
 * be found. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "events/plugins/cluster/message.h"

static uint64_t seed = 1;

static uint64_t random64(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

/* Of ids 1, 2, ... and these counts. */
static struct bob_cluster_signature *of_counts(const uint64_t *count, size_t n)
{
	struct bob_cluster_feature f[2000];
	struct bob_cluster_signature *s;

	for (size_t i = 0; i < n; i++)
		f[n - 1 - i] = (struct bob_cluster_feature){ 1 + i, count[i] };
	s = bob_cluster_signature_make(f, n);
	assert_non_null(s);
	return s;
}

static uint32_t apart(const uint64_t *a, const uint64_t *b, size_t n)
{
	struct bob_cluster_signature *x = of_counts(a, n), *y = of_counts(b, n);
	const uint32_t d = bob_cluster_distance(x, y);

	assert_int_equal(d, bob_cluster_distance(y, x));
	assert_int_equal(bob_cluster_distance(x, x), 0);
	assert_true(bob_cluster_is_equal(x, y) == !d);
	free(x);
	free(y);
	return d;
}

static void distances(void **state)
{
	const uint64_t ones[] = { 1, 1, 0, 0 }, others[] = { 0, 0, 1, 1 }, half[] = { 1, 0, 0, 0 },
		       two[] = { 2, 1, 0, 0 }, many[] = { 1000000, 1, 0, 0 },
		       more[] = { 1000001, 1, 0, 0 }, none[] = { 0, 0, 0, 0 };

	(void)state;
	assert_int_equal(apart(ones, others, 4), BOB_CLUSTER_ONE);
	assert_int_equal(apart(ones, none, 4), BOB_CLUSTER_ONE);
	assert_int_equal(apart(none, none, 4), 0);
	assert_int_equal(apart(ones, half, 4), BOB_CLUSTER_ONE / 3);
	assert_int_equal(apart(ones, two, 4),
			 BOB_CLUSTER_ONE / 5); /* twice as often: 1 of 1+1 + 2+1 */
	assert_in_range(apart(many, more, 4), 1, 10);
	assert_true(apart(ones, many, 4) > apart(ones, two, 4));
}

/* Of more features than are kept: those of small ids are compared, and only where both have all. */
static void cut(void **state)
{
	uint64_t a[2000], b[2000];

	(void)state;
	for (size_t i = 0; i < 2000; i++)
		a[i] = b[i] = 1;
	b[1999] = 5; /* in neither */
	assert_int_equal(apart(a, b, 2000), 0);
	b[0] = 2;
	assert_in_range(apart(a, b, 2000), 1, BOB_CLUSTER_ONE / 1000);
	for (size_t i = 600; i < 2000; i++)
		b[i] = 0; /* its last ids are not among the first 512 of the other */
	b[0] = 1;
	for (size_t i = 0; i < 200; i++)
		b[i] = 0;
	/* of ids up to 512, 200 are missing */
	assert_in_range(apart(a, b, 2000), BOB_CLUSTER_ONE / 512 * 200 * 5 / 9,
			BOB_CLUSTER_ONE / 512 * 200);
}

/* Rank r is like signature r * r % kinds. */
static void add_rank(struct bob_cluster_groups *g, uint32_t r, uint32_t kinds)
{
	uint64_t count[4] = { 100, (uint64_t)r * r % kinds, 7, r * r % kinds % 3 };
	struct bob_cluster_signature *s = of_counts(count, 4);

	assert_true(bob_cluster_add(g, r, s));
	free(s);
}

/* Ranks rank[from..to), over a random tree. */
static struct bob_cluster_groups *over_tree(const uint32_t *rank, size_t from, size_t to,
					    uint32_t kinds)
{
	struct bob_cluster_groups *left, *right;
	size_t mid;

	if (to - from < 4) {
		left = bob_cluster_create();
		for (; from < to; from++)
			add_rank(left, rank[from], kinds);
		return left;
	}
	mid = from + random64() % (to - from + 1);
	left = over_tree(rank, from, mid, kinds);
	right = over_tree(rank, mid, to, kinds);
	if (random64() % 2) {
		struct bob_cluster_groups *other = left;

		left = right;
		right = other;
	}
	assert_true(bob_cluster_unite(left, right));
	bob_cluster_destroy(right);
	return left;
}

static size_t bytes_of(const struct bob_cluster_groups *g, uint8_t **bytes)
{
	const size_t len = bob_cluster_pack(g, NULL, 0);

	*bytes = malloc(len);
	assert_non_null(*bytes);
	assert_int_equal(bob_cluster_pack(g, *bytes, len), len);
	return len;
}

static void any_tree(void **state)
{
	uint32_t rank[300];

	(void)state;
	for (unsigned round = 0; round < 200; round++) {
		const size_t n = 1 + random64() % 300;
		const uint32_t kinds = 1 + (uint32_t)random64() % 64;
		struct bob_cluster_groups *a, *b, *c;
		uint8_t *one, *other;
		size_t len;

		for (uint32_t i = 0; i < n; i++)
			rank[i] = i;
		a = over_tree(rank, 0, n, kinds);
		for (size_t i = 0; i < n; i++) {
			const size_t k = random64() % n;
			const uint32_t r = rank[i];

			rank[i] = rank[k];
			rank[k] = r;
		}
		b = over_tree(rank, 0, n, kinds);
		len = bytes_of(a, &one);
		assert_int_equal(bytes_of(b, &other), len);
		assert_memory_equal(one, other, len);
		free(other);
		c = bob_cluster_unpack(one, len);
		assert_non_null(c);
		assert_int_equal(bytes_of(c, &other), len);
		assert_memory_equal(one, other, len);
		assert_int_equal(a->joined, 0);
		free(one);
		free(other);
		bob_cluster_destroy(a);
		bob_cluster_destroy(b);
		bob_cluster_destroy(c);
	}
}

/* More than are kept: all ranks are somewhere, once. */
static void too_many(void **state)
{
	struct bob_cluster_groups *g = bob_cluster_create();
	uint64_t ranks = 0;

	(void)state;
	for (uint32_t r = 0; r < 500; r++)
		add_rank(g, r, 499);
	assert_int_equal(g->count, BOB_CLUSTER_GROUPS);
	assert_true(g->joined > 0);
	for (uint32_t i = 0; i < g->count; i++)
		ranks += bob_cluster_ranks(&g->group[i]);
	assert_int_equal(ranks, 500);
	bob_cluster_destroy(g);
}

static void expect_text(const char *want, uint32_t k, uint32_t ranks, uint64_t (*count)(uint32_t r))
{
	struct bob_cluster_groups *g = bob_cluster_create();
	char text[512], small[24];
	size_t len;

	for (uint32_t r = 0; r < ranks; r++) {
		const uint64_t counts[] = { 64, count(r), 64 };
		struct bob_cluster_signature *s = of_counts(counts, 3);

		assert_true(bob_cluster_add(g, r, s));
		free(s);
	}
	len = bob_cluster_text(g, k, text, sizeof(text));
	assert_int_equal(len, strlen(text));
	assert_string_equal(text, want);
	assert_true(bob_cluster_text(g, k, small, sizeof(small)) < sizeof(small));
	assert_true(strlen(text) < sizeof(small) || !strcmp(small + strlen(small) - 3, "..."));
	bob_cluster_destroy(g);
}

static uint64_t equal(uint32_t r)
{
	(void)r;
	return 5;
}

static uint64_t one_is_other(uint32_t r)
{
	return r == 5 ? 64 : 0;
}

static uint64_t three_kinds(uint32_t r)
{
	return r % 8 == 0 ? 1u << 20 : r % 8 == 3 ? 1u << 19 : 1;
}

static void texts(void **state)
{
	(void)state;
	expect_text("1 cluster of 16 ranks: 0-15 like 0", 4, 16, equal);
	expect_text("2 clusters of 16 ranks: 0-4,6-15 like 0, 0.2 from 5; 5 like 5, 0.2 from 0", 4,
		    16, one_is_other);
	expect_text("1 cluster of 16 ranks, 2 groups: 0-15 like 0, within 0.2", 1, 16,
		    one_is_other);
	/* what is near comes together */
	expect_text("2 clusters of 16 ranks, 3 groups: 0,3,8,11 like 0, within 0.0145, 0.4 from 1; "
		    "1-2,4-7,9-10,12-15 like 1, 0.4 from 0",
		    2, 16, three_kinds);
	expect_text("0 clusters of 0 ranks", 3, 0, equal);
}

static void hostile(void **state)
{
	struct bob_cluster_groups *g = bob_cluster_create(), *again;
	uint8_t *bytes, *copy;
	size_t len;

	(void)state;
	for (uint32_t r = 0; r < 40; r++)
		add_rank(g, r, 9);
	len = bytes_of(g, &bytes);
	for (size_t i = 0; i < len; i++) {
		copy = malloc(i ? i : 1); /* so that a sanitizer sees reads past its end */
		assert_non_null(copy);
		memcpy(copy, bytes, i);
		assert_null(bob_cluster_unpack(copy, i));
		free(copy);
	}
	for (unsigned i = 0; i < 100000; i++) {
		const size_t at = random64() % len;
		const uint8_t was = bytes[at];

		bytes[at] ^= (uint8_t)(1u << random64() % 8);
		again = bob_cluster_unpack(bytes, len);
		if (again) {
			char text[200];

			bob_cluster_text(again, 1 + random64() % 40, text, sizeof(text));
			assert_true(bob_cluster_unite(again, g));
			bob_cluster_destroy(again);
		}
		if (i % 8)
			bytes[at] = was;
	}
	assert_null(bob_cluster_unpack(NULL, 0));
	free(bytes);
	bob_cluster_destroy(g);
}

/* The later comparison holds, whichever comes first. */
static void comparisons(void **state)
{
	(void)state;
	for (int turn = 0; turn < 2; turn++) {
		struct bob_cluster_groups *old = bob_cluster_create(), *new = bob_cluster_create(),
					  *all = bob_cluster_create();
		uint8_t *want, *have;
		size_t len;

		old->comparison = 2;
		new->comparison = 3;
		for (uint32_t r = 0; r < 20; r++) {
			add_rank(old, r, 5);
			add_rank(new, r, 3);
		}
		assert_true(bob_cluster_unite(all, turn ? new : old));
		assert_true(bob_cluster_unite(all, turn ? old : new));
		len = bytes_of(new, &want);
		assert_int_equal(bytes_of(all, &have), len);
		assert_memory_equal(want, have, len);
		free(want);
		free(have);
		bob_cluster_destroy(old);
		bob_cluster_destroy(new);
		bob_cluster_destroy(all);
	}
}

/* Each rank receives what the clusters are. */
static void message(void **state)
{
	(void)state;
	for (unsigned round = 0; round < 100; round++) {
		const uint32_t ranks = 1 + (uint32_t)(random64() % 200),
			       k = 1 + (uint32_t)(random64() % 6);
		struct bob_cluster_groups *g = bob_cluster_create();
		uint32_t of[BOB_CLUSTER_GROUPS], like[200], clusters = 0;
		struct bob_cluster c;
		uint8_t *bytes;
		size_t len;

		for (uint32_t r = 0; r < ranks; r++)
			add_rank(g, r, 1 + (uint32_t)round % 20);
		g->comparison = round;
		assert_true(bob_cluster_medoids(g, k, of));
		for (uint32_t i = 0; i < g->count; i++) {
			clusters += of[i] == i;
			for (uint32_t n = 0; n < g->group[i].runs; n++)
				for (uint32_t r = g->group[i].run[n].first;
				     r <= g->group[i].run[n].last; r++)
					like[r] = g->group[of[i]].run[0].first;
		}
		len = bob_cluster_write(g, k, NULL, 0);
		bytes = malloc(len);
		assert_non_null(bytes);
		assert_int_equal(bob_cluster_write(g, k, bytes, len), len);
		for (uint32_t r = 0, next = 0; r < ranks; r++) {
			uint32_t members = 0;

			assert_true(bob_cluster_read(bytes, len, r, &c));
			for (uint32_t other = 0; other < ranks; other++)
				members += like[other] == like[r];
			assert_int_equal(c.comparison, round);
			assert_int_equal(c.rank, r);
			assert_int_equal(c.ranks, ranks);
			assert_int_equal(c.clusters, clusters);
			assert_int_equal(c.members, members);
			assert_int_equal(c.like, like[r]);
			assert_true(c.cluster <= next); /* numbered as they are met */
			next += c.cluster == next;
		}
		assert_false(bob_cluster_read(bytes, len, ranks, &c));
		for (size_t i = 0; i < len; i++)
			assert_false(bob_cluster_read(bytes, i, 0, &c));
		free(bytes);
		bob_cluster_destroy(g);
	}
	assert_false(bob_cluster_read(NULL, 0, 0, &(struct bob_cluster){ 0 }));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(distances), cmocka_unit_test(cut),   cmocka_unit_test(any_tree),
		cmocka_unit_test(too_many),  cmocka_unit_test(texts), cmocka_unit_test(hostile),
		cmocka_unit_test(comparisons), cmocka_unit_test(message),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
