/* SPDX-License-Identifier: BSD-3-Clause */
/* Descriptors through bytes and back, what must be refused, and the accesses of records. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "descs.h"

static struct desc_capacity one, two;
static uint8_t bytes[BOB_MEM_DESC_BYTES(BOB_MEM_ACCESSES_MAX)];

static bob_status get(const uint8_t *from, size_t len, const uint8_t **at)
{
	*at = from;
	return bob_mem_desc_get(at, from + len, &two.d, two.access, two.step);
}

static void test_round_trip(void **state)
{
	uint64_t seed = 1;
	const uint8_t *at;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		desc_make(&one, &seed);
		size_t len = bob_mem_desc_put(&one.d, bytes);

		assert_true(len <= BOB_MEM_DESC_BYTES(one.d.access_count));
		assert_int_equal(get(bytes, len, &at), BOB_OK);
		assert_ptr_equal(at, bytes + len);
		assert_true(desc_equal(&one.d, &two.d));
		if (len > 1) { /* whatever is cut off is missed, and nothing moves */
			assert_int_equal(get(bytes, (size_t)desc_below(&seed, len), &at),
					 BOB_ERR_CORRUPT);
			assert_ptr_equal(at, bytes);
		}
	}
}

/* The widest descriptor fits the capacity that the macro names. */
static void test_capacity(void **state)
{
	const uint8_t *at;

	(void)state;
	memset(&one, 0, sizeof(one));
	one.d = (struct bob_mem_desc){ .pc = UINT64_MAX, .image = BOB_MEM_NO_IMAGE - 1,
				       .kind = BOB_MEM_LOOP, .words = 63, .payload = 1,
				       .sp_begin = INT32_MIN, .sp_end = INT32_MIN,
				       .last = UINT32_MAX, .access_count = BOB_MEM_ACCESSES_MAX,
				       .access = one.access, .step = one.step };
	for (int i = 0; i < 63; i++)
		one.step[i] = (struct bob_mem_step){ i ? INT64_MIN : 0, i ? 0 : BOB_MEM_NO_WORD,
						     i ? 255 : 0 };
	for (uint32_t i = 0; i < BOB_MEM_ACCESSES_MAX; i++)
		one.access[i] = (struct bob_mem_access){ INT64_MIN, i & 1 ? 0 : UINT32_MAX, 65535,
							 1, (uint8_t)(i % 64), 63, 63 };
	size_t len = bob_mem_desc_put(&one.d, bytes);
	assert_true(len <= BOB_MEM_DESC_BYTES(BOB_MEM_ACCESSES_MAX));
	assert_int_equal(get(bytes, len, &at), BOB_OK);
	assert_true(desc_equal(&one.d, &two.d));
}

static struct bob_mem_desc simple_loop(void)
{
	memset(&one, 0, sizeof(one));
	one.step[0] = (struct bob_mem_step){ 8, BOB_MEM_NO_WORD, 0 };
	one.step[1] = (struct bob_mem_step){ 0, BOB_MEM_NO_WORD, 0 };
	one.step[2] = (struct bob_mem_step){ -1, 1, 4 };
	one.access[0] = (struct bob_mem_access){ 16, 2, 8, BOB_MEM_LOAD, 0, BOB_MEM_NO_WORD, 0 };
	one.access[1] = (struct bob_mem_access){ 0, 5, 4, BOB_MEM_STORE, 2, 1, 3 };
	return (struct bob_mem_desc){ .pc = 0x1000, .kind = BOB_MEM_LOOP, .words = 3,
				      .sp_word = BOB_MEM_NO_WORD, .access_count = 2,
				      .access = one.access, .step = one.step };
}

static bob_status reread(const struct bob_mem_desc *d)
{
	const uint8_t *at;

	return get(bytes, bob_mem_desc_put(d, bytes), &at);
}

