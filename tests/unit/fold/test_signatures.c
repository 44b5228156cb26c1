/* SPDX-License-Identifier: BSD-3-Clause */
/* Signature trees: the same bytes for the same paths, in whatever order they were merged; traces
 * packed under one are those packed with their paths; invalid bytes are refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/varint.h"
#include "events.h"
#include "fold/signatures.h"

#define SIDES 5u

static struct events_bytes pack_tree(const struct bob_fold_tree *t)
{
	struct events_bytes b = { 0 };

	assert_int_equal(bob_fold_tree_pack(t, events_write, &b), BOB_OK);
	return b;
}

static struct bob_fold_tree *unpack_tree(const struct events_bytes *b)
{
	struct bob_fold_tree *t;

	assert_int_equal(bob_fold_tree_unpack(b->at, b->len, &events_alloc, &t), BOB_OK);
	return t;
}

static void same_bytes(struct events_bytes a, struct events_bytes b)
{
	assert_int_equal(a.len, b.len);
	assert_memory_equal(a.at, b.at, a.len);
	free(a.at);
	free(b.at);
}

/* --- a tree that is known --- */

static uint32_t path_of(struct bob_folder *f, uint32_t parent, uint64_t place)
{
	uint32_t path;

	assert_int_equal(bob_folder_path(f, parent, place, &path), BOB_OK);
	return path;
}

/* main calls 30, 20, 10; 20 calls 7 and 5; these paths come in this order. */
static struct bob_folded *known(void)
{
	struct bob_folded *f;
	struct events e;
	uint32_t shape, two;

	events_begin(&e);
	(void)path_of(e.folder, 0, 30);
	two = path_of(e.folder, 0, 20);
	(void)path_of(e.folder, two, 7);
	(void)path_of(e.folder, 0, 10);
	(void)path_of(e.folder, two, 5);
	assert_int_equal(bob_folder_shape(e.folder, "k", 1, two, 0, &shape), BOB_OK);
	bob_folder_put(e.folder, shape, NULL);
	bob_folder_end(e.folder);
	assert_int_equal(bob_folded_open(e.out.at, e.out.len, 1, &events_alloc, &f), BOB_OK);
	events_free(&e);
	return f;
}

static void test_known(void **state)
{
	static const struct {
		uint32_t parent;
		uint64_t place;
	} want[] = { { 0, 10 }, { 0, 20 }, { 2, 5 }, { 2, 7 }, { 0, 30 } };
	/* version, paths; up, zigzag of the step in places */
	static const uint8_t bytes[] = { 1, 5, 0, 20, 1, 20, 0, 29, 1, 4, 2, 46 };
	struct bob_folded *f = known();
	struct bob_fold_tree *t;
	struct events_bytes b;
	uint32_t parent;
	uint64_t place;

	(void)state;
	assert_int_equal(bob_fold_tree_of(f, &events_alloc, &t), BOB_OK);
	bob_folded_close(f);
	assert_int_equal(bob_fold_tree_count(t), 5);
	for (uint32_t i = 0; i < 5; i++) {
		assert_int_equal(bob_fold_tree_path(t, i + 1, &parent, &place), 1);
		assert_int_equal(parent, want[i].parent);
		assert_int_equal(place, want[i].place);
		assert_int_equal(bob_fold_tree_find(t, parent, place), i + 1);
	}
	assert_int_equal(bob_fold_tree_path(t, 0, &parent, &place), 0);
	assert_int_equal(bob_fold_tree_path(t, 6, &parent, &place), 0);
	assert_int_equal(bob_fold_tree_find(t, 2, 10), BOB_FOLD_NO_PATH);
	b = pack_tree(t);
	assert_int_equal(b.len, sizeof(bytes));
	assert_memory_equal(b.at, bytes, sizeof(bytes));
	free(b.at);
	bob_fold_tree_close(t);
	bob_fold_tree_close(NULL);
}

/* --- merging on several sides --- */

/* What side `i` does: some of it all do, some no other side does; an even one has more of the odd
 * ones' paths later. */
static void work(struct events *e, uint64_t i)
{
	events_begin(e);
	for (uint64_t k = 0; k < 40; k++) {
		const uint64_t word[2] = { 8 * k + 4096 * i, k };

		events_put_words(e, 2, word, 2);
		events_put_words(e, 5 + (uint32_t)(i % 2 * 3), word, 2);
		if (k % 4 == 3)
			events_put_words(e, 100 + 7 * (uint32_t)i, word, 1);
	}
	bob_folder_end(e->folder);
}

static void open_sides(struct events *e, struct bob_folded **f, struct bob_fold_tree **tree)
{
	for (uint32_t i = 0; i < SIDES; i++) {
		work(&e[i], i);
		assert_int_equal(bob_folded_open(e[i].out.at, e[i].out.len, (uint64_t)i << 32,
						 &events_alloc, &f[i]),
				 BOB_OK);
		assert_int_equal(bob_fold_tree_of(f[i], &events_alloc, &tree[i]), BOB_OK);
	}
}

