/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls per function, arcs and contexts, over threads and processes with different ids. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>

#include <cmocka.h>

#include "analysis/analysis.h"
#include "analysis/callgraph/tables.h"
#include "table/print.h"

#include "fake_trace.c"

static struct bob_functions *functions;
static struct bob_callgraph *graph;
static char text[4096];

static char letter(uint32_t number)
{
	if (number == BOB_CALLER_NONE)
		return '-';
	if (number == BOB_CALLER_SIGNAL)
		return '!';
	return (char)('A' + number);
}

static void count_all(void)
{
	assert_int_equal(bob_functions_create(&fake, &functions), BOB_OK);
	assert_int_equal(bob_callgraph_create(functions, &graph), BOB_OK);
	for (uint32_t i = 0; i < fake.thread_count; i++)
		assert_int_equal(bob_callgraph_add(graph, &fake, i, NULL, NULL), BOB_OK);
}

/* "A>B 3+6 ..." calls + below */
static const char *arcs_text(void)
{
	size_t n, len = 0;
	const struct bob_call_arc *arcs = bob_callgraph_arcs(graph, &n);

	text[0] = 0;
	for (size_t i = 0; i < n; i++)
		len += (size_t)sprintf(text + len, "%c>%c %llu+%llu\n", letter(arcs[i].caller),
				       letter(arcs[i].callee), (unsigned long long)arcs[i].calls,
				       (unsigned long long)arcs[i].below);
	return text;
}

static int fresh(void **state)
{
	(void)state;
	fake_reset();
	return 0;
}

static int clean(void **state)
{
	(void)state;
	bob_callgraph_destroy(graph);
	bob_functions_destroy(functions);
	graph = NULL;
	functions = NULL;
	return 0;
}

static void arcs_and_totals(void **state)
{
	(void)state;
	fake_process(0, -1);
	fake_thread("A BCcCcb BCcb Cc a");
	count_all();
	assert_int_equal(bob_callgraph_total(graph), 7);
	assert_int_equal(bob_callgraph_calls(graph)[0], 1);
	assert_int_equal(bob_callgraph_calls(graph)[2], 4);
	assert_int_equal(bob_callgraph_below(graph)[0], 6);
	assert_int_equal(bob_callgraph_below(graph)[1], 3);
	assert_string_equal(arcs_text(), "A>B 2+3\nA>C 1+0\nB>C 3+0\n->A 1+6\n");
}

static void recursion_counts_once(void **state)
{
	(void)state;
	fake_process(0, -1);
	fake_thread("A A A Bb a a a");
	count_all();
	assert_int_equal(bob_callgraph_below(graph)[0], 3);
	assert_string_equal(arcs_text(), "A>A 2+3\nA>B 1+0\n->A 1+3\n");
}

static void processes_share_functions(void **state)
{
	(void)state;
	fake_process(0, 0);
	fake_thread("A Nn a");
	fake_process(1000, 1);
	fake_thread("A NnNn a");
	count_all();
	assert_int_equal(bob_functions_count(functions), 27);
	assert_int_equal(bob_functions_image_count(functions), 2);
	assert_int_equal(bob_callgraph_calls(graph)['N' - 'A'], 3);
	assert_string_equal(arcs_text(), "A>N 3+0\n->A 2+3\n");
	assert_int_equal(bob_functions_number(functions, 1, 1013), 13);
	assert_int_equal(bob_functions_number(functions, 1, 1026), 26);
	assert_int_equal(bob_functions_number(functions, 1, 5), 26);
	assert_int_equal(bob_functions_number(functions, 9, 0), 26);
}

/* Only the image's file could show that it has fewer, and that may be missing. */
static void absurd_counts_of_functions_cost_nothing(void **state)
{
	(void)state;
	fake_process(0, 0);
	fake.processes[0].images[1].count = UINT32_MAX - 13;
	fake_thread("A Nn a");
	count_all();
	assert_int_equal(bob_functions_count(functions), 14);
	assert_int_equal(bob_functions_image_count(functions), 1);
	assert_int_equal(bob_functions_number(functions, 0, 13), 13);
	assert_int_equal(bob_callgraph_total(graph), 2);
}

static void ids_may_be_any_numbers(void **state)
{
	(void)state;
	fake_process(UINT32_MAX - 100, 0);
	fake_thread("A Nn Nn a");
	count_all();
	assert_string_equal(arcs_text(), "A>N 2+0\n->A 1+2\n");
}

static void stacks_signals_orphans_open_ends(void **state)
{
	(void)state;
	fake_process(0, -1);
	fake_thread("A !Ss 1 B Cc 0 Dd 1 Cc b 0 E F");
	fake_thread("?A Bb a");
	count_all();
	assert_string_equal(arcs_text(), "A>B 1+0\nA>D 1+0\nA>E 1+1\nB>C 2+0\nE>F 1+0\n"
					 "!>S 1+0\n->A 2+4\n->B 1+2\n");
}

static void what_is_around_damage_counts(void **state)
{
	struct bob_error err = { 0 };

	(void)state;
	fake_process(0, -1);
	fake_thread("A Bb # Cc");
	assert_int_equal(bob_functions_create(&fake, &functions), BOB_OK);
	assert_int_equal(bob_callgraph_create(functions, &graph), BOB_OK);
	assert_int_equal(bob_callgraph_add(graph, &fake, 0, NULL, &err), BOB_ERR_CORRUPT);
	assert_int_equal(err.offset, 42);
	assert_int_equal(bob_callgraph_total(graph), 3);
	assert_string_equal(arcs_text(), "A>B 1+0\nA>C 1+0\n->A 1+2\n");
}

