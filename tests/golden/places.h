/* SPDX-License-Identifier: BSD-3-Clause */
/* Positions of events with values among memory accesses (two threads, one of them raw) and among
 * calls: the traces `places` and `places-calls`. */
#ifndef BOB_TESTS_GOLDEN_PLACES_H
#define BOB_TESTS_GOLDEN_PLACES_H

#include "syncs.h"

/* Descriptors: number k is the mark of kind k, but for SYNC; then these. 0 is not used. */
enum { PLACE_OTHER = BOB_MEM_MARKS, PLACE_OTHER_BEGIN, PLACE_LOAD, PLACE_DESCS };

#define PLACE_SEND 300u
#define PLACE_BARRIER 16u

static const uint64_t place_none[1];

static inline void place_desc(uint32_t number, struct bob_mem_desc *d)
{
	static const struct bob_mem_access load = { 0, 0, 8, 0, 0, MEM_NONE, 0 };

	*d = (struct bob_mem_desc){ .pc = 0x1000, .kind = BOB_MEM_BLOCK, .sp_word = MEM_NONE,
				    .words = 1, .access_count = 1, .access = &load };
	if (number == PLACE_LOAD)
		return;
	d->kind = BOB_MEM_MARK;
	d->mark = number < BOB_MEM_MARKS ? (uint8_t)number :
		  number == PLACE_OTHER	 ? BOB_MEM_EVENT :
					   BOB_MEM_EVENT_BEGIN;
	d->sync = d->mark == BOB_MEM_SYNC ? BOB_SYNC_SINGLE : 0;
	d->pc = number < BOB_MEM_MARKS ? PLACE_SEND : PLACE_BARRIER;
	d->image = BOB_MEM_NO_IMAGE;
	d->words = d->mark == BOB_MEM_SYNC ? 1 : bob_mem_mark_words[d->mark];
	d->access_count = 0;
	d->access = NULL;
}

static inline void place_descs(struct sync_program *p)
{
	struct bob_chunk_head *c = build_chunk(p->b, BOB_CHUNK_MEM_DESC, BOB_STREAM_NONE, 256, 1);
	uint8_t *to = bob_chunk_data(c);
	uint64_t len = 0;

	for (uint32_t i = 1; i < PLACE_DESCS; i++) {
		place_desc(i, &p->desc[i]);
		len += bob_mem_desc_put(&p->desc[i], to + len);
	}
	assert(len <= 256);
	bob_chunk_seal(c, len);
}

/* Rounds with an empty call and one that is not empty; the last call does not end. */
static inline void place_rounds(struct sync_program *p, uint32_t thread, uint64_t rounds)
{
	uint64_t address = 0x555500004000;

	sync_put(p, thread, BOB_MEM_EVENTS, (const uint64_t[]){ 3 + thread });
	for (uint64_t i = 0; i < rounds; i++) {
		sync_access(p, thread, PLACE_LOAD, address + 64 * i);
		sync_put(p, thread, BOB_MEM_EVENT, place_none);
		sync_access(p, thread, PLACE_LOAD, address + 64 * i + 8);
		sync_put(p, thread, PLACE_OTHER_BEGIN, place_none);
		sync_access(p, thread, PLACE_LOAD, address + 64 * i + 16);
		sync_put(p, thread, BOB_MEM_EVENT_END, place_none);
		if (i % 3 == 2)
			sync_put(p, thread, PLACE_OTHER, place_none);
	}
	sync_put(p, thread, BOB_MEM_EVENT_BEGIN, place_none);
	sync_access(p, thread, PLACE_LOAD, address - 8);
}

static inline void golden_places_calls_process(struct build *b)
{
	struct build_stream *s;

	golden_memory_images(b, 1100);
	s = build_stream(b, BOB_CODEC_RUN, 256, "calls");
	build_ext(s, BOB_SYM_EVENTS, 7);
	build_call(s, 0, 1);
	for (uint32_t i = 0; i < 20; i++) {
		build_ext(s, BOB_SYM_EVENT, PLACE_BARRIER);
		build_call(s, 0, 2);
		build_call(s, 0, 3);
		build_ext(s, BOB_SYM_POPS, 2);
		build_ext(s, BOB_SYM_EVENT, PLACE_SEND + i % 2);
	}
	build_ext(s, BOB_SYM_STACK, 1);
	build_ext(s, BOB_SYM_EVENT, 0x3ffff);
	build_call(s, 0, 2);
	build_end(s);
	bob_file_end(build_head(b), BOB_FILE_CLOSED, BOB_STOP_NONE, 9000);
}

static inline void golden_places_process(struct build *b)
{
	struct sync_program *p = calloc(1, sizeof(*p));

	assert(p);
	golden_memory_images(b, 1000);
	p->b = b;
	place_descs(p);
	sync_threads(p);
	for (uint32_t t = 0; t < 2; t++)
		place_rounds(p, t, 30);
	for (uint32_t t = 1; t < SYNC_THREADS; t++)
		folded_end(&p->folded[t]);
	build_mem_raw(b, 0, p->raw, p->raw_count, 0, MEM_SEALED);
	bob_file_end(build_head(b), BOB_FILE_CLOSED, BOB_STOP_NONE, 9000);
	free(p);
}

#endif
