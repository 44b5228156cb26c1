/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory records as the reader gives them: what is damaged is said and costs no more than it must.
 * The order of accesses around handlers is in the golden trace `memory`. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "../../golden/traces.h"

#define EVENTS 64

struct got {
	struct bob_access a[EVENTS];
	size_t count, damaged;
};

static struct bob_trace *open_file(const struct build *b)
{
	const struct bob_memory_file file = { b->name, b->bytes, b->len };
	struct bob_trace *t;

	assert_int_equal(bob_archive_open_memory(&file, 1, &t, NULL), BOB_OK);
	return t;
}

/* All accesses of a thread, `batch` at a time. */
static struct got read_all(const struct bob_trace *t, uint32_t thread, size_t batch)
{
	struct got g = { .count = 0 };
	struct bob_access_cursor *c;
	struct bob_error err;
	bob_status st;
	size_t n;

	assert_int_equal(bob_access_cursor_open(t, thread, &c, &err), BOB_OK);
	for (;;) {
		assert_true(g.count + batch <= EVENTS);
		st = bob_access_cursor_read(c, g.a + g.count, batch, &n, &err);
		if (st == BOB_END)
			break;
		if (st == BOB_ERR_CORRUPT) {
			assert_true(err.offset > 0);
			g.damaged++;
			continue;
		}
		assert_int_equal(st, BOB_OK);
		assert_true(n > 0);
		g.count += n;
	}
	assert_int_equal(bob_access_cursor_read(c, g.a, 1, &n, NULL), BOB_END);
	bob_access_cursor_close(c);
	return g;
}

static void begin(struct build *p)
{
	golden_memory_process(p);
	build_mem_descs(p, MEM_GUARDED, MEM_DESCS, 1);
	build_mem_thread(p, "one");
}

static void test_counts(void **state)
{
	struct bob_trace_sizes sizes;
	struct build p;
	struct bob_trace *t;

	(void)state;
	golden_memory_files(&p);
	t = open_file(&p);
	assert_int_equal(bob_trace_accesses(t, 0), 21);
	assert_int_equal(bob_trace_accesses(t, 1), 8);
	assert_int_equal(bob_trace_accesses(t, 2), 3);
	assert_int_equal(bob_trace_accesses(t, 3), 0);
	bob_trace_sizes(t, &sizes);
	assert_int_equal(sizes.accesses, 32);
	assert_int_equal(sizes.raw_bytes, 32 * 16);
	assert_int_equal(bob_trace_thread(t, 0)->stream_bytes, 8 * 36);
	assert_int_equal(bob_trace_thread(t, 2)->stream_bytes, 8 * 5);
	for (uint32_t i = 0; i < 3; i++)
		for (size_t batch = 1; batch < 8; batch++) {
			struct got g = read_all(t, i, batch);

			assert_int_equal(g.count, bob_trace_accesses(t, i));
			assert_int_equal(g.damaged, 0);
		}
	bob_trace_close(t);
	build_free(&p);
}

static void test_no_records(void **state)
{
	struct bob_access_cursor *c = NULL;
	struct build p;
	struct bob_trace *t;

	(void)state;
	begin(&p);
	t = open_file(&p);
	assert_int_equal(bob_access_cursor_open(t, 0, &c, NULL), BOB_NONE);
	assert_int_equal(bob_access_cursor_open(t, 1, &c, NULL), BOB_ERR_INVAL);
	assert_null(c);
	bob_access_cursor_close(c);
	bob_trace_close(t);
	build_free(&p);
}

/* One thread's words, then a second chunk that says it begins at `second`. */
static struct got with_words(const uint64_t *word, size_t count, uint64_t second)
{
	struct build p;
	struct bob_trace *t;
	struct got g;

	begin(&p);
	build_mem_raw(&p, 0, word, count, 0, MEM_SEALED);
	build_mem_raw(&p, 0, MEM_WORDS(MEM_HEAD(MEM_JIT), 0x40), second, MEM_SEALED);
	t = open_file(&p);
	g = read_all(t, 0, 2);
	assert_int_equal(g.count, bob_trace_accesses(t, 0));
	assert_int_equal(bob_trace_verify(t), BOB_OK);
	assert_int_equal(bob_trace_problem_count(t), g.damaged);
	bob_trace_close(t);
	build_free(&p);
	return g;
}

static void test_damage(void **state)
{
	struct got g;

	(void)state;
	g = with_words(MEM_WORDS(MEM_HEAD(MEM_JIT), 0x10, MEM_HEAD(MEM_JIT), 0x18), 4);
	assert_int_equal(g.count, 3);
	assert_int_equal(g.damaged, 0);
	/* a chunk is missing in between */
	g = with_words(MEM_WORDS(MEM_HEAD(MEM_JIT), 0x10), 8);
	assert_int_equal(g.count, 2);
	assert_int_equal(g.damaged, 1);
	assert_int_equal(g.a[0].flags, 0);
	assert_int_equal(g.a[1].flags, BOB_ACCESS_LOST);
	/* no descriptor of that number: the rest of the chunk is lost, the next goes on */
	g = with_words(MEM_WORDS(MEM_HEAD(MEM_JIT), 0x10, MEM_HEAD(MEM_DESCS), MEM_HEAD(MEM_JIT),
				 0x18),
		       5);
	assert_int_equal(g.count, 2);
	assert_int_equal(g.damaged, 1);
	assert_int_equal(g.a[1].address, 0x40);
	assert_int_equal(g.a[1].flags, BOB_ACCESS_LOST);
	/* no header where one must be */
	g = with_words(MEM_WORDS(MEM_HEAD(MEM_JIT), 0x10, 0x18), 3);
	assert_int_equal(g.damaged, 1);
	/* a record that does not fit its chunk */
	g = with_words(MEM_WORDS(MEM_HEAD(MEM_JIT), 0x10, MEM_HEAD(MEM_PAIR), 0x18), 4);
	assert_int_equal(g.count, 2);
	assert_int_equal(g.damaged, 1);
	/* a counter that does not reach its end: this record alone */
	g = with_words(MEM_WORDS(MEM_HEAD(MEM_COUNTED), 8, 0, 0, 15, MEM_HEAD(MEM_JIT), 0x18), 7);
	assert_int_equal(g.count, 2);
	assert_int_equal(g.damaged, 1);
	assert_int_equal(g.a[0].address, 0x18);
	assert_int_equal(g.a[0].flags, BOB_ACCESS_LOST);
	/* brackets that do not match; more repeated than there is */
	g = with_words(MEM_WORDS(MEM_HEAD(MEM_BEGIN), 1, 0, MEM_HEAD(MEM_END), MEM_HEAD(MEM_END),
				 MEM_HEAD(MEM_JIT), 0x10, MEM_HEAD(MEM_AGAIN), ~0ull),
		       9);
	assert_int_equal(g.count, 1);
	assert_int_equal(g.damaged, 0);
}

