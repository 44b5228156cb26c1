/* SPDX-License-Identifier: BSD-3-Clause */
/* Events by nests are the cursor's events, for random programs; and what must be a nest is one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "events.h"
#include "nests.h"

/* A program: a row of items in which a loop precedes its body. */
struct node {
	uint32_t items;		/* of a loop */
	uint32_t shape, words;
	int64_t trips, grow;	/* trips + grow * index of the loop around */
	uint64_t base[3];
	int64_t step[3][4];
	int random;		/* now and then a value is not affine */
};

static uint64_t random_below(uint64_t *r, uint64_t n)
{
	*r = *r * 6364136223846793005u + 1442695040888963407u;
	return (*r >> 33) % n;
}

static void make(struct node *node, uint32_t *count, uint64_t *r, unsigned depth, int strange)
{
	unsigned children = 1 + (unsigned)random_below(r, 3);

	while (children-- && *count < 20) {
		struct node *p = &node[*count];

		memset(p, 0, sizeof(*p));
		p->shape = strange && *count && random_below(r, 6) == 0 ? *count - 1 : *count;
		p->words = p->shape % 4;
		++*count;
		if (depth < 4 && *count < 20 && random_below(r, 2)) {
			uint32_t from = *count;

			p->trips = (int64_t)random_below(r, depth ? 7 : 12) + 1;
			p->grow = strange && depth && random_below(r, 3) == 0 ?
					  (int64_t)random_below(r, 3) - 1 :
					  0;
			make(node, count, r, depth + 1, strange);
			p->items = *count - from;
			continue;
		}
		for (unsigned w = 0; w < p->words; w++) {
			p->base[w] = random_below(r, 1000000);
			for (unsigned d = 0; d < depth; d++)
				p->step[w][d] = random_below(r, 3) ?
							(int64_t)random_below(r, 2000) - 800 :
							0;
		}
		p->random = strange && random_below(r, 5) == 0;
	}
}

static void run(struct events *e, const struct node *node, uint32_t count, uint64_t *idx,
		unsigned depth, uint64_t *r)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct node *p = &node[i];
		uint64_t word[3];

		if (p->items) {
			int64_t trips = p->trips + (depth ? p->grow * (int64_t)idx[depth - 1] : 0);

			for (idx[depth] = 0; (int64_t)idx[depth] < trips; idx[depth]++)
				run(e, node + i + 1, p->items, idx, depth + 1, r);
			i += p->items;
			continue;
		}
		for (unsigned w = 0; w < p->words; w++) {
			word[w] = p->base[w];
			for (unsigned d = 0; d < depth; d++)
				word[w] += (uint64_t)p->step[w][d] * idx[d];
			if (p->random && random_below(r, 4) == 0)
				word[w] ^= random_below(r, 4096);
		}
		events_put_words(e, p->shape, word, p->words);
	}
}

/* Returns the events; *in_nests of them came in nests. */
static uint64_t compare(struct events *e, uint64_t *in_nests)
{
	struct bob_folded *f;
	uint64_t events;
	const char *wrong;

	bob_folder_end(e->folder);
	assert_int_equal(bob_folded_open(e->out.at, e->out.len, 1, &events_alloc, &f), BOB_OK);
	events = bob_folded_events(f, 0);
	wrong = nests_compare(f, 0, UINT64_MAX, in_nests);
	if (wrong)
		fail_msg("%s", wrong);
	bob_folded_close(f);
	return events;
}

static void random_programs(void **state)
{
	uint64_t r = 1, all = 0, nested = 0;

	(void)state;
	for (unsigned round = 0; round < 800; round++) {
		struct node node[20];
		struct events e;
		uint64_t idx[5], in_nests;
		uint32_t count = 0;

		make(node, &count, &r, 0, round % 3 != 0);
		events_begin(&e);
		for (unsigned times = 1 + (unsigned)random_below(&r, 3); times; times--)
			run(&e, node, count, idx, 0, &r);
		if (random_below(&r, 8) == 0) {
			events_again(&e);
			run(&e, node, count, idx, 0, &r);
		}
		all += compare(&e, &in_nests);
		nested += in_nests;
		events_free(&e);
	}
	assert_true(nested > all / 2);
}

