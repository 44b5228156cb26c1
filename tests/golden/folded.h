/* SPDX-License-Identifier: BSD-3-Clause */
/* Folded memory records, written by the library's own writers. They contain everything that its
 * decoders must support (folded_kernel says where). The trace `folded` has threads in all states of
 * a stream; merged.h merges such threads. */
#ifndef BOB_TESTS_GOLDEN_FOLDED_H
#define BOB_TESTS_GOLDEN_FOLDED_H

#include "archive/write/mem_write.h"
#include "memory.h"

/* Descriptors of all these traces. */
enum {
	FOLD_NONE,		/* no words, no accesses: control alone; four more of them */
	FOLD_A = 5,		/* word p: load 8 [p] */
	FOLD_B,			/* word p: store 4 [p+4] */
	FOLD_C,			/* word p: load 2 [p], in the second image */
	FOLD_D,			/* word p: atomic 8 [p], in no image */
	FOLD_CALL,		/* word sp: store 8 [sp-8], and then a call */
	FOLD_CALL_TWO,		/* the same elsewhere */
	FOLD_LOOP,		/* words i, x: i += 8; load 8 [i], store 8 [x] */
	/* word y, y += 4; payload z, v: load 4 [y], load 8 [z], load 1 [v] */
	FOLD_GATHER,
	FOLD_BEGIN,
	FOLD_END,
	FOLD_AGAIN,
	FOLD_DESCS
};

/* --- descriptors --- */

/* `first` is the number of the image that most of them are in, 0 or 1. */
static inline size_t folded_desc_bytes(uint32_t number, uint32_t first, uint8_t *to)
{
	static const struct bob_mem_access one[] = {
		[FOLD_A] = { 0, 0, 8, 0, 0, MEM_NONE, 0 },
		[FOLD_B] = { 4, 0, 4, 1, 0, MEM_NONE, 0 },
		[FOLD_C] = { 0, 0, 2, 0, 0, MEM_NONE, 0 },
		[FOLD_D] = { 0, 0, 8, 2, 0, MEM_NONE, 0 },
		[FOLD_CALL] = { -8, 0, 8, 1, 0, MEM_NONE, 0 },
		[FOLD_CALL_TWO] = { -8, 0, 8, 1, 0, MEM_NONE, 0 },
	};
	static const struct bob_mem_access loop[] = { { 0, 0, 8, 0, 0, MEM_NONE, 0 },
						      { 0, 4, 8, 1, 1, MEM_NONE, 0 } };
	static const struct bob_mem_access gather[] = { { 0, 0, 4, 0, 0, MEM_NONE, 0 },
							{ 0, 2, 8, 0, 1, MEM_NONE, 0 },
							{ 0, 4, 1, 0, 2, MEM_NONE, 0 } };
	static const struct bob_mem_step steps[] = { { 8, MEM_NONE, 0 }, { 0, MEM_NONE, 0 } };
	static const struct bob_mem_step four[] = { { 4, MEM_NONE, 0 } };
	struct bob_mem_desc d = { .pc = 0x1000 + 0x40ull * number, .kind = BOB_MEM_BLOCK,
				  .sp_word = MEM_NONE };

	if (number == FOLD_LOOP || number == FOLD_GATHER) {
		d.kind = BOB_MEM_LOOP;
		d.words = number == FOLD_LOOP ? 2 : 1;
		d.payload = number == FOLD_LOOP ? 0 : 2;
		d.access_count = number == FOLD_LOOP ? 2 : 3;
		d.access = number == FOLD_LOOP ? loop : gather;
		d.step = number == FOLD_LOOP ? steps : four;
	} else if (number >= FOLD_BEGIN) {
		d.kind = BOB_MEM_MARK;
		d.mark = number == FOLD_BEGIN ? BOB_MEM_SIGNAL_BEGIN :
			 number == FOLD_END   ? BOB_MEM_SIGNAL_END :
						BOB_MEM_AGAIN;
		d.words = bob_mem_mark_words[d.mark];
	} else if (number >= FOLD_A) {
		d.words = 1;
		d.access_count = 1;
		d.access = &one[number];
	}
	if (number == FOLD_CALL || number == FOLD_CALL_TWO) {
		d.flow = BOB_MEM_CALLS;
		d.sp_word = 0;
		d.sp_end = -8;
	}
	d.image = number == FOLD_C ? 1 - first : number == FOLD_D ? BOB_MEM_NO_IMAGE : first;
	return bob_mem_desc_put(&d, to);
}

struct folded_descs {
	struct bob_mem_desc desc[FOLD_DESCS];
	struct bob_mem_access access[FOLD_DESCS][BOB_MEM_ACCESSES_MAX];
	struct bob_mem_step step[FOLD_DESCS][BOB_MEM_WORDS_MAX];
};

