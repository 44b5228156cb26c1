/* SPDX-License-Identifier: BSD-3-Clause */
/* The folded tree: exact text for what a person would draw, and a property: whatever is folded
 * unfolds to the calls that went in. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "analysis/analysis.h"

#include "fake_trace.c"

static char text[1 << 16];
static size_t text_len;

/* "<index><spaces per depth><name>[xN][flags]\n" */
static int print_line(void *ctx, const struct bob_tree_line *l)
{
	static const char flags[] = "oc!?gl";
	struct bob_functions *f = ctx;
	struct bob_function_info fn = { .name = "row" };
	uint32_t image;

	if (l->number != BOB_CALLER_NONE && l->number & BOB_TREE_MPI)
		fn.name = l->number == (BOB_TREE_MPI | 7) ? "MPI 7" : "MPI ?";
	else
		bob_functions_get(f, l->number, &fn, &image);
	text_len += (size_t)sprintf(text + text_len, "%llu %*s%s", (unsigned long long)l->index,
				    (int)l->depth, "",
				    l->number == BOB_CALLER_NONE ? "row" : fn.name);
	if (l->repeat > 1)
		text_len +=
			(size_t)sprintf(text + text_len, " x%llu", (unsigned long long)l->repeat);
	for (int i = 0; i < 6; i++)
		if (l->flags & 1u << i)
			text_len += (size_t)sprintf(text + text_len, " %c", flags[i]);
	text_len += (size_t)sprintf(text + text_len, "\n");
	return 0;
}

static struct bob_tree_result walk(const char *events, struct bob_tree_options o)
{
	struct bob_tree_result r;
	struct bob_functions *f;

	fake_reset();
	fake_process(0, -1);
	fake_thread(events);
	text_len = 0;
	text[0] = 0;
	assert_int_equal(bob_functions_create(&fake, &f), BOB_OK);
	assert_int_equal(bob_tree_walk(&fake, f, 0, &o, print_line, f, NULL, &r, NULL), BOB_OK);
	bob_functions_destroy(f);
	return r;
}

#define ALL .last = UINT64_MAX, .pos_last = UINT64_MAX, .fold = 1

static void equal_calls_are_counted(void **state)
{
	(void)state;
	walk("A BbBbBb CBbBbc CBbBbc a", (struct bob_tree_options){ ALL });
	assert_string_equal(text, "0 A\n1  B x3\n4  C x2\n5   B x2\n");
}

static void different_calls_are_kept_apart(void **state)
{
	(void)state;
	walk("A CBbc CBbBbc CDdc a", (struct bob_tree_options){ ALL });
	assert_string_equal(text, "0 A\n1  C\n2   B\n3  C\n4   B x2\n6  C\n7   D\n");
}

static void rows_of_siblings_are_folded(void **state)
{
	(void)state;
	walk("A BbCc BbCc BbCc Dd a", (struct bob_tree_options){ ALL });
	assert_string_equal(text, "0 A\n1  row x3\n1   B\n2   C\n7  D\n");
}

static void rows_of_rows_are_folded(void **state)
{
	(void)state;
	walk("BbCcBbCcDd BbCcBbCcDd BbCcBbCcDd", (struct bob_tree_options){ ALL });
	assert_string_equal(text, "0 row x3\n0  row x2\n0   B\n1   C\n4  D\n");
}

static void counts_inside_rows_must_agree(void **state)
{
	(void)state;
	walk("BbBbCc BbBbCc BbCc", (struct bob_tree_options){ ALL });
	assert_string_equal(text, "0 row x2\n0  B x2\n2  C\n6 B\n7 C\n");
}

static void calls_of_mpi_are_leaves(void **state)
{
	struct bob_tree_options o = { ALL, .max_depth = 2 };

	(void)state;
	walk("A *BbBb* a *", (struct bob_tree_options){ ALL });
	assert_string_equal(text, "0 A\n1  MPI 7\n1  B x2\n3  MPI 7\n3 MPI 7\n");
	walk("A B*b B*b B**b B*b a", (struct bob_tree_options){ ALL });
	assert_string_equal(text, "0 A\n1  B x2\n2   MPI 7\n3  B\n4   MPI 7 x2\n4  B\n5   MPI 7\n");
	walk("A BC*cb * a", o);
	assert_string_equal(text, "0 A\n1  B\n3  MPI 7\n");
	/* a range that begins and ends with one; its position is here that of the next entry */
	o = (struct bob_tree_options){
		.fold = 1, .first = 0, .last = UINT64_MAX, .pos_first = 2, .pos_last = 3
	};
	walk("A B * Cc * b Dd a", o);
	assert_string_equal(text, "0 A c\n1  B c\n2   MPI 7\n2   C\n3   MPI 7\n3  D\n");
}

static void open_frames_are_marked(void **state)
{
	(void)state;
	walk("A BbBb B C", (struct bob_tree_options){ ALL });
	assert_string_equal(text, "0 A o\n1  B x2\n3  B o\n4   C o\n");
}

static void depth_is_cut_and_counted(void **state)
{
	struct bob_tree_options o = { ALL, .max_depth = 2 };
	struct bob_tree_result r;

	(void)state;
	r = walk("A BCDdcb BEeb a", o);
	assert_string_equal(text, "0 A\n1  B x2\n");
	assert_int_equal(r.too_deep, 3);
}

static void lines_are_cut(void **state)
{
	struct bob_tree_options o = { ALL, .max_lines = 2 };
	struct bob_tree_result r;

	(void)state;
	r = walk("A Bb Cc Dd a", o);
	assert_string_equal(text, "0 A\n1  B\n");
	assert_int_equal(r.cut, 1);
	assert_int_equal(r.lines, 2);
}

