/* SPDX-License-Identifier: BSD-3-Clause */
/* Records through a folder and back: the same accesses in the same order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../fold/events.h"
#include "descs.h"
#include "mem/fold.h"

#define DESCS 24u
#define VALUES 60000u

static struct desc_capacity descs[DESCS];
static uint64_t raw[VALUES];
static size_t raw_count;

static const struct bob_mem_desc *find_desc(void *ctx, uint32_t number)
{
	(void)ctx;
	return number < DESCS ? &descs[number].d : NULL;
}

/* --- records --- */

/* A record of the descriptor, as iteration `i` of something. */
static void put_record(uint32_t number, uint64_t i, uint64_t *seed)
{
	const struct bob_mem_desc *d = &descs[number].d;
	uint64_t trips = desc_below(seed, 9);

	if (raw_count + 2 + d->words + 8u * d->payload > VALUES)
		return;
	raw[raw_count++] = BOB_MEM_HEADER | desc_random(seed) << 33 | number;
	uint64_t *word = raw + raw_count;
	for (unsigned w = 0; w < d->words; w++)
		word[w] = desc_below(seed, 6) ? 4096 * w + 8 * i : desc_random(seed);
	if (d->kind == BOB_MEM_MARK && d->mark == BOB_MEM_SIGNAL_BEGIN)
		word[1] = 0;
	raw_count += d->words;
	if (d->kind != BOB_MEM_LOOP)
		return;
	if (!d->payload)
		raw[raw_count++] =
			word[d->counter] + trips * (uint64_t)d->step[d->counter].constant;
	for (uint64_t t = 0; d->payload && t < trips; t++)
		for (unsigned k = 0; k < d->payload; k++)
			raw[raw_count++] = desc_random(seed) & ~BOB_MEM_HEADER;
}

static void make_records(uint64_t *seed)
{
	for (uint32_t i = 0; i < DESCS; i++)
		do
			desc_make(&descs[i], seed);
		while (descs[i].d.access_count > 9);
	raw_count = 0;
	for (uint64_t round = 0, rounds = 1 + desc_below(seed, 30); round < rounds; round++)
		for (uint32_t i = 0; i < DESCS; i++)
			for (uint64_t k = desc_below(seed, 4); k; k--)
				put_record(i, round, seed);
}

/* --- accesses --- */

struct sum {
	uint64_t count, hash;
};

static void add(struct sum *s, const struct bob_mem_event *e)
{
	const uint64_t v[] = { e->address, e->pc, e->image, e->size, e->type };

	for (size_t i = 0; i < 5; i++)
		s->hash = (s->hash ^ v[i]) * 0x9e3779b97f4a7c15u;
	s->count++;
}

static bob_status add_all(struct sum *s, struct bob_mem_walk *w)
{
	struct bob_mem_event e;
	bob_status st;

	while ((st = bob_mem_walk_next(w, &e)) != BOB_END) {
		if (st < 0)
			return st;
		if (st == BOB_OK)
			add(s, &e);
	}
	return BOB_OK;
}

static struct sum sum_of_records(void)
{
	struct sum s = { 0, 0 };

	for (size_t at = 0, n; at < raw_count; at += 1 + n) {
		const struct bob_mem_desc *d = &descs[raw[at] & 0xff].d;
		struct bob_mem_walk w;

		assert_int_equal(bob_mem_record_count(d, raw + at + 1, raw_count - at - 1, 0, &n),
				 BOB_OK);
		assert_int_equal(bob_mem_walk_begin(&w, d, raw + at + 1, n, 77), BOB_OK);
		assert_int_equal(add_all(&s, &w), BOB_OK);
	}
	return s;
}

static struct sum sum_of_folded(const struct events_bytes *b)
{
	struct sum s = { 0, 0 };
	struct bob_mem_unfold *u;
	struct bob_mem_unfolded r;
	struct bob_folded *f;
	bob_status st;

	assert_int_equal(bob_folded_open(b->at, b->len, 1, &events_alloc, &f), BOB_OK);
	assert_int_equal(bob_mem_unfold_open(f, 0, find_desc, NULL, &events_alloc, &u), BOB_OK);
	while ((st = bob_mem_unfold_next(u, &r)) == BOB_OK) {
		struct bob_mem_walk w;

		assert_int_equal(bob_mem_walk_begin(&w, r.desc, r.word, r.count, 77), BOB_OK);
		assert_int_equal(add_all(&s, &w), BOB_OK);
	}
	assert_int_equal(st, BOB_END);
	bob_mem_unfold_close(u);
	bob_folded_close(f);
	return s;
}

static void *get_pages(size_t size)
{
	void *mem = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_true(mem != MAP_FAILED);
	return mem;
}

