/* SPDX-License-Identifier: BSD-3-Clause */
/* Small pieces of the command line: thread choices and time ranges. The program's own objects are
 * not in a library, so the files are included. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "cli/moments.c"
#include "cli/select.c"

#include "../analysis/fake_trace.c"

/* The threads that a choice leaves, as digits. Threads: 0.0 0.1 (rank 0), 1.0 1.1 (rank 1). */
static const char *chosen(const char *spec)
{
	static char out[8];
	struct cli_select s = { 0 };
	const char *bad;
	int n = 0;

	fake_reset();
	for (int p = 0; p < 2; p++) {
		fake_process(0, p);
		fake_thread("");
		fake_thread("");
	}
	if (cli_select_parse(&s, spec, &bad))
		return "error";
	for (uint32_t i = 0; i < 4; i++)
		if (cli_select_match(&s, &fake, i))
			out[n++] = (char)('0' + i);
	out[n] = 0;
	return out;
}

static void thread_choices(void **state)
{
	(void)state;
	assert_string_equal(chosen("0"), "02");
	assert_string_equal(chosen("0-1"), "0123");
	assert_string_equal(chosen("1.0"), "2");
	assert_string_equal(chosen("0.1,1.0"), "12");
	assert_string_equal(chosen("rank=0-3"), "0123");
	assert_string_equal(chosen("rank=1"), "23");
	assert_string_equal(chosen("rank=1,thread=1"), "3");
	assert_string_equal(chosen("0,rank=1,rank=0"), "02");
	assert_string_equal(chosen("pid=101"), "01");
	assert_string_equal(chosen("tid=203"), "3");
	assert_string_equal(chosen("host=h"), "0123");
	assert_string_equal(chosen("host=other"), "");
	assert_string_equal(chosen("rank=7"), "");
	static const char *const bad[] = { "", "x", "1-", "3-1", "1,", "rank=", "1.", "host=",
					   "rank=-1", "1x", "99999999999999999999" };

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_string_equal(chosen(bad[i]), "error");
}

static void time_ranges(void **state)
{
	struct cli_time_range r;
	uint64_t first, last;

	(void)state;
	assert_int_equal(cli_time_range_parse(&r, "1.5s..2"), 0);
	assert_int_equal(r.first_ns, 1500000000u);
	assert_int_equal(r.last_ns, 2000000000u);
	assert_int_equal(cli_time_range_parse(&r, "1..20ms"), -1);
	assert_int_equal(cli_time_range_parse(&r, "2us..3ms"), 0);
	assert_int_equal(r.first_ns, 2000);
	assert_int_equal(r.last_ns, 3000000);
	assert_int_equal(cli_time_range_parse(&r, "..1min"), 0);
	assert_int_equal(r.first_ns, 0);
	assert_int_equal(r.last_ns, 60000000000u);
	assert_int_equal(cli_time_range_parse(&r, "5.."), 0);
	assert_int_equal(r.last_ns, UINT64_MAX);
	assert_int_equal(cli_time_range_parse(&r, "5"), -1);
	assert_int_equal(cli_time_range_parse(&r, "a..b"), -1);
	assert_int_equal(cli_time_range_parse(&r, "1..2x"), -1);

	fake_reset();
	fake_process(0, -1);
	fake_thread("");
	assert_int_equal(cli_time_range_to_positions(&r, &fake, 0, &first, &last), -1);
	fake_mark(100, 1000 + 1000);
	fake_mark(300, 1000 + 3000);
	cli_time_range_parse(&r, "2us..2500ns");
	assert_int_equal(cli_time_range_to_positions(&r, &fake, 0, &first, &last), 0);
	assert_int_equal(first, 200);
	assert_int_equal(last, 250);
	cli_time_range_parse(&r, "..9s");
	assert_int_equal(cli_time_range_to_positions(&r, &fake, 0, &first, &last), 0);
	assert_int_equal(first, 0);
	assert_int_equal(last, 301);

	/* before the first mark, from the first call on */
	cli_time_range_parse(&r, "250ns..500ns");
	assert_int_equal(cli_time_range_to_positions(&r, &fake, 0, &first, &last), 0);
	assert_int_equal(first, 25);
	assert_int_equal(last, 50);
	fake_process(0, -1);
	fake.processes[1].info.start_mono_ns = 500;	/* the run began before this thread */
	cli_time_range_parse(&r, "..400ns");
	assert_int_equal(cli_time_range_to_positions(&r, &fake, 0, &first, &last), 0);
	assert_true(first > last);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(thread_choices),
		cmocka_unit_test(time_ranges),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
