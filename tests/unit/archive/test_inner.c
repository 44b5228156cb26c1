/* SPDX-License-Identifier: BSD-3-Clause */
/* What processes are, in one file for all: it comes back byte by byte, what they have in common is
 * there once, and leaves that say impossible things are refused. (Files of any bytes:
 * fuzz_inner.c.) */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../../golden/merged.h"
#include "archive/folds.h"
#include "archive/merge/inner.h"
#include "base/hash.h"

#define RANKS 256u
#define RANK_BYTES                                                                                 \
	36u /* of one rank more: pid, parent, three times and two addresses, at random: 25 bytes */
#define FILE_BYTES 16384u

static uint64_t random_of(uint32_t rank, uint32_t what)
{
	return bob_hash_mix((uint64_t)rank << 32 | (what + 1));
}

static void put_chunk(struct build *b, enum bob_chunk_kind kind, uint32_t stream, const void *bytes,
		      size_t len)
{
	struct bob_chunk_head *c = (struct bob_chunk_head *)(void *)(b->bytes + b->len);

	assert_true(b->len + bob_chunk_bytes(len) <= FILE_BYTES);
	bob_chunk_begin(c, kind, stream, len, 0);
	memcpy(c + 1, bytes, len);
	bob_chunk_seal(c, len);
	b->len += bob_chunk_bytes(len);
}

static void put_image(struct bob_meta *to, uint32_t rank, uint32_t i)
{
	struct bob_rec_image rec = { .image = i, .count = 7, .key = 99 + i, .build_id_len = 20,
				     .chosen = 1 };
	uint8_t body[128];
	int n;

	rec.bias = 0x550000000000 + (random_of(rank, i) % (1 << 28) << 12);
	memcpy(body, &rec, sizeof(rec));
	n = snprintf((char *)body + sizeof(rec), 64, "/usr/lib/libimage.so.%u.%u", i, 17 * i);
	bob_meta_put(to, BOB_REC_IMAGE, body, sizeof(rec) + (size_t)n);
}

/* A text of its own has every rank: no two are alike but for their length. */
static void put_env(struct bob_meta *to, uint32_t rank, int has_own)
{
	char text[256];
	int n = snprintf(text, sizeof(text),
			 "HOME=/users/name%cRANK=%u%cNODE=node%03u%cAT=0x%x%cTOTAL=%u%c", 0, rank,
			 0, rank / 64, 0, 0x1000 + 16 * rank, 0, RANKS, 0);

	if (has_own)
		n += snprintf(text + n, 64, "KEY=%08x.%08x%c", (uint32_t)random_of(rank, 8),
			      (uint32_t)random_of(rank, 9), 0);
	bob_meta_put(to, BOB_REC_ENV, text, (size_t)n);
}

static void make(struct build *b, uint32_t rank, int has_own)
{
	struct bob_stream_head s = { .run.codec = BOB_CODEC_NULL, .state = BOB_THREAD_AT_EXIT };
	const uint32_t numbers[] = { rank, RANKS };
	struct bob_file_head *h;
	struct bob_meta meta;
	uint8_t buf[2048];
	char host[16];

	memset(b, 0, sizeof(*b));
	b->bytes = aligned_alloc(4096, FILE_BYTES);
	assert_non_null(b->bytes);
	memset(b->bytes, 0, FILE_BYTES);
	h = build_head(b);
	snprintf(host, sizeof(host), "node%03u", rank / 64);
	bob_file_begin(h, BOB_FILE_PROCESS, host);
	h->pid = s.tid = 1000 + 3 * rank + (uint32_t)(random_of(rank, 2) % 3);
	h->ppid = h->pid - 1 - (uint32_t)(random_of(rank, 3) % 2);
	h->start_mono_ns = 1000000000 + random_of(rank, 4) % 100000000;
	h->start_real_ns = 1700000000000000000 + h->start_mono_ns;
	bob_file_seal(h);
	bob_name_process(b->name, sizeof(b->name), h->host, h->pid, 0);
	b->len = BOB_FILE_HEAD_BYTES;
	bob_meta_init(&meta, buf, sizeof(buf));
	bob_meta_put(&meta, BOB_REC_COMMAND, "./program\0--size=100", 21);
	put_env(&meta, rank, has_own);
	bob_meta_put(&meta, BOB_REC_RANK, numbers, sizeof(numbers));
	for (uint32_t i = 0; i < 2; i++)
		put_image(&meta, rank, i);
	put_chunk(b, BOB_CHUNK_META, BOB_STREAM_NONE, buf, meta.len);
	s.start_mono_ns = h->start_mono_ns + 5000000;
	s.end_mono_ns = 9000000000 + random_of(rank, 5) % 100000000;
	put_chunk(b, BOB_CHUNK_STREAM, 0, &s, sizeof(s));
	if (rank % 64 == 5)
		put_chunk(b, BOB_CHUNK_LOG, BOB_STREAM_NONE, "7 of 9 calls\n\n0x0\001", 18);
	bob_file_end(h, BOB_FILE_CLOSED, BOB_STOP_NONE,
		     s.end_mono_ns + random_of(rank, 6) % 1000000);
	bob_file_set_used(h, b->len);
}

