/* SPDX-License-Identifier: BSD-3-Clause */
/* The tree of functions, loops and accesses (analysis/memory/structure.h) has what expansion gives:
 * all accesses, and each address of an access as often. With arguments these are the directories of
 * traces to be checked (tests/e2e/test_mem_structure.py), otherwise the golden traces. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "../../golden/traces.h"
#include "analysis/memory/structure.h"
#include "base/host/map.h"
#include "fold/piece.h"

#define VALUES_MAX (1u << 22)	/* addresses of a thread that are compared */

/* An instruction in a shape. */
struct key {
	uint64_t pc;
	uint32_t shape, type;
};

struct instruction {
	struct key key;
	int unknown;		/* not all its addresses are pieces that are printed */
};

struct checking {
	const struct bob_trace *t;
	uint32_t thread;
	const struct bob_structure *s;
	const struct bob_structure_node *node;
	uint32_t count;
	BOB_MAP(struct instruction) known;
	BOB_VEC(uint64_t) got, want;
};

static struct instruction *instruction_of(struct checking *c, uint64_t pc, uint32_t shape,
					  uint32_t type)
{
	const struct key key = { pc, shape, type };
	struct instruction *i = BOB_MAP_PUT(&c->known, &key);

	assert_non_null(i);
	return i;
}

static struct instruction *instruction_at(struct checking *c, uint32_t node)
{
	const struct bob_structure_node *n = &c->node[node];
	static struct bob_leaf_access a[4096];
	struct bob_leaf leaf;

	assert_int_equal(bob_trace_leaf(c->t, c->thread, n->shape, &leaf, a, 4096), BOB_OK);
	return instruction_of(c, n->pc, n->shape, a[n->index].type);
}

/* Visits all nodes that a row represents. */
static int visit(struct checking *c, uint32_t at, int (*each)(struct checking *c, uint32_t at))
{
	int any = 0;
	uint32_t joined = c->node[at].joined;

	for (uint32_t i = at; joined; i++) {
		if (c->node[i].kind != BOB_STRUCTURE_ACCESS || (i > at && c->node[i].joined))
			continue;
		any |= each(c, i);
		if (c->node[i].peeled != BOB_STRUCTURE_NONE)
			any |= each(c, c->node[i].peeled);
		joined--;
	}
	return any;
}

static int is_unknown(struct checking *c, uint32_t at)
{
	return instruction_at(c, at)->unknown;
}

static int set_unknown(struct checking *c, uint32_t at)
{
	struct instruction *i = instruction_at(c, at);
	const int changed = !i->unknown;

	i->unknown = 1;
	return changed;
}

static void read_row(struct checking *c, uint32_t at, struct bob_series *series, int *whole)
{
	const uint64_t count = c->node[at].count * c->node[at].joined;
	struct bob_leaf_access a;
	struct bob_leaf leaf;

	assert_int_equal(bob_structure_addresses(c->s, at, &leaf, &a, series), BOB_OK);
	*whole = bob_series_values(series) == count && !a.guarded && a.word != BOB_LEAF_NO_WORD;
	if (!series->left && !series->is_of_runs && series->count <= BOB_SERIES_PIECES)
		assert_int_equal(bob_series_values(series), count);
}

static void add_piece(struct checking *c, const struct bob_piece *p)
{
	struct bob_piece_walk w;
	bob_status st = bob_piece_begin(p, 0, 0, &w);

	for (; st == BOB_OK; st = bob_piece_next(p, 0, &w)) {
		assert_true(c->got.count < VALUES_MAX);
		assert_int_equal(BOB_VEC_ADD(&c->got, w.value), BOB_OK);
	}
}

/* Instructions with rows that are not whole are not compared, nor is what shares a row with
 * them. */
static void find_unknown(struct checking *c)
{
	struct bob_series series;
	int whole, more = 1;

	for (uint32_t i = 0; i < c->count; i++) {
		if (c->node[i].kind != BOB_STRUCTURE_ACCESS || !c->node[i].joined)
			continue;
		read_row(c, i, &series, &whole);
		if (!whole)
			(void)visit(c, i, set_unknown);
	}
	while (more) {
		more = 0;
		for (uint32_t i = 0; i < c->count; i++)
			if (c->node[i].kind == BOB_STRUCTURE_ACCESS && c->node[i].joined &&
			    visit(c, i, is_unknown))
				more |= visit(c, i, set_unknown);
	}
}

