/* SPDX-License-Identifier: BSD-3-Clause */
/* The reader on traces built in memory: what was put in comes out, whatever is then done to a copy
 * of the bytes opens or fails cleanly, and no damage to a checksummed byte goes unnoticed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "../../golden/traces.h"
#include "base/crc.h"

static bob_status open_golden(const struct golden *g, struct bob_trace **t)
{
	struct bob_memory_file files[GOLDEN_FILES];

	for (size_t i = 0; i < g->count; i++) {
		files[i].name = g->files[i].name;
		files[i].bytes = g->files[i].bytes;
		files[i].len = g->files[i].len;
	}
	return bob_archive_open_memory(files, g->count, t, NULL);
}

static char *dump(const struct bob_trace *t, size_t *len)
{
	char *text = NULL;
	FILE *f = open_memstream(&text, len);

	assert_int_equal(bob_archive_dump(t, f), BOB_OK);
	fclose(f);
	return text;
}

/* --- a sound trace --- */

static void process_facts(void **state)
{
	struct golden g = { .count = 0 };
	struct bob_trace *t;
	struct bob_function_info fn;
	const struct bob_mark_info *marks;
	uint32_t reason;

	(void)state;
	golden_calls_trace(&g);
	assert_int_equal(open_golden(&g, &t), BOB_OK);
	assert_int_equal(bob_trace_process_count(t), 2);
	assert_int_equal(bob_trace_thread_count(t), 6);
	assert_int_equal(bob_trace_process(t, 0)->pid, 100);
	assert_int_equal(bob_trace_process(t, 0)->rank, 0);
	assert_int_equal(bob_trace_process(t, 0)->state, BOB_FILE_CLOSED);
	assert_int_equal(bob_trace_process(t, 0)->parent, ~0u);
	assert_int_equal(bob_trace_process(t, 1)->parent, 0);
	assert_int_equal(bob_trace_process(t, 1)->first_thread, 4);
	assert_null(bob_trace_process(t, 2));
	assert_string_equal(bob_trace_process(t, 0)->argv[1], "-n");
	assert_null(bob_trace_process(t, 0)->argv[3]);
	assert_string_equal(bob_trace_process(t, 0)->config[0], "BOBBIN_CODEC=run");
	assert_string_equal(bob_trace_log(t, 0), "golden log\nsecond line\n");
	assert_string_equal(bob_trace_skipped_image(t, 0, 0, &reason), "/usr/lib/libc.so.6");
	assert_int_equal(reason, BOB_SKIP_IMAGES);
	assert_string_equal(bob_trace_image(t, 0, 0)->soname, "prog");
	assert_string_equal(bob_trace_image(t, 0, 1)->soname, "libgold.so");
	assert_int_equal(bob_trace_function(t, 0, 21, &fn), BOB_OK);
	assert_string_equal(fn.name, "f1");
	assert_int_equal(fn.image, 1);
	assert_int_equal(bob_trace_function(t, 0, 3, &fn), BOB_OK);
	assert_int_equal(fn.skip, BOB_SKIP_SHORT);
	assert_int_equal(bob_trace_function(t, 0, 35, &fn), BOB_NONE);
	assert_int_equal(bob_trace_marks(t, 0, &marks), 2);
	assert_int_equal(marks[1].pos, 9);
	assert_int_equal(bob_trace_marks(t, 1, &marks), 0);
	assert_int_equal(bob_trace_thread(t, 5)->events, 77);
	assert_int_equal(bob_trace_thread(t, 4)->events, 502);
	assert_int_equal(bob_trace_verify(t), BOB_OK);
	for (uint32_t i = 0; i < bob_trace_problem_count(t); i++)
		assert_string_equal(bob_trace_problem(t, i)->text,
				    "the file of an image is missing");
	bob_trace_close(t);
	golden_free(&g);
}

/* --- symbols and events against a plain model --- */

struct collect {
	uint32_t *syms;
	size_t n;
};

static int collect(void *ctx, const uint32_t *syms, size_t n)
{
	struct collect *c = ctx;

	memcpy(c->syms + c->n, syms, n * sizeof(*syms));
	c->n += n;
	return 0;
}

