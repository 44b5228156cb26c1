/* SPDX-License-Identifier: BSD-3-Clause */
/* Every format, exact text, from the same small run; and the JSON writer's escapes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "export/export.h"
#include "table/json.h"

#include "../analysis/fake_trace.c"

static char *text;
static size_t text_len;
static const uint32_t all_threads[] = { 0, 1, 2, 3 };

static const char *name_of(void *ctx, uint32_t number)
{
	static char name[16];

	(void)ctx;
	if (number == BOB_CALLER_NONE)
		return "[start]";
	if (number == 1)
		return "B<a;b, \"c\">";
	snprintf(name, sizeof(name), "%c", (char)('A' + number));
	return name;
}

static uint64_t export_with(bob_status (*write)(struct bob_export *x), uint64_t max_events)
{
	struct bob_export x = { .trace = &fake, .name = name_of, .threads = all_threads,
				.thread_count = fake.thread_count, .max_events = max_events };
	struct bob_functions *f;

	free(text);
	x.out = open_memstream(&text, &text_len);
	assert_int_equal(bob_functions_create(&fake, &f), BOB_OK);
	x.functions = f;
	assert_int_equal(write(&x), BOB_OK);
	fclose(x.out);
	bob_functions_destroy(f);
	return x.cut_events;
}

static int make_run(void **state)
{
	(void)state;
	fake_reset();
	fake_process(0, 3);
	fake_thread("A BCcCcb Cc NOon a");
	return 0;
}

static void folded(void **state)
{
	(void)state;
	export_with(bob_export_folded, 0);
	assert_string_equal(text, "A 1\nA;B<a:b, \"c\"> 1\nA;B<a:b, \"c\">;C 2\nA;N 1\nA;N;O 1\n"
				  "A;C 1\n");
}

static void callgrind(void **state)
{
	(void)state;
	export_with(bob_export_callgrind, 0);
	assert_string_equal(
		text,
		"# callgrind format\nversion: 1\ncreator: bobbin\n"
		"cmd: ./app -x\npositions: line\nevent: Calls : function calls\nevents: Calls\n"
		"summary: 7\n\n"
		"ob=(1) /bin/app\nfl=???\nfn=(1) A\n0 1\n"
		"cob=(1)\ncfi=b.c\ncfn=(2) B<a;b, \"c\">\ncalls=1 7\n0 3\n"
		"cob=(1)\ncfi=???\ncfn=(3) C\ncalls=1 0\n0 1\n"
		"cob=(2) /lib/libx.so\ncfi=???\ncfn=(14) N\ncalls=1 0\n0 2\n\n"
		"ob=(1)\nfl=b.c\nfn=(2)\n7 1\n"
		"cob=(1)\ncfi=???\ncfn=(3)\ncalls=2 0\n7 2\n\n"
		"ob=(1)\nfl=???\nfn=(3)\n0 3\n\n"
		"ob=(2)\nfl=???\nfn=(14)\n0 1\n"
		"cob=(2)\ncfi=???\ncfn=(15) O\ncalls=1 0\n0 1\n\n"
		"ob=(2)\nfl=???\nfn=(15)\n0 1\n\n");
}

static void csv(void **state)
{
	(void)state;
	export_with(bob_export_csv, 0);
	assert_string_equal(
		text,
		"function,image,address,calls,calls_below,callers,callees,file,line,not_traced\n"
		"A,/bin/app,0x1000,1,6,0,3,,0,\n"
		"\"B<a;b, \"\"c\"\">\",/bin/app,0x1010,1,2,1,1,b.c,7,\n"
		"C,/bin/app,0x1020,3,0,2,0,,0,\n"
		"M,/bin/app,0x10c0,0,0,0,0,,0,too short\n"
		"N,/lib/libx.so,0x10d0,1,1,1,1,,0,\n"
		"O,/lib/libx.so,0x10e0,1,0,1,0,,0,\n");
}

#define CHROME_HEAD                                                                                \
	"{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n"                                          \
	"{\"ph\":\"M\",\"pid\":0,\"name\":\"trace_source\",\"args\":{\"name\":\"bobbin\"}},\n"     \
	"{\"ph\":\"M\",\"pid\":0,\"tid\":0,\"name\":\"process_name\","                             \
	"\"args\":{\"name\":\"rank 3 /bin/app (pid 101)\"}},\n"                                    \
	"{\"ph\":\"M\",\"pid\":0,\"tid\":0,\"name\":\"thread_name\","                              \
	"\"args\":{\"name\":\"t (tid 200)\"}},\n"

/* Marks at position 2 = 5 us and 4 = 9 us after the start: interpolated, then at rest. */
static void chrome_interpolates(void **state)
{
	(void)state;
	fake_reset();
	fake_process(0, 3);
	fake_thread("A Cc Cc a");
	fake_mark(2, 1000 + 5000);
	fake_mark(4, 1000 + 9000);
	assert_int_equal(export_with(bob_export_chrome, 0), 0);
	assert_string_equal(text, CHROME_HEAD
			    "{\"ph\":\"B\",\"pid\":0,\"tid\":0,\"name\":\"A\",\"ts\":0.000},\n"
			    "{\"ph\":\"B\",\"pid\":0,\"tid\":0,\"name\":\"C\",\"ts\":2.500},\n"
			    "{\"ph\":\"E\",\"pid\":0,\"tid\":0,\"ts\":5.000},\n"
			    "{\"ph\":\"B\",\"pid\":0,\"tid\":0,\"name\":\"C\",\"ts\":5.000},\n"
			    "{\"ph\":\"E\",\"pid\":0,\"tid\":0,\"ts\":7.000},\n"
			    "{\"ph\":\"E\",\"pid\":0,\"tid\":0,\"ts\":7.000}\n]}\n");
}

