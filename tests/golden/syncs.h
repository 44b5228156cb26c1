/* SPDX-License-Identifier: BSD-3-Clause */
/* Three threads that synchronise in all ways, one of them recorded raw; and debug information of
 * their image, with every kind of place. Marks are created in the order of the events, so their
 * numbers are those that an engine would assign. */
#ifndef BOB_TESTS_GOLDEN_SYNCS_H
#define BOB_TESTS_GOLDEN_SYNCS_H

#include "archive/memory/source_info.h"
#include "folded.h"
#include "mem/sync.h"

/* Descriptors: number k is the mark of kind k, and these. 0 is not used. */
enum { SYNC_LOAD = BOB_SYNC_KIND_COUNT, SYNC_STORE, SYNC_DESCS };

#define SYNC_THREADS 3u
#define SYNC_RAW_WORDS 65536u

struct sync_program {
	struct build *b;
	struct bob_mem_desc desc[SYNC_DESCS];
	uint64_t turn[BOB_SYNC_PLACES];
	uint64_t raw[SYNC_RAW_WORDS];
	uint64_t raw_count;
	struct folded_thread folded[SYNC_THREADS]; /* [0] is not used */
	uint64_t random;
};

static inline void sync_desc(uint32_t number, struct bob_mem_desc *d)
{
	static const struct bob_mem_access load = { 0, 0, 8, 0, 0, MEM_NONE, 0 };
	static const struct bob_mem_access store = { 0, 0, 8, 1, 0, MEM_NONE, 0 };

	*d = (struct bob_mem_desc){ .pc = 0x1000 + 0x10ull * number, .kind = BOB_MEM_BLOCK,
				    .sp_word = MEM_NONE, .words = 1, .access_count = 1 };
	d->access = number == SYNC_LOAD ? &load : &store;
	if (number >= SYNC_LOAD)
		return;
	d->kind = BOB_MEM_MARK;
	d->mark = BOB_MEM_SYNC;
	d->sync = (uint8_t)number;
	/* more words than its kind has are nobody's business */
	d->words = bob_sync_kinds[number].words + (number == BOB_SYNC_SINGLE);
	d->access_count = 0;
	d->access = NULL;
}

static inline const struct bob_mem_desc *sync_find_desc(void *ctx, uint32_t number)
{
	struct sync_program *p = ctx;

	return number && number < SYNC_DESCS ? &p->desc[number] : NULL;
}

static inline void sync_descs(struct sync_program *p)
{
	struct bob_chunk_head *c = build_chunk(p->b, BOB_CHUNK_MEM_DESC, BOB_STREAM_NONE, 1024, 1);
	uint8_t *to = bob_chunk_data(c);
	uint64_t len = 0;

	for (uint32_t i = 1; i < SYNC_DESCS; i++) {
		sync_desc(i, &p->desc[i]);
		len += bob_mem_desc_put(&p->desc[i], to + len);
	}
	assert(len <= 1024);
	bob_chunk_seal(c, len);
}

static inline void sync_threads(struct sync_program *p)
{
	static const char *const name[] = { "main", "worker", "worker" };

	for (uint32_t i = 0; i < SYNC_THREADS; i++) {
		struct folded_thread *t = &p->folded[i];
		uint32_t stream = build_mem_thread(p->b, name[i]);
		bob_status st;

		if (!i)
			continue;
		t->b = p->b;
		t->mem = build_map(bob_mem_writer_size());
		st = bob_mem_writer_begin(&t->w, t->mem, folded_chunk, p->b, stream, sync_find_desc,
					  p);
		assert(st == BOB_OK);
		(void)st;
		folded_next(t);
	}
}

static inline void sync_put(struct sync_program *p, uint32_t thread, uint32_t number,
			    const uint64_t *word)
{
	uint32_t words = p->desc[number].words;

	if (thread) {
		folded_put(&p->folded[thread], number, word, words);
		return;
	}
	assert(p->raw_count + 1 + words <= SYNC_RAW_WORDS);
	p->raw[p->raw_count++] = MEM_HEAD(number);
	memcpy(p->raw + p->raw_count, word, words * 8);
	p->raw_count += words;
}