static void test_round(void **state)
{
	uint64_t seed = 3;

	(void)state;
	for (int i = 0; i < 150; i++) {
		struct events_bytes out = { 0 };
		void *folder_mem = get_pages(bob_folder_size());
		void *mem = get_pages(bob_mem_fold_size());
		struct bob_folder *folder = bob_folder_begin(folder_mem, events_write, &out);
		struct bob_mem_fold *m = bob_mem_fold_begin(mem, folder, find_desc, NULL);
		size_t used;

		make_records(&seed);
		/* in pieces, as buffers come */
		for (size_t at = 0; at < raw_count;) {
			const struct bob_mem_desc *d = &descs[raw[at] & 0xff].d;
			size_t n;

			assert_int_equal(bob_mem_record_count(d, raw + at + 1, raw_count - at - 1,
							      0, &n),
					 BOB_OK);
			assert_int_equal(bob_mem_fold_put(m, raw + at, n + 1, 0, &used), BOB_OK);
			assert_int_equal(used, n + 1);
			at += used;
		}
		bob_folder_end(folder);
		struct sum want = sum_of_records(), have = sum_of_folded(&out);
		assert_int_equal(want.count, have.count);
		assert_int_equal(want.hash, have.hash);
		free(out.at);
		munmap(folder_mem, bob_folder_size());
		munmap(mem, bob_mem_fold_size());
	}
}

/* --- paths --- */

static void simple_desc(uint32_t number, uint64_t pc, uint8_t flow)
{
	memset(&descs[number], 0, sizeof(descs[number]));
	descs[number].d = (struct bob_mem_desc){ .pc = pc, .kind = BOB_MEM_BLOCK, .words = 1,
						 .flow = flow,
						.last = 4, .access = descs[number].access,
						.step = descs[number].step };
}

static void put_simple(uint32_t number, uint64_t sp)
{
	raw[raw_count++] = BOB_MEM_HEADER | number;
	raw[raw_count++] = sp;
}

/* The records from `from` to `to`, as a part after the existing ones. `how` is the state after the
 * previous part, and then after this one. */
static void fold_part(struct events_bytes *out, size_t from, size_t to, uint64_t *how,
		      size_t *words)
{
	void *folder_mem = get_pages(bob_folder_size()), *mem = get_pages(bob_mem_fold_size());
	struct bob_folder *folder = bob_folder_begin(folder_mem, events_write, out);
	struct bob_mem_fold *m = bob_mem_fold_begin(mem, folder, find_desc, NULL);
	size_t used;

	if (*words)
		assert_int_equal(bob_mem_fold_resume(m, how, *words), BOB_OK);
	assert_int_equal(bob_mem_fold_put(m, raw + from, to - from, 0, &used), BOB_OK);
	*words = bob_mem_fold_state(m, how);
	bob_folder_end(folder);
	munmap(folder_mem, bob_folder_size());
	munmap(mem, bob_mem_fold_size());
}

/* main calls f twice, f calls itself and leaves two calls at once (longjmp). It is the same in one
 * piece, and with the rest after each record as another part. */
static void test_paths(void **state)
{
	static const uint32_t want_depth[] = { 0, 1, 2, 2, 0, 1, 0 };

	(void)state;
	simple_desc(0, 0x1000, BOB_MEM_CALLS);
	simple_desc(1, 0x2000, BOB_MEM_CALLS);
	simple_desc(2, 0x3000, 0);
	raw_count = 0;
	put_simple(0, 800);
	put_simple(1, 700);
	put_simple(1, 600); /* f called by f: the same place, so the same path */
	put_simple(2, 500);
	put_simple(0, 800);
	put_simple(2, 700);
	put_simple(2, 800);
	for (size_t cut = 2; cut <= raw_count; cut += 2) {
		uint64_t how[BOB_MEM_STATE_WORDS];
		struct events_bytes out = { 0 };
		struct bob_mem_unfold *u;
		struct bob_mem_unfolded r;
		struct bob_folded *f;
		size_t words = 0, i = 0;

		fold_part(&out, 0, cut, how, &words);
		if (cut < raw_count)
			fold_part(&out, cut, raw_count, how, &words);
		assert_int_equal(bob_folded_open(out.at, out.len, 1, &events_alloc, &f), BOB_OK);
		assert_int_equal(bob_folded_parts(f, 0), cut < raw_count ? 2 : 1);
		assert_int_equal(bob_mem_unfold_open(f, 0, find_desc, NULL, &events_alloc, &u),
				 BOB_OK);
		while (bob_mem_unfold_next(u, &r) == BOB_OK) {
			uint32_t depth = 0, path = r.path;
			uint64_t place;

			while (bob_folded_path(f, path, &path, &place))
				depth++;
			assert_int_equal(r.word[0], raw[2 * i + 1]);
			assert_int_equal(depth, want_depth[i++]);
		}
		assert_int_equal(i, 7);
		bob_mem_unfold_close(u);
		bob_folded_close(f);
		free(out.at);
	}
}

/* --- rows --- */

/* All records, `at_once` words at a time; the space after them may be empty. */
static void fold_by(struct events_bytes *out, size_t at_once)
{
	void *folder_mem = get_pages(bob_folder_size()), *mem = get_pages(bob_mem_fold_size());
	struct bob_folder *folder = bob_folder_begin(folder_mem, events_write, out);
	struct bob_mem_fold *m = bob_mem_fold_begin(mem, folder, find_desc, NULL);

	for (size_t at = 0, used; at < raw_count; at += used) {
		const size_t left = raw_count - at;
		const size_t n = left < at_once ? left + 2 : at_once;

		assert_int_equal(bob_mem_fold_put(m, raw + at, n, 1, &used), BOB_OK);
		assert_int_equal(used, left < at_once ? left : at_once);
	}
	bob_folder_end(folder);
	munmap(folder_mem, bob_folder_size());
	munmap(mem, bob_mem_fold_size());
}

