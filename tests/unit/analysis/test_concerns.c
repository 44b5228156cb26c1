/* SPDX-License-Identifier: BSD-3-Clause */
/* Maps of concerns and the measures: hand-computed values, what holds for any counts, each
 * complaint word for word. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "analysis/concerns/concerns.h"

#define NEAR(a, b) assert_true(fabs((a) - (b)) < 5e-5)

/* --- the measures --- */

/* What the rows of the thesis's tables can have been counted from. Its component and its concern of
 * the same kind are number 0, main and the program's own concern 1. */
static struct bob_concerns_counts thesis(uint64_t home, uint64_t in_main, uint64_t own)
{
	struct bob_concerns_counts c = { .components = 2, .concerns = 2 };

	c.home[1] = 1;
	c.sloc[0][0] = home;
	c.sloc[1][0] = in_main;
	c.sloc[1][1] = own;
	return c;
}

static void tables_of_the_thesis(void **state)
{
	struct bob_concerns_counts c = thesis(90, 43, 688);

	(void)state;
	/* 4.1, naive: CONC 1 and 0.4777 (cut, not rounded), DEDI 0.0588 and 0.9411, DOF 0.7782; DOS
	 * of that row is 0.4990, where the thesis has 0.4992 */
	NEAR(bob_concerns_conc(&c, 0, 0, BOB_CONCERNS_OF_HOME), 1);
	NEAR(bob_concerns_conc(&c, 0, 1, BOB_CONCERNS_OF_HOME), 43.0 / 90);
	NEAR(bob_concerns_dos(&c, 0, BOB_CONCERNS_OF_HOME), 0.4990);
	NEAR(bob_concerns_conc(&c, 0, 0, BOB_CONCERNS_DEFINED), 90.0 / 133);
	NEAR(bob_concerns_conc(&c, 0, 1, BOB_CONCERNS_DEFINED), 43.0 / 133);
	NEAR(bob_concerns_dos(&c, 0, BOB_CONCERNS_DEFINED), 4 * 90.0 * 43 / (133 * 133));
	NEAR(bob_concerns_dedi(&c, 1, 0), 0.05882);
	NEAR(bob_concerns_dof(&c, 1), 0.77855);
	/* 4.1, ScalaJack */
	c = thesis(90, 4, 688);
	NEAR(bob_concerns_conc(&c, 0, 1, BOB_CONCERNS_OF_HOME), 0.04444);
	NEAR(bob_concerns_dos(&c, 0, BOB_CONCERNS_OF_HOME), 0.08494);
	NEAR(bob_concerns_dos(&c, 0, BOB_CONCERNS_DEFINED), 0.16297);
	NEAR(bob_concerns_dof(&c, 1), 0.97701);
	/* 4.3: CONC 0.3665 and 0.0683, DOS 0.4643 and 0.1273, DEDI of main 0.4155 */
	c = thesis(161, 59, 83);
	NEAR(bob_concerns_conc(&c, 0, 1, BOB_CONCERNS_OF_HOME), 0.36646);
	NEAR(bob_concerns_dos(&c, 0, BOB_CONCERNS_OF_HOME), 0.46433);
	NEAR(bob_concerns_dedi(&c, 1, 0), 0.41549);
	NEAR(bob_concerns_dof(&c, 1), 0.02857);
	c = thesis(161, 11, 86);
	NEAR(bob_concerns_dos(&c, 0, BOB_CONCERNS_OF_HOME), 0.12731);
	NEAR(bob_concerns_dedi(&c, 1, 0), 0.11340);
	NEAR(bob_concerns_dof(&c, 1), 0.59783);
}

static void extremes(void **state)
{
	struct bob_concerns_counts c = { .components = 4, .concerns = 3 };

	(void)state;
	for (int t = 0; t < 4; t++)
		c.sloc[t][0] = 7;
	c.sloc[2][1] = 5;
	NEAR(bob_concerns_dos(&c, 0, BOB_CONCERNS_DEFINED), 1);
	NEAR(bob_concerns_dos(&c, 1, BOB_CONCERNS_DEFINED), 0);
	NEAR(bob_concerns_dof(&c, 0), 1);
	/* 7 and 5 of 12 and none: 3/2 (1/16 + 1/144 + 1/9) */
	NEAR(bob_concerns_dof(&c, 2), 1.5 * (1.0 / 16 + 1.0 / 144 + 1.0 / 9));
	/* by the other reading the same row is 1 four times, and DOS below 0 */
	NEAR(bob_concerns_dos(&c, 0, BOB_CONCERNS_OF_HOME), -2);
	/* not defined: shares of nothing, one component */
	assert_true(isnan(bob_concerns_dos(&c, 2, BOB_CONCERNS_DEFINED)));
	assert_true(isnan(bob_concerns_conc(&c, 2, 0, BOB_CONCERNS_OF_HOME)));
	c.components = 1;
	assert_true(isnan(bob_concerns_dos(&c, 0, BOB_CONCERNS_DEFINED)));
}