static void test_refused(void **state)
{
	struct bob_mem_desc d = simple_loop();

	(void)state;
	assert_int_equal(reread(&d), BOB_OK);
#define REFUSED(change)                                                                            \
	do {                                                                                       \
		d = simple_loop();                                                                 \
		change;                                                                            \
		assert_int_equal(reread(&d), BOB_ERR_CORRUPT);                                     \
	} while (0)
	REFUSED(d.kind = 0);
	REFUSED(d.kind = 4);
	REFUSED((d.kind = BOB_MEM_BLOCK, d.words = 65));
	REFUSED(d.payload = 62);
	REFUSED(d.counter = 3);
	REFUSED(d.counter = 1);	     /* constant */
	REFUSED(d.counter = 2);	     /* its step is no constant */
	REFUSED(one.step[2].word = 0); /* which moves itself */
	REFUSED(one.step[2].word = 3);
	REFUSED(d.flow = 1);
	REFUSED((d.sp_word = 0, d.flow = 16));
	REFUSED(d.sp_word = 3);
	REFUSED(one.access[0].word = 3);
	REFUSED(one.access[0].type = 3);
	REFUSED(one.access[0].size = 0);
	REFUSED(one.access[1].guard = 3);
	REFUSED(one.access[1].guard_bit = 64);
	REFUSED(one.access[1].guard = 0); /* which moves */
	REFUSED((d.kind = BOB_MEM_MARK, d.mark = 0));
	REFUSED((d.kind = BOB_MEM_MARK, d.mark = BOB_MEM_MARKS));
	REFUSED((d.kind = BOB_MEM_MARK, d.mark = BOB_MEM_EVENT, d.pc = 1ull << 32));
	REFUSED((d.kind = BOB_MEM_MARK, d.mark = BOB_MEM_EVENTS, d.words = 0));
	REFUSED((d.kind = BOB_MEM_MARK, d.mark = BOB_MEM_SYNC, d.sync = BOB_SYNC_LOCK,
		 d.words = 1));
	REFUSED((d.kind = BOB_MEM_MARK, d.mark = BOB_MEM_SYNC, d.sync = 0));
	REFUSED((d.kind = BOB_MEM_MARK, d.mark = BOB_MEM_SYNC, d.sync = BOB_SYNC_KIND_COUNT));
	d = simple_loop(); /* more accesses than allowed: the count is before them */
	d.access_count = 0;
	size_t len = bob_mem_desc_put(&d, bytes);
	const uint8_t *at;
	bytes[len - 1] = 0x81;
	bytes[len] = 0x20;
	assert_int_equal(get(bytes, sizeof(bytes), &at), BOB_ERR_CORRUPT);
}

/* What the comments of record.h say, done the plain way. */
static uint64_t word_in(const struct bob_mem_desc *d, const uint64_t *word, uint64_t i, unsigned k)
{
	if (k >= d->words)
		return word[d->words + i * d->payload + (k - d->words)];
	if (d->kind == BOB_MEM_BLOCK)
		return word[k];
	uint64_t step = (uint64_t)d->step[k].constant;
	if (d->step[k].word != BOB_MEM_NO_WORD)
		step += d->step[k].scale * word[d->step[k].word];
	return word[k] + i * step;
}

static void expect(const struct bob_mem_desc *d, const uint64_t *word, size_t count, uint64_t trips)
{
	const uint64_t bias = 0x555500000000;
	struct bob_mem_walk w;
	struct bob_mem_event e;
	bob_status st;

	assert_int_equal(bob_mem_walk_begin(&w, d, word, count, bias), BOB_OK);
	uint64_t promised = bob_mem_walk_count(&w), seen = 0;
	for (uint64_t i = 0; i < trips; i++) {
		for (uint32_t k = 0; k < d->access_count; k++) {
			const struct bob_mem_access *a = &d->access[k];

			if (a->guard != BOB_MEM_NO_WORD &&
			    !(word_in(d, word, i, a->guard) >> a->guard_bit & 1))
				continue;
			while ((st = bob_mem_walk_next(&w, &e)) == BOB_NONE)
				;
			assert_int_equal(st, BOB_OK);
			assert_int_equal(e.address, (uint64_t)a->offset +
							    (a->word == BOB_MEM_NO_WORD ?
								     bias :
								     word_in(d, word, i, a->word)));
			assert_int_equal(e.pc, d->pc + a->pc);
			assert_int_equal(e.image, d->image);
			assert_int_equal(e.size, a->size);
			assert_int_equal(e.type, a->type);
			seen++;
		}
	}
	assert_int_equal(seen, promised);
	while ((st = bob_mem_walk_next(&w, &e)) == BOB_NONE)
		;
	assert_int_equal(st, BOB_END);
	assert_int_equal(bob_mem_walk_next(&w, &e), BOB_END);
}