static void chrome_is_capped_and_balanced(void **state)
{
	(void)state;
	assert_int_equal(export_with(bob_export_chrome, 2), 5);
	assert_string_equal(
		text, CHROME_HEAD
		"{\"ph\":\"B\",\"pid\":0,\"tid\":0,\"name\":\"A\",\"ts\":0.000},\n"
		"{\"ph\":\"B\",\"pid\":0,\"tid\":0,\"name\":\"B<a;b, \\\"c\\\">\",\"ts\":1.000},\n"
		"{\"ph\":\"E\",\"pid\":0,\"tid\":0,\"ts\":1.000},\n"
		"{\"ph\":\"E\",\"pid\":0,\"tid\":0,\"ts\":1.000}\n]}\n");
}

static void chrome_spares_short_threads(void **state)
{
	(void)state;
	fake_reset();
	fake_process(0, -1);
	fake_thread("Aa");
	fake_thread("AaAaAaAaAa");
	assert_int_equal(export_with(bob_export_chrome, 4), 2);
	assert_int_equal(export_with(bob_export_chrome, 6), 0);
}

static void dot(void **state)
{
	struct bob_export x = { .trace = &fake, .name = name_of };
	struct bob_functions *f;
	struct bob_callgraph *g;
	uint64_t left_out;

	(void)state;
	free(text);
	x.out = open_memstream(&text, &text_len);
	assert_int_equal(bob_functions_create(&fake, &f), BOB_OK);
	x.functions = f;
	assert_int_equal(bob_callgraph_create(f, &g), BOB_OK);
	assert_int_equal(bob_callgraph_add(g, &fake, 0, NULL, NULL), BOB_OK);
	assert_int_equal(bob_export_dot(&x, g, 2, &left_out), BOB_OK);
	fclose(x.out);
	assert_int_equal(left_out, 4);
	assert_string_equal(
		text, "digraph calls {\n\tnode [shape=box fontname=\"sans-serif\" fontsize=10];\n"
		      "\tedge [fontname=\"sans-serif\" fontsize=9];\n"
		      "\tf1 [label=\"B<a;b, \\\"c\\\">\" tooltip=\"1 call\"];\n"
		      "\tf2 [label=\"C\" tooltip=\"3 calls\"];\n"
		      "\tf1 -> f2 [label=\"2\" penwidth=1.0];\n"
		      "\tf0 [label=\"A\" tooltip=\"1 call\"];\n"
		      "\tf0 -> f1 [label=\"1\" penwidth=1.0];\n}\n");
	bob_callgraph_destroy(g);
	bob_functions_destroy(f);
}

static void json_escapes(void **state)
{
	struct bob_json j = { 0 };

	(void)state;
	free(text);
	j.out = open_memstream(&text, &text_len);
	bob_json_object(&j, NULL);
	bob_json_string(&j, "a\"b", "q\"\\\n\t\x01\x7f");
	bob_json_string(&j, "utf8", "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80");
	bob_json_string(&j, "bad", "\xc3 \xed\xa0\x80 \xc0\x80 \xff");
	bob_json_string(&j, "none", NULL);
	bob_json_int(&j, "int", -5);
	bob_json_real(&j, "nan", __builtin_nan(""));
	bob_json_array(&j, "empty");
	bob_json_end(&j, ']');
	bob_json_bool(&j, "yes", 2);
	bob_json_end(&j, '}');
	fclose(j.out);
	assert_string_equal(
		text, "{\n  \"a\\\"b\": \"q\\\"\\\\\\n\\t\\u0001\\u007f\",\n"
		      "  \"utf8\": \"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80\",\n"
		      "  \"bad\": \"\\ufffd \\ufffd\\ufffd\\ufffd \\ufffd\\ufffd \\ufffd\",\n"
		      "  \"none\": null,\n  \"int\": -5,\n  \"nan\": null,\n  \"empty\": [],\n"
		      "  \"yes\": true\n}\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(folded, make_run),
		cmocka_unit_test_setup(callgrind, make_run),
		cmocka_unit_test_setup(csv, make_run),
		cmocka_unit_test(chrome_interpolates),
		cmocka_unit_test_setup(chrome_is_capped_and_balanced, make_run),
		cmocka_unit_test(chrome_spares_short_threads),
		cmocka_unit_test_setup(dot, make_run),
		cmocka_unit_test(json_escapes),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	free(text);
	return failed;
}
