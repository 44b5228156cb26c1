/* SPDX-License-Identifier: BSD-3-Clause */
/* Moments of events: every value comes back, at any moment of writing, packed and packed again;
 * what is missing or damaged is said. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "archive/merge/merging.h"

#define ARENA (32u << 20)
#define CHUNKS 4000u
#define THREADS 5u
#define BASE 69262593195572u

static uint64_t seed = 1;

static uint64_t next(void)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return seed >> 20;
}

/* Of all sizes. */
static uint64_t value_of(uint64_t i)
{
	return i % 7 ? next() >> next() % 44 : i % 5 ? next() % 9 : ~0ull >> next() % 64;
}

/* --- a file in memory --- */

struct arena {
	struct bob_file file;
	uint8_t *bytes;
	size_t limit;		/* chunks that there may be */
};

static struct bob_chunk_head *new_chunk(void *ctx, enum bob_chunk_kind kind, uint32_t stream,
					uint64_t size, uint64_t aux, uint64_t *off)
{
	struct arena *a = ctx;
	struct bob_chunk_head *c = (void *)(a->bytes + a->file.size);

	if (a->file.chunk_count == a->limit)
		return NULL;
	*off = a->file.size;
	bob_chunk_begin(c, kind, stream, size, aux);
	a->file.chunks[a->file.chunk_count++].off = a->file.size + sizeof(*c);
	a->file.size += bob_chunk_bytes(size);
	assert_true(a->file.size < ARENA);
	return c;
}

static void arena_begin(struct arena *a, size_t limit)
{
	*a = (struct arena){ .bytes = aligned_alloc(64, ARENA), .limit = limit };
	memset(a->bytes, 0, ARENA);
	a->file.name = "memory";
	a->file.bytes = a->bytes;
	a->file.chunks = calloc(CHUNKS, sizeof(*a->file.chunks));
}

/* As a reader finds it now. */
static void arena_look(struct arena *a)
{
	for (size_t i = 0; i < a->file.chunk_count; i++) {
		struct bob_chunk_ref *c = &a->file.chunks[i];

		memcpy(&c->head, a->bytes + c->off - sizeof(c->head), sizeof(c->head));
		c->avail = c->head.size;
	}
	assert_int_equal(bob_chunks_sort(&a->file), BOB_OK);
}

static void arena_end(struct arena *a)
{
	free(a->bytes);
	free(a->file.chunks);
	free(a->file.by_stream);
}

/* What has been written there as chunks. */
static void arena_load(struct arena *a, FILE *f)
{
	arena_begin(a, CHUNKS);
	rewind(f);
	a->file.size = fread(a->bytes, 1, ARENA, f);
	for (uint64_t off = 0; off < a->file.size;) {
		const struct bob_chunk_head *c = (const void *)(a->bytes + off);

		a->file.chunks[a->file.chunk_count++].off = off + sizeof(*c);
		off += bob_chunk_bytes(c->size);
	}
	arena_look(a);
}

static struct bob_event_stream own_stream(struct arena *a, uint32_t stream)
{
	struct bob_event_stream s = { 0 };

	arena_look(a);
	assert_int_equal(bob_exact_list_own(NULL, &a->file, stream, &s.own_exact), BOB_OK);
	s.exact = s.own_exact.at;
	s.exact_count = s.own_exact.count;
	return s;
}

static void expect_values(const struct bob_event_stream *s, const uint64_t *value, size_t n)
{
	struct bob_exact_reader r;
	uint64_t v, now = BASE;
	bob_status st;
	size_t i = 0;

	bob_exact_open(&r, s);
	while ((st = bob_exact_next(&r, &v, NULL)) == BOB_OK) {
		assert_true(i < n);
		now += value[i];
		assert_int_equal(v, value[i++]);
		assert_int_equal(r.now_ns, now);
	}
	assert_int_equal(st, BOB_END);
	assert_int_equal(i, n);
	bob_exact_close(&r);
}

/* --- in the traced process --- */

/* The first one is 0: nothing was before it. */
static bob_status put_values(struct bob_exact *x, uint64_t *value, size_t n)
{
	uint64_t now = BASE;

	for (size_t i = 0; i < n; i++) {
		value[i] = i ? value_of(i) : 0;
		now += value[i];
		if (bob_exact_put(x, now) != BOB_OK)
			return BOB_ERR_FULL;
	}
	return BOB_OK;
}

static void test_every_moment(void **state)
{
	static uint64_t value[3000];
	struct arena a;
	struct bob_exact x;
	uint64_t now = BASE;

	(void)state;
	arena_begin(&a, CHUNKS);
	bob_exact_begin(&x, new_chunk, &a, 7);
	for (size_t i = 0; i < 3000; i++) {
		struct bob_event_stream s = own_stream(&a, 7);

		expect_values(&s, value, i);
		free(s.own_exact.at);
		value[i] = i ? value_of(i) : 0;
		now += value[i];
		assert_int_equal(bob_exact_put(&x, now), BOB_OK);
	}
	assert_true(a.file.chunk_count > 1);
	arena_end(&a);
}

