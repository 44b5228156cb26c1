/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "events.h"

#define MANY 70u

static uint64_t state_of_draw;

static uint64_t draw(uint64_t n)
{
	state_of_draw = state_of_draw * 6364136223846793005u + 1442695040888963407u;
	return (state_of_draw >> 33) % n;
}

static void put2(struct events *e, uint32_t shape, uint64_t a, uint64_t b)
{
	const uint64_t word[2] = { a, b };

	events_put_words(e, shape, word, 2);
}

static struct bob_folded *open_folded(const struct events *e, uint64_t id)
{
	struct bob_folded *f;

	assert_int_equal(bob_folded_open(e->out.at, e->out.len, id, &events_alloc, &f), BOB_OK);
	return f;
}

static struct events_bytes pack(const struct bob_folded *f)
{
	struct events_bytes b = { 0 };

	assert_int_equal(bob_folded_pack(f, events_write, &b), BOB_OK);
	return b;
}

/* The two, which are closed then, over bytes. */
static struct bob_folded *merge(struct bob_folded *a, struct bob_folded *b)
{
	struct bob_folded *f, *again;
	struct events_bytes bytes;

	assert_int_equal(bob_folded_merge(a, b, &events_alloc, &f), BOB_OK);
	bob_folded_close(a);
	bob_folded_close(b);
	bytes = pack(f);
	assert_int_equal(bob_folded_unpack(bytes.at, bytes.len, &events_alloc, &again), BOB_OK);
	bob_folded_close(f);
	free(bytes.at);
	return again;
}

/* All of them, in a random order of pairs. */
static struct bob_folded *merge_all(const struct events *e, const uint64_t *id, uint32_t n)
{
	struct bob_folded *f[MANY];

	for (uint32_t i = 0; i < n; i++)
		f[i] = open_folded(&e[i], id[i]);
	for (; n > 1; n--) {
		uint64_t a = draw(n), b = (a + 1 + draw(n - 1)) % n;
		struct bob_folded *both = merge(f[a], f[b]);

		f[a] = both;
		f[b] = f[n - 1];
		if (a == n - 1)
			f[b] = both;
	}
	return f[0];
}

/* All of them at once, the last one first. */
static struct bob_folded *merge_at_once(const struct events *e, const uint64_t *id, uint32_t n)
{
	struct bob_fold_source from[MANY];
	struct bob_folded *f;

	for (uint32_t i = 0; i < n; i++)
		from[i] = (struct bob_fold_source){ .folded =
							    open_folded(&e[n - 1 - i],
									id[n - 1 - i]) };
	assert_int_equal(bob_folded_merge_all(from, n, &events_alloc, &f), BOB_OK);
	for (uint32_t i = 0; i < n; i++)
		bob_folded_close((struct bob_folded *)(uintptr_t)from[i].folded);
	return f;
}

static void has_bytes(const struct bob_folded *f, const struct events_bytes *want)
{
	struct events_bytes b = pack(f);

	assert_int_equal(b.len, want->len);
	assert_memory_equal(b.at, want->at, b.len);
	free(b.at);
}

static void are_all_there(struct events *e, const uint64_t *id, uint32_t n,
			  const struct bob_folded *f)
{
	assert_int_equal(bob_folded_count(f), n);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t at = 0;

		while (bob_folded_id(f, at) != id[i])
			at++;
		const char *wrong = events_same(&e[i], f, at);
		if (wrong)
			print_message("participant %u: %s at %zu of %zu\n", i, wrong, e[i].done,
				      e[i].count);
		assert_null(wrong);
	}
}

static void free_all(struct events *e, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		events_free(&e[i]);
}

/* One program, many participants: what differs is affine in their numbers. */
static void spmd(struct events *e, uint64_t rank, uint64_t ranks, uint64_t n)
{
	uint64_t begin = 4096 * rank;

	for (uint64_t step = 0; step < n; step++) {
		put2(e, 1, rank, (rank + 1) % ranks);
		for (uint64_t i = 0; i < 50; i++)
			put2(e, 2, begin + 8 * i, 100000 + i);
		if (rank == 0)
			put2(e, 3, step, 7);
		put2(e, 4, rank, ranks);
	}
}