static uint32_t draw(uint32_t *x)
{
	*x = *x * 1664525 + 1013904223;
	return *x >> 8;
}

static struct bob_concerns_counts random_counts(uint32_t *x)
{
	struct bob_concerns_counts c = { .components = 2 + draw(x) % 7,
					 .concerns = 2 + draw(x) % 7 };

	for (uint32_t t = 0; t < c.components; t++)
		for (uint32_t s = 0; s < c.concerns; s++)
			c.sloc[t][s] = draw(x) % 3 ? draw(x) % 50 : 0;
	return c;
}

/* Rows and columns in another order: `by` is added to their numbers. */
static struct bob_concerns_counts turned(const struct bob_concerns_counts *c, uint32_t by)
{
	struct bob_concerns_counts d = *c;

	for (uint32_t t = 0; t < c->components; t++)
		for (uint32_t s = 0; s < c->concerns; s++)
			d.sloc[(t + by) % c->components][(s + by) % c->concerns] = c->sloc[t][s];
	return d;
}

static int in_bounds(double v)
{
	return isnan(v) || (v > -1e-9 && v < 1 + 1e-9);
}

static int same(double a, double b)
{
	return (isnan(a) && isnan(b)) || fabs(a - b) < 1e-9;
}

static void any_counts(void **state)
{
	uint32_t x = 5;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		struct bob_concerns_counts c = random_counts(&x), d;
		uint32_t by = draw(&x) % 5, t, s;

		d = turned(&c, by);
		for (s = 0; s < c.concerns; s++) {
			double v = bob_concerns_dos(&c, s, BOB_CONCERNS_DEFINED), sum = 0;

			assert_true(in_bounds(v));
			assert_true(same(v, bob_concerns_dos(&d, (s + by) % c.concerns,
							     BOB_CONCERNS_DEFINED)));
			for (t = 0; t < c.components; t++)
				sum += bob_concerns_conc(&c, s, t, BOB_CONCERNS_DEFINED);
			assert_true(same(sum, bob_concerns_of_concern(&c, s) ? 1 : NAN));
		}
		for (t = 0; t < c.components; t++) {
			double v = bob_concerns_dof(&c, t);

			assert_true(in_bounds(v));
			assert_true(same(v, bob_concerns_dof(&d, (t + by) % c.components)));
		}
	}
}

/* --- maps over texts --- */

static const char main_text[] = "int a;\n/* no code */\nmark(1);\nperf_begin();\nsort();\n"
				"perf_end();\n\ntrace_a();\nsort();\ntrace_b();\n";
static const char perf_text[] = "perf();\nperf();\n}\n";

static bob_status lay_map(const char *map, int count_marks, struct bob_concerns_counts *c,
			  struct bob_concerns_complaint *why)
{
	struct bob_concerns_text texts[2] = { { NULL, 0 }, { NULL, 0 } };
	struct bob_concerns_map *m = NULL;
	bob_status st = bob_concerns_map_parse(map, strlen(map), "dir/m.map", &m, why);

	if (st != BOB_OK)
		return st;
	for (uint32_t i = 0; i < m->files; i++) {
		const char *text = !strcmp(m->file[i], "main.c") ? main_text : perf_text;

		assert_true(i < 2);
		texts[i] = (struct bob_concerns_text){ text, strlen(text) };
	}
	st = bob_concerns_count(m, texts, count_marks, c, why);
	bob_concerns_map_destroy(m);
	return st;
}

#define TWO "[component main]\nmain.c\n[component perf]\nperf.c\n"

