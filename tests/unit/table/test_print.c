/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables as text, CSV and JSON: selection, order, units, bounds, widths, what a limit leaves out,
 * rows that are printed as they come. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "table/print.h"

static const struct bob_column columns[] = {
	{ "calls", NULL, BOB_COLUMN_COUNT, BOB_COLUMN_ADDS, "how often it was called" },
	{ "share", NULL, BOB_COLUMN_SHARE, 0, NULL },
	{ "sent_bytes", "sent", BOB_COLUMN_BYTES, BOB_COLUMN_BOUNDS, NULL },
	{ "time_ns", "time", BOB_COLUMN_NS, BOB_COLUMN_EXTRA, NULL },
	{ "rank", NULL, BOB_COLUMN_NUMBER, BOB_COLUMN_EXTRA, NULL },
	{ "function", NULL, BOB_COLUMN_FUNCTION, BOB_COLUMN_SUBJECT, NULL },
};

static void add(struct bob_table *t, uint64_t calls, enum bob_cell_kind kind, uint64_t sent,
		const char *name)
{
	bob_table_count(t, calls);
	bob_table_share(t, calls, 1600);
	bob_table_bound(t, kind, sent);
	bob_table_count(t, 1500000);
	bob_table_number(t, -1);
	bob_table_text(t, name);
}

static struct bob_table *example(void)
{
	struct bob_table *t = bob_table_create("functions", "function", columns, 6);

	add(t, 500, BOB_CELL_EXACT, 12, "sum");
	add(t, 1000, BOB_CELL_AT_LEAST, 1234, "work<int>(int)");
	add(t, 100, BOB_CELL_NONE, 0, "a \"b\", c");
	return t;
}

static void printed(struct bob_table *t, const struct bob_table_view *view, const char *want)
{
	char why[BOB_TABLE_WHY_MAX] = "", *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	assert_int_equal(bob_table_print(t, view, out, why), BOB_OK);
	fclose(out);
	assert_string_equal(text, want);
	free(text);
	bob_table_destroy(t);
}

static void text_has_units_and_order(void **state)
{
	(void)state;
	printed(example(), &(struct bob_table_view){ .limit = 0 },
		"calls  share       sent  function\n"
		"  500  31.2%       12 B  sum\n"
		"1,000  62.5%  >=1.23 kB  work<int>(int)\n"
		"  100   6.2%          -  a \"b\", c\n");
	printed(example(), &(struct bob_table_view){ .sort = "calls", .limit = 1 },
		"calls  share       sent  function\n"
		"1,000  62.5%  >=1.23 kB  work<int>(int)\n"
		"... 2 more functions with 600 calls (37.5%); --limit=0 shows all\n");
	printed(example(),
		&(struct bob_table_view){ .sort = "-name", .columns = "name,time_ns,rank" },
		"function           time  rank\n"
		"work<int>(int)  1.50 ms    -1\n"
		"sum             1.50 ms    -1\n"
		"a \"b\", c        1.50 ms    -1\n");
}

/* Widths are in characters, not in bytes. */
static void utf8_lines_up(void **state)
{
	struct bob_table *t = bob_table_create("functions", "function", columns, 6);

	(void)state;
	add(t, 1, BOB_CELL_EXACT, 0, "b\xc3\xa9");
	add(t, 2, BOB_CELL_EXACT, 0, "long");
	printed(t, &(struct bob_table_view){ .columns = "name,calls" },
		"function  calls\n"
		"b\xc3\xa9            1\n"
		"long          2\n");
}

static void lines_are_plain(void **state)
{
	(void)state;
	printed(example(),
		&(struct bob_table_view){ .format = BOB_TABLE_CSV,
					  .limit = BOB_TABLE_LIMIT_DEFAULT,
					  .usual = 1 },
		"calls,share,sent_bytes,sent_bytes_is,time_ns,rank,function\n"
		"500,0.3125,12,exact,1500000,-1,sum\n"
		"1000,0.625,1234,at least,1500000,-1,work<int>(int)\n"
		"100,0.0625,,none,1500000,-1,\"a \"\"b\"\", c\"\n");
	printed(example(),
		&(struct bob_table_view){ .format = BOB_TABLE_JSON,
					  .sort = "sent_bytes",
					  .columns = "calls,sent_bytes,function" },
		"{\"table\":\"functions\",\"calls\":1000,\"sent_bytes\":1234,"
		"\"sent_bytes_is\":\"at least\",\"function\":\"work<int>(int)\"}\n"
		"{\"table\":\"functions\",\"calls\":500,\"sent_bytes\":12,"
		"\"sent_bytes_is\":\"exact\",\"function\":\"sum\"}\n"
		"{\"table\":\"functions\",\"calls\":100,\"sent_bytes\":null,"
		"\"sent_bytes_is\":\"none\",\"function\":\"a \\\"b\\\", c\"}\n");
}

