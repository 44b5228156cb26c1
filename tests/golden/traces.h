/* SPDX-License-Identifier: BSD-3-Clause */
/* The golden traces, made in memory. Once their bytes are committed (v1/) this file changes only by
 * adding new traces: readers must read the old bytes for ever. */
#ifndef BOB_TESTS_GOLDEN_TRACES_H
#define BOB_TESTS_GOLDEN_TRACES_H

#include "build.h"
#include "events.h"
#include "heads.h"
#include "inlined.h"
#include "memory.h"
#include "merged.h"
#include "places.h"
#include "rows.h"
#include "sets.h"
#include "shapes.h"
#include "syncs.h"
#include "user.h"

#define GOLDEN_FILES 6

struct golden {
	struct build files[GOLDEN_FILES];
	size_t count;
};

static inline struct build *golden_file(struct golden *g)
{
	return &g->files[g->count++];
}

static inline void golden_free(struct golden *g)
{
	for (size_t i = 0; i < g->count; i++)
		build_free(&g->files[i]);
	g->count = 0;
}

static inline void golden_meta(struct build *b, const char *exe, uint32_t rank)
{
	static const char argv[] = "app\0-n\0"
				   "3";
	uint32_t ranks[2] = { rank, 2 }, skipped[2] = { 3, 1 }, reason[2] = { 11, 0 };
	uint8_t buf[1024];
	struct bob_meta m;

	bob_meta_init(&m, buf, sizeof(buf));
	bob_meta_put(&m, BOB_REC_COMMAND, argv, sizeof(argv));
	bob_meta_put(&m, BOB_REC_EXE, exe, strlen(exe));
	bob_meta_put(&m, BOB_REC_CWD, "/tmp", 4);
	bob_meta_put(&m, BOB_REC_CONFIG, "BOBBIN_CODEC=run", 17);
	build_rec_image(&m, 0, 0, 20, 0x1122334455667788ull, exe);
	build_rec_image(&m, 1, 20, 10, 0xabcdefull, "/usr/lib/libgold.so.1");
	build_rec_image(&m, 2, 30, 5, 0xfeedull, "/usr/lib/libmissing.so");
	bob_meta_put(&m, BOB_REC_SKIPPED, skipped, sizeof(skipped));
	bob_meta_begin(&m, BOB_REC_IMAGE_SKIPPED);
	bob_meta_append(&m, reason, sizeof(reason));
	bob_meta_append(&m, "/usr/lib/libc.so.6", 18);
	bob_meta_end(&m);
	bob_meta_put(&m, BOB_REC_RANK, ranks, sizeof(ranks));
	build_sealed(b, BOB_CHUNK_META, 0, buf, m.len);
	build_sealed(b, BOB_CHUNK_LOG, 0, "golden log\nsecond line\n", 23);
}

/* Loops, recursion and noise: `n` steps of a small deterministic program. */
static inline void golden_calls(struct build_stream *s, uint32_t n, uint32_t seed)
{
	uint32_t x = seed, depth = 0;

	for (uint32_t i = 0; i < n; i++) {
		x = x * 1664525u + 1013904223u;
		uint32_t pops = i % 7 ? depth > 4 : depth ? (x >> 20) % (depth + 1) : 0;

		build_call(s, pops, i % 11 ? i % 5 : (x >> 16) % 30);
		depth = depth - pops + 1;
	}
}

static inline void golden_extended(struct build_stream *s)
{
	build_call(s, 0, 1);
	build_call(s, 0, 22);
	build_ext(s, BOB_SYM_SIGNAL, 0);
	build_call(s, 0, 2);
	build_call(s, 1, 4);
	build_ext(s, BOB_SYM_ORPHAN, 0);
	build_call(s, 0, 5);
	build_ext(s, BOB_SYM_POPS, 3);
	build_ext(s, BOB_SYM_STACK, 3);
	build_call(s, 0, 6);
	build_call(s, 0, 31);
	build_ext(s, BOB_SYM_STACK, 0);
	build_call(s, 1, 7);
	build_ext(s, BOB_SYM_LOST, 17);
	build_call(s, 0, 8);
	build_ext(s, BOB_SYM_PAUSE, 0);
	build_call(s, 0, 9);
	build_ext(s, BOB_SYM_ID, 1);
	build_call(s, 0, 10);
}