/* In this order; each goes to the other side as bytes first. */
static struct bob_fold_tree *merge_trees(struct bob_fold_tree *const *tree, const uint32_t *order)
{
	struct bob_fold_tree *all = NULL;

	for (uint32_t i = 0; i < SIDES; i++) {
		struct events_bytes b = pack_tree(tree[order[i]]);
		struct bob_fold_tree *t = unpack_tree(&b), *both = t;

		free(b.at);
		if (all) {
			assert_int_equal(bob_fold_tree_merge(all, t, &events_alloc, &both), BOB_OK);
			bob_fold_tree_close(all);
			bob_fold_tree_close(t);
		}
		all = both;
	}
	return all;
}

static struct events_bytes pack_under(const struct bob_folded *f, const struct bob_fold_tree *t)
{
	struct events_bytes b = { 0 };

	assert_int_equal(bob_folded_pack_under(f, t, events_write, &b), BOB_OK);
	return b;
}

static struct bob_folded *arrive(const struct events_bytes *b, const struct bob_fold_tree *t)
{
	struct bob_folded *f;

	assert_int_equal(bob_folded_unpack_under(b->at, b->len, t, &events_alloc, &f), BOB_OK);
	return f;
}

static struct events_bytes packed(const struct bob_folded *f)
{
	struct events_bytes b = { 0 };

	assert_int_equal(bob_folded_pack(f, events_write, &b), BOB_OK);
	return b;
}

/* All sides know the tree; then each sends its trace under it, over a binary tree. What the last
 * one has is what merging at one place gives. */
static void test_sides(void **state)
{
	static const uint32_t order[2][SIDES] = { { 0, 1, 2, 3, 4 }, { 3, 4, 1, 0, 2 } };
	struct bob_folded *f[SIDES], *whole = NULL;
	struct bob_fold_tree *tree[SIDES], *all, *other;
	struct events e[SIDES];

	(void)state;
	open_sides(e, f, tree);
	all = merge_trees(tree, order[0]);
	other = merge_trees(tree, order[1]);
	assert_true(bob_fold_tree_count(all) > bob_fold_tree_count(tree[0]));
	same_bytes(pack_tree(all), pack_tree(other));
	for (uint32_t i = 0; i < SIDES; i++) {
		struct bob_folded *both;

		if (whole) {
			assert_int_equal(bob_folded_merge(whole, f[i], &events_alloc, &both),
					 BOB_OK);
			bob_folded_close(whole);
			bob_folded_close(f[i]);
			whole = both;
		} else {
			whole = f[i];
		}
		assert_int_equal(bob_folded_open(e[i].out.at, e[i].out.len, (uint64_t)i << 32,
						 &events_alloc, &f[i]),
				 BOB_OK);
	}
	for (uint32_t step = 1; step < SIDES; step *= 2)
		for (uint32_t i = 0; i + step < SIDES; i += 2 * step) {
			struct events_bytes b = pack_under(f[i + step], all);
			struct bob_folded *came = arrive(&b, other), *both;

			free(b.at);
			assert_int_equal(bob_folded_merge(f[i], came, &events_alloc, &both),
					 BOB_OK);
			bob_folded_close(came);
			bob_folded_close(f[i]);
			f[i] = both;
		}
	same_bytes(packed(whole), packed(f[0]));
	for (uint32_t i = 0; i < SIDES; i++)
		assert_null(events_same(&e[i], f[0], i));
	for (uint32_t i = 0; i < SIDES; i++) {
		bob_folded_close(f[i]);
		bob_fold_tree_close(tree[i]);
		events_free(&e[i]);
	}
	bob_folded_close(whole);
	bob_fold_tree_close(all);
	bob_fold_tree_close(other);
}

/* 200 functions anywhere in 2 GB: their places, four bytes each, go with the tree. */
static void test_once(void **state)
{
	struct events_bytes with, under, once;
	struct bob_fold_tree *t;
	struct bob_folded *f;
	struct events e;

	(void)state;
	events_begin(&e);
	for (uint32_t i = 0; i < 200; i++) {
		uint32_t shape, path = path_of(e.folder, i % 2, i * 2654435761u >> 1);

		assert_int_equal(bob_folder_shape(e.folder, "k", 1, path, 0, &shape), BOB_OK);
		bob_folder_put(e.folder, shape, NULL);
	}
	bob_folder_end(e.folder);
	assert_int_equal(bob_folded_open(e.out.at, e.out.len, 1, &events_alloc, &f), BOB_OK);
	assert_int_equal(bob_fold_tree_of(f, &events_alloc, &t), BOB_OK);
	with = packed(f);
	under = pack_under(f, t);
	once = pack_tree(t);
	assert_true(under.len + 700 < with.len);
	assert_true(once.len < 200 * 6);
	free(with.at);
	free(under.at);
	free(once.at);
	bob_folded_close(f);
	bob_fold_tree_close(t);
	events_free(&e);
}

