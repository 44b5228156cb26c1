/* SPDX-License-Identifier: BSD-3-Clause */
/* What folding gives up when it is asked to: no more than was said, and nothing else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "events.h"

#define PEOPLE 6u

static uint64_t state_of_draw;

static uint64_t draw(uint64_t n)
{
	state_of_draw = state_of_draw * 6364136223846793005u + 1442695040888963407u;
	return (state_of_draw >> 33) % n;
}

static struct bob_folded *open_folded(struct events *e, uint64_t id)
{
	struct bob_folded *f;

	bob_folder_end(e->folder);
	assert_int_equal(bob_folded_open(e->out.at, e->out.len, id, &events_alloc, &f), BOB_OK);
	return f;
}

static uint32_t key_of(const struct bob_folded *f, uint32_t shape)
{
	struct bob_fold_shape s;
	uint32_t key;

	bob_folded_shape(f, shape, &s);
	assert_int_equal(s.key_len, sizeof(key));
	memcpy(&key, s.key, sizeof(key));
	return key;
}

/* --- tolerance --- */

static void put3(struct events *e, uint32_t shape, uint64_t a, uint64_t b, uint64_t c)
{
	const uint64_t word[3] = { a, b, c };

	events_put_words(e, shape, word, 3);
}

/* Rows whose steps are a little uneven: word 0 may be off, word 1 not, word 2 a lot; around 0 and
 * 2^63, too. */
static void uneven(struct events *e, uint64_t rows, uint64_t within)
{
	static const uint64_t base[] = { 1000000, 3, (1ull << 63) - 40, 0x7ffe00001000 };

	for (uint64_t i = 0; i < rows; i++)
		for (uint64_t k = 0; k < 50; k++) {
			uint64_t a = base[i / 8 % 4] + 64 * k + draw(9), b = 8 * k + draw(2);

			put3(e, 1 + i % 2, a, b, draw(1000) + 100 * k);
			for (uint32_t s = 1; s < 3; s++)
				if (e->shape[s]) {
					assert_int_equal(bob_folder_tolerate(e->folder,
									     e->shape[s] - 1, 0,
									     within),
							 BOB_OK);
					assert_int_equal(bob_folder_tolerate(e->folder,
									     e->shape[s] - 1, 2,
									     within * 100),
							 BOB_OK);
				}
		}
}

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a - b < b - a ? a - b : b - a;
}

static size_t fold_uneven(uint64_t within, uint64_t *off)
{
	struct events e;
	struct bob_fold_event event;
	struct bob_fold_cursor *c;
	struct bob_folded *f;
	const uint64_t *want;
	size_t n = 0, len;

	state_of_draw = 1;
	events_begin(&e);
	uneven(&e, 200, within);
	f = open_folded(&e, 0);
	len = e.out.len;
	want = e.values;
	assert_int_equal(bob_fold_cursor_open(f, 0, &c), BOB_OK);
	for (*off = 0; bob_fold_cursor_next(c, &event) == BOB_OK; n++, want += 3) {
		assert_int_equal(key_of(f, event.shape), e.in[n]);
		assert_true(distance(event.word[0], want[0]) <= within);
		assert_int_equal(event.word[1], want[1]);
		assert_true(distance(event.word[2], want[2]) <= within * 100);
		assert_int_equal(event.word[0] >> 63, want[0] >> 63);
		*off += event.word[0] != want[0];
	}
	assert_int_equal(n, e.count);
	bob_fold_cursor_close(c);
	bob_folded_close(f);
	events_free(&e);
	return len;
}

static void tolerance(void **state)
{
	uint64_t off;
	size_t exact, loose;
	struct events e;

	(void)state;
	exact = fold_uneven(0, &off);
	assert_int_equal(off, 0);
	loose = fold_uneven(12, &off);
	assert_true(off > 5000);
	assert_true(loose < exact * 2 / 3);
	assert_true(fold_uneven(3, &off) < exact && off > 500);

	events_begin(&e);
	put3(&e, 1, 1, 2, 3);
	assert_int_equal(bob_folder_tolerate(e.folder, 1, 0, 1), BOB_ERR_INVAL);
	assert_int_equal(bob_folder_tolerate(e.folder, 0, 3, 1), BOB_ERR_INVAL);
	assert_int_equal(bob_folder_tolerate(e.folder, 0, 0, UINT64_MAX), BOB_ERR_INVAL);
	events_free(&e);
}

/* --- which shapes are one --- */

static unsigned asked;

/* Those whose keys end in the same digit. */
static int same_digit(void *ctx, const struct bob_fold_shape *known,
		      const struct bob_fold_shape *fresh)
{
	uint32_t a, b;

	assert_ptr_equal(ctx, &asked);
	assert_int_equal(known->words, fresh->words);
	memcpy(&a, known->key, sizeof(a));
	memcpy(&b, fresh->key, sizeof(b));
	asked++;
	return a % 10 == b % 10;
}