/* Two processes, parent and fork child; every codec; extended symbols; one killed thread. */
static inline void golden_calls_trace(struct golden *g)
{
	struct build *p = golden_file(g), *c, *m;
	struct build_stream *s;
	struct bob_mark marks[2] = { { 0, 0, 5, 1100 }, { 0, 0, 9, 1200 } };

	build_process(p, 100, 1, 0, 1000);
	golden_meta(p, "/opt/app/prog", 0);
	s = build_stream(p, BOB_CODEC_RUN, 256, "main");
	golden_extended(s);
	golden_calls(s, 300, 7);
	build_end(s);
	s = build_stream(p, BOB_CODEC_PARLOT, 128, "parlot");
	golden_calls(s, 120, 3);
	golden_extended(s);
	build_end(s);
	s = build_stream(p, BOB_CODEC_NONE, 256, "none");
	golden_extended(s);
	golden_calls(s, 60, 5);
	build_end(s);
	s = build_stream(p, BOB_CODEC_NULL, 64, "null");
	golden_calls(s, 30, 5);
	build_end(s);
	bob_file_end(build_head(p), BOB_FILE_CLOSED, BOB_STOP_NONE, 9000);

	c = golden_file(g);
	build_process(c, 101, 100, 0, 2000);
	build_head(c)->parent_pid = 100;
	build_head(c)->parent_seq = 0;
	build_head(c)->parent_pos = 12;
	bob_file_seal(build_head(c));
	golden_meta(c, "/opt/app/prog", 1);
	s = build_stream(c, BOB_CODEC_RUN, 512, "child");
	s->head->start_depth = 2;
	build_call(s, 0, 3);
	build_call(s, 2, 4);
	golden_calls(s, 500, 9);
	s = build_stream(c, BOB_CODEC_PARLOT, 64, "killed");
	golden_calls(s, 77, 11);

	build_image(golden_file(g), 0x1122334455667788ull, "", 20);
	build_image(golden_file(g), 0xabcdefull, "libgold.so", 10);
	m = golden_file(g);
	build_begin(m, BOB_FILE_MARKS);
	bob_file_seal(build_head(m));
	strcpy(m->name, "marks.bob");
	build_sealed(m, BOB_CHUNK_MARKS, 100ull << 32, marks, sizeof(marks));
}

/* Several blocks per stream, blocks across windows, all storing codecs, killed. */
static inline void golden_blocks_trace(struct golden *g)
{
	static const enum bob_codec codec[] = { BOB_CODEC_RUN, BOB_CODEC_PARLOT, BOB_CODEC_NONE };
	struct build *p = golden_file(g);

	build_process(p, 200, 1, 3, 5000);
	for (int k = 0; k < 3; k++) {
		struct build_stream *s = build_stream(p, codec[k], 64, "blocks");

		for (uint32_t i = 0; i < 6; i++) {
			golden_calls(s, 40, i + 1);
			build_ext(s, BOB_SYM_PAUSE, 0);
			if (i < 5)
				bob_run_restart(s->enc);
		}
		golden_calls(s, 50, 5);
		if (k == 1)
			build_end(s);
	}
}

/* One of everything, as small as can be: damaged at every byte by the tests. */
static inline void golden_small_trace(struct golden *g)
{
	struct bob_mark marks[1] = { { 0, 0, 3, 400 } };
	struct build *p = golden_file(g), *m;
	struct build_stream *s;
	uint8_t buf[256];
	struct bob_meta meta;

	build_process(p, 300, 1, 0, 300);
	bob_meta_init(&meta, buf, sizeof(buf));
	bob_meta_put(&meta, BOB_REC_EXE, "/bin/small", 10);
	build_rec_image(&meta, 0, 0, 4, 0x5151ull, "/bin/small");
	build_sealed(p, BOB_CHUNK_META, 0, buf, meta.len);
	build_sealed(p, BOB_CHUNK_LOG, 0, "log\n", 4);
	s = build_stream(p, BOB_CODEC_RUN, 64, "run");
	golden_extended(s);
	bob_run_restart(s->enc);
	golden_calls(s, 20, 1);
	build_end(s);
	s = build_stream(p, BOB_CODEC_NONE, 64, "none");
	golden_calls(s, 8, 1);
	bob_run_restart(s->enc);
	golden_calls(s, 8, 2);
	build_image(golden_file(g), 0x5151ull, "small", 4);
	m = golden_file(g);
	build_begin(m, BOB_FILE_MARKS);
	bob_file_seal(build_head(m));
	strcpy(m->name, "marks.bob");
	build_sealed(m, BOB_CHUNK_MARKS, 300ull << 32, marks, sizeof(marks));
}