static inline const struct bob_mem_desc *folded_desc(void *ctx, uint32_t number)
{
	struct folded_descs *d = ctx;

	return number < FOLD_DESCS ? &d->desc[number] : NULL;
}

/* All descriptors, as a chunk and for the folder; the caller frees them. */
static inline struct folded_descs *build_folded_descs(struct build *b, uint32_t first)
{
	struct bob_chunk_head *c = build_chunk(b, BOB_CHUNK_MEM_DESC, BOB_STREAM_NONE, 512, 0);
	struct folded_descs *d = malloc(sizeof(*d));
	uint8_t *to = bob_chunk_data(c);
	uint64_t len = 0;

	assert(d);
	for (uint32_t i = 0; i < FOLD_DESCS; i++) {
		size_t n = folded_desc_bytes(i, first, to + len);
		const uint8_t *at = to + len;
		bob_status st =
			bob_mem_desc_get(&at, at + n, &d->desc[i], d->access[i], d->step[i]);

		assert(st == BOB_OK);
		(void)st;
		len += n;
	}
	assert(len <= 512);
	bob_chunk_seal(c, len);
	return d;
}

/* --- threads --- */

struct folded_thread {
	struct build *b;
	struct folded_descs *descs;
	struct bob_mem_writer w;
	uint8_t *mem;
	uint64_t *at, *end;
	uint64_t random;
	uint64_t sp;
};

static inline struct bob_chunk_head *folded_chunk(void *ctx, enum bob_chunk_kind kind,
						  uint32_t stream, uint64_t size, uint64_t aux,
						  uint64_t *off)
{
	struct build *b = ctx;

	*off = b->len;
	return build_chunk(b, kind, stream, size, aux);
}

/* What is in the room is folded, and if there is enough of it committed. */
static inline void folded_next(struct folded_thread *t)
{
	bob_status st;

	t->at = bob_mem_writer_next(&t->w, t->at, 4096, &t->end, &st);
	assert(t->at);
}

static inline void folded_begin(struct folded_thread *t, struct build *b,
				struct folded_descs *descs, const char *name, uint64_t seed)
{
	uint32_t stream = build_mem_thread(b, name);
	bob_status st;

	memset(t, 0, sizeof(*t));
	t->b = b;
	t->descs = descs;
	t->random = seed;
	t->sp = 0x7ffff000 + seed * seed % 97 * 4096;
	t->mem = build_map(bob_mem_writer_size());
	st = bob_mem_writer_begin(&t->w, t->mem, folded_chunk, b, stream, folded_desc, descs);
	assert(st == BOB_OK);
	(void)st;
	folded_next(t);
}

static inline void folded_end(struct folded_thread *t)
{
	bob_status st = bob_mem_writer_end(&t->w, t->at);

	assert(st == BOB_OK);
	(void)st;
	build_unmap(t->mem);
}

/* As when there is no room for more shapes. */
static inline void folded_again(struct folded_thread *t)
{
	size_t folder = (bob_folder_size() + 63) & ~(size_t)63;

	folded_next(t);
	bob_folder_again(t->w.folder);
	memset(t->mem + folder, 0, bob_mem_fold_size());
	t->w.fold = bob_mem_fold_begin(t->mem + folder, t->w.folder, folded_desc, t->descs);
}

static inline void folded_put(struct folded_thread *t, uint32_t number, const uint64_t *word,
			      uint64_t count)
{
	if ((uint64_t)(t->end - t->at) < count + 1)
		folded_next(t);
	*t->at++ = MEM_HEAD(number);
	if (count)
		memcpy(t->at, word, count * 8);
	t->at += count;
}

static inline void folded_one(struct folded_thread *t, uint32_t number, uint64_t word)
{
	folded_put(t, number, &word, 1);
}

static inline uint64_t folded_random(struct folded_thread *t)
{
	t->random = t->random * 6364136223846793005u + 1442695040888963407u;
	return t->random >> 20;
}

/* --- what they do --- */

/* Triangles of triangles: counts that grow with the loops around them. */
static inline void folded_triangles(struct folded_thread *t, uint64_t base, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		for (uint64_t j = 0; j <= i; j++) {
			for (uint64_t k = 0; k <= j; k++)
				folded_one(t, FOLD_A, base + 10000 * i + 200 * j + 8 * k);
			folded_one(t, FOLD_B, base + 4 * i);
		}
}

