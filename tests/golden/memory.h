/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory records in traces that are built in memory: blocks, loops, guards, handlers, and chunks in
 * all states. */
#ifndef BOB_TESTS_GOLDEN_MEMORY_H
#define BOB_TESTS_GOLDEN_MEMORY_H

#include "build.h"
#include "mem/record.h"

/* Descriptors of golden_memory_trace. */
enum {
	/* words p, q: load 8 [p], load 8 [p+8], store 4 [q-4], load 16 at link address */
	MEM_PAIR,
	MEM_COUNTED,	/* words i, k, x: i += 8, x += 2 * k; load 8 [i], store 2 [x+6] */
	MEM_GATHER,	/* word y, y += 4; payload z: load 4 [y], load 8 [z] */
	MEM_BEGIN,
	MEM_END,
	MEM_GUARDED,	/* words p, g: load 4 [p] if bit 0, store 4 [p+4] if bit 3 */
	MEM_GAP,
	MEM_JIT,	/* word p: atomic 8 [p], in no image */
	MEM_AGAIN,
	MEM_DESCS
};

#define MEM_HEAD(desc) (BOB_MEM_HEADER | (desc))
#define MEM_NONE BOB_MEM_NO_WORD

/* The bytes of descriptor `number`, in `to`. */
static inline size_t build_mem_desc(unsigned number, uint8_t *to)
{
	static const struct bob_mem_access pair[] = { { 0, 0, 8, 0, 0, MEM_NONE, 0 },
						      { 8, 4, 8, 0, 0, MEM_NONE, 0 },
						      { -4, 9, 4, 1, 1, MEM_NONE, 0 },
						      { 0x4010, 9, 16, 0, MEM_NONE, MEM_NONE, 0 } };
	static const struct bob_mem_access counted[] = { { 0, 2, 8, 0, 0, MEM_NONE, 0 },
							 { 6, 7, 2, 1, 2, MEM_NONE, 0 } };
	static const struct bob_mem_access gather[] = { { 0, 0, 4, 0, 0, MEM_NONE, 0 },
							{ 0, 5, 8, 0, 1, MEM_NONE, 0 } };
	static const struct bob_mem_access guarded[] = { { 0, 0, 4, 0, 0, 1, 0 },
							 { 4, 0, 4, 1, 0, 1, 3 } };
	static const struct bob_mem_access jit[] = { { 0, 3, 8, 2, 0, MEM_NONE, 0 } };
	static const struct bob_mem_step steps[] = { { 8, MEM_NONE, 0 },
						     { 0, MEM_NONE, 0 },
						     { 0, 1, 2 } };
	static const struct bob_mem_step four[] = { { 4, MEM_NONE, 0 } };
	const struct bob_mem_desc d[MEM_DESCS] = {
		[MEM_PAIR] = { .pc = 0x1100, .kind = BOB_MEM_BLOCK, .words = 2, .sp_word = 1,
			       .flow = BOB_MEM_ENTERS | BOB_MEM_CALLS, .sp_begin = 4, .sp_end = -20,
			       .last = 12, .access_count = 4, .access = pair },
		[MEM_COUNTED] = { .pc = 0x1200, .kind = BOB_MEM_LOOP, .words = 3,
				  .sp_word = MEM_NONE, .last = 9, .access_count = 2,
				  .access = counted, .step = steps },
		[MEM_GATHER] = { .pc = 0x2300, .image = 1, .kind = BOB_MEM_LOOP, .words = 1,
				 .payload = 1, .sp_word = MEM_NONE, .last = 5, .access_count = 2,
				 .access = gather, .step = four },
		[MEM_BEGIN] = { .image = BOB_MEM_NO_IMAGE, .kind = BOB_MEM_MARK,
				.mark = BOB_MEM_SIGNAL_BEGIN, .words = 2 },
		[MEM_END] = { .image = BOB_MEM_NO_IMAGE, .kind = BOB_MEM_MARK,
			      .mark = BOB_MEM_SIGNAL_END },
		[MEM_GUARDED] = { .pc = 0x1300, .kind = BOB_MEM_BLOCK, .words = 2,
				  .sp_word = MEM_NONE, .access_count = 2, .access = guarded },
		[MEM_GAP] = { .image = BOB_MEM_NO_IMAGE, .kind = BOB_MEM_MARK, .mark = BOB_MEM_LOST,
			      .words = 1 },
		[MEM_JIT] = { .pc = 0x7f0000001000, .image = BOB_MEM_NO_IMAGE,
			      .kind = BOB_MEM_BLOCK, .words = 1, .sp_word = MEM_NONE,
			      .access_count = 1, .access = jit },
		[MEM_AGAIN] = { .image = BOB_MEM_NO_IMAGE, .kind = BOB_MEM_MARK,
				.mark = BOB_MEM_AGAIN, .words = 1 },
	};

	return bob_mem_desc_put(&d[number], to);
}

/* Descriptors first .. end-1 in one chunk. */
static inline void build_mem_descs(struct build *b, unsigned first, unsigned end, int sealed)
{
	struct bob_chunk_head *c = build_chunk(b, BOB_CHUNK_MEM_DESC, BOB_STREAM_NONE, 512, first);
	uint8_t *to = bob_chunk_data(c);
	uint64_t len = 0;

	for (unsigned i = first; i < end; i++)
		len += build_mem_desc(i, to + len);
	assert(len <= 512);
	if (sealed)
		bob_chunk_seal(c, len);
	else
		bob_chunk_set_len(c, len);
}

