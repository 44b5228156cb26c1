/* SPDX-License-Identifier: BSD-3-Clause */
/* The estimate of overhead: its arithmetic is exact, its file is read back only if it is whole and
 * about the same thing, and it says unknown where nothing was measured. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "cli/record/calibrate.c"
#include "cli/overhead.c"

static void costs_are_differences(void **state)
{
	const struct cli_calibration native = { 2000, 9000, 1000, 5000 };
	struct cli_calibration traced = { 7000, 114000, 1000, 5000 };
	struct cli_costs c = { 1, 2 };

	(void)state;
	/* 105 ns more per random call, 5 of them for the call: 100 ns for 4 bits of 1000 calls */
	assert_int_equal(cli_costs_compute(&native, &traced, 500, &c), 0);
	assert_int_equal(c.call_ps, 5000);
	assert_int_equal(c.bit_ps, 25000);

	c = (struct cli_costs){ 1, 2 };
	assert_int_equal(cli_costs_compute(&native, &traced, 0, &c), -1);
	traced.regular_ps = 2000; /* no slower */
	assert_int_equal(cli_costs_compute(&native, &traced, 500, &c), -1);
	traced = (struct cli_calibration){ 7000, 14000, 1000, 5000 }; /* bits for nothing */
	assert_int_equal(cli_costs_compute(&native, &traced, 500, &c), -1);
	traced = (struct cli_calibration){ 7000, 8000, 1000, 5000 };
	assert_int_equal(cli_costs_compute(&native, &traced, 500, &c), -1);
	traced = (struct cli_calibration){ UINT64_MAX, UINT64_MAX, UINT64_MAX, 1 };
	assert_int_equal(cli_costs_compute(&native, &traced, UINT64_MAX, &c), -1);
	assert_int_equal(c.call_ps, 1);
	assert_int_equal(c.bit_ps, 2);
}

static void file_is_whole_or_nothing(void **state)
{
	const char *key = "bobbin 1\nagent 2 3\n";
	const struct cli_costs in = { 4900, 21000 };
	struct cli_costs out = { 1, 2 };
	char text[256], bad[257];
	size_t len = cli_costs_write(key, &in, text, sizeof(text));

	(void)state;
	assert_true(len > 0);
	for (size_t at = 0; at < len; at++) {
		for (int bit = 0; bit < 8; bit++) {
			memcpy(bad, text, len);
			bad[at] = (char)(bad[at] ^ 1 << bit);
			assert_int_equal(cli_costs_read(key, bad, len, &out), -1);
		}
		assert_int_equal(cli_costs_read(key, text, at, &out), -1);
	}
	memcpy(bad, text, len);
	bad[len] = '\n';
	assert_int_equal(cli_costs_read(key, bad, len + 1, &out), -1);
	assert_int_equal(cli_costs_read("bobbin 1\nagent 2 4\n", text, len, &out), -1);
	assert_int_equal(cli_costs_read("bobbin 2\nagent 2 3\n", text, len, &out), -1);
	assert_int_equal(out.call_ps, 1);
	assert_int_equal(cli_costs_read(key, text, len, &out), 0);
	assert_int_equal(out.call_ps, 4900);
	assert_int_equal(out.bit_ps, 21000);
	assert_int_equal(cli_costs_write(key, &in, text, len - 1), 0);

	const struct cli_costs none = { 0, 21000 };

	len = cli_costs_write(key, &none, text, sizeof(text));
	assert_int_equal(cli_costs_read(key, text, len, &out), -1);
}

static void numbers_of_the_environment(void **state)
{
	static const char *const bad[] = { "", "0", "01", "-1", "+1", " 1", "1 ", "1.5", "x",
					   "100000001", "18446744073709551617" };

	(void)state;
	assert_int_equal(cli_costs_parse("1"), 1);
	assert_int_equal(cli_costs_parse("4900"), 4900);
	assert_int_equal(cli_costs_parse("100000000"), 100000000);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_int_equal(cli_costs_parse(bad[i]), 0);
}