static void counting(void **state)
{
	struct bob_concerns_complaint why = { "" };
	struct bob_concerns_counts c, d;

	(void)state;
	assert_int_equal(lay_map("# all shapes\r\n" TWO "[concern perf] # \n home = main\n perf.c\n"
				 "main.c 4, \"perf_end\" - 7 , every \"trace_\" # those\n"
				 "[concern sort]\nrest\n[annotations]\n mark, other*\n",
				 0, &c, &why),
			 BOB_OK);
	assert_int_equal(c.components, 2);
	assert_int_equal(c.sloc[0][0], 4);
	assert_int_equal(c.sloc[0][1], 3);
	assert_int_equal(c.sloc[1][0], 3);
	assert_int_equal(c.sloc[1][1], 0);
	assert_int_equal(c.annotations[0], 1);
	assert_int_equal(c.home[0], 0);
	assert_int_equal(c.home[1], 0);
	/* marks are code; the home is where most lines are; the same lines in other words */
	assert_int_equal(
		lay_map("[component \"perf\"]\nperf.c 1-2, \"}\"\n[component main]\n\"main.c\"\n"
			"[concern perf]\nperf.c \"}\"\nperf.c 1-2\n"
			"main.c \"_begin\" - \"_begin\", 6, \"trace_a\", 10-10\n"
			"[concern sort]\nmain.c 1-3, 5, 9\n[annotations]\nmark\n",
			1, &d, &why),
		BOB_ERR_CORRUPT);
	assert_string_equal(why.text,
			    "dir/m.map:8:8: no line of 'main.c' has \"_begin\" from there on");
	assert_int_equal(
		lay_map("[component \"perf\"]\nperf.c 1-2, \"}\"\n[component main]\n\"main.c\"\n"
			"[concern perf]\nperf.c \"}\"\nperf.c 1-2\n"
			"main.c \"_begin\" - 4, 6, \"trace_a\", 10-10\n"
			"[concern sort]\nmain.c 1-3, 5, 9\n[annotations]\nmark\n",
			1, &d, &why),
		BOB_OK);
	assert_int_equal(d.sloc[1][0], 4);
	assert_int_equal(d.sloc[1][1], 4);
	assert_int_equal(d.sloc[0][0], 3);
	assert_int_equal(d.annotations[1], 0);
	assert_int_equal(d.home[0], 1);
}

static void complaints(void **state)
{
	static const struct {
		const char *map, *why;
	} cases[] = {
		{ "", "dir/m.map:1:1: there is no [component NAME]" },
		{ "[component a]\nmain.c\n", "dir/m.map:2:1: there is no [concern NAME]" },
		{ "main.c\n", "dir/m.map:1:1: 'main.c' is before the first section" },
		{ "[componet a]\n",
		  "dir/m.map:1:2: section [componet] is not known; there are [component NAME], "
		  "[concern NAME], [annotations]" },
		{ "[component]\n", "dir/m.map:1:11: a name is missing before ']'" },
		{ "[component", "dir/m.map:1:11: a name is missing" },
		{ "[component a\n", "dir/m.map:1:13: ']' is missing here" },
		{ "[component a] main.c\n", "dir/m.map:1:15: the line must end after ']'" },
		{ "[component a]\nmain.c\n [component a]\n",
		  "dir/m.map:3:13: component 'a' is there twice, first in line 1" },
		{ "[component \"a\n", "dir/m.map:1:12: the quote has no end" },
		{ "[component \"\"]\n", "dir/m.map:1:12: the text in quotes is empty" },
		{ "[component a]\nmain.py\n", "dir/m.map:2:1: 'main.py' is of no known language; "
					      "known are " BOB_SLOC_EXTENSIONS },
		{ "[component a]\nmain.c 3-2\n", "dir/m.map:2:8: line 3 is after line 2" },
		{ "[component a]\nmain.c 0\n",
		  "dir/m.map:2:8: a line's number is from 1 to 99999999" },
		{ "[component a]\nmain.c 1-\n",
		  "dir/m.map:2:10: here must be lines: N, N-M, \"TEXT\", \"TEXT\" - \"TEXT\", or "
		  "every \"TEXT\"" },
		{ "[component a]\nmain.c 1 2\n",
		  "dir/m.map:2:10: ',' or '-' or the end of the line must be here" },
		{ "[component a]\nmain.c every 2\n",
		  "dir/m.map:2:14: a text in quotes must follow every" },
		{ "[component a]\nhome = b\n",
		  "dir/m.map:2:1: 'home =' is not known in a component" },
		{ TWO "[concern x]\nhome = pref\n",
		  "dir/m.map:6:8: component 'pref' is not known up to here; there are main, perf" },
		{ TWO "[concern x]\nhoem = perf\n",
		  "dir/m.map:6:1: 'hoem =' is not known; there is home =" },
		{ TWO "[concern x]\nhome = perf\nhome = main\n",
		  "dir/m.map:7:8: concern 'x' has a home already" },
		{ TWO "[concern x]\nrest\n[concern y]\nrest\n",
		  "dir/m.map:8:1: the rest belongs to concern 'x' already (line 6)" },
		{ TWO "[concern x]\nrest\n[concern y]\n",
		  "dir/m.map:7:10: concern 'y' has no lines" },
		/* over the texts */
		{ TWO "[concern x]\nmain.c 8-11\nrest\n",
		  "dir/m.map:6:8: 'main.c' has 10 lines, there is no line 11" },
		{ TWO "[concern x]\nmain.c \"nothing\"\nrest\n",
		  "dir/m.map:6:8: no line of 'main.c' has \"nothing\"" },
		{ TWO "[concern x]\nmain.c every \"nothing\"\nrest\n",
		  "dir/m.map:6:8: no line of 'main.c' has \"nothing\"" },
		{ TWO "[concern x]\nmain.c \"sort\"\nrest\n",
		  "dir/m.map:6:8: lines 5 and 9 of 'main.c' have \"sort\"; one must, or every" },
		{ TWO "[concern x]\nmain.c \"trace_a\" - 7\nrest\n",
		  "dir/m.map:6:8: the range begins in line 8, after its end" },
		{ TWO "[concern x]\nmain.c 3-5\n[concern y]\nmain.c 1, 5\nrest\n",
		  "dir/m.map:8:11: line 5 of 'main.c' belongs to concern 'x' already (line 6 of "
		  "the map)" },
		{ "[component a]\nmain.c\nmain.c 3\n[component b]\nperf.c\nmain.c 2\n"
		  "[concern x]\nrest\n",
		  "dir/m.map:6:8: line 2 of 'main.c' belongs to component "
		  "'a' already (line 2 of the map)" },
		{ TWO "[concern x]\nmain.c\nperf.c 1, 3\n",
		  "dir/perf.c:2:1: the line belongs to no concern of dir/m.map" },
		{ "[component a]\nmain.c 1-4\n[concern x]\nrest\n",
		  "dir/main.c:5:1: the line belongs to no component of dir/m.map" },
	};
	struct bob_concerns_complaint why;
	struct bob_concerns_counts c, untouched;

	(void)state;
	memset(&untouched, 0x5a, sizeof(untouched));
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		memset(&c, 0x5a, sizeof(c));
		why.text[0] = 0;
		assert_int_equal(lay_map(cases[i].map, 0, &c, &why), BOB_ERR_CORRUPT);
		assert_string_equal(why.text, cases[i].why);
		assert_memory_equal(&c, &untouched, sizeof(c));
		assert_int_equal(lay_map(cases[i].map, 0, &c, NULL), BOB_ERR_CORRUPT);
	}
}