static int compare(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void check_addresses(struct checking *c)
{
	struct bob_loop_cursor *cursor;
	struct bob_series series;
	struct bob_access a;
	uint32_t shape;
	int whole;

	find_unknown(c);
	for (uint32_t i = 0; i < c->count; i++) {
		if (c->node[i].kind != BOB_STRUCTURE_ACCESS || !c->node[i].joined ||
		    visit(c, i, is_unknown))
			continue;
		read_row(c, i, &series, &whole);
		for (uint32_t k = 0; k < series.count; k++)
			add_piece(c, &series.piece[k]);
	}
	assert_int_equal(bob_loop_cursor_open(c->t, c->thread, &cursor, NULL), BOB_OK);
	while (bob_loop_cursor_next(cursor, &a, &shape, NULL) == BOB_OK)
		if (!instruction_of(c, a.pc, shape, a.type)->unknown)
			assert_int_equal(BOB_VEC_ADD(&c->want, a.address), BOB_OK);
	bob_loop_cursor_close(cursor);
	assert_int_equal(c->got.count, c->want.count);
	if (c->got.count) {
		qsort(c->got.at, c->got.count, sizeof(*c->got.at), compare);
		qsort(c->want.at, c->want.count, sizeof(*c->want.at), compare);
		assert_memory_equal(c->got.at, c->want.at, c->got.count * sizeof(*c->got.at));
	}
}

/* The rows, and the sums of functions and loops, are all accesses. */
static void check_sums(struct checking *c)
{
	uint64_t rows = 0, tops = 0;

	for (uint32_t i = 0; i < c->count; i++) {
		assert_true(c->node[i].end > i && c->node[i].end <= c->count);
		if (c->node[i].kind == BOB_STRUCTURE_ACCESS)
			rows += c->node[i].count * c->node[i].joined;
	}
	for (uint32_t i = 0; i < c->count; i = c->node[i].end)
		tops += c->node[i].loads + c->node[i].stores;
	assert_int_equal(rows, tops);
	if (!bob_structure_is_inexact(c->s) && bob_trace_all_folded(c->t, c->thread))
		assert_int_equal(rows, bob_trace_accesses(c->t, c->thread));
}

static void check_trace(const struct bob_trace *t)
{
	for (uint32_t i = 0; i < bob_trace_thread_count(t); i++) {
		struct checking c = { .t = t, .thread = i };
		struct bob_structure *s;
		bob_status st = bob_structure_create(t, i, &s);

		if (st == BOB_NONE)
			continue;
		assert_int_equal(st, BOB_OK);
		c.s = s;
		c.node = bob_structure_nodes(s, &c.count);
		check_sums(&c);
		/* the cursor leaves out repeated accesses */
		if (bob_trace_accesses(t, i) <= VALUES_MAX && !bob_structure_is_inexact(s))
			check_addresses(&c);
		printf("thread %u: %u nodes, %zu addresses compared of %llu\n", i, c.count,
		       c.got.count, (unsigned long long)bob_trace_accesses(t, i));
		BOB_MAP_FREE(&c.known);
		BOB_VEC_FREE(&c.got);
		BOB_VEC_FREE(&c.want);
		bob_structure_destroy(s);
	}
}

static void check_golden(void (*make)(struct golden *g))
{
	struct bob_memory_file file[GOLDEN_FILES];
	struct golden g = { .count = 0 };
	struct bob_trace *t;

	make(&g);
	for (size_t i = 0; i < g.count; i++)
		file[i] = (struct bob_memory_file){ g.files[i].name, g.files[i].bytes,
						    g.files[i].len };
	assert_int_equal(bob_archive_open_memory(file, g.count, &t, NULL), BOB_OK);
	check_trace(t);
	bob_trace_close(t);
	golden_free(&g);
}

static void test_golden(void **state)
{
	(void)state;
	check_golden(golden_folded_trace);
	check_golden(golden_merged_trace);
	check_golden(golden_parts_trace);
	check_golden(golden_rows_trace);
	check_golden(golden_syncs_trace);
	check_golden(golden_inlined_trace);
}

static const char *directory;

static void test_directory(void **state)
{
	struct bob_trace *t;

	(void)state;
	assert_int_equal(bob_trace_open(directory, &t, NULL), BOB_OK);
	check_trace(t);
	bob_trace_close(t);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest golden[] = { cmocka_unit_test(test_golden) };
	const struct CMUnitTest given[] = { cmocka_unit_test(test_directory) };
	int failed = 0;

	if (argc < 2)
		return cmocka_run_group_tests(golden, NULL, NULL);
	for (int i = 1; i < argc; i++) {
		directory = argv[i];
		failed |= cmocka_run_group_tests(given, NULL, NULL);
	}
	return failed;
}
