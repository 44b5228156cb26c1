/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "stream.h"

static uint64_t state_of_draw;

static uint64_t draw(uint64_t n)
{
	state_of_draw = state_of_draw * 6364136223846793005u + 1442695040888963407u;
	return (state_of_draw >> 33) % n;
}

static size_t end(struct stream *s)
{
	const char *wrong = stream_end(s);
	size_t bytes = s->len;

	if (wrong)
		print_message("%s, value %zu of %zu\n", wrong, s->done, s->count);
	assert_null(wrong);
	stream_free(s);
	return bytes;
}

static void test_kinds(void **state)
{
	(void)state;
	for (unsigned bits = BOB_VALUES_BITS_MIN; bits <= 14; bits += 3)
		for (unsigned shift = 0; shift < 64; shift += 7) {
			struct stream s;

			stream_begin(&s, bits);
			for (int i = 0; i < 3000; i++) {
				unsigned column = (unsigned)draw(STREAM_COLUMNS);

				stream_put(&s, column,
					   (draw(1u << 31) << 33 | draw(1u << 31)) >> shift);
				if (!draw(50))
					bob_values_flush(&s.enc);
			}
			(void)end(&s);
		}
}

/* Whether values wait for others or not, the bytes are the same. */
static void test_rows(void **state)
{
	(void)state;
	for (unsigned kind = 0; kind < 40; kind++) {
		static uint64_t value[6000];
		struct stream one, rows;

		stream_begin(&one, 12);
		stream_begin(&rows, 12);
		for (unsigned i = 0; i < 6000;
		     i++) { /* what comes again, too, also beyond the history */
			unsigned column = (unsigned)draw(2);

			value[i] = i > 100 && draw(kind % 8 + 1) ?
					   value[i - 1] + value[i - 90] - value[i - 91] :
					   draw(UINT64_MAX >> kind % 3 * 20);
			stream_put(&one, column, value[i]);
			bob_values_settle(&one.enc);
			stream_put(&rows, column, value[i]);
			if (!draw(kind / 8 * 30 + 4))
				bob_values_settle(&rows.enc);
		}
		bob_values_flush(&one.enc);
		bob_values_flush(&rows.enc);
		assert_int_equal(one.len, rows.len);
		assert_memory_equal(one.bytes, rows.bytes, one.len);
		(void)end(&one);
		(void)end(&rows);
	}
}

/* Random indices read again and again, by two columns that take turns: paid for once. */
static void test_sweeps(void **state)
{
	static uint64_t index[5000];
	size_t once = 0;

	(void)state;
	for (unsigned i = 0; i < 5000; i++)
		index[i] = draw(100000);
	for (unsigned sweeps = 1; sweeps <= 50; sweeps += 49) {
		struct stream s;

		stream_begin(&s, 14);
		for (unsigned sweep = 0; sweep < sweeps; sweep++)
			for (unsigned i = 0; i < 5000; i++) {
				stream_put(&s, 1, 0x10000 + 8 * index[i]);
				if (i % 3 == 0)
					stream_put(&s, 2, 0x900000 + 64 * (i + sweep));
			}
		size_t bytes = end(&s);
		assert_in_range(bytes, 5000, 25000);
		if (sweeps == 1)
			once = bytes;
		else
			assert_in_range(bytes, once, once + 50 * 20);
	}
}

/* Further back than the history reaches: not found, but right. */
static void test_evicts(void **state)
{
	struct stream s;

	(void)state;
	stream_begin(&s, 8);
	for (int sweep = 0; sweep < 4; sweep++) {
		state_of_draw = 5;
		for (int i = 0; i < 1000; i++)
			stream_put(&s, 0, draw(1u << 20));
	}
	assert_in_range(end(&s), 4 * 1000, 4 * 4000);
}

static void test_hostile_bytes(void **state)
{
	uint64_t *mem = calloc(1, bob_values_size(8));

	(void)state;
	for (int round = 0; round < 20000; round++) {
		struct bob_values_dec d;
		uint8_t bytes[40];
		uint64_t last = 0;
		size_t len = draw(sizeof(bytes));

		for (size_t i = 0; i < len; i++)
			bytes[i] = (uint8_t)(draw(2) ? draw(6) : draw(256));
		memset(mem, 0xa5, bob_values_size(8));
		bob_values_clear(mem, 8);
		bob_values_dec_init(&d, mem, 8, bytes, len);
		for (int i = 0; i < 1000 && bob_values_get(&d, &last) == BOB_OK; i++)
			;
	}
	free(mem);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_sweeps),
		cmocka_unit_test(test_evicts),
		cmocka_unit_test(test_hostile_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