static void test_spmd(void **state)
{
	static const uint32_t counts[] = { 4, 16, 64 };
	static struct events e[MANY];
	size_t bytes[3];

	(void)state;
	for (int k = 0; k < 3; k++) {
		uint64_t id[MANY];

		for (uint32_t i = 0; i < counts[k]; i++) {
			id[i] = i;
			events_begin(&e[i]);
			spmd(&e[i], i, counts[k], 20);
			bob_folder_end(e[i].folder);
		}
		struct bob_folded *f = merge_all(e, id, counts[k]);
		struct events_bytes b = pack(f);

		are_all_there(e, id, counts[k], f);
		bytes[k] = b.len;
		free(b.at);
		bob_folded_close(f);
		free_all(e, counts[k]);
	}
	assert_in_range(bytes[0], 50, 400);
	assert_in_range(bytes[1], bytes[0] - 20, bytes[0] + 20);
	assert_in_range(bytes[2], bytes[1] - 5, bytes[1] + 5);
}

/* What lies elsewhere in each participant -- a stack, an image, a heap -- is said once each,
 * however many columns there are. */
static void test_regions(void **state)
{
	static struct events e[MANY];
	size_t bytes[2];

	(void)state;
	for (uint32_t shapes = 10; shapes <= 40; shapes += 30) {
		uint64_t id[MANY];

		state_of_draw = 5;
		for (uint32_t i = 0; i < 64; i++) {
			uint64_t stack = draw(1u << 30) << 12, heap = draw(1u << 30) << 12;

			id[i] = i;
			events_begin(&e[i]);
			for (uint64_t k = 0; k < 5; k++)
				for (uint32_t s = 0; s < shapes; s++)
					put2(&e[i], s, stack + 64 * s, heap + 8 * k + 4096 * s);
			bob_folder_end(e[i].folder);
		}
		struct bob_folded *f = merge_all(e, id, 64);
		struct events_bytes b = pack(f);

		are_all_there(e, id, 64, f);
		bytes[shapes > 10] = b.len;
		free(b.at);
		bob_folded_close(f);
		free_all(e, 64);
	}
	assert_in_range(bytes[0], 64 * 2 * 4, 64 * 2 * 8 + 10 * 40);
	assert_in_range(bytes[1], bytes[0], bytes[0] + 30 * 50);
}

/* Programs that have little or much in common, in one part or more. */
static void random_program(struct events *e, uint64_t seed)
{
	uint64_t common = state_of_draw;

	state_of_draw = seed;
	for (uint64_t part = draw(3); part < 3; part++) {
		for (uint64_t s = 0, n = draw(30); s < n; s++) {
			uint64_t saved = state_of_draw;

			state_of_draw = common + s % 5;
			uint32_t shape = (uint32_t)draw(7);
			uint64_t trips = draw(6), random = draw(3);
			state_of_draw = saved;
			for (uint64_t i = 0; i < trips * (1 + draw(2)); i++)
				put2(e, shape + (uint32_t)(i & 1),
				     random ? draw(1u << 20) : i * seed, draw(2));
		}
		if (part < 2)
			events_again(e);
	}
	state_of_draw = common;
}

static void test_order(void **state)
{
	static struct events e[MANY];

	(void)state;
	for (uint64_t seed = 0; seed < 40; seed++) {
		struct events_bytes first = { 0 };
		uint64_t id[MANY];

		state_of_draw = seed;
		uint32_t n = 2 + (uint32_t)draw(9);
		for (uint32_t i = 0; i < n; i++) {
			id[i] = (uint64_t)i * i * 3;
			events_begin(&e[i]);
			random_program(&e[i], draw(3) ? i : 1);
			bob_folder_end(e[i].folder);
		}
		for (int order = 0; order < 4; order++) {
			struct bob_folded *f = merge_all(e, id, n);
			struct events_bytes b = pack(f);

			are_all_there(e, id, n, f);
			bob_folded_close(f);
			if (!order) {
				first = b;
				continue;
			}
			assert_int_equal(b.len, first.len);
			assert_memory_equal(b.at, first.at, b.len);
			free(b.at);
		}
		struct bob_folded *f = merge_at_once(e, id, n), *again;
		const struct bob_fold_rename none = { .ctx = NULL };

		has_bytes(f, &first); /* it is packed as it is; made anew it is the same */
		assert_int_equal(bob_folded_rename(f, &none, &events_alloc, &again), BOB_OK);
		has_bytes(again, &first);
		bob_folded_close(again);
		bob_folded_close(f);
		free(first.at);
		free_all(e, n);
	}
}

