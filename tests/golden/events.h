/* SPDX-License-Identifier: BSD-3-Clause */
/* Events with values, written by the library's own writers: the traces `events` and `events-merged`
 * (four threads of two processes, in all states of a stream), and `events-flat`, which is not
 * folded. */
#ifndef BOB_TESTS_GOLDEN_EVENTS_H
#define BOB_TESTS_GOLDEN_EVENTS_H

#include "archive/write/event_write.h"
#include "archive/write/exact_write.h"
#include "archive/write/time_write.h"
#include "merged.h"

#define EVENTS_ROOM                                                                                \
	1984u /* of a room of the log, in the place of 64 KB: more come, and the file is small */
#define EVENTS_SITES 100u
#define EVENTS_VALUES 64u

enum {
	EVENT_SEND,		/* 4 words */
	EVENT_WAITALL,		/* 2 words; a vector of words */
	EVENT_SPLIT,		/* 3 words; a vector of pairs and one of bytes */
	EVENT_BARRIER,		/* nothing */
	EVENT_KINDS
};

struct events_thread {
	struct build *b;
	struct bob_event_writer *w;
	struct bob_times *times;
	struct bob_exact exact;
	void *mem, *times_mem;
	uint32_t number[EVENT_KINDS][EVENTS_SITES]; /* of definitions; BOB_TIME_NONE: not yet */
	uint32_t first;		/* number of the image that most calls are in, 0 or 1 */
	uint32_t before;	/* the event before */
	uint64_t now_ns;	/* its end */
	uint64_t random;
};

static inline struct bob_chunk_head *events_chunk(void *ctx, enum bob_chunk_kind kind,
						  uint32_t stream, uint64_t size, uint64_t aux,
						  uint64_t *off)
{
	if (kind == BOB_CHUNK_FOLD_LOG || kind == BOB_CHUNK_RAW)
		size = EVENTS_ROOM;
	return folded_chunk(ctx, kind, stream, size, aux, off);
}

static inline void events_begin_as(struct events_thread *t, struct build *b, const char *name,
				   uint32_t first, uint64_t seed, int is_flat)
{
	uint32_t stream = build_mem_thread(b, name) | BOB_CONTENT_MPI << BOB_CONTENT_SHIFT;
	bob_status st;

	memset(t, 0, sizeof(*t));
	memset(t->number, 0xff, sizeof(t->number));
	t->b = b;
	t->first = first;
	t->before = BOB_TIME_NONE;
	t->random = seed;
	t->mem = build_map(bob_event_writer_size());
	st = (is_flat ? bob_event_writer_begin_flat : bob_event_writer_begin)(t->mem, events_chunk,
									      b, stream, &t->w);
	assert(st == BOB_OK);
	(void)st;
	t->times_mem = build_map(bob_times_size());
	t->times = bob_times_begin(t->times_mem, events_chunk, b, stream);
	t->now_ns = 1000000000000 + seed;
	bob_exact_begin(&t->exact, events_chunk, b, stream);
}

static inline void events_begin(struct events_thread *t, struct build *b, const char *name,
				uint32_t first, uint64_t seed)
{
	events_begin_as(t, b, name, first, seed, 0);
}

/* As when it is killed. */
static inline void events_killed(struct events_thread *t)
{
	build_unmap(t->mem);
	build_unmap(t->times_mem);
}

static inline void events_end(struct events_thread *t)
{
	bob_status st = bob_event_writer_end(t->w);

	assert(st == BOB_OK);
	(void)st;
	events_killed(t);
}

static inline uint64_t events_random(struct events_thread *t)
{
	t->random = t->random * 6364136223846793005u + 1442695040888963407u;
	return t->random >> 24;
}

/* --- definitions --- */

static inline struct bob_event_layout events_layout(uint32_t kind)
{
	static const struct bob_event_layout layout[EVENT_KINDS] = {
		[EVENT_SEND] = { .words = 4 },
		[EVENT_WAITALL] = { .words = 2, .vectors = 1, .vector = { { 0, 1 } } },
		[EVENT_SPLIT] = { .words = 3, .vectors = 2, .vector = { { 1, 2 }, { 2, 0 } } },
	};

	return layout[kind];
}

/* The calls that lead to a site: five, or two of them repeatedly. Site 0 has none; one call is in
 * no image. */