static void too_much(void **state)
{
	struct bob_concerns_complaint why = { "" };
	struct bob_concerns_map *m = NULL;
	char *text = malloc(BOB_CONCERNS_MAP_BYTES + 1);
	size_t n = 0;

	(void)state;
	memset(text, '\n', BOB_CONCERNS_MAP_BYTES + 1);
	assert_int_equal(bob_concerns_map_parse(text, BOB_CONCERNS_MAP_BYTES + 1, "m", &m, &why),
			 BOB_ERR_FULL);
	for (uint32_t i = 0; i <= BOB_CONCERNS_MAX; i++)
		n += (size_t)sprintf(text + n, "[concern %u]\nrest.c\n", i);
	assert_int_equal(bob_concerns_map_parse(text, n, "m", &m, &why), BOB_ERR_FULL);
	assert_string_equal(why.text, "m:65:10: there are more than 32 concerns");
	n = (size_t)sprintf(text, "[component a]\n");
	for (uint32_t i = 0; i <= BOB_CONCERNS_FILES_MAX; i++)
		n += (size_t)sprintf(text + n, "%u.c\n", i);
	assert_int_equal(bob_concerns_map_parse(text, n, "m", &m, &why), BOB_ERR_FULL);
	assert_string_equal(why.text, "m:1026:1: there are more than 1024 files");
	n = (size_t)sprintf(text, "[component a]\na.c 1");
	for (uint32_t i = 0; i <= BOB_CONCERNS_CLAIMS_MAX; i++)
		n += (size_t)sprintf(text + n, ",1");
	assert_int_equal(bob_concerns_map_parse(text, n, "m", &m, &why), BOB_ERR_FULL);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables_of_the_thesis), cmocka_unit_test(extremes),
		cmocka_unit_test(any_counts),		cmocka_unit_test(counting),
		cmocka_unit_test(complaints),		cmocka_unit_test(too_much),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