#define MANY 400000u

/* A stream long enough for several real blocks; returns the symbols. */
static uint32_t *long_stream(struct build *b, enum bob_codec codec, struct build_stream **out)
{
	uint32_t *syms = malloc(MANY * sizeof(*syms)), x = 1, depth = 0;
	struct build_stream *s;

	build_process(b, 7, 1, 0, 1);
	s = build_stream(b, codec, 65536, "long");
	for (uint32_t i = 0; i < MANY; i++) {
		x = x * 1664525u + 1013904223u;
		uint32_t pops = depth ? (x >> 22) % (depth > 20 ? 20 : depth + 1) : 0;

		syms[i] = bob_sym_make(pops, (x >> 12) & 1023);
		depth = depth - pops + 1;
		build_put(s, syms[i]);
	}
	*out = s;
	return syms;
}

static void one_file(const struct build *b, uint64_t len, struct bob_trace **t, bob_status want)
{
	struct bob_memory_file f = { b->name, b->bytes, len };

	assert_int_equal(bob_archive_open_memory(&f, 1, t, NULL), want);
}

static void symbols_come_back(void **state)
{
	static const enum bob_codec codec[] = { BOB_CODEC_RUN, BOB_CODEC_PARLOT, BOB_CODEC_NONE };

	(void)state;
	for (int k = 0; k < 3; k++) {
		struct collect c = { malloc((MANY + 1) * sizeof(uint32_t)), 0 };
		struct build_stream *s;
		struct bob_trace *t;
		struct build b;
		uint32_t *syms = long_stream(&b, codec[k], &s);

		one_file(&b, b.len, &t, BOB_OK);
		assert_int_equal(bob_trace_problem_count(t), 0);
		assert_int_equal(bob_trace_symbols(t, 0, collect, &c, NULL), BOB_OK);
		assert_int_equal(c.n, MANY);
		assert_memory_equal(c.syms, syms, MANY * sizeof(*syms));
		assert_int_equal(bob_trace_thread(t, 0)->events, MANY);
		bob_trace_close(t);
		free(c.syms);
		free(syms);
		build_free(&b);
	}
}

/* Truncated anywhere, what is given is a prefix of the truth. */
static void truncated_stream(void **state)
{
	static const enum bob_codec codec[] = { BOB_CODEC_RUN, BOB_CODEC_PARLOT, BOB_CODEC_NONE };

	(void)state;
	for (int k = 0; k < 3; k++) {
		struct build_stream *s;
		struct build b;
		uint32_t *syms = long_stream(&b, codec[k], &s);
		struct collect c = { malloc((MANY + 1) * sizeof(uint32_t)), 0 };
		size_t best = 0;

		for (uint64_t len = 8192; len < b.len; len += b.len / 23) {
			struct bob_trace *t;

			one_file(&b, len, &t, BOB_OK);
			c.n = 0;
			assert_int_equal(bob_trace_symbols(t, 0, collect, &c, NULL), BOB_OK);
			assert_true(c.n <= MANY);
			assert_memory_equal(c.syms, syms, c.n * sizeof(*syms));
			assert_true(c.n == MANY || bob_trace_problem_count(t) > 0);
			best = c.n > best ? c.n : best;
			bob_trace_close(t);
		}
		assert_true(best > MANY / 2);
		free(c.syms);
		free(syms);
		build_free(&b);
	}
}