static inline uint32_t events_path(uint32_t first, uint32_t site, uint64_t *place)
{
	uint32_t depth = site ? 5 + site % 4 : 0;

	for (uint32_t i = 0; i < depth; i++) {
		uint32_t call = site % 4 == 3 ? i % 2 : i;

		place[i] = (uint64_t)(call == 1 ? 1 - first : first) << 48 |
			   (0x1000 + 0x100 * call);
	}
	if (site % 10 == 5)
		place[2] = 0xffffull << 48 | 0x7f0012345678;
	if (depth)
		place[depth - 1] = (uint64_t)first << 48 | (0x2000 + 4 * site);
	return depth;
}

static inline uint32_t events_define(struct events_thread *t, uint32_t kind, uint32_t site)
{
	static const uint8_t key[EVENT_KINDS][2] = { { 5 }, { 0xac, 2 }, { 77 }, { 9 } };
	uint64_t place[16];
	struct bob_event_def d = { .key = key[kind], .key_len = kind == EVENT_WAITALL ? 2 : 1,
				   .place = place, .layout = events_layout(kind) };
	bob_status st;

	if (t->number[kind][site] != BOB_TIME_NONE)
		return t->number[kind][site];
	d.depth = events_path(t->first, site, place);
	st = bob_event_writer_define(t->w, &d, &t->number[kind][site]);
	assert(st == BOB_OK);
	(void)st;
	return t->number[kind][site];
}

/* As when there is no room for more of them. */
static inline void events_forget(struct events_thread *t)
{
	bob_status st = bob_event_writer_forget(t->w);

	assert(st == BOB_OK);
	(void)st;
	memset(t->number, 0xff, sizeof(t->number));
}

/* --- events --- */

/* Values of event `i` of this kind; how many. */
static inline uint32_t events_values(struct events_thread *t, uint32_t kind, uint64_t i,
				     uint64_t *v)
{
	uint32_t n = events_layout(kind).words;
	uint8_t name[24] = { 0 };

	switch (kind) {
	case EVENT_SEND:
		v[0] = i % 2 ? i % 3 : ~0ull - i % 2;
		v[1] = 100 * i;
		v[2] = events_random(t) % 3;
		v[3] = 0;
		break;
	case EVENT_WAITALL:
		v[0] = i % 4;
		v[1] = 0;
		for (uint32_t k = 0; k < v[0]; k++)
			v[n++] = 2 * (k + 1);
		break;
	case EVENT_SPLIT:
		v[0] = 256 + i;
		v[1] = i % 3;
		v[2] = i % 20;
		for (uint32_t k = 0; k < v[1]; k++) {
			v[n++] = k;
			v[n++] = events_random(t) << 40 | i;
		}
		for (uint32_t k = 0; k < v[2]; k++)
			name[k] = (uint8_t)('a' + (i + k) % 26);
		memcpy(v + n, name, sizeof(name));
		n += (uint32_t)((v[2] + 7) / 8);
		break;
	default:
		break;
	}
	return n;
}

static inline uint64_t *events_open(struct events_thread *t, uint32_t kind, uint32_t site,
				    const uint64_t *value)
{
	uint32_t number = events_define(t, kind, site), words = events_layout(kind).words;
	bob_status why;
	uint64_t *to = bob_event_writer_open(t->w, number, words, &why);

	assert(to);
	if (words)
		memcpy(to, value, 8 * words);
	return to;
}

/* The next moment, `ns` after the one before. */
static inline void events_moment(struct events_thread *t, uint64_t ns)
{
	bob_status st = bob_exact_put(&t->exact, t->now_ns += ns);

	assert(st == BOB_OK);
	(void)st;
}

static inline void events_put(struct events_thread *t, uint32_t kind, uint32_t site, uint64_t i)
{
	uint32_t words = events_layout(kind).words, n;
	uint64_t value[EVENTS_VALUES] = { 0 }, *to, gap = 0;
	bob_status st;

	if (t->before != BOB_TIME_NONE)
		gap = events_random(t) >> events_random(t) % 40;
	n = events_values(t, kind, i, value);
	events_open(t, kind, site, value);
	to = bob_event_writer_more(t->w, words, n, &st);
	assert(to);
	if (n > words)
		memcpy(to + words, value + words, 8 * (n - words));
	st = bob_event_writer_put(t->w, n);
	assert(st == BOB_OK);
	(void)st;
	bob_times_add(t->times, t->before, t->number[kind][site], gap, 50 * i);
	events_moment(t, gap);
	events_moment(t, 50 * i);
	t->before = t->number[kind][site];
}