/* Four loops in each other; the innermost one grows with the outermost and the one around it. */
static inline void folded_deep(struct folded_thread *t, uint64_t base, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		for (uint64_t j = 0; j < 3; j++)
			for (uint64_t k = 0; k < 4; k++)
				for (uint64_t l = 0; l < 3 + i + k; l++)
					folded_one(t, FOLD_C,
						   base + 100000 * i + 5000 * j + 300 * k + 8 * l);
}

/* Two columns of words that are given up, in turns; one has steps of more than 32 bits. The same
 * table `times` times. */
static inline void folded_tables(struct folded_thread *t, uint32_t times)
{
	uint64_t small[110], large[110];

	for (int i = 0; i < 110; i++) {
		small[i] = 0x10000 + folded_random(t) % 5000;
		large[i] = folded_random(t) << 20 ^ folded_random(t);
	}
	for (uint32_t r = 0; r < times; r++)
		for (int i = 0; i < 110; i++) {
			folded_one(t, FOLD_C, small[i]);
			if (i % 5 == 0 || r == 0)
				folded_one(t, FOLD_D, large[i]);
		}
}

/* Trip counts that are given up. */
static inline void folded_ragged(struct folded_thread *t, uint64_t base, uint32_t rows)
{
	for (uint64_t i = 0; i < rows; i++) {
		folded_one(t, FOLD_B, base + 8 * i);
		for (uint64_t k = 0, n = folded_random(t) % 4; k < n; k++)
			folded_one(t, FOLD_A, base + 0x1000);
	}
}

/* Pieces that take turns, to a depth of two; trip counts do so as well. */
static inline void folded_turns(struct folded_thread *t, uint64_t x, uint64_t y, uint32_t times)
{
	for (uint64_t r = 0; r < times; r++) {
		for (uint64_t i = 0; i < 4; i++) {
			for (uint64_t k = 0; k < 5 + r; k++)
				folded_one(t, FOLD_A, x + 0x1000 * r + 64 * i + 8 * k);
			for (uint64_t k = 0; k < 4; k++)
				folded_one(t, FOLD_A, y + 0x100 * i + 16 * k);
			folded_one(t, FOLD_B, x + r);
		}
		for (uint64_t k = 0; k < 6; k++)
			folded_one(t, FOLD_A, y - 24 * k);
		folded_one(t, FOLD_C, y);
	}
}

/* Numbers without a rule that repeat: unchanged; each increased a little, in separate blocks. In
 * the end they do not repeat, so the column is given up after its pattern. */
static inline void folded_again_and_again(struct folded_thread *t)
{
	uint64_t number[10];

	for (int i = 0; i < 10; i++)
		number[i] = 0x20000 + folded_random(t) % 50000;
	for (uint64_t r = 0; r < 16; r++)
		for (int i = 0; i < 10; i++)
			folded_one(t, FOLD_A, number[i]);
	for (uint64_t r = 0; r < 8; r++) {
		for (uint64_t k = 0; k < 4; k++)
			for (uint64_t i = 0; i < 6; i++)
				folded_one(t, FOLD_B, number[i] + 8 * k * i + 0x100000 * r);
		folded_one(t, FOLD_B, 64 * r);
	}
	for (uint64_t r = 0; r < 12; r++)
		for (int i = 0; i < 5; i++)
			folded_one(t, FOLD_C, number[2 * i]);
	for (int i = 0; i < 120; i++)
		folded_one(t, FOLD_C, folded_random(t) % 100000);
}

static inline void folded_loops(struct folded_thread *t, uint64_t base)
{
	uint64_t word[64];

	for (uint64_t i = 0; i < 5; i++) {
		word[0] = base + 64 * i;
		word[1] = t->sp + 8 * i;
		word[2] = word[0] + 8 * (i + 1);
		folded_put(t, FOLD_LOOP, word, 3);
	}
	for (uint64_t i = 0; i < 8; i++) {
		uint64_t n = i == 6 ? 0 : 4;

		word[0] = base + 0x100 * i;
		for (uint64_t k = 0; k < n; k++) {
			word[1 + 2 * k] = base + 0x10 * i + 8 * k;
			word[2 + 2 * k] = folded_random(t) % 256 + 1;
		}
		folded_put(t, FOLD_GATHER, word, 1 + 2 * n);
	}
}

/* More items than control keeps, which repeat but are no loop: the spine. */
static inline void folded_spine(struct folded_thread *t, uint32_t items)
{
	uint8_t item[2000];

	for (int i = 0; i < 2000; i++)
		item[i] = (uint8_t)(folded_random(t) % 5);
	for (uint32_t i = 0; i < items; i++)
		folded_put(t, item[i % 2000], NULL, 0);
}

static inline void folded_call(struct folded_thread *t, uint32_t number, uint64_t depth)
{
	folded_one(t, number, t->sp - 64 * depth);
}