/* The items of the first nest of at least two loops, as text: trip counts before brackets, shapes
 * by number. */
static void first_nest(struct events *e, char *text, size_t size)
{
	const struct bob_fold_nest_item *items;
	struct bob_fold_nests *n;
	struct bob_folded *f;
	uint32_t count;
	size_t at = 0;

	bob_folder_end(e->folder);
	assert_int_equal(bob_folded_open(e->out.at, e->out.len, 1, &events_alloc, &f), BOB_OK);
	assert_int_equal(bob_fold_nests_open(f, 0, &n), BOB_OK);
	text[0] = 0;
	while (!at && bob_fold_nests_next(n, &items, &count) == BOB_OK)
		for (uint32_t i = 0; i < count && count > 2; i++)
			if (items[i].items)
				at += (size_t)snprintf(text + at, size - at, "%d:%d ",
						       (int)items[i].depth, (int)items[i].trips);
			else
				at += (size_t)snprintf(text + at, size - at, "%d ",
						       (int)items[i].depth);
	bob_fold_nests_close(n);
	bob_folded_close(f);
}

/* Sweeps are one loop to control; they are two here. */
static void sweeps(void **state)
{
	struct events e;
	char text[256];

	(void)state;
	events_begin(&e);
	for (uint64_t t = 0; t < 50; t++)
		for (uint64_t i = 0; i < 100; i++) {
			events_put_words(&e, 3, (uint64_t[]){ 8 * i, 1 << 20, 8 * i + 16 }, 3);
			events_put_words(&e, 0, NULL, 0);
		}
	first_nest(&e, text, sizeof(text));
	assert_string_equal(text, "0:50 1:100 2 2 ");
	events_free(&e);
}

/* Trip counts that grow: the inner loops are nests, the outer one is not; in it, a rectangle whose
 * size differs. */
static void triangles(void **state)
{
	(void)state;
	for (int outer = 0; outer < 2; outer++) {
		struct events e;
		uint64_t in_nests, all;

		events_begin(&e);
		for (uint64_t t = 1 + !outer; t < 40; t++) {
			for (uint64_t r = 0; r < (outer ? 1 : 3); r++) {
				for (uint64_t i = 0; i < t; i++)
					events_put_words(&e, 2, (uint64_t[]){ 8 * i, t }, 2);
				events_put(&e, 4);
			}
			events_put_words(&e, 1, (uint64_t[]){ t }, 1);
		}
		all = compare(&e, &in_nests);
		assert_true(in_nests > all / 2);
		events_free(&e);
	}
}

/* A matrix product: one nest, whatever its size. */
static void product(void **state)
{
	(void)state;
	for (uint64_t n = 4; n < 60; n += 13) {
		struct events e;
		uint64_t in_nests, all;

		events_begin(&e);
		for (uint64_t i = 0; i < n; i++)
			for (uint64_t j = 0; j < n; j++) {
				for (uint64_t k = 0; k < n; k++) {
					uint64_t word[3] = { 4096 + 8 * (i * n + k),
							     1 << 20 | 8 * (k * n + j), 7 };

					events_put_words(&e, 3, word, 3);
				}
				events_put_words(&e, 1, (uint64_t[]){ 1 << 24 | 8 * (i * n + j) },
						 1);
			}
		all = compare(&e, &in_nests);
		assert_int_equal(all, n * n * n + n * n);
		assert_int_equal(in_nests, all);
		events_free(&e);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_programs),
		cmocka_unit_test(sweeps),
		cmocka_unit_test(triangles),
		cmocka_unit_test(product),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