static void test_twice(void **state)
{
	struct bob_folded *a, *b, *f;
	struct events e;

	(void)state;
	events_begin(&e);
	put2(&e, 1, 2, 3);
	bob_folder_end(e.folder);
	a = open_folded(&e, 5);
	b = open_folded(&e, 5);
	assert_int_equal(bob_folded_merge(a, b, &events_alloc, &f), BOB_ERR_INVAL);
	bob_folded_close(a);
	bob_folded_close(b);
	events_free(&e);
}

/* --- what goes on --- */

#define MEMBERS 5u

/* The first events of all members, and after a cut, the same again or others; with a copy of what
 * came before. */
static void put_member(struct events *e, uint32_t i, int again, struct events_bytes *head)
{
	for (uint64_t k = 0; k < 40 + i; k++)
		put2(e, (uint32_t)(k % 3), k * 8 + i * 4096, k * k);
	if (i == 3)
		for (int k = 0; k < 20; k++)
			put2(e, 5, draw(1u << 30), draw(1u << 30));
	events_write(head, e->out.at, e->out.len);
	bob_folder_rest(e->folder, events_write, head);
	events_again(e);
	if (again)
		for (uint64_t k = 0; k < 10; k++)
			put2(e, (uint32_t)(k % 3), k * 8 + i * 4096, draw(1u << 30));
	else
		put2(e, 9, i, 77);
	bob_folder_end(e->folder);
}

static uint64_t leave_out(void *ctx, uint64_t id)
{
	return id == *(const uint64_t *)ctx ? BOB_FOLD_OMIT : id;
}

static struct bob_folded *open_bytes(struct events_bytes *b, uint64_t id)
{
	struct bob_folded *f;

	assert_int_equal(bob_folded_open(b->at, b->len, id, &events_alloc, &f), BOB_OK);
	free(b->at);
	return f;
}

/* Heads are merged, and later what came after them: all is there, as if it had been merged at
 * once. */
static void check_goes_on(int again, uint32_t left_out)
{
	struct events e[MEMBERS];
	struct events_bytes head[MEMBERS] = { 0 };
	struct bob_fold_source heads[MEMBERS] = { 0 }, from[1 + MEMBERS] = { 0 };
	struct bob_folded *merged, *f;
	uint64_t id[MEMBERS], after[MEMBERS];
	uint32_t other = (left_out + 1) % MEMBERS;
	const struct bob_fold_rename rename = { leave_out, NULL, NULL, &id[left_out] };

	for (uint32_t i = 0; i < MEMBERS; i++) {
		events_begin(&e[i]);
		put_member(&e[i], i, again, &head[i]);
		id[i] = 100 + i;
		heads[i].folded = open_bytes(&head[i], id[i]);
		after[i] = bob_folded_events(heads[i].folded, 0);
		from[1 + i] = (struct bob_fold_source){ .folded = open_folded(&e[i], id[i]),
							.skip = &after[i],
							.goes_on = 1 };
		assert_true(bob_folded_parted(from[1 + i].folded, 0, after[i]));
		assert_false(bob_folded_parted(from[1 + i].folded, 0, after[i] - 1));
	}
	assert_int_equal(bob_folded_merge_all(heads, MEMBERS, &events_alloc, &merged), BOB_OK);
	from[0].folded = merged;
	/* one was not merged: all of it comes from the other side */
	from[0].rename = &rename;
	after[left_out] = 0;
	assert_int_equal(bob_folded_merge_all(from, 1 + MEMBERS, &events_alloc, &f), BOB_OK);
	are_all_there(e, id, MEMBERS, f);
	for (uint32_t i = 0; i < MEMBERS; i++) /* what has nothing in common is one part */
		assert_int_equal(bob_folded_parts(f, i), again || i == left_out ? 2 : 1);
	struct events_bytes b = pack(f);
	bob_folded_close(f);
	assert_int_equal(bob_folded_unpack(b.at, b.len, &events_alloc, &f), BOB_OK);
	are_all_there(e, id, MEMBERS, f);
	free(b.at);
	bob_folded_close(f);
	after[other]--; /* in the middle of a part */
	assert_int_equal(bob_folded_merge_all(from, 1 + MEMBERS, &events_alloc, &f), BOB_ERR_INVAL);
	after[other]++;
	from[1 + other].goes_on = 0;
	assert_int_equal(bob_folded_merge_all(from, 1 + MEMBERS, &events_alloc, &f), BOB_ERR_INVAL);
	for (uint32_t i = 0; i < MEMBERS; i++) {
		bob_folded_close((struct bob_folded *)(uintptr_t)heads[i].folded);
		bob_folded_close((struct bob_folded *)(uintptr_t)from[1 + i].folded);
	}
	bob_folded_close(merged);
	free_all(e, MEMBERS);
}