static inline void sync_access(struct sync_program *p, uint32_t thread, uint32_t desc,
			       uint64_t address)
{
	sync_put(p, thread, desc, &address);
}

/* A mark that gives, awaits, or orders nothing. */
static inline void sync_mark(struct sync_program *p, uint32_t thread, enum bob_sync_kind kind,
			     uint64_t object, uint64_t number)
{
	sync_put(p, thread, kind, (const uint64_t[]){ object, number });
}

static inline void sync_turn(struct sync_program *p, uint32_t thread, enum bob_sync_kind kind,
			     uint64_t object)
{
	sync_mark(p, thread, kind, object, p->turn[bob_sync_place(object)]++);
}

static inline void sync_locked(struct sync_program *p, uint32_t thread, uint64_t mutex,
			       uint64_t address)
{
	sync_turn(p, thread, BOB_SYNC_LOCK, mutex);
	sync_access(p, thread, SYNC_LOAD, address);
	sync_access(p, thread, SYNC_STORE, address);
	sync_turn(p, thread, BOB_SYNC_UNLOCK, mutex);
}

/* In turns, and then as it comes; of two locks in one place. */
static inline void sync_locks(struct sync_program *p)
{
	uint64_t mutex = 0x555500004040, other = mutex;

	do
		other += 8;
	while (bob_sync_place(other) != bob_sync_place(mutex));
	for (uint64_t i = 0; i < 30; i++)
		for (uint32_t t = 1; t <= 2; t++)
			sync_locked(p, t, mutex, 0x555500004100);
	for (uint64_t i = 0; i < 40; i++) {
		p->random = p->random * 6364136223846793005u + 1442695040888963407u;
		sync_locked(p, 1 + (p->random >> 33) % 2, i % 3 ? mutex : other,
			    0x555500004108 + 8 * i);
	}
}

/* Every kind that takes turns, once; and what orders nothing. */
static inline void sync_once(struct sync_program *p)
{
	for (uint32_t k = 1; k < BOB_SYNC_KIND_COUNT; k++) {
		uint64_t object = 0x7ffe00000000 + 8 * k;

		if (bob_sync_kinds[k].rule == BOB_SYNC_TURN)
			sync_turn(p, k % SYNC_THREADS, k, object);
		else if (bob_sync_kinds[k].rule == BOB_SYNC_NOTE)
			sync_mark(p, k % SYNC_THREADS, k, object, 7);
	}
}

static inline void sync_barriers(struct sync_program *p)
{
	for (uint64_t round = 1; round <= 5; round++) {
		for (uint32_t t = 0; t < SYNC_THREADS; t++) {
			sync_access(p, t, SYNC_LOAD, 0x555500005000 + 64 * t + 8 * round);
			sync_mark(p, t, BOB_SYNC_ARRIVE, 0x555500004060, 0);
		}
		for (uint32_t t = 0; t < SYNC_THREADS; t++)
			sync_mark(p, t, BOB_SYNC_LEAVE, 0x555500004060, 3 * round);
	}
}

/* Four regions of a team of two, each with a barrier. Its object is 0: that of thread 0. */
static inline void sync_regions(struct sync_program *p)
{
	for (uint64_t r = 1; r <= 4; r++) {
		sync_mark(p, 0, BOB_SYNC_FORK, 0, 0);
		for (uint32_t t = 0; t < 2; t++)
			sync_mark(p, t, BOB_SYNC_TEAM_BEGIN, 0, r);
		for (uint32_t t = 0; t < 2; t++)
			sync_mark(p, t, BOB_SYNC_TEAM_ARRIVE, 0, 0);
		for (uint32_t t = 0; t < 2; t++) {
			sync_mark(p, t, BOB_SYNC_TEAM_LEAVE, 0, 2 * r);
			sync_access(p, t, SYNC_STORE, 0x7ffd00001000 + 8 * r);
			sync_mark(p, t, BOB_SYNC_TEAM_END, 0, 0);
		}
		sync_mark(p, 0, BOB_SYNC_TEAM_JOIN, 0, 2 * r);
	}
}