static void test_full(void **state)
{
	static uint64_t value[200000];
	struct bob_event_stream s;
	struct bob_exact x;
	struct arena a;

	(void)state;
	arena_begin(&a, 3);
	bob_exact_begin(&x, new_chunk, &a, 7);
	assert_int_equal(put_values(&x, value, 200000), BOB_ERR_FULL);
	s = own_stream(&a, 7);
	assert_true(x.values > 1000);
	expect_values(&s, value, x.values);
	free(s.own_exact.at);
	arena_end(&a);
}

/* --- packed --- */

static void test_heads(void **state)
{
	struct bob_bytes heads = { 0 }, tails = { 0 };
	uint64_t value[400], back[400];
	size_t n = 0;

	(void)state;
	for (uint32_t bits = 0; bits < 64; bits++)
		for (uint32_t k = 0; k < 6; k++)
			value[n++] = k == 0 ? 1ull << bits :
				     k == 1 ? (1ull << bits) - 1 :
					      (1ull << bits) | (next() & ((1ull << bits) - 1));
	value[n++] = ~0ull;
	for (size_t used = 0; used <= n; used++) {
		heads.len = tails.len = 0;
		bob_exact_pack(value, used, &heads, &tails);
		assert_int_equal(heads.len, used);
		assert_int_equal(bob_exact_unpack(heads.at, used, tails.at, tails.len, back),
				 BOB_OK);
		assert_memory_equal(value, back, used * sizeof(*value));
	}
	assert_int_equal(bob_exact_unpack(heads.at, n, tails.at, tails.len - 1, back),
			 BOB_ERR_CORRUPT);
	assert_int_equal(bob_exact_unpack(heads.at, n - 3, tails.at, tails.len, back),
			 BOB_ERR_CORRUPT);
	heads.at[3] = 252;
	assert_int_equal(bob_exact_unpack(heads.at, n, tails.at, tails.len, back), BOB_ERR_CORRUPT);
	free(heads.at);
	free(tails.at);
}

static const size_t counts[THREADS] = { 300001, 0, 1, 2 * BOB_EXACT_SEGMENT, 777 };

struct written {
	struct arena own, packed, again;
	struct bob_event_stream stream[THREADS];
	uint64_t *value[THREADS];
};

static void pack(const struct bob_event_stream *s, struct arena *to)
{
	FILE *f = tmpfile();
	struct bob_exact_writer w;

	assert_non_null(f);
	assert_int_equal(bob_exact_writer_begin(&w, f), BOB_OK);
	for (uint32_t i = 0; i < THREADS; i++)
		assert_int_equal(bob_exact_writer_put(&w, &s[i], 1000ull << 32 | i, NULL), BOB_OK);
	assert_int_equal(bob_exact_writer_end(&w), BOB_OK);
	arena_load(to, f);
	assert_int_equal(w.used, to->file.size);
	fclose(f);
}

static void find(const struct bob_exact_parts *all, struct bob_event_stream *s)
{
	for (uint32_t i = 0; i < THREADS; i++) {
		s[i] = (struct bob_event_stream){ 0 };
		s[i].exact = bob_exact_find(all, 1000ull << 32 | i, &s[i].exact_count);
	}
}

static void test_packed(void **state)
{
	static struct written w;
	struct bob_event_stream found[THREADS];
	struct bob_exact_parts all = { 0 };

	(void)state;
	arena_begin(&w.own, CHUNKS);
	for (uint32_t i = 0; i < THREADS; i++) {
		struct bob_exact x;

		w.value[i] = malloc((counts[i] + 1) * sizeof(*w.value[i]));
		bob_exact_begin(&x, new_chunk, &w.own, i);
		assert_int_equal(put_values(&x, w.value[i], counts[i]), BOB_OK);
	}
	for (uint32_t i = 0; i < THREADS; i++)
		w.stream[i] = own_stream(&w.own, i);
	pack(w.stream, &w.packed);
	assert_int_equal(bob_exact_list_packed(NULL, &w.packed.file, &all), BOB_OK);
	find(&all, found);
	for (uint32_t i = 0; i < THREADS; i++)
		expect_values(&found[i], w.value[i], counts[i]);
	pack(found, &w.again);
	assert_int_equal(w.again.file.size, w.packed.file.size);
	assert_memory_equal(w.again.bytes, w.packed.bytes, w.packed.file.size);
	/* one part is missing */
	found[0].exact_count--;
	found[0].exact++;
	{
		struct bob_exact_reader r;
		uint64_t v;

		bob_exact_open(&r, &found[0]);
		assert_int_equal(bob_exact_next(&r, &v, NULL), BOB_ERR_CORRUPT);
		bob_exact_close(&r);
	}
	free(all.at);
	for (uint32_t i = 0; i < THREADS; i++) {
		free(w.value[i]);
		free(w.stream[i].own_exact.at);
	}
	arena_end(&w.own);
	arena_end(&w.packed);
	arena_end(&w.again);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_moment),
		cmocka_unit_test(test_full),
		cmocka_unit_test(test_heads),
		cmocka_unit_test(test_packed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