static void test_goes_on(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 2 * MEMBERS; i++)
		check_goes_on(i % 2, i / 2);
}

/* Memory runs out at the n-th time it is asked for. */
struct scarce {
	long left;
	long held;
};

static void *scarce_resize(void *ctx, void *old, size_t old_size, size_t size)
{
	struct scarce *s = ctx;

	(void)old_size;
	if (size && s->left-- <= 0)
		return NULL;
	s->held += (size != 0) - (old != NULL);
	return events_resize(NULL, old, old_size, size);
}

static void test_no_memory(void **state)
{
	struct scarce s = { 0 };
	const struct bob_alloc alloc = { scarce_resize, &s };
	struct events e;
	int done = 0;

	(void)state;
	events_begin(&e);
	spmd(&e, 1, 4, 5);
	bob_folder_end(e.folder);
	for (long n = 0; !done; n++) {
		struct bob_folded *a = NULL, *b = NULL, *f = NULL, *g = NULL;
		struct bob_fold_cursor *k = NULL;
		struct events_bytes bytes = { 0 };

		s.left = n;
		bob_status st = bob_folded_open(e.out.at, e.out.len, 1, &alloc, &a);
		if (st == BOB_OK)
			st = bob_folded_open(e.out.at, e.out.len, 2, &alloc, &b);
		if (st == BOB_OK)
			st = bob_folded_merge(a, b, &alloc, &f);
		if (st == BOB_OK)
			st = bob_folded_pack(f, events_write, &bytes);
		if (st == BOB_OK)
			st = bob_folded_unpack(bytes.at, bytes.len, &alloc, &g);
		if (st == BOB_OK)
			st = bob_fold_cursor_open(g, 1, &k);
		if (st == BOB_OK) {
			struct bob_fold_event event;

			while ((st = bob_fold_cursor_next(k, &event)) == BOB_OK)
				;
			done = st == BOB_END;
		}
		assert_int_equal(st, done ? BOB_END : BOB_ERR_NOMEM);
		bob_fold_cursor_close(k);
		bob_folded_close(a);
		bob_folded_close(b);
		bob_folded_close(f);
		bob_folded_close(g);
		free(bytes.at);
		assert_int_equal(s.held, 0);
	}
	events_free(&e);
}

struct pieces {
	struct events_bytes all;
	uint32_t count;
	size_t most;
};

static void take_piece(void *ctx, const void *bytes, size_t len)
{
	struct pieces *p = ctx;

	events_write(&p->all, bytes, len);
	p->count++;
	p->most = len > p->most ? len : p->most;
}

/* What is large is packed a piece at a time: tables and one column are the most there is at
 * once. */
static void test_pieces(void **state)
{
	struct events e;
	struct bob_folded *f, *again;
	struct pieces p = { .count = 0 };

	(void)state;
	events_begin(&e);
	for (uint32_t i = 0; i < 24000; i++)
		put2(&e, i % 4000, draw(UINT32_MAX), draw(UINT32_MAX));
	bob_folder_end(e.folder);
	f = open_folded(&e, 7);
	assert_int_equal(bob_folded_pack(f, take_piece, &p), BOB_OK);
	assert_true(p.all.len > 5 << 16 && p.count >= 4 && p.most < p.all.len / 3);
	assert_int_equal(bob_folded_unpack(p.all.at, p.all.len, &events_alloc, &again), BOB_OK);
	assert_null(events_same(&e, again, 0));
	bob_folded_close(f);
	bob_folded_close(again);
	free(p.all.at);
	events_free(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_spmd),
		cmocka_unit_test(test_regions),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_twice),
		cmocka_unit_test(test_goes_on),
		cmocka_unit_test(test_no_memory),
		cmocka_unit_test(test_pieces),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