static struct bob_trace *open_files(const struct build *b, size_t count)
{
	struct bob_memory_file *file = calloc(count, sizeof(*file));
	struct bob_trace *t;

	assert_non_null(file);
	for (size_t i = 0; i < count; i++)
		file[i] = (struct bob_memory_file){ b[i].name, b[i].bytes, b[i].len };
	assert_int_equal(bob_archive_open_running(file, count, &t, NULL), BOB_OK);
	for (uint32_t i = 0; i < bob_trace_problem_count(t); i++)
		print_error("%s: %s\n", bob_trace_problem(t, i)->file,
			    bob_trace_problem(t, i)->text);
	assert_int_equal(bob_trace_problem_count(t), 0);
	free(file);
	return t;
}

/* All in one, which is the caller's. */
static void merge(const struct build *b, size_t count, struct build *to)
{
	struct bob_trace *t = open_files(b, count);
	uint8_t is_in[RANKS];
	FILE *f = tmpfile();

	assert_non_null(f);
	assert_int_equal(bob_archive_merge_processes(t, 0, f, is_in, NULL), BOB_OK);
	bob_trace_close(t);
	build_of_file(f, "trace.bob", to);
}

/* The file of the process, which has a map of its images now. */
static void assert_same(const struct bob_file *f, const struct build *b)
{
	const size_t used = offsetof(struct bob_file_head, used), end = used + sizeof(uint64_t);

	assert_string_equal(f->name, b->name);
	assert_true(f->size > b->len);
	assert_memory_equal(f->bytes, b->bytes, used);
	assert_memory_equal(f->bytes + end, b->bytes + end, b->len - end);
}

static uint64_t check_ranks(uint32_t count, int has_own)
{
	struct build *b = calloc(count, sizeof(*b)), merged;
	struct bob_trace *t;
	uint64_t len;

	assert_non_null(b);
	for (uint32_t i = 0; i < count; i++)
		make(&b[i], i, has_own);
	merge(b, count, &merged);
	t = open_files(&merged, 1);
	assert_int_equal(bob_trace_process_count(t), count);
	for (uint32_t i = 0; i < count; i++)
		assert_same(t->processes[i]->file, &b[i]);
	bob_trace_close(t);
	for (uint32_t i = 0; i < count; i++)
		free(b[i].bytes);
	len = merged.len;
	build_free(&merged);
	free(b);
	return len;
}

static void test_comes_back(void **state)
{
	(void)state;
	for (uint32_t count = 2; count <= 9; count++)
		check_ranks(count, count % 2);
}

static void test_grows_by_what_differs(void **state)
{
	uint64_t few = check_ranks(RANKS / 2, 0), many = check_ranks(RANKS, 0);

	(void)state;
	assert_true(many - few < RANKS / 2 * RANK_BYTES);
	/* eight random bytes more, as 17 characters */
	many = check_ranks(RANKS, 1) - many;
	assert_true(many < RANKS * 24);
}

/* --- leaves that cannot be --- */

struct leaf {
	const char *key;
	size_t len;
	uint64_t word[BOB_INNER_HEAD_WORDS];
	uint32_t words;
};