/* A handler in the middle of a record, which has `before` accesses at that point. */
static inline void folded_handler(struct folded_thread *t, uint64_t before)
{
	folded_put(t, FOLD_BEGIN, (const uint64_t[]){ 10, 0 }, 2);
	folded_one(t, FOLD_D, 0x4000 + before);
	folded_put(t, FOLD_END, NULL, 0);
	folded_put(t, FOLD_AGAIN, &before, 1);
}

/* Everything, in different call paths. */
static inline void folded_kernel(struct folded_thread *t, uint64_t base, uint32_t size)
{
	folded_call(t, FOLD_CALL, 0);
	folded_triangles(t, base, 2 * size);
	folded_call(t, FOLD_CALL_TWO, 1);
	folded_turns(t, base, base + 0x8000, size);
	folded_deep(t, base, 4);
	folded_call(t, FOLD_CALL, 2); /* recursion: the path is the first one again */
	folded_one(t, FOLD_D, t->sp - 256);
	folded_call(t, FOLD_CALL_TWO, 0);
	folded_tables(t, 3);
	folded_ragged(t, base, 140);
	folded_handler(t, 3);
	folded_loops(t, base);
}

/* --- files --- */

/* A log chunk as it may be left behind. */
static inline void build_log(struct build *b, uint32_t stream, uint64_t position,
			     const uint64_t *word, uint64_t count)
{
	struct bob_chunk_head *c = build_chunk(b, BOB_CHUNK_FOLD_LOG, stream, 8 * count + 64, 0);
	uint64_t *to = bob_chunk_data(c);

	*to = position;
	memcpy(to + 1, word, 8 * count);
}

/* Three threads. One was killed: its part began again, with a rest and a log that ends within a
 * loop. One has ended. One was killed before anything was committed; its log has three chunks. */
static inline void golden_folded_files(struct build *p)
{
	struct folded_thread t;
	struct folded_descs *descs;
	uint64_t at;
	size_t words;

	golden_memory_images(p, 500);
	descs = build_folded_descs(p, 0);
	folded_begin(&t, p, descs, "killed", 3);
	folded_turns(&t, 0x100000, 0x200000, 3);
	folded_again(&t);
	folded_triangles(&t, 0x300000, 7);
	folded_tables(&t, 3);
	folded_put(&t, FOLD_BEGIN, (const uint64_t[]){ 11, 0 }, 2);
	folded_one(&t, FOLD_A, 0x5000);
	folded_next(&t);
	/* the handler and what it interrupted are in the log */
	folded_one(&t, FOLD_A, 0x6000);
	folded_put(&t, FOLD_END, NULL, 0);
	folded_put(&t, FOLD_AGAIN, (const uint64_t[]){ 1 }, 1);
	folded_loops(&t, 0x400000);
	folded_put(&t, FOLD_GATHER, (const uint64_t[]){ 0x7000, 1, 2, 3, 0, 5, 6 }, 7);
	assert(t.w.buffers.count == 1); /* others would be half a megabyte each */
	/* not needed any more; not in use yet */
	build_log(p, 0, 0, MEM_WORDS(MEM_HEAD(FOLD_A), 0xbad0));
	build_log(p, 0, UINT64_MAX, MEM_WORDS(MEM_HEAD(FOLD_A), 0xbad1));
	build_unmap(t.mem);

	folded_begin(&t, p, descs, "ended", 5);
	folded_spine(&t, 17500);
	folded_kernel(&t, 0x500000, 4);
	folded_end(&t);
	assert(t.w.buffers.count == 1);

	folded_begin(&t, p, descs, "log only", 7);
	folded_call(&t, FOLD_CALL, 0);
	folded_loops(&t, 0x600000);
	at = (uint64_t)(t.at - bob_record_buffers_newest(&t.w.buffers, &words));
	build_log(p, 2, at + 2, MEM_WORDS(MEM_HEAD(FOLD_B), 0x9000));
	build_log(p, 2, at, MEM_WORDS(MEM_HEAD(FOLD_A), 0x8000));
	build_unmap(t.mem);
	free(descs);
}

/* One thread was killed after a snapshot, one ended: patterns in columns, complete and
 * incomplete. */
static inline void golden_turns_files(struct build *p)
{
	struct folded_thread t;
	struct folded_descs *descs;

	golden_memory_images(p, 510);
	descs = build_folded_descs(p, 0);
	folded_begin(&t, p, descs, "ended", 31);
	folded_again_and_again(&t);
	folded_end(&t);
	folded_begin(&t, p, descs, "killed", 32);
	folded_again_and_again(&t);
	folded_next(&t);
	folded_one(&t, FOLD_A, 0x6000);
	build_unmap(t.mem);
	free(descs);
}

#endif