/* --- what is wrong --- */

static void test_other_tree(void **state)
{
	struct bob_folded *f[SIDES], *out = NULL;
	struct bob_fold_tree *tree[SIDES];
	struct events e[SIDES];
	struct events_bytes b = { 0 }, plain;

	(void)state;
	open_sides(e, f, tree);
	assert_int_equal(bob_folded_pack_under(f[0], tree[1], events_write, &b), BOB_ERR_INVAL);
	assert_int_equal(b.len, 0);
	b = pack_under(f[0], tree[0]);
	assert_int_equal(bob_folded_unpack_under(b.at, b.len, tree[1], &events_alloc, &out),
			 BOB_ERR_INVAL);
	assert_int_equal(bob_folded_unpack(b.at, b.len, &events_alloc, &out), BOB_ERR_VERSION);
	plain = packed(f[0]);
	assert_int_equal(bob_folded_unpack_under(plain.at, plain.len, tree[0], &events_alloc, &out),
			 BOB_ERR_VERSION);
	assert_null(out);
	free(b.at);
	free(plain.at);
	for (uint32_t i = 0; i < SIDES; i++) {
		bob_folded_close(f[i]);
		bob_fold_tree_close(tree[i]);
		events_free(&e[i]);
	}
}

static void test_hostile_trees(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
		bob_status want;
	} cases[] = {
		{ "\1\0", 2, BOB_OK },			/* no paths */
		{ "\1\2\0\2\0\0", 6, BOB_OK },		/* 1; 1 again, below it */
		{ "\1\2\0\2\1\2", 6, BOB_OK },		/* 1; 2 beside it */
		{ "\1\2\0\2\1\0", 6, BOB_ERR_CORRUPT },	/* the same beside it */
		{ "\1\2\0\2\1\1", 6, BOB_ERR_CORRUPT },	/* a smaller one beside it */
		{ "\1\2\0\2\2\2", 6, BOB_ERR_CORRUPT },	/* above the first */
		{ "\1\1\1\2", 4, BOB_ERR_CORRUPT },	/* above nothing */
		{ "\1\2\0\2\xff\xff\xff\xff\xff\xff\xff\xff\xff\1\2", 15, BOB_ERR_CORRUPT },
		{ "\1\2\0\2", 4, BOB_ERR_CORRUPT },	/* one is missing */
		{ "\1\xff\xff\xff\xff\xff\xff\xff\xff\xff\1", 11, BOB_ERR_CORRUPT },
		{ "\1\1\0\2\0", 5, BOB_ERR_CORRUPT },	/* something after it */
		{ "\2\0", 2, BOB_ERR_VERSION },
		{ "", 0, BOB_ERR_CORRUPT },
		{ "\1", 1, BOB_ERR_CORRUPT },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct bob_fold_tree *t = NULL;
		struct events_bytes b = { 0 }, in = { 0 };

		events_write(&in, cases[i].bytes, cases[i].len);
		assert_int_equal(bob_fold_tree_unpack(in.at, in.len, &events_alloc, &t),
				 cases[i].want);
		if (t) {
			b = pack_tree(t);
			same_bytes(b, in);
		} else {
			free(in.at);
		}
		bob_fold_tree_close(t);
	}
}

/* Each bit changed in turn, and each length: refused, or something that can be asked. */
static void test_hostile_traces(void **state)
{
	struct bob_folded *f = known(), *out;
	struct bob_fold_tree *t;
	struct events_bytes b;

	(void)state;
	assert_int_equal(bob_fold_tree_of(f, &events_alloc, &t), BOB_OK);
	b = pack_under(f, t);
	for (size_t len = 0; len < b.len; len++)
		assert_int_not_equal(bob_folded_unpack_under(b.at, len, t, &events_alloc, &out),
				     BOB_OK);
	for (size_t i = 0; i < b.len; i++)
		for (unsigned bit = 0; bit < 8; bit++) {
			struct events_bytes again = { 0 };

			b.at[i] ^= (uint8_t)(1u << bit);
			if (bob_folded_unpack_under(b.at, b.len, t, &events_alloc, &out) ==
			    BOB_OK) {
				(void)bob_folded_pack_under(out, t, events_write, &again);
				free(again.at);
				bob_folded_close(out);
			}
			b.at[i] ^= (uint8_t)(1u << bit);
		}
	free(b.at);
	bob_folded_close(f);
	bob_fold_tree_close(t);
}

/* Paths of a trace as numbers of the known tree: 1, 2 with 3 and 4 below it, 5. Nothing else
 * follows, so none is a trace. */