/* Seeking to any place gives the events that reading from the start gives. */
static void seek_equals_read(void **state)
{
	struct golden g = { .count = 0 };
	struct bob_trace *t;

	(void)state;
	golden_calls_trace(&g);
	golden_blocks_trace(&g);
	assert_int_equal(open_golden(&g, &t), BOB_OK);
	for (uint32_t th = 0; th < bob_trace_thread_count(t); th++) {
		uint64_t n = bob_trace_thread(t, th)->symbols;
		struct bob_cursor *a, *b;
		struct bob_event x, y;

		if (bob_trace_thread(t, th)->codec == BOB_CODEC_NULL)
			continue;
		assert_int_equal(bob_cursor_open(t, th, &a, NULL), BOB_OK);
		assert_int_equal(bob_cursor_open(t, th, &b, NULL), BOB_OK);
		for (uint64_t pos = n; pos-- > 0;) {
			bob_status st = bob_cursor_seek(a, 0, NULL);
			size_t da, db;

			assert_int_equal(st, BOB_OK);
			assert_int_equal(bob_cursor_seek(b, pos, NULL), BOB_OK);
			while ((st = bob_cursor_next(a, &x, NULL)) == BOB_OK && x.pos < pos)
				;
			assert_int_equal(bob_cursor_next(b, &y, NULL), st);
			if (st == BOB_OK)
				assert_memory_equal(&x, &y, sizeof(x));
			bob_cursor_stack(a, &da);
			bob_cursor_stack(b, &db);
			assert_int_equal(da, db);
		}
		bob_cursor_close(a);
		bob_cursor_close(b);
	}
	bob_trace_close(t);
	golden_free(&g);
}

/* --- damage --- */

/* Is byte `at` of the file under a checksum? Commit words, head states, unused space and padding
 * are not. */
static int is_covered(const struct build *b, uint64_t at)
{
	uint64_t off = BOB_FILE_HEAD_BYTES;

	if (at < offsetof(struct bob_file_head, used))
		return 1;
	while (off < b->len) {
		struct bob_chunk_head h;

		memcpy(&h, b->bytes + off, sizeof(h));
		if (at >= off && at < off + offsetof(struct bob_chunk_head, flags))
			return 1;
		if (at >= off + 8 && at < off + 8 + 24) /* stream crc size aux */
			return 1;
		if (at >= off + offsetof(struct bob_chunk_head, head_crc) &&
		    at < off + offsetof(struct bob_chunk_head, reserved))
			return 1;
		if (h.flags & BOB_CHUNK_SEALED && at >= off + sizeof(h) &&
		    at < off + sizeof(h) + h.len)
			return 1;
		off += bob_chunk_bytes(h.size);
	}
	return 0;
}

/* Bits that turn a count into a claim of 2^32 symbols only make the test slow. */
static uint8_t gentle_flip(const struct build *b, uint64_t at)
{
	for (uint32_t i = 0; i < b->stream_count; i++) {
		uint64_t head = (uint64_t)((const uint8_t *)b->streams[i].head - b->bytes);

		if (at >= head && at < head + sizeof(struct bob_run_head) && (at - head) % 8 >= 2 &&
		    (at - head) % 8 < 5)
			return 0;
	}
	return (uint8_t)(1u << at % 8);
}

static void read_all(struct bob_trace *t)
{
	size_t len;

	assert_int_equal(bob_trace_verify(t), BOB_OK);
	free(dump(t, &len));
}

/* Does `t` report a loss that `sound` does not? */
static int new_loss(const struct bob_trace *t, const struct bob_trace *sound)
{
	for (uint32_t i = 0; i < bob_trace_problem_count(t); i++) {
		const struct bob_problem *p = bob_trace_problem(t, i), *q;
		uint32_t k = 0;

		while ((q = bob_trace_problem(sound, k)) &&
		       (strcmp(p->text, q->text) || p->file != q->file))
			k++;
		if (!q && p->lost)
			return 1;
	}
	return 0;
}

static void flip_bytes(struct golden *g, struct build *b, const struct bob_trace *sound)
{
	struct bob_trace *t;

	for (uint64_t at = 0; at < b->len; at++) {
		uint8_t flip;

		if (at == sizeof(struct bob_file_head)) /* zeros up to the first chunk */
			at = BOB_FILE_HEAD_BYTES;
		flip = gentle_flip(b, at);
		b->bytes[at] ^= flip;
		if (open_golden(g, &t) == BOB_OK) {
			read_all(t);
			if (flip && is_covered(b, at) && !new_loss(t, sound))
				fail_msg("flip at %lu of %s goes unnoticed", (unsigned long)at,
					 b->name);
			bob_trace_close(t);
		}
		b->bytes[at] ^= flip;
	}
}