static void match(void **state)
{
	struct events e;
	struct bob_fold_event event;
	struct bob_fold_cursor *c;
	struct bob_folded *f;
	size_t n = 0;

	(void)state;
	events_begin(&e);
	asked = 0;
	bob_folder_match(e.folder, same_digit, &asked);
	for (uint32_t i = 0; i < 3000; i++) {
		const uint64_t word[2] = { i, draw(100) };
		uint32_t key = (uint32_t)draw(200), number;

		/* a digit goes with a number of words */
		events_put_words(&e, key, word, key % 10 < 5 ? 2 : 1);
		assert_int_equal(bob_folder_shape(e.folder, &key, sizeof(key), 0,
						  key % 10 < 5 ? 2 : 1, &number),
				 BOB_OK);
		assert_true(number < 10);
		if (i == 1500)
			events_again(&e);
	}
	assert_true(asked < 400 * 2 * 10 * 3);
	f = open_folded(&e, 0);
	assert_true(bob_folded_shapes(f) <= 20); /* it began anew once */
	assert_int_equal(bob_fold_cursor_open(f, 0, &c), BOB_OK);
	const uint64_t *want = e.values;
	for (; bob_fold_cursor_next(c, &event) == BOB_OK; n++) {
		assert_int_equal(key_of(f, event.shape) % 10, e.in[n] % 10);
		for (uint32_t i = 0; i < event.words; i++)
			assert_int_equal(event.word[i], *want++);
	}
	assert_int_equal(n, 3000);
	bob_fold_cursor_close(c);
	bob_folded_close(f);
	events_free(&e);
}

/* --- participants --- */

struct people {
	struct events e[PEOPLE];
	struct bob_folded *all;
};

/* The first half of them do the same; shape 10 + i is of people below i only. */
static void meet(struct people *p)
{
	for (uint32_t i = 0; i < PEOPLE; i++) {
		struct bob_folded *f, *both;

		events_begin(&p->e[i]);
		for (uint64_t k = 0; k < 400; k++) {
			put3(&p->e[i], 1, 4096 * i + 8 * k, k, 7);
			if (i >= PEOPLE / 2 && draw(4) == 0)
				put3(&p->e[i], 2, draw(1u << 20), k, i);
			for (uint32_t s = 1; s < PEOPLE && i >= PEOPLE / 2; s++)
				if (i < s && draw(10) == 0)
					put3(&p->e[i], 10 + s, draw(100), 0, 0);
			if (k == 200 && i == 1)
				events_again(&p->e[i]);
		}
		f = open_folded(&p->e[i], 100 + i);
		if (i) {
			assert_int_equal(bob_folded_merge(p->all, f, &events_alloc, &both), BOB_OK);
			bob_folded_close(p->all);
			bob_folded_close(f);
			f = both;
		}
		p->all = f;
	}
}

static void part(struct people *p)
{
	for (uint32_t i = 0; i < PEOPLE; i++)
		events_free(&p->e[i]);
	bob_folded_close(p->all);
}

struct keeping {
	const struct bob_folded *f;
	const uint32_t *spread;
	uint64_t asked;
};

static int is_kept(void *ctx, uint32_t participant, const struct bob_fold_event *event)
{
	struct keeping *k = ctx;

	assert_true(participant < PEOPLE);
	k->asked++;
	return k->spread[event->shape] >= 3;
}

static void selecting(void **state)
{
	uint32_t spread[64], who[64] = { 0 };
	struct people p;
	struct bob_folded *out;
	struct keeping keep = { 0 };
	uint64_t events = 0;

	(void)state;
	meet(&p);
	assert_true(bob_folded_shapes(p.all) < 64);
	assert_int_equal(bob_folded_spread(p.all, NULL, spread), BOB_OK);
	for (uint32_t i = 0; i < PEOPLE; i++) {
		events += p.e[i].count;
		for (size_t n = 0; n < p.e[i].count; n++)
			who[p.e[i].in[n]] |= 1u << i;
	}
	for (uint32_t i = 0; i < bob_folded_shapes(p.all); i++)
		assert_int_equal(spread[i], __builtin_popcount(who[key_of(p.all, i)]));
	keep = (struct keeping){ p.all, spread, 0 };
	assert_int_equal(bob_folded_select(p.all, is_kept, &keep, &events_alloc, &out), BOB_OK);
	assert_int_equal(keep.asked, events);
	assert_int_equal(bob_folded_count(out), PEOPLE);
	for (uint32_t i = 0; i < PEOPLE; i++) {
		const uint64_t *word = p.e[i].values;
		struct bob_fold_event event;
		struct bob_fold_cursor *c;

		assert_int_equal(bob_folded_id(out, i), 100 + i);
		assert_int_equal(bob_fold_cursor_open(out, i, &c), BOB_OK);
		for (size_t n = 0; n < p.e[i].count; n++, word += 3) {
			if (__builtin_popcount(who[p.e[i].in[n]]) < 3)
				continue;
			assert_int_equal(bob_fold_cursor_next(c, &event), BOB_OK);
			assert_int_equal(key_of(out, event.shape), p.e[i].in[n]);
			assert_memory_equal(event.word, word, 24);
		}
		assert_int_equal(bob_fold_cursor_next(c, &event), BOB_END);
		bob_fold_cursor_close(c);
	}
	assert_true(bob_folded_shapes(out) < bob_folded_shapes(p.all));
	bob_folded_close(out);
	part(&p);
}

