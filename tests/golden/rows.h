/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers, one for each thread, in each encoding of a series. The trace `rows`: many threads of two
 * ranks, with one event each, merged. */
#ifndef BOB_TESTS_GOLDEN_ROWS_H
#define BOB_TESTS_GOLDEN_ROWS_H

#include "events.h"

#define ROWS_RANKS 2u
#define ROWS_THREADS 48u /* of each */

/* A piece for each eight; the number of children in a binomial tree; the partner in a butterfly;
 * random numbers. */
static inline void rows_values(uint64_t i, uint64_t random, uint64_t *v)
{
	v[0] = i / 8 * i;
	v[1] = 1000000007 * (i ? (uint64_t)__builtin_ctzll(i) : 7);
	v[2] = i ^ 4;
	v[3] = random % 1000;
}

static inline void rows_thread(struct build *p, uint32_t i)
{
	uint64_t value[4], *to;
	struct events_thread t;
	bob_status st;

	events_begin(&t, p, "row", 0, 41 + i);
	rows_values(i, events_random(&t), value);
	to = events_open(&t, EVENT_SEND, 1, value);
	assert(to);
	(void)to;
	st = bob_event_writer_put(t.w, 4);
	assert(st == BOB_OK);
	(void)st;
	events_end(&t);
}

static inline void rows_process(struct build *p, uint32_t rank)
{
	const uint32_t ranks[2] = { rank, ROWS_RANKS };
	struct bob_meta meta;
	struct build apart;
	uint8_t buf[64];

	golden_memory_images(&apart, 920 + 100 * rank);
	bob_meta_init(&meta, buf, sizeof(buf));
	bob_meta_put(&meta, BOB_REC_RANK, ranks, sizeof(ranks));
	build_sealed(&apart, BOB_CHUNK_META, 0, buf, meta.len);
	for (uint32_t i = 0; i < ROWS_THREADS; i++)
		rows_thread(&apart, rank * ROWS_THREADS + i);
	bob_file_end(build_head(&apart), BOB_FILE_CLOSED, BOB_STOP_NONE, 9000);
	build_merged(&apart, p);
	build_free(&apart);
}

static inline void golden_rows_file(struct build *p)
{
	struct build rank[ROWS_RANKS];

	for (uint32_t i = 0; i < ROWS_RANKS; i++)
		rows_process(&rank[i], i);
	build_trace(rank, ROWS_RANKS, p);
	for (uint32_t i = 0; i < ROWS_RANKS; i++)
		build_free(&rank[i]);
}

#endif