/* Many records of one word and one descriptor come to the same bytes together as one by one: loops
 * of them that another one interrupts, or follows now and then, their addresses even or not. */
static void test_rows(void **state)
{
	static const size_t by[] = { 4, 6, 130, VALUES };
	uint64_t seed = 7;

	(void)state;
	for (uint32_t i = 0; i < 3; i++) {
		simple_desc(i, 0x1000 * (i + 1), 0);
		descs[i].d.sp_word = BOB_MEM_NO_WORD;
	}
	for (int round = 0; round < 60; round++) {
		const uint64_t longest = 1 + desc_below(&seed, 200);
		struct events_bytes one = { 0 };

		raw_count = 0;
		while (raw_count < VALUES / 8) {
			const int rarely = round % 4 ==
					   3; /* long rows beside loops that mostly do not run */
			const uint32_t number = rarely ? !desc_below(&seed, 9) :
							 (uint32_t)desc_below(&seed, 3);
			const int random = round % 3 == 0 || (round % 3 == 1 && number);

			for (uint64_t k = 0, n = desc_below(&seed, longest) + 1; k < n; k++)
				put_simple(number, random ? desc_below(&seed, 5000) : 4096 + 8 * k);
		}
		raw[raw_count] = 0;
		fold_by(&one, 2);
		for (size_t i = 0; i < sizeof(by) / sizeof(by[0]); i++) {
			struct events_bytes many = { 0 };

			fold_by(&many, by[i]);
			assert_int_equal(many.len, one.len);
			assert_memory_equal(many.at, one.at, one.len);
			free(many.at);
		}
		free(one.at);
	}
}

/* Too many calls in each other are not kept; and what is no state is refused. */
static void test_state(void **state)
{
	uint64_t how[BOB_MEM_STATE_WORDS] = { 0 };
	void *folder_mem = get_pages(bob_folder_size()), *mem = get_pages(bob_mem_fold_size());
	struct events_bytes out = { 0 };
	struct bob_folder *folder = bob_folder_begin(folder_mem, events_write, &out);
	struct bob_mem_fold *m = bob_mem_fold_begin(mem, folder, find_desc, NULL);
	size_t used;

	(void)state;
	simple_desc(0, 0x1000, BOB_MEM_CALLS);
	for (uint64_t i = 0; i < BOB_MEM_STATE_DEPTH + 1; i++) {
		assert_int_equal(bob_mem_fold_state(m, how), 1 + 2 * i);
		raw_count = 0;
		put_simple(0, 100000 - i);
		assert_int_equal(bob_mem_fold_put(m, raw, raw_count, 0, &used), BOB_OK);
	}
	assert_int_equal(bob_mem_fold_state(m, how), 0);
	assert_int_equal(bob_mem_fold_resume(m, how, 2), BOB_ERR_CORRUPT);
	assert_int_equal(bob_mem_fold_resume(m, how, 0), BOB_ERR_CORRUPT);
	assert_int_equal(bob_mem_fold_resume(m, how, BOB_MEM_STATE_WORDS + 2), BOB_ERR_CORRUPT);
	free(out.at);
	munmap(folder_mem, bob_folder_size());
	munmap(mem, bob_mem_fold_size());
}

static void test_no_record(void **state)
{
	struct events_bytes out = { 0 };
	void *folder_mem = get_pages(bob_folder_size()), *mem = get_pages(bob_mem_fold_size());
	struct bob_folder *folder = bob_folder_begin(folder_mem, events_write, &out);
	struct bob_mem_fold *m = bob_mem_fold_begin(mem, folder, find_desc, NULL);
	size_t used;

	(void)state;
	simple_desc(0, 0x1000, 0);
	raw_count = 0;
	put_simple(0, 1);
	raw[raw_count++] = 5; /* no header */
	assert_int_equal(bob_mem_fold_put(m, raw, raw_count, 0, &used), BOB_ERR_CORRUPT);
	assert_int_equal(used, 2);
	raw[2] = BOB_MEM_HEADER | DESCS; /* no descriptor */
	assert_int_equal(bob_mem_fold_put(m, raw, raw_count, 0, &used), BOB_ERR_CORRUPT);
	raw[2] = BOB_MEM_HEADER; /* no word */
	assert_int_equal(bob_mem_fold_put(m, raw, raw_count, 0, &used), BOB_ERR_CORRUPT);
	raw[2] = 0; /* not written yet */
	assert_int_equal(bob_mem_fold_put(m, raw, raw_count, 1, &used), BOB_OK);
	assert_int_equal(used, 2);
	free(out.at);
	munmap(folder_mem, bob_folder_size());
	munmap(mem, bob_mem_fold_size());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round),
		cmocka_unit_test(test_paths),
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_state),
		cmocka_unit_test(test_no_record),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