/* Someone who is left without anything stays a participant, over bytes, too. */
static int is_of_others(void *ctx, uint32_t participant, const struct bob_fold_event *event)
{
	(void)event;
	return participant != *(const uint32_t *)ctx;
}

static void no_participants(void **state)
{
	struct bob_folded *out, *again;
	struct people p;

	(void)state;
	meet(&p);
	for (uint32_t who = 0; who < PEOPLE; who++) {
		struct events_bytes b = { 0 };

		assert_int_equal(bob_folded_select(p.all, is_of_others, &who, &events_alloc, &out),
				 BOB_OK);
		assert_int_equal(bob_folded_pack(out, events_write, &b), BOB_OK);
		assert_int_equal(bob_folded_unpack(b.at, b.len, &events_alloc, &again), BOB_OK);
		assert_int_equal(bob_folded_count(again), PEOPLE);
		for (uint32_t i = 0; i < PEOPLE; i++) {
			struct bob_fold_event event;
			struct bob_fold_cursor *c;
			bob_status st;
			size_t n = 0;

			assert_int_equal(bob_fold_cursor_open(again, i, &c), BOB_OK);
			while ((st = bob_fold_cursor_next(c, &event)) == BOB_OK)
				assert_int_equal(key_of(again, event.shape), p.e[i].in[n++]);
			assert_int_equal(st, BOB_END);
			assert_int_equal(n, i == who ? 0 : p.e[i].count);
			bob_fold_cursor_close(c);
		}
		bob_folded_close(out);
		bob_folded_close(again);
		free(b.at);
	}
	part(&p);
}

static unsigned merged;

/* All get the greatest first word, and the sum of the second ones. */
static void unite(void *ctx, const struct bob_fold_shape *shape, const uint64_t *id,
		  uint64_t *const *word, uint32_t count)
{
	uint64_t most = 0, sum = 0;

	assert_ptr_equal(ctx, &merged);
	assert_int_equal(count, PEOPLE / 2);
	assert_int_equal(shape->words, 3);
	for (uint32_t i = 0; i < count; i++) {
		assert_int_equal(id[i], 100 + i);
		most = word[i][0] > most ? word[i][0] : most;
		sum += word[i][1];
	}
	for (uint32_t i = 0; i < count; i++) {
		word[i][0] = most;
		word[i][1] = sum;
	}
	merged++;
}

static void plug(void **state)
{
	struct bob_fold_plugin plugin = { .version = BOB_FOLD_PLUGIN_VERSION,
					  .size = sizeof(plugin), .name = "x", .ctx = &merged,
					  .merge = unite };
	struct people p;
	struct bob_folded *out;

	(void)state;
	meet(&p);
	merged = 0;
	assert_int_equal(bob_folded_plug(p.all, &plugin, &events_alloc, &out), BOB_OK);
	assert_int_equal(merged, 400);
	for (uint32_t i = 0; i < PEOPLE; i++) {
		const uint64_t *word = p.e[i].values;
		struct bob_fold_event event;
		struct bob_fold_cursor *c;

		assert_int_equal(bob_folded_id(out, i), 100 + i);
		assert_int_equal(bob_fold_cursor_open(out, i, &c), BOB_OK);
		for (uint64_t n = 0; n < p.e[i].count; n++, word += 3) {
			int same = i < PEOPLE / 2;

			assert_int_equal(bob_fold_cursor_next(c, &event), BOB_OK);
			assert_int_equal(key_of(out, event.shape), p.e[i].in[n]);
			assert_int_equal(event.word[0],
					 same ? 4096 * (PEOPLE / 2 - 1) + 8 * n : word[0]);
			assert_int_equal(event.word[1], same ? n * (PEOPLE / 2) : word[1]);
			assert_int_equal(event.word[2], word[2]);
		}
		assert_int_equal(bob_fold_cursor_next(c, &event), BOB_END);
		bob_fold_cursor_close(c);
	}
	bob_folded_close(out);
	plugin.version++;
	assert_int_equal(bob_folded_plug(p.all, &plugin, &events_alloc, &out), BOB_ERR_INVAL);
	part(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tolerance), cmocka_unit_test(match), cmocka_unit_test(selecting),
		cmocka_unit_test(no_participants),    cmocka_unit_test(plug),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