static void adding_after_reading_arcs(void **state)
{
	(void)state;
	fake_process(0, -1);
	fake_thread("A Cc Bb a");
	count_all();
	arcs_text();
	assert_int_equal(bob_callgraph_add(graph, &fake, 0, NULL, NULL), BOB_OK);
	assert_string_equal(arcs_text(), "A>B 2+0\nA>C 2+0\n->A 2+4\n");
}

static void put_contexts(const struct bob_context *all, uint32_t i, int depth, size_t *len)
{
	for (; i != ~0u; i = all[i].next) {
		*len += (size_t)sprintf(text + *len, "%*s%c %llu+%llu\n", depth, "",
					letter(all[i].number), (unsigned long long)all[i].calls,
					(unsigned long long)all[i].below);
		put_contexts(all, all[i].first_child, depth + 1, len);
	}
}

static void contexts(uint32_t max, const char *expected, uint64_t merged)
{
	struct bob_contexts *c;
	const struct bob_context *all;
	uint32_t count;
	size_t len = 0;

	assert_int_equal(bob_functions_create(&fake, &functions), BOB_OK);
	assert_int_equal(bob_contexts_create(functions, max, &c), BOB_OK);
	for (uint32_t i = 0; i < fake.thread_count; i++)
		assert_int_equal(bob_contexts_add(c, &fake, i, NULL, NULL), BOB_OK);
	assert_int_equal(bob_contexts_sort(c), BOB_OK);
	all = bob_contexts_all(c, &count);
	put_contexts(all, all[0].first_child, 0, &len);
	assert_string_equal(text, expected);
	assert_int_equal(bob_contexts_merged(c), merged);
	bob_contexts_destroy(c);
}

static void paths_are_distinguished(void **state)
{
	(void)state;
	fake_process(0, -1);
	fake_thread("A Cc BCcCcb BCcb a");
	fake_thread("B Cc b");
	contexts(0, "A 1+6\n B 2+3\n  C 3+0\n C 1+0\nB 1+1\n C 1+0\n", 0);
}

static void too_many_paths_are_merged_and_counted(void **state)
{
	(void)state;
	fake_process(0, -1);
	fake_thread("A BCcb Dd a");
	contexts(3, "A 2+2\n B 2+0\n", 2);
}

/* --- tables --- */

static const char *fake_function(void *ctx, uint32_t number)
{
	static char name[2];

	(void)ctx;
	name[0] = letter(number);
	return name;
}

static const char *fake_image(void *ctx, uint32_t number)
{
	(void)ctx;
	(void)number;
	return "lib";
}

static const struct bob_naming names = { .function = fake_function, .image = fake_image };

/* The columns `chosen` of all rows as CSV. */
static void same_rows(struct bob_table *t, const char *chosen, const char *want)
{
	const struct bob_table_view view = { .format = BOB_TABLE_CSV, .columns = chosen,
					     .no_header = true };
	char why[BOB_TABLE_WHY_MAX], *rows = NULL;
	size_t len;
	FILE *out = open_memstream(&rows, &len);

	assert_int_equal(bob_table_print(t, &view, out, why), BOB_OK);
	fclose(out);
	assert_string_equal(rows, want);
	free(rows);
	bob_table_destroy(t);
}

static void arcs_are_a_table(void **state)
{
	(void)state;
	fake_process(0, -1);
	fake_thread("A BCcCcb BCcb Cc a");
	count_all();
	same_rows(bob_callgraph_arcs_table(graph, functions, &names), "calls,below,caller,callee",
		  "3,0,B,C\n2,3,A,B\n1,0,A,C\n1,6,-,A\n");
}

static void paths_are_a_table(void **state)
{
	static const char *const columns = "number,parent,depth,calls,below,function";
	struct bob_contexts *c;

	(void)state;
	fake_process(0, -1);
	fake_thread("A BCcCcb BCcb Cc a B Cc b");
	count_all();
	assert_int_equal(bob_contexts_create(functions, 0, &c), BOB_OK);
	assert_int_equal(bob_contexts_add(c, &fake, 0, NULL, NULL), BOB_OK);
	assert_int_equal(bob_contexts_sort(c), BOB_OK);
	same_rows(bob_callgraph_paths_table(c, functions, 99, 0, &names), columns,
		  "1,,0,1,6,A\n2,1,1,2,3,B\n3,2,2,3,0,C\n4,1,1,1,0,C\n5,,0,1,1,B\n6,5,1,1,0,C\n");
	same_rows(bob_callgraph_paths_table(c, functions, 2, 2, &names), columns,
		  "1,,0,1,6,A\n2,1,1,2,3,B\n3,,0,1,1,B\n");
	bob_contexts_destroy(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(arcs_and_totals, fresh, clean),
		cmocka_unit_test_setup_teardown(recursion_counts_once, fresh, clean),
		cmocka_unit_test_setup_teardown(processes_share_functions, fresh, clean),
		cmocka_unit_test_setup_teardown(absurd_counts_of_functions_cost_nothing, fresh,
						clean),
		cmocka_unit_test_setup_teardown(ids_may_be_any_numbers, fresh, clean),
		cmocka_unit_test_setup_teardown(stacks_signals_orphans_open_ends, fresh, clean),
		cmocka_unit_test_setup_teardown(what_is_around_damage_counts, fresh, clean),
		cmocka_unit_test_setup_teardown(adding_after_reading_arcs, fresh, clean),
		cmocka_unit_test_setup_teardown(paths_are_distinguished, fresh, clean),
		cmocka_unit_test_setup_teardown(too_many_paths_are_merged_and_counted, fresh,
						clean),
		cmocka_unit_test_setup_teardown(arcs_are_a_table, fresh, clean),
		cmocka_unit_test_setup_teardown(paths_are_a_table, fresh, clean),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