/* Numbers of any size, ratios, zeros and missing values as their columns want them. */
static void numbers_are_as_their_column_says(void **state)
{
	static const struct bob_column kinds[] = {
		{ "sum", NULL, BOB_COLUMN_DECIMAL, BOB_COLUMN_BLANK, NULL },
		{ "balance", NULL, BOB_COLUMN_RATIO, 0, NULL },
		{ "lost_ns", "lost", BOB_COLUMN_NS, BOB_COLUMN_DASH | BOB_COLUMN_ADDS, NULL },
	};
	static const char *const sums[] = { "12.345678901", "-36893488147419103230",
					    "36893488147419103229" };
	static const char *const texts[] = {
		"                 sum  balance     lost\n"
		"36893488147419103229     1.25        -\n"
		"             12.3457     1.00  1.50 ms\n"
		"... 2 more processes with 4.50 ms lost (75.0%); --limit=0 shows all\n",
		"sum,balance,lost_ns\n"
		"36893488147419103229,1.25,0\n"
		"12.345678901,1,1500000\n"
		"-36893488147419103230,,1500000\n"
		",1.125,3000000\n",
		"{\"table\":\"t\",\"sum\":36893488147419103229}\n"
		"{\"table\":\"t\",\"sum\":12.345678901}\n"
		"{\"table\":\"t\",\"sum\":-36893488147419103230}\n"
		"{\"table\":\"t\",\"sum\":null}\n",
	};

	(void)state;
	for (int format = BOB_TABLE_TEXT; format <= BOB_TABLE_JSON; format++) {
		struct bob_table *t = bob_table_create("t", "process", kinds, 3);

		bob_table_none(t);
		bob_table_real(t, 1.125);
		bob_table_count(t, 3000000);
		for (int i = 0; i < 3; i++) {
			bob_table_text(t, sums[i]);
			bob_table_share(t, (uint64_t[]){ 4, 4, 5 }[i], (uint64_t[]){ 4, 0, 4 }[i]);
			bob_table_count(t, i < 2 ? 1500000 : 0);
		}
		printed(t,
			&(struct bob_table_view){ .format = (enum bob_table_format)format,
						  .sort = "sum",
						  .limit = BOB_TABLE_LIMIT_DEFAULT,
						  .usual = 2,
						  .columns = format == BOB_TABLE_JSON ? "sum" :
											NULL },
			texts[format]);
	}
}