/* It begins and does not come back; `more`: some of its vectors is there. */
static inline void events_hang(struct events_thread *t, uint32_t kind, uint32_t site, uint64_t i,
			       uint32_t more)
{
	uint32_t words = events_layout(kind).words;
	uint64_t value[EVENTS_VALUES] = { 0 }, *to;
	bob_status why;

	events_values(t, kind, i, value);
	events_open(t, kind, site, value);
	bob_event_writer_begun(t->w, words);
	events_moment(t, 77);
	if (!more)
		return;
	to = bob_event_writer_more(t->w, words, words + more, &why);
	assert(to);
	memcpy(to + words, value + words, 8 * more);
	bob_event_writer_begun(t->w, words + more);
}

/* --- threads --- */

/* More definitions than the first chunk has room for, then loops. */
static inline void events_many(struct events_thread *t)
{
	for (uint32_t i = 0; i < EVENTS_SITES - 10; i++)
		events_put(t, EVENT_SEND, i, i / 7);
	for (uint32_t i = 0; i < 12; i++) {
		events_put(t, EVENT_BARRIER, 0, i);
		events_put(t, EVENT_SEND, 5, i);
		events_put(t, EVENT_WAITALL, 6, 3);
		if (i % 4 == 1)
			events_put(t, EVENT_SPLIT, 7, i);
	}
}

/* `rounds` that are enough for a commit, if they are many. */
static inline void events_rounds(struct events_thread *t, uint32_t rounds)
{
	for (uint32_t i = 0; i < rounds; i++) {
		events_put(t, EVENT_SEND, 1, i);
		events_put(t, EVENT_WAITALL, 2, i);
		if (i % 3 == 0)
			events_put(t, EVENT_SPLIT, 3, i);
	}
}

/* Rank `rank` of two. The images of the second one are the other way round, and it is killed. */
static inline void build_events_process(struct build *p, uint32_t rank)
{
	uint32_t ranks[2] = { rank, 2 };
	struct events_thread t;
	struct bob_meta meta;
	uint8_t buf[128];

	golden_memory_two_images(p, 900 + rank, rank, 0x1000ull * rank);
	bob_meta_init(&meta, buf, sizeof(buf));
	bob_meta_put(&meta, BOB_REC_RANK, ranks, sizeof(ranks));
	for (uint32_t when = 0; when < 1 + rank; when++) {
		struct bob_rec_clock c = { 5000 + 100000 * when, 1000 - 1200 * (int64_t)when,
					   40 + when, when, !rank };

		bob_meta_put(&meta, BOB_REC_CLOCK, &c, sizeof(c));
	}
	build_sealed(p, BOB_CHUNK_META, 0, buf, meta.len);
	events_begin(&t, p, "main", rank, 23);
	if (rank == 0) {
		events_many(&t);
		events_end(&t);
	} else {
		events_rounds(&t, 230);
		events_hang(&t, EVENT_SPLIT, 3, 230, 2);
		events_killed(&t);
	}
	events_begin(&t, p, "other", rank, 29);
	events_rounds(&t, 20);
	if (rank) {
		events_forget(&t);
		events_rounds(&t, 10);
	}
	events_hang(&t, EVENT_WAITALL, 2, 3, 0);
	events_killed(&t);
	if (rank == 0)
		bob_file_end(build_head(p), BOB_FILE_CLOSED, BOB_STOP_NONE, 9000);
}

static inline void golden_events_files(struct build *first, struct build *second)
{
	build_events_process(first, 0);
	build_events_process(second, 1);
}

/* One thread ends; one hangs in a call whose vector had to move to another chunk. */
static inline void golden_events_flat_file(struct build *p)
{
	struct events_thread t;

	golden_memory_two_images(p, 910, 0, 0);
	events_begin_as(&t, p, "main", 0, 31, 1);
	events_rounds(&t, 20);
	events_forget(&t);
	events_many(&t);
	events_end(&t);
	events_begin_as(&t, p, "other", 1, 37, 1);
	for (uint32_t i = 0; i < EVENTS_ROOM / 8 - 4; i++) /* a value each; the call has four */
		events_put(&t, EVENT_BARRIER, i / 200, i);
	events_hang(&t, EVENT_SPLIT, 3, 230, 4);
	events_killed(&t);
	bob_file_end(build_head(p), BOB_FILE_CLOSED, BOB_STOP_NONE, 9000);
}

static inline void golden_events_merged_files(struct build *p)
{
	struct build apart[2], killed;

	golden_events_files(&apart[0], &killed);
	build_merged(&killed, &apart[1]);
	build_trace(apart, 2, p);
	build_free(&apart[0]);
	build_free(&apart[1]);
	build_free(&killed);
}

#endif