#define LEAF(key, words, ...)                                                                      \
	{                                                                                          \
		key, sizeof(key) - 1, { __VA_ARGS__ }, words                                       \
	}
#define BEGIN LEAF("Np.bob", 0, 0), LEAF("H", 13, 1, 4096)

static bob_status read_leaves(const struct leaf *leaf, size_t count)
{
	uint8_t *mem = aligned_alloc(64, (bob_folder_size() + 63) & ~(size_t)63);
	struct bob_bytes entries = { 0 };
	struct bob_inner_file out = { 0 };
	struct bob_folder *folder;
	struct bob_folded *f;
	bob_status st;

	assert_non_null(mem);
	memset(mem, 0, bob_folder_size());
	folder = bob_folder_begin(mem, bob_bytes_take, &entries);
	for (size_t i = 0; i < count; i++) {
		uint32_t shape;

		assert_int_equal(bob_folder_shape(folder, leaf[i].key, leaf[i].len, 0,
						  leaf[i].words, &shape),
				 BOB_OK);
		bob_folder_put(folder, shape, leaf[i].word);
	}
	bob_folder_end(folder);
	assert_int_equal(bob_folded_open(entries.at, entries.len, 0, &bob_alloc_malloc, &f),
			 BOB_OK);
	st = bob_inner_read(f, 0, 1 << 20, &out);
	bob_folded_close(f);
	free(out.name.at);
	free(out.bytes.at);
	free(entries.at);
	free(mem);
	return st;
}

static void test_refuses(void **state)
{
	static const struct leaf good[] = { BEGIN, LEAF("C\1", 2, 3, 4), LEAF("R\1", 0, 0),
					    LEAF("Ta\0b\1", 2, 12, 255), LEAF("B\11", 2, 1, 2),
					    LEAF("Z", 1, 100) };
	static const struct leaf bad[][4] = {
		{ BEGIN, LEAF("C\1", 2, 3, 4), LEAF("Z", 1, 1ull << 60) }, /* beyond the budget */
		{ BEGIN, LEAF("R\1", 0, 0) },				   /* in no chunk */
		{ BEGIN, LEAF("Ta", 0, 0) },
		{ BEGIN, LEAF("C\1", 2, 3, 4), LEAF("Ta\0", 0, 0) }, /* a number too few */
		{ BEGIN, LEAF("C\1", 2, 3, 4), LEAF("Ta", 1, 0) },   /* one too many */
		{ BEGIN, LEAF("C\1", 2, 3, 4), LEAF("Ta\2", 0, 0) },
		{ BEGIN, LEAF("C\1", 2, 3, 4), LEAF("B\21", 2, 0) }, /* 17 bytes in two words */
		{ BEGIN, LEAF("C\1", 2, 3, 4), LEAF("B\10", 2, 0) },
		{ BEGIN, LEAF("C\1", 2, 3, 4), LEAF("B", 1, 0) },
		{ BEGIN, LEAF("C\1", 2, 3, 4), LEAF("I", 6, 0) },
		{ BEGIN, LEAF("C\1", 2, 3, 4), LEAF("S", 7, 0) },
		{ BEGIN, LEAF("C\1", 1, 3) },
		{ BEGIN, LEAF("C\xff\xff\7", 2, 3, 4) }, /* no such kind */
		{ BEGIN, LEAF("?", 0, 0) },
		{ BEGIN, LEAF("", 0, 0) },
		{ BEGIN, LEAF("H", 13, 1) },
		{ LEAF("H", 13, 1) }, /* no name */
		{ LEAF("Np.bob", 0, 0) }, /* no head */
		{ LEAF("N../p.bob", 0, 0), LEAF("H", 13, 1, 4096) }, /* another directory's */
		{ LEAF("Np.bo", 0, 0), LEAF("H", 13, 1, 4096) },
	};

	(void)state;
	assert_int_equal(read_leaves(good, sizeof(good) / sizeof(*good)), BOB_OK);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		size_t n = 0;

		while (n < 4 && bad[i][n].key)
			n++;
		assert_int_equal(read_leaves(bad[i], n), BOB_ERR_CORRUPT);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_comes_back),
		cmocka_unit_test(test_grows_by_what_differs),
		cmocka_unit_test(test_refuses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
