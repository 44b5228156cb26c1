/* SPDX-License-Identifier: BSD-3-Clause */
/* Shapes of variables: subscripts against counting by hand, several shapes of one address, invalid
 * records, and merging. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "../../golden/traces.h"
#include "bobbin/trace.h"

static struct bob_trace *open_files(const struct golden *g)
{
	struct bob_memory_file files[GOLDEN_FILES];
	struct bob_trace *t;

	for (size_t i = 0; i < g->count; i++)
		files[i] = (struct bob_memory_file){ g->files[i].name, g->files[i].bytes,
						     g->files[i].len };
	assert_int_equal(bob_archive_open_memory(files, g->count, &t, NULL), BOB_OK);
	return t;
}

/* All elements of a variable in three loops, the fastest innermost. */
static void count_by_hand(const struct bob_trace *t, uint64_t base, uint32_t element,
			  const int64_t lower[3], const int64_t extent[3])
{
	uint64_t at = base;
	struct bob_shape s;

	for (int64_t k = 0; k < extent[2]; k++)
		for (int64_t j = 0; j < extent[1]; j++)
			for (int64_t i = 0; i < extent[0]; i++, at += element) {
				assert_int_equal(bob_trace_shape(t, 0, at + element - 1, &s),
						 BOB_OK);
				assert_true(s.inside);
				assert_int_equal(s.offset, element - 1);
				assert_int_equal(s.number, (at - base) / element);
				assert_int_equal(s.subscript[0], lower[0] + i);
				assert_true(s.rank < 2 || s.subscript[1] == lower[1] + j);
				assert_true(s.rank < 3 || s.subscript[2] == lower[2] + k);
			}
}

static void check_all(const struct bob_trace *t)
{
	struct bob_shape s;

	count_by_hand(t, SHAPE_AT(0), 4, (const int64_t[]){ 0, 0, 0 },
		      (const int64_t[]){ 50, 100, 1 });
	count_by_hand(t, SHAPE_AT(2), 8, (const int64_t[]){ -1, 1, 0 },
		      (const int64_t[]){ 4, 3, 2 });
	count_by_hand(t, SHAPE_AT(3), 8, (const int64_t[]){ 1, 1, 0 },
		      (const int64_t[]){ 10, 7, 1 });
	assert_int_equal(bob_trace_shape(t, 0, SHAPE_AT(0), &s), BOB_OK);
	assert_int_equal(s.rank, 2);
	assert_true(s.rows_first);
	assert_int_equal(s.elements, 5000);
	assert_int_equal(s.variants, 1);
	assert_int_equal(bob_trace_shape(t, 0, SHAPE_AT(1) + 3, &s), BOB_OK);
	assert_int_equal(s.rank, 0);
	assert_int_equal(s.offset, 3);
	assert_true(s.inside);
	assert_int_equal(bob_trace_shape(t, 0, SHAPE_AT(3), &s), BOB_OK);
	assert_int_equal(s.variants, 2);
	assert_false(s.varies); /* only how many columns there are */
	assert_int_equal(bob_trace_shape(t, 0, SHAPE_AT(4), &s), BOB_OK);
	assert_int_equal(s.variants, 2);
	assert_true(s.varies);
	assert_int_equal(s.elements, 100);
	assert_int_equal(bob_trace_shape(t, 0, SHAPE_AT(5) + (1ull << 47), &s), BOB_OK);
	assert_true(s.subscript[0] == -(1ll << 62) + (1ll << 47));
	assert_int_equal(bob_trace_shape(t, 0, SHAPE_AT(0) - 1, &s), BOB_NONE);
	assert_int_equal(bob_trace_shape(t, 0, SHAPE_AT(0) + 4 * 5000, &s), BOB_NONE);
	assert_int_equal(bob_trace_shape(t, 2, SHAPE_AT(0), &s), BOB_NONE);
	for (uint32_t i = 0; i < 6; i++) {
		assert_int_equal(bob_trace_shape_at(t, 0, i, &s), BOB_OK);
		assert_true(s.address == SHAPE_AT(i) && s.element);
	}
	assert_int_equal(bob_trace_shape_at(t, 0, 6, &s), BOB_NONE);
}

static void subscripts(void **state)
{
	struct golden g = { .count = 0 };
	struct bob_trace *t;

	(void)state;
	golden_shapes_trace(&g);
	t = open_files(&g);
	check_all(t);
	bob_trace_close(t);
	golden_free(&g);
}

/* What lies in a trace file is the same. */
static void merged(void **state)
{
	struct golden g = { .count = 0 };
	struct bob_memory_file file = { .name = "trace.bob" };
	struct bob_trace *t, *m;
	uint8_t is_in[2], *bytes;
	struct bob_shape s;
	FILE *f = tmpfile();

	(void)state;
	assert_non_null(f);
	for (uint32_t i = 0; i < 2; i++) {
		struct build *b = golden_file(&g);

		golden_memory_images(b, 500 + i);
		golden_shapes_meta(b);
		build_mem_thread(b, "one");
		bob_file_end(build_head(b), BOB_FILE_CLOSED, BOB_STOP_NONE, 9000);
	}
	t = open_files(&g);
	assert_int_equal(bob_trace_shape(t, 1, SHAPE_AT(0), &s), BOB_OK);
	assert_int_equal(bob_archive_merge_processes(t, 0, f, is_in, NULL), BOB_OK);
	fseek(f, 0, SEEK_END);
	file.len = (size_t)ftell(f);
	bytes = aligned_alloc(64, (file.len + 63) & ~(size_t)63);
	assert_non_null(bytes);
	rewind(f);
	assert_int_equal(fread(bytes, 1, file.len, f), file.len);
	file.bytes = bytes;
	assert_int_equal(bob_archive_open_memory(&file, 1, &m, NULL), BOB_OK);
	check_all(m);
	assert_int_equal(bob_trace_shape(m, 1, SHAPE_AT(0), &s), BOB_OK);
	bob_trace_close(m);
	bob_trace_close(t);
	free(bytes);
	fclose(f);
	golden_free(&g);
}

static void no_shapes(void **state)
{
	struct golden g = { .count = 0 };
	uint8_t buf[1024];
	struct bob_trace *t;
	struct bob_meta m;
	struct bob_shape s;
	uint32_t n = 0;

	(void)state;
	golden_memory_images(golden_file(&g), 1);
	bob_meta_init(&m, buf, sizeof(buf));
	build_no_shapes(&m);
	build_sealed(&g.files[0], BOB_CHUNK_META, 0, buf, m.len);
	t = open_files(&g);
	assert_int_equal(bob_trace_shape(t, 0, SHAPE_BASE, &s), BOB_NONE);
	assert_int_equal(bob_trace_shape_at(t, 0, 0, &s), BOB_NONE);
	for (uint32_t i = 0; i < bob_trace_problem_count(t); i++)
		n += strstr(bob_trace_problem(t, i)->text, "shape record") != NULL;
	assert_int_equal(n, 9);
	bob_trace_close(t);
	golden_free(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(subscripts),
		cmocka_unit_test(merged),
		cmocka_unit_test(no_shapes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