static void test_accesses(void **state)
{
	uint64_t seed = 7, word[BOB_MEM_WORDS_MAX * 12];

	(void)state;
	for (int i = 0; i < 5000; i++) {
		size_t count = 0, found;
		uint64_t trips = 1;

		do
			desc_make(&one, &seed);
		while (one.d.kind == BOB_MEM_MARK || one.d.access_count > 100);
		for (; count < one.d.words; count++)
			word[count] = desc_random(&seed) >> 1;
		if (one.d.kind == BOB_MEM_LOOP) {
			trips = desc_below(&seed, 11);
			for (uint64_t k = 0; k < trips * one.d.payload; k++)
				word[count++] = 1 + (desc_random(&seed) >> 1);
			if (!one.d.payload)
				word[count++] =
					word[one.d.counter] +
					trips * (uint64_t)one.d.step[one.d.counter].constant;
		}
		word[count] = BOB_MEM_HEADER | 5;
		for (int open = 0; open < 2; open++) {
			assert_int_equal(bob_mem_record_count(&one.d, word, count + 1, open,
							      &found),
					 BOB_OK);
			assert_int_equal(found, count);
		}
		if (!(one.d.kind == BOB_MEM_LOOP && one.d.payload) && count)
			assert_int_equal(bob_mem_record_count(&one.d, word, count - 1, 0, &found),
					 BOB_ERR_CORRUPT);
		expect(&one.d, word, count, trips);
	}
}

static void test_bad_records(void **state)
{
	struct bob_mem_desc d = simple_loop();
	uint64_t word[8] = { 800, 8, 0, 824 };
	struct bob_mem_walk w;
	size_t count;

	(void)state;
	expect(&d, word, 4, 3);
	assert_int_equal(bob_mem_walk_begin(&w, &d, word, 3, 0), BOB_ERR_CORRUPT);
	assert_int_equal(bob_mem_walk_begin(&w, &d, word, 5, 0), BOB_ERR_CORRUPT);
	word[3] = 825; /* no whole number of iterations */
	assert_int_equal(bob_mem_walk_begin(&w, &d, word, 4, 0), BOB_ERR_CORRUPT);
	d.payload = 2;
	assert_int_equal(bob_mem_walk_begin(&w, &d, word, 4, 0), BOB_ERR_CORRUPT);
	/* the last iteration of an open buffer may be incomplete */
	word[3] = 1, word[4] = 2, word[5] = 3, word[6] = 0, word[7] = 0;
	assert_int_equal(bob_mem_record_count(&d, word, 8, 1, &count), BOB_OK);
	assert_int_equal(count, 5);
	d.kind = BOB_MEM_BLOCK;
	d.payload = 0;
	assert_int_equal(bob_mem_walk_begin(&w, &d, word, 4, 0), BOB_ERR_CORRUPT);
	assert_int_equal(bob_mem_walk_begin(&w, &d, word, 2, 0), BOB_ERR_CORRUPT);
}

/* A loop in which nothing happens is passed at once; what happens is counted without running
 * through it. */
static void test_guarded_away(void **state)
{
	struct bob_mem_desc d = simple_loop();
	uint64_t word[] = { 0, 0, 0, 8ull << 48 };
	struct bob_mem_event e;
	struct bob_mem_walk w;

	(void)state;
	one.access[0].guard = 1;
	assert_int_equal(bob_mem_walk_begin(&w, &d, word, 4, 0), BOB_OK);
	assert_int_equal(bob_mem_walk_count(&w), 0);
	assert_int_equal(bob_mem_walk_next(&w, &e), BOB_END);
	word[1] = 8; /* bit 3: the second access */
	assert_int_equal(bob_mem_walk_begin(&w, &d, word, 4, 0), BOB_OK);
	assert_int_equal(bob_mem_walk_count(&w), 1ull << 48);
	d.access_count = 0;
	assert_int_equal(bob_mem_walk_begin(&w, &d, word, 4, 0), BOB_OK);
	assert_int_equal(bob_mem_walk_next(&w, &e), BOB_END);
	word[3] += 8; /* more than any loop can run */
	assert_int_equal(bob_mem_walk_begin(&w, &d, word, 4, 0), BOB_ERR_CORRUPT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip), cmocka_unit_test(test_capacity),
		cmocka_unit_test(test_refused),	   cmocka_unit_test(test_accesses),
		cmocka_unit_test(test_bad_records), cmocka_unit_test(test_guarded_away),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