static void unknown_columns_are_refused(void **state)
{
	static const struct {
		struct bob_table_view view;
		const char *why;
	} wrong[] = {
		{ { .sort = "call" }, "--sort: no column 'call'; did you mean 'calls'?" },
		{ { .sort = "calls,-zzzzzz" },
		  "--sort: no column 'zzzzzz'; --columns=help lists them" },
		{ { .columns = "calls,,share" },
		  "--columns: no column ''; --columns=help lists them" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct bob_table *t = example();
		char why[BOB_TABLE_WHY_MAX] = "";

		assert_int_equal(bob_table_print(t, &wrong[i].view, stderr, why), BOB_ERR_INVAL);
		assert_string_equal(why, wrong[i].why);
		bob_table_destroy(t);
	}
}

/* Sorting is stable, so a list of keys orders by the first and then by the second. */
static void sorting_is_stable(void **state)
{
	static const struct bob_column two[] = {
		{ "x", NULL, BOB_COLUMN_COUNT, 0, NULL },
		{ "y", NULL, BOB_COLUMN_COUNT, 0, NULL },
	};
	struct bob_table *t = bob_table_create("t", "row", two, 2);
	const struct bob_cell *last = NULL;

	(void)state;
	for (uint64_t i = 0; i < 1000; i++) {
		bob_table_count(t, i * 7919 % 10);
		bob_table_count(t, i * 104729 % 1000);
	}
	assert_int_equal(bob_table_sort(t, 1, true), BOB_OK);
	assert_int_equal(bob_table_sort(t, 0, false), BOB_OK);
	for (size_t i = 0; i < bob_table_rows(t); i++) {
		const struct bob_cell *at = bob_table_at(t, i);

		if (last)
			assert_true(last[0].count > at[0].count ||
				    (last[0].count == at[0].count && last[1].count < at[1].count));
		last = at;
	}
	bob_table_destroy(t);
}

static void short_name(const char *name, size_t width, const char *want)
{
	char text[200];

	strcpy(text, name);
	assert_string_equal(bob_table_shorten(text, width), want);
}

static void names_lose_their_arguments_first(void **state)
{
	static const char vec[] = "std::vector<int, std::allocator<int> >::push_back(int const&)";

	(void)state;
	short_name(vec, 61, vec);
	short_name(vec, 60, "std::vector<..>::push_back(int const&)");
	short_name(vec, 37, "std::vector<..>::push_back(..)");
	short_name(vec, 20, "std::v..ush_back(..)");
	short_name("operator<<(std::ostream&, point const&)", 20, "operator<<(..)");
	short_name("f<a<b>, c<d> >::operator()(long)", 27, "f<..>::operator()(long)");
	short_name("unbalanced < in a name that is long", 12, "unb..is long");
	short_name("\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9", 5,
		   "\xc3\xa9..\xc3\xa9\xc3\xa9");
}

static void narrow_terminals_keep_the_numbers(void **state)
{
	struct bob_table *t = bob_table_create("functions", "function", columns, 6);

	(void)state;
	add(t, 1, BOB_CELL_EXACT, 1, "a::very<long, name>::of_something(int, char, double)");
	printed(t, &(struct bob_table_view){ .width = 50, .columns = "calls,name" },
		"calls  function\n"
		"    1  a::very<..>::of_something(..)\n");
}

/* A column of texts is as wide as its title, however narrow the terminal is. */
static void titles_are_whole(void **state)
{
	static const struct bob_column one[] = {
		{ "a_title_longer_than_that", NULL, BOB_COLUMN_TEXT, 0, NULL },
		{ "n", NULL, BOB_COLUMN_COUNT, 0, NULL },
	};
	struct bob_table *t = bob_table_create("t", "row", one, 2);

	(void)state;
	bob_table_text(t, "a text that is still longer than the title");
	bob_table_count(t, 1);
	printed(t, &(struct bob_table_view){ .width = 5 },
		"a title longer than that  n\n"
		"a text that is still l..  1\n");
}

/* Rows that are printed as they come look like those that are printed at once. */
static void flushing_prints_the_same(void **state)
{
	struct bob_table_view csv = { .format = BOB_TABLE_CSV };
	struct bob_table *t = bob_table_create("functions", "function", columns, 6);
	char why[BOB_TABLE_WHY_MAX] = "", *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	(void)state;
	for (uint64_t i = 0; i < 3; i++) {
		add(t, i, BOB_CELL_EXACT, i, "f");
		assert_int_equal(bob_table_flush(t, &csv, out, why), BOB_OK);
		assert_int_equal(bob_table_rows(t), 0);
		csv.no_header = true;
	}
	fclose(out);
	csv.no_header = false;
	bob_table_destroy(t);
	t = bob_table_create("functions", "function", columns, 6);
	for (uint64_t i = 0; i < 3; i++)
		add(t, i, BOB_CELL_EXACT, i, "f");
	printed(t, &csv, text);
	free(text);
}

/* Texts that are aligned to the right, and missing ones that are shown. */
static void texts_are_aligned_and_filled(void **state)
{
	static const struct bob_column of[] = {
		{ "stride", NULL, BOB_COLUMN_TEXT, BOB_COLUMN_RIGHT | BOB_COLUMN_FILLED, NULL },
		{ "image", NULL, BOB_COLUMN_TEXT, 0, NULL },
		{ "place", NULL, BOB_COLUMN_TEXT, BOB_COLUMN_FILLED, NULL },
	};
	struct bob_table *t = bob_table_create("t", "process", of, 3);

	(void)state;
	bob_table_text(t, "+8 60.0%");
	bob_table_text(t, "a.out");
	bob_table_none(t);
	for (int i = 0; i < 3; i++)
		bob_table_none(t);
	for (int i = 0; i < 6; i++)
		bob_table_text(t, "left");
	printed(t, &(struct bob_table_view){ .limit = 2 },
		"  stride  image  place\n"
		"+8 60.0%  a.out  -\n"
		"       -         -\n"
		"... 2 more processes; --limit=0 shows all\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_has_units_and_order),
		cmocka_unit_test(utf8_lines_up),
		cmocka_unit_test(lines_are_plain),
		cmocka_unit_test(numbers_are_as_their_column_says),
		cmocka_unit_test(unknown_columns_are_refused),
		cmocka_unit_test(sorting_is_stable),
		cmocka_unit_test(names_lose_their_arguments_first),
		cmocka_unit_test(narrow_terminals_keep_the_numbers),
		cmocka_unit_test(titles_are_whole),
		cmocka_unit_test(flushing_prints_the_same),
		cmocka_unit_test(texts_are_aligned_and_filled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