static void range_shows_callers(void **state)
{
	struct bob_tree_options o = { .first = 3, .last = 4, .pos_last = UINT64_MAX, .fold = 1 };

	(void)state;
	walk("A Bb C Dd Ee Ff c a", o);
	assert_string_equal(text, "0 A o c\n2  C o c\n3   D\n4   E\n");
}

static void filters(void **state)
{
	uint8_t rules[27] = { 0 };
	struct bob_tree_options o = { ALL, .rules = rules };

	(void)state;
	rules['B' - 'A'] = BOB_TREE_HIDE;
	rules['C' - 'A'] = BOB_TREE_PASS;
	walk("A BDdb CDdEec a", o);
	assert_string_equal(text, "0 A\n4  D\n5  E\n");
	memset(rules, 0, sizeof(rules));
	rules['C' - 'A'] = BOB_TREE_ONLY;
	o.only = 1;
	walk("A BCDdcb CDdc a", o);
	assert_string_equal(text, "2 C x2\n3  D\n");
}

static void signals_and_stacks(void **state)
{
	(void)state;
	walk("A Bb !Ss 1N Oo 0 Cc 1n 0a", (struct bob_tree_options){ ALL });
	assert_string_equal(text, "0 A\n1  B\n2  S !\n5  C\n3 N\n4  O\n");
}

static void bounded_memory_prints_early(void **state)
{
	struct bob_tree_options o = { ALL, .max_nodes = 1 };

	(void)state;
	walk("A BbBb CDdc a", o);
	assert_string_equal(text, "0 A\n1  B\n2  B\n3  C\n4   D\n");
}

static void no_folding_on_request(void **state)
{
	struct bob_tree_options o = { .last = UINT64_MAX, .pos_last = UINT64_MAX };

	(void)state;
	walk("A BbBb a", o);
	assert_string_equal(text, "0 A\n1  B\n2  B\n");
}

/* --- property: expanding the lines gives the calls back --- */

struct lines {
	struct bob_tree_line all[4096];
	size_t count;
	char out[1 << 15];
	size_t len;
};

static int collect(void *ctx, const struct bob_tree_line *l)
{
	struct lines *s = ctx;

	assert_true(s->count < 4096);
	s->all[s->count++] = *l;
	return 0;
}

/* Expand the lines at `depth` from `i` on; returns the first line that is not below. */
static size_t expand(struct lines *s, size_t i, uint32_t depth)
{
	while (i < s->count && s->all[i].depth == depth) {
		const struct bob_tree_line *l = &s->all[i];
		size_t next = i + 1;

		for (uint64_t r = 0; r < l->repeat; r++) {
			assert_true(s->len + 2 < sizeof(s->out));
			if (l->number != BOB_CALLER_NONE)
				s->out[s->len++] = (char)('A' + l->number);
			next = expand(s, i + 1, depth + 1);
			if (l->number != BOB_CALLER_NONE)
				s->out[s->len++] = (char)('a' + l->number);
		}
		i = next;
	}
	return i;
}

static uint32_t seed;

static uint32_t draw(uint32_t n)
{
	seed = seed * 1664525u + 1013904223u;
	return (seed >> 16) % n;
}

static size_t random_calls(char *out, size_t capacity, uint32_t depth)
{
	size_t len = 0;
	uint32_t children = depth > 4 ? 0 : 1 + draw(4);

	for (uint32_t i = 0; i < children && len + 300 < capacity; i++) {
		uint32_t times = draw(3) ? 1 : 1 + draw(4), letter = draw(4);
		size_t start = len, one;

		out[len++] = (char)('A' + letter);
		len += random_calls(out + len, (capacity - len) / 6, depth + 1);
		out[len++] = (char)('a' + letter);
		one = len - start;
		while (--times && len + one + 300 < capacity) {
			memcpy(out + len, out + start, one);
			len += one;
		}
	}
	return len;
}

static void folding_loses_nothing(void **state)
{
	static char events[1 << 14];
	static struct lines lines;
	struct bob_tree_result r;
	struct bob_functions *f;

	(void)state;
	seed = 1;
	for (int round = 0; round < 2000; round++) {
		struct bob_tree_options o = { ALL, .max_nodes = draw(3) ? 0 : 5 + draw(50) };
		size_t len = random_calls(events, sizeof(events) - 1, 0);

		events[len] = 0;
		fake_reset();
		fake_process(0, -1);
		fake_thread(events);
		memset(&lines, 0, sizeof(lines));
		assert_int_equal(bob_functions_create(&fake, &f), BOB_OK);
		assert_int_equal(bob_tree_walk(&fake, f, 0, &o, collect, &lines, NULL, &r, NULL),
				 BOB_OK);
		expand(&lines, 0, 0);
		assert_int_equal(lines.len, len);
		assert_memory_equal(lines.out, events, len);
		bob_functions_destroy(f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_calls_are_counted),
		cmocka_unit_test(different_calls_are_kept_apart),
		cmocka_unit_test(rows_of_siblings_are_folded),
		cmocka_unit_test(rows_of_rows_are_folded),
		cmocka_unit_test(counts_inside_rows_must_agree),
		cmocka_unit_test(calls_of_mpi_are_leaves),
		cmocka_unit_test(open_frames_are_marked),
		cmocka_unit_test(depth_is_cut_and_counted),
		cmocka_unit_test(lines_are_cut),
		cmocka_unit_test(range_shows_callers),
		cmocka_unit_test(filters),
		cmocka_unit_test(signals_and_stacks),
		cmocka_unit_test(bounded_memory_prints_early),
		cmocka_unit_test(no_folding_on_request),
		cmocka_unit_test(folding_loses_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