/* A thread without calls. */
static inline uint32_t build_mem_thread(struct build *b, const char *name)
{
	struct bob_chunk_head *c = build_chunk(b, BOB_CHUNK_STREAM, b->stream_count,
					       sizeof(struct bob_stream_head), 0);
	struct bob_stream_head *h = bob_chunk_data(c);

	h->run.codec = BOB_CODEC_NULL;
	h->tid = build_head(b)->pid + b->stream_count;
	strncpy(h->name, name, sizeof(h->name) - 1);
	return b->stream_count++;
}

enum mem_state { MEM_SEALED, MEM_COUNTED_OPEN, MEM_OPEN };

/* `count` words as a chunk; an open one has room behind them. */
static inline void build_mem_raw(struct build *b, uint32_t thread, const uint64_t *word,
				 uint64_t count, uint64_t before, enum mem_state state)
{
	uint64_t room = state == MEM_SEALED ? 0 : 256;
	struct bob_chunk_head *c = build_chunk(b, BOB_CHUNK_RAW, thread, 8 * count + room, before);

	memcpy(bob_chunk_data(c), word, 8 * count);
	if (state == MEM_SEALED)
		bob_chunk_seal(c, 8 * count);
	else if (state == MEM_COUNTED_OPEN)
		bob_chunk_set_len(c, 8 * count);
}

#define MEM_WORDS(...)                                                                             \
	(const uint64_t[]){ __VA_ARGS__ }, sizeof((const uint64_t[]){ __VA_ARGS__ }) / 8

/* A process with images, without descriptors. Number `first`, 0 or 1, is the main one; their
 * addresses differ by `moved`. */
static inline void golden_memory_two_images(struct build *p, uint32_t pid, uint32_t first,
					    uint64_t moved)
{
	static const char *const path[] = { "/opt/kernel", "/usr/lib/libsparse.so.2" };
	uint8_t buf[512];
	struct bob_meta meta;

	build_process(p, pid, 1, 0, pid);
	bob_meta_init(&meta, buf, sizeof(buf));
	bob_meta_put(&meta, BOB_REC_EXE, "/opt/kernel", 11);
	for (uint32_t i = 0; i < 2; i++)
		build_rec_image_at(&meta, i, 0, 0, 0x77ull + (i ^ first), path[i ^ first], moved);
	build_sealed(p, BOB_CHUNK_META, 0, buf, meta.len);
}

static inline void golden_memory_images(struct build *p, uint32_t pid)
{
	golden_memory_two_images(p, pid, 0, 0);
}

static inline struct build *golden_memory_process(struct build *p)
{
	golden_memory_images(p, 400);
	build_mem_descs(p, 0, MEM_GUARDED, 0);
	return p;
}

/* Three threads: everything once; handlers in all positions; killed. */
static inline void golden_memory_files(struct build *p)
{
	uint32_t a, b, c;

	golden_memory_process(p);
	a = build_mem_thread(p, "all");
	/* a block; a loop that runs 3 times; another; and two that never run */
	build_mem_raw(p, a,
		      MEM_WORDS(MEM_HEAD(MEM_PAIR), 0x1000, 0x2004, MEM_HEAD(MEM_COUNTED), 0x3000,
				16, 0x5000, 0x3018, MEM_HEAD(MEM_GATHER) | 0x7fffffff00000000,
				0x6000, 0x9000, 0x8000, 0x9990, MEM_HEAD(MEM_GATHER), 0x6000,
				MEM_HEAD(MEM_COUNTED), 1, 0, 0, 1),
		      0, MEM_SEALED);
	build_mem_descs(p, MEM_GUARDED, MEM_DESCS, 1);
	build_mem_raw(p, a,
		      MEM_WORDS(MEM_HEAD(MEM_GUARDED), 0x100, 0, MEM_HEAD(MEM_GUARDED), 0x200, 1,
				MEM_HEAD(MEM_GUARDED), 0x300, 8, MEM_HEAD(MEM_GUARDED), 0x400, 9,
				MEM_HEAD(MEM_GAP), 5, MEM_HEAD(MEM_JIT), 0x7ffffff8),
		      20, MEM_COUNTED_OPEN);
	b = build_mem_thread(p, "handlers");
	/* between records; within one; nested, with reports about two records; left by a jump */
	build_mem_raw(p, b,
		      MEM_WORDS(MEM_HEAD(MEM_BEGIN), 10, 0, MEM_HEAD(MEM_JIT), 0xa0,
				MEM_HEAD(MEM_END), MEM_HEAD(MEM_BEGIN), 10, 0, MEM_HEAD(MEM_JIT),
				0xb0, MEM_HEAD(MEM_END), MEM_HEAD(MEM_AGAIN), 2, MEM_HEAD(MEM_PAIR),
				0x1000, 0x2004, MEM_HEAD(MEM_AGAIN), 1, MEM_HEAD(MEM_BEGIN), 10, 0,
				MEM_HEAD(MEM_BEGIN), 11, 0, MEM_HEAD(MEM_END), MEM_HEAD(MEM_AGAIN),
				2, MEM_HEAD(MEM_PAIR), 0x3000, 0x4004, MEM_HEAD(MEM_JIT), 0xc0,
				MEM_HEAD(MEM_END), MEM_HEAD(MEM_AGAIN), 5, MEM_HEAD(MEM_PAIR),
				0x5000, 0x6004, MEM_HEAD(MEM_JIT), 0xd0, MEM_HEAD(MEM_JIT), 0xd8,
				MEM_HEAD(MEM_BEGIN), 12, 0, MEM_HEAD(MEM_JIT), 0xe0),
		      0, MEM_SEALED);
	c = build_mem_thread(p, "killed");
	build_mem_raw(p, c,
		      MEM_WORDS(MEM_HEAD(MEM_JIT), 0x10, MEM_HEAD(MEM_GATHER), 0x6000, 0x7000, 0, 0,
				0x9990),
		      0, MEM_OPEN);
}

#endif