static inline void golden_syncs_process(struct build *b)
{
	struct sync_program *p = calloc(1, sizeof(*p));

	assert(p);
	golden_memory_images(b, 800);
	p->b = b;
	sync_descs(p);
	sync_threads(p);
	for (uint64_t i = 1; i < SYNC_THREADS; i++) {
		sync_mark(p, 0, BOB_SYNC_CREATE, i, 0);
		sync_mark(p, (uint32_t)i, BOB_SYNC_BEGIN, i, 0);
	}
	sync_locks(p);
	sync_once(p);
	sync_barriers(p);
	sync_regions(p);
	for (uint64_t i = 1; i < SYNC_THREADS; i++) {
		folded_end(&p->folded[i]);
		sync_mark(p, 0, BOB_SYNC_JOIN, i, 0);
	}
	build_mem_raw(b, 0, p->raw, p->raw_count, 0, MEM_SEALED);
	bob_file_end(build_head(b), BOB_FILE_CLOSED, BOB_STOP_NONE, 9000);
	free(p);
}

/* --- lines and variables --- */

struct sync_bytes {
	uint8_t at[1024];
	size_t len;
};

static inline void sync_take(void *ctx, const void *bytes, size_t len)
{
	struct sync_bytes *b = ctx;

	assert(len <= sizeof(b->at) - b->len);
	if (len)
		memcpy(b->at + b->len, bytes, len);
	b->len += len;
}

static inline void sync_source(struct build *b, uint64_t key, const char *soname,
			       const struct bob_source *s)
{
	struct sync_bytes bytes = { .len = 0 };

	build_image(b, key, soname, 6);
	bob_source_put(s, sync_take, &bytes);
	build_sealed(b, BOB_CHUNK_SOURCE, 5, bytes.at, bytes.len);
}

static inline void golden_syncs_image(struct build *b)
{
	static const char *file[] = { "/src/sync.c", "/usr/include/x y.h" };
	static struct bob_source_place place[] = {
		{ BOB_PLACE_POINTER, "share[]", 0, 0 },	    { BOB_PLACE_LOCAL, "sum", -24, 0 },
		{ BOB_PLACE_STACK, "", 8, 0 },
		{ BOB_PLACE_INDEXED, "row[]", -176, 160 },
		{ BOB_PLACE_INDEXED, "", -4096, 1ull << 40 },
		{ BOB_PLACE_THREAD, "counter", 24, 0 },
		{ BOB_PLACE_THREAD_INDEXED, "table", 32, 80 },
	};
	static struct bob_source_object section[] = { { 0x4000, 0x40, ".data" },
						      { 0x4040, 0x2000, ".bss" } };
	static struct bob_source_object object[] = {
		{ 0x4040, 40, "lock" }, { 0x4060 + 8, 8, "m\xc3\xa4x" }, { 0x4100, 1, "f::x" },
	};
	static struct bob_source_row row[] = {
		{ 0x1000, 0, 12, 1, 0, 0 },	     { 0x1004, 0, 11, 0, 2, 0 },
		{ 0x1010, 1, 4000000000u, 4, 5, 0 }, { 0x1011, ~0u, 0, 3, 0, 0 },
		{ 0x1270, 1, 7, 6, 0, 0 },	     { 0x1280, 1, 7, 1, 6, 0 },
		{ 0x70000000, 1, 1, 0, 0, 0 },
	};
	const struct bob_source s = { file, place, section, object, row,  2,	7,
				      2,    3,	   7,	    NULL,   NULL, 0,	0 };

	sync_source(b, 0x77, "", &s);
}

static inline void golden_syncs_library(struct build *b)
{
	const struct bob_source none = { .files = 0 };

	sync_source(b, 0x78, "libsparse.so.2", &none);
}

#endif