static inline void golden_memory_trace(struct golden *g)
{
	golden_memory_files(golden_file(g));
}

static inline void golden_folded_trace(struct golden *g)
{
	golden_folded_files(golden_file(g));
}

static inline void golden_turns_trace(struct golden *g)
{
	golden_turns_files(golden_file(g));
}

static inline void golden_merged_trace(struct golden *g)
{
	golden_merged_files(golden_file(g));
}

static inline void golden_ranks_trace(struct golden *g)
{
	golden_ranks_files(golden_file(g));
}

static inline void golden_syncs_trace(struct golden *g)
{
	golden_syncs_process(golden_file(g));
	golden_syncs_image(golden_file(g));
	golden_syncs_library(golden_file(g));
}

static inline void golden_events_trace(struct golden *g)
{
	struct build *first = golden_file(g);

	golden_events_files(first, golden_file(g));
}

static inline void golden_events_merged_trace(struct golden *g)
{
	golden_events_merged_files(golden_file(g));
}

static inline void golden_events_flat_trace(struct golden *g)
{
	golden_events_flat_file(golden_file(g));
}

static inline void golden_heads_trace(struct golden *g)
{
	struct build files[HEADS_RANKS + 1];

	golden_heads_files(files, &files[HEADS_RANKS]);
	for (uint32_t i = 0; i <= HEADS_RANKS; i++)
		*golden_file(g) = files[i];
}

static inline void golden_parts_trace(struct golden *g)
{
	golden_parts_file(golden_file(g));
}

static inline void golden_places_trace(struct golden *g)
{
	golden_places_process(golden_file(g));
}

static inline void golden_places_calls_trace(struct golden *g)
{
	golden_places_calls_process(golden_file(g));
}

static inline void golden_events_user_trace(struct golden *g)
{
	golden_user_file(golden_file(g));
}

static inline void golden_rows_trace(struct golden *g)
{
	golden_rows_file(golden_file(g));
}

static inline void golden_sets_trace(struct golden *g)
{
	struct build files[4];

	golden_sets_files(files, &files[3]);
	for (uint32_t i = 0; i < 4; i++)
		*golden_file(g) = files[i];
}

static inline void golden_shapes_trace(struct golden *g)
{
	golden_shapes_process(golden_file(g));
}

static inline void golden_inlined_trace(struct golden *g)
{
	golden_syncs_process(golden_file(g));
	golden_inlined_image(golden_file(g));
	golden_syncs_library(golden_file(g));
}

typedef void (*golden_fn)(struct golden *g);
static const struct {
	const char *name;
	golden_fn make;
} golden_traces[] = {
	{ "calls", golden_calls_trace },
	{ "blocks", golden_blocks_trace },
	{ "small", golden_small_trace },
	{ "memory", golden_memory_trace },
	{ "folded", golden_folded_trace },
	{ "merged", golden_merged_trace },
	{ "ranks", golden_ranks_trace },
	{ "syncs", golden_syncs_trace },
	{ "events", golden_events_trace },
	{ "events-merged", golden_events_merged_trace },
	{ "events-flat", golden_events_flat_trace },
	{ "heads", golden_heads_trace },
	{ "parts", golden_parts_trace },
	{ "places", golden_places_trace },
	{ "places-calls", golden_places_calls_trace },
	{ "events-user", golden_events_user_trace },
	{ "turns", golden_turns_trace },
	{ "sets", golden_sets_trace },
	{ "shapes", golden_shapes_trace },
	{ "rows", golden_rows_trace },
	{ "inlined", golden_inlined_trace },
};
#define GOLDEN_TRACES (sizeof(golden_traces) / sizeof(*golden_traces))

#endif