static void test_lost_descriptors(void **state)
{
	struct build p;
	struct bob_trace *t;
	struct got g;

	(void)state;
	begin(&p);
	build_mem_raw(&p, 0, MEM_WORDS(MEM_HEAD(MEM_GATHER), 0, MEM_HEAD(MEM_PAIR), 8, 8), 0,
		      MEM_SEALED);
	/* the first chunk of descriptors: its third is damaged, so it ends there */
	for (uint64_t off = BOB_FILE_HEAD_BYTES; off < p.len;) {
		struct bob_chunk_head *c = (struct bob_chunk_head *)(void *)(p.bytes + off);
		uint8_t *at = bob_chunk_data(c), scratch[512];

		if (c->kind == BOB_CHUNK_MEM_DESC && !c->aux)
			at[build_mem_desc(0, scratch) + build_mem_desc(1, scratch)] = 9;
		off += bob_chunk_bytes(c->size);
	}
	t = open_file(&p);
	assert_int_equal(bob_trace_problem_count(t), 1);
	g = read_all(t, 0, 3);
	assert_int_equal(g.count, 0);
	assert_int_equal(g.damaged, 1);
	bob_trace_close(t);
	build_free(&p);
}

/* Whatever one byte becomes, whatever is cut off: it is read, or said, and nothing else happens.
 * What a checksum covers is noticed. */
static void test_any_byte(void **state)
{
	struct build p;
	uint64_t len;

	(void)state;
	golden_memory_files(&p);
	len = p.len;
	for (uint64_t i = BOB_FILE_HEAD_BYTES; i < len; i++) {
		uint8_t was = p.bytes[i];
		struct bob_trace *t;

		p.bytes[i] ^= (uint8_t)(1u << (i % 8));
		t = open_file(&p);
		assert_int_equal(bob_trace_verify(t), BOB_OK);
		bob_trace_close(t);
		p.bytes[i] = was;
	}
	for (p.len = BOB_FILE_HEAD_BYTES; p.len < len; p.len += 8) {
		struct bob_trace *t = open_file(&p);

		assert_int_equal(bob_trace_verify(t), BOB_OK);
		bob_trace_close(t);
	}
	p.len = len;
	build_free(&p);
}

/* A file that is not aligned in memory is read all the same. */
static void test_unaligned(void **state)
{
	struct bob_memory_file file = { "p.bob", NULL, 0 };
	struct bob_trace *t;
	struct build p;
	uint8_t *copy;

	(void)state;
	golden_memory_files(&p);
	copy = malloc(p.len + 3);
	memcpy(copy + 3, p.bytes, p.len);
	file.bytes = copy + 3;
	file.len = p.len;
	assert_int_equal(bob_archive_open_memory(&file, 1, &t, NULL), BOB_OK);
	assert_int_equal(read_all(t, 0, 5).count, 21);
	assert_int_equal(read_all(t, 1, 5).count, 8);
	bob_trace_close(t);
	free(copy);
	build_free(&p);
}

/* A buffer that is left empty has the position of the next one; nothing is missing between them. */
static void test_empty_buffer(void **state)
{
	struct folded_descs *descs;
	struct folded_thread t;
	struct bob_trace *trace;
	char *text = NULL;
	struct build b;
	size_t len;
	FILE *to = open_memstream(&text, &len);

	(void)state;
	golden_memory_images(&b, 1);
	descs = build_folded_descs(&b, 0);
	folded_begin(&t, &b, descs, "empty", 1);
	folded_kernel(&t, 0x10000, 3);
	folded_next(&t); /* another buffer: a commit would cost too much yet */
	assert_int_equal(t.w.buffers.count, 2);
	folded_next(&t); /* now it does not, and the first one is used again */
	assert_int_equal(t.w.buffers.newest, 0);
	folded_one(&t, FOLD_A, 0x77770000);
	trace = open_file(&b);
	assert_int_equal(bob_archive_dump(trace, to), BOB_OK);
	fclose(to);
	assert_non_null(strstr(text, "L 0x77770000"));
	assert_null(strstr(text, "damaged"));
	bob_trace_close(trace);
	free(text);
	build_unmap(t.mem);
	free(descs);
	build_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counts),	 cmocka_unit_test(test_no_records),
		cmocka_unit_test(test_damage),	 cmocka_unit_test(test_lost_descriptors),
		cmocka_unit_test(test_any_byte), cmocka_unit_test(test_unaligned),
		cmocka_unit_test(test_empty_buffer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