static void arithmetic(void **state)
{
	const struct cli_costs c = { 4900, 2100 }, most = { CLI_COSTS_MAX, CLI_COSTS_MAX };

	(void)state;
	assert_int_equal(cli_overhead_ns(0, 0, &c), 0);
	assert_int_equal(cli_overhead_ns(10, 0, &c), 49);
	assert_int_equal(cli_overhead_ns(0, 10, &c), 168);
	assert_int_equal(cli_overhead_ns(1, 0, &c), 5); /* 4.9 */
	assert_int_equal(cli_overhead_ns(20000000, 1000000, &c), 98000000 + 16800000);
	assert_true(cli_overhead_ns(UINT64_MAX, UINT64_MAX, &most) == UINT64_MAX);
}

/* What is printed for threads of one process each: config of the first, then of the second. */
static const char *printed(const char *const *first, const char *const *second,
			   const struct bob_thread_info *th)
{
	static char text[512];
	struct bob_process_info p = { .config = first };
	struct cli_overhead o = { 0 };

	cli_overhead_add(&o, &p, th);
	if (second) {
		p.config = second;
		cli_overhead_add(&o, &p, th);
	}
	FILE *f = fmemopen(text, sizeof(text), "w");

	assert_non_null(f);
	cli_overhead_print(&o, f);
	fputc(0, f);
	fclose(f);
	return text;
}

static void what_is_printed(void **state)
{
	static const char *const here[] = { "BOBBIN_DIR=/x", "BOBBIN_NS_EVENT=4900",
					    "BOBBIN_NS_BIT=2100", NULL };
	static const char *const there[] = { "BOBBIN_NS_EVENT=5600", "BOBBIN_NS_BIT=2100", NULL };
	static const char *const half[] = { "BOBBIN_NS_EVENT=4900", "BOBBIN_NS_BITS=3", NULL };
	static const char *const wrong[] = { "BOBBIN_NS_EVENT=-4900", "BOBBIN_NS_BIT=2100", NULL };
	static const char *const deep[] = { "BOBBIN_NS_EVENT=4900", "BOBBIN_NS_BIT=2100",
					    "BOBBIN_DEPTH=3", NULL };
	static const char no_calibration[] =
		"overhead    unknown: this trace has no calibration of the cost of a call\n";
	struct bob_thread_info th = { .codec = 1, .events = 20000000, .stream_bytes = 1000000,
				      .start_mono_ns = 1000000000, .end_mono_ns = 4400000000 };

	(void)state;
	assert_string_equal(
		printed(here, NULL, &th),
		"overhead    about 115 ms of CPU time in 3.40 s that the threads lived "
		"(3.4%), estimated from\n            4.9 ns per call and 2.1 ns per coded "
		"bit, measured on that machine\n");
	assert_string_equal(
		printed(here, there, &th),
		"overhead    about 244 ms of CPU time in 6.80 s that the threads lived "
		"(3.6%), estimated from\n            4.9 to 5.6 ns per call and 2.1 ns per "
		"coded bit, measured on those machines\n");
	assert_string_equal(printed(NULL, NULL, &th), no_calibration);
	assert_string_equal(printed(half, NULL, &th), no_calibration);
	assert_string_equal(printed(wrong, NULL, &th), no_calibration);
	assert_string_equal(printed(here, half, &th), no_calibration);
	assert_non_null(strstr(printed(deep, NULL, &th), "unknown: --depth"));
	th.slow_entries = 200001;
	assert_non_null(strstr(printed(here, NULL, &th), "not in it: 200,001 calls"));
	th.end_mono_ns = 0;
	assert_non_null(strstr(printed(here, NULL, &th), "115 ms of CPU time, estimated from"));
	th.codec = 3;
	assert_non_null(strstr(printed(here, NULL, &th), "unknown: the cost of a call is measured "
							 "for --codec=run only"));
	th.events = 0;
	assert_string_equal(printed(here, NULL, &th), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(costs_are_differences),
		cmocka_unit_test(file_is_whole_or_nothing),
		cmocka_unit_test(numbers_of_the_environment),
		cmocka_unit_test(arithmetic),
		cmocka_unit_test(what_is_printed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