static void test_hostile_numbers(void **state)
{
	static const struct {
		uint8_t bytes[8];	/* how many; steps from 0, zigzag */
		size_t len;
		size_t used;		/* of them, where it goes wrong or all are read */
		bob_status want;
	} cases[] = {
		{ { 2, 4, 2 }, 3, 3, BOB_OK },		    /* 2, 3 */
		{ { 3, 10, 5, 1 }, 4, 4, BOB_OK },	    /* 5, 2, 1 */
		{ { 2, 6, 1 }, 3, 2, BOB_ERR_CORRUPT },	    /* 3 before 2 */
		{ { 1, 0 }, 2, 2, BOB_ERR_CORRUPT },	    /* 0 */
		{ { 1, 1 }, 2, 2, BOB_ERR_CORRUPT },	    /* -1 */
		{ { 1, 12 }, 2, 2, BOB_ERR_CORRUPT },	    /* 6 */
		{ { 1, 254, 255, 255, 255, 255, 127 }, 7, 7, BOB_ERR_CORRUPT },
		{ { 2, 4, 0 }, 3, 3, BOB_ERR_CORRUPT },	    /* 2 twice */
		{ { 2, 4 }, 2, 2, BOB_ERR_CORRUPT },	    /* one is missing */
	};
	struct bob_folded *f = known();
	struct bob_fold_tree *t;
	struct events_bytes b;
	const uint8_t *head;
	uint64_t mark;

	(void)state;
	assert_int_equal(bob_fold_tree_of(f, &events_alloc, &t), BOB_OK);
	b = pack_under(f, t);
	head = b.at + 1; /* after the version */
	assert_int_equal(bob_varint_get(&head, b.at + b.len, &mark), BOB_OK);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		size_t mark_len = (size_t)(head - b.at) - 1;
		uint8_t bytes[16];
		const uint8_t *at = bytes;
		struct bob_tables paths;

		memcpy(bytes, b.at + 1, mark_len);
		memcpy(bytes + mark_len, cases[i].bytes, cases[i].len);
		assert_int_equal(bob_tables_init(&paths, &events_alloc), BOB_OK);
		assert_int_equal(bob_tree_get_paths(t, &at, bytes + mark_len + cases[i].len,
						    &paths),
				 cases[i].want);
		assert_int_equal(at - bytes, mark_len + cases[i].used);
		bob_tables_free(&paths);
	}
	free(b.at);
	bob_folded_close(f);
	bob_fold_tree_close(t);
}

/* --- no memory --- */

struct scarce {
	long left, held;
};

static void *scarce_resize(void *ctx, void *old, size_t old_size, size_t size)
{
	struct scarce *s = ctx;
	void *at;

	if (size && s->left-- <= 0)
		return NULL;
	at = events_resize(NULL, old, old_size, size);
	s->held += (size && !old) - (!size && old);
	return at;
}

static void test_no_memory(void **state)
{
	struct scarce s = { 0 };
	const struct bob_alloc alloc = { scarce_resize, &s };
	struct events e;
	int done = 0;

	(void)state;
	work(&e, 1);
	for (long n = 0; !done; n++) {
		struct bob_folded *f = NULL, *g = NULL;
		struct bob_fold_tree *t = NULL, *u = NULL, *v = NULL;
		struct events_bytes b = { 0 }, p = { 0 };

		s.left = n;
		bob_status st = bob_folded_open(e.out.at, e.out.len, 1, &alloc, &f);
		if (st == BOB_OK)
			st = bob_fold_tree_of(f, &alloc, &t);
		if (st == BOB_OK)
			st = bob_fold_tree_pack(t, events_write, &b);
		if (st == BOB_OK)
			st = bob_fold_tree_unpack(b.at, b.len, &alloc, &u);
		if (st == BOB_OK)
			st = bob_fold_tree_merge(t, u, &alloc, &v);
		if (st == BOB_OK)
			st = bob_folded_pack_under(f, v, events_write, &p);
		if (st == BOB_OK)
			st = bob_folded_unpack_under(p.at, p.len, u, &alloc, &g);
		done = st == BOB_OK;
		if (!done)
			assert_int_equal(st, BOB_ERR_NOMEM);
		bob_folded_close(f);
		bob_folded_close(g);
		bob_fold_tree_close(t);
		bob_fold_tree_close(u);
		bob_fold_tree_close(v);
		free(b.at);
		free(p.at);
		assert_int_equal(s.held, 0);
	}
	events_free(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known),	      cmocka_unit_test(test_sides),
		cmocka_unit_test(test_once),
		cmocka_unit_test(test_other_tree),    cmocka_unit_test(test_hostile_trees),
		cmocka_unit_test(test_hostile_traces), cmocka_unit_test(test_hostile_numbers),
		cmocka_unit_test(test_no_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