static void cut_off(struct golden *g, struct build *b, const struct bob_trace *sound)
{
	uint64_t whole = b->len;
	struct bob_trace *t;

	for (b->len = whole - 1; b->len > BOB_FILE_HEAD_BYTES - 8; b->len--) {
		if (open_golden(g, &t) != BOB_OK)
			continue;
		read_all(t);
		if (!new_loss(t, sound))
			fail_msg("%s cut at %lu goes unnoticed", b->name, (unsigned long)b->len);
		bob_trace_close(t);
	}
	b->len = whole;
}

static void damage_file(struct golden *g, size_t k)
{
	struct bob_trace *sound;

	assert_int_equal(open_golden(g, &sound), BOB_OK);
	assert_int_equal(bob_trace_verify(sound), BOB_OK);
	flip_bytes(g, &g->files[k], sound);
	cut_off(g, &g->files[k], sound);
	bob_trace_close(sound);
}

static void damage_everywhere(void **state)
{
	struct golden g = { .count = 0 };

	(void)state;
	golden_small_trace(&g);
	for (size_t k = 0; k < g.count; k++)
		damage_file(&g, k);
	golden_free(&g);
}

/* --- a window that a killed collector took and never used --- */

#define WINDOW (64u << 10)

static struct bob_chunk_head *put_chunk(uint8_t *at, uint8_t *end, enum bob_chunk_kind kind)
{
	struct bob_chunk_head *h = (void *)at;

	bob_chunk_begin(h, kind, BOB_STREAM_NONE, (uint64_t)(end - at) - sizeof(*h), 0);
	return h;
}

/* How many problems a file has whose second window is zeros, but for its byte at `at`. */
static uint32_t problems_of_hole(enum bob_chunk_kind first, size_t at)
{
	uint8_t *file = calloc(3, WINDOW);
	struct bob_file_head *head = (void *)file;
	struct bob_memory_file f = { "phost.7.0.bob", file, 3 * WINDOW };
	uint8_t *chunks = file + BOB_FILE_HEAD_BYTES;
	struct bob_trace *t;
	uint32_t problems;

	assert_non_null(file);
	bob_file_begin(head, BOB_FILE_PROCESS, "host");
	head->pid = 7;
	bob_file_seal(head);
	put_chunk(chunks, chunks + 256, first);
	put_chunk(chunks + 256, file + WINDOW, BOB_CHUNK_PAD);
	put_chunk(file + 2 * WINDOW, file + 3 * WINDOW, BOB_CHUNK_PAD);
	bob_file_set_used(head, 3 * WINDOW);
	bob_file_end(head, BOB_FILE_CLOSED, BOB_STOP_NONE, 1);
	if (at)
		file[WINDOW + at] = 1;
	assert_int_equal(bob_archive_open_memory(&f, 1, &t, NULL), BOB_OK);
	problems = bob_trace_problem_count(t);
	bob_trace_close(t);
	free(file);
	return problems;
}

static void window_never_used(void **state)
{
	uint32_t others;

	(void)state;
	others = problems_of_hole(BOB_CHUNK_COLLECTOR, 0);
	assert_int_equal(problems_of_hole(BOB_CHUNK_COLLECTOR, 1), others + 1);
	assert_int_equal(problems_of_hole(BOB_CHUNK_COLLECTOR, WINDOW - 1), others + 1);
	assert_int_equal(problems_of_hole(BOB_CHUNK_PAD, 0), others + 1);
}

static void no_trace(void **state)
{
	struct bob_error err;
	struct bob_trace *t = NULL;

	(void)state;
	assert_int_equal(bob_trace_open("/nonexistent/x", &t, &err), BOB_ERR_NOENT);
	assert_null(t);
	assert_int_equal(bob_archive_open_memory(NULL, 0, &t, &err), BOB_ERR_NOENT);
	bob_trace_close(NULL);
	bob_cursor_close(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(process_facts),    cmocka_unit_test(symbols_come_back),
		cmocka_unit_test(truncated_stream), cmocka_unit_test(seek_equals_read),
		cmocka_unit_test(damage_everywhere), cmocka_unit_test(window_never_used),
		cmocka_unit_test(no_trace),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
