/* SPDX-License-Identifier: BSD-3-Clause */
/* Folded records of several threads, and of several processes, merged: the traces `merged` and
 * `ranks`. */
#ifndef BOB_TESTS_GOLDEN_MERGED_H
#define BOB_TESTS_GOLDEN_MERGED_H

#include "folded.h"

static inline void build_of_file(FILE *f, const char *name, struct build *to)
{
	memset(to, 0, sizeof(*to));
	snprintf(to->name, sizeof(to->name), "%.*s", (int)sizeof(to->name) - 1, name);
	to->bytes = aligned_alloc(4096, BUILD_CAP);
	assert(to->bytes);
	memset(to->bytes, 0, BUILD_CAP);
	rewind(f);
	to->len = fread(to->bytes, 1, BUILD_CAP, f);
	fclose(f);
}

/* A file once more, its threads merged. */
static inline void build_merged(const struct build *from, struct build *to)
{
	const struct bob_memory_file file = { from->name, from->bytes, from->len };
	struct bob_trace *trace;
	FILE *f = tmpfile();
	bob_status st = bob_archive_open_memory(&file, 1, &trace, NULL);

	assert(f && st == BOB_OK);
	st = bob_archive_merge(trace, 0, 0, f, NULL);
	assert(st == BOB_OK);
	(void)st;
	bob_trace_close(trace);
	build_of_file(f, from->name, to);
}

/* All of them in one. */
static inline void build_trace(const struct build *from, size_t count, struct build *to)
{
	struct bob_memory_file file[8];
	struct bob_trace *trace;
	uint8_t is_in[8];
	FILE *f = tmpfile();
	bob_status st;

	assert(f && count <= 8);
	for (size_t i = 0; i < count; i++)
		file[i] = (struct bob_memory_file){ from[i].name, from[i].bytes, from[i].len };
	st = bob_archive_open_memory(file, count, &trace, NULL);
	assert(st == BOB_OK);
	st = bob_archive_merge_processes(trace, 0, f, is_in, NULL);
	assert(st == BOB_OK);
	(void)st;
	bob_trace_close(trace);
	build_of_file(f, "trace.bob", to);
}

static inline void build_tid(struct build *b, uint32_t stream, uint32_t tid)
{
	for (uint64_t off = BOB_FILE_HEAD_BYTES; off < b->len;) {
		struct bob_chunk_head *c = (struct bob_chunk_head *)(void *)(b->bytes + off);

		if (c->kind == BOB_CHUNK_STREAM && c->stream == stream)
			((struct bob_stream_head *)bob_chunk_data(c))->tid = tid;
		off += bob_chunk_bytes(c->size);
	}
}

/* Six threads. Three do the same at other addresses: two of these have equal tables, and one of the
 * two has a second part. Three do something else. The addresses of stacks follow no rule. One
 * thread has the id of a thread that has ended, another has a smaller id. Affine values are affine
 * in the index among all parts. */
static inline void golden_merged_files(struct build *p)
{
	static const uint64_t seed[] = { 11, 11, 13, 17, 17, 17 };
	static const uint32_t tid[] = { 600, 601, 602, 610, 610, 605 };
	struct folded_descs *descs;
	struct build apart;

	golden_memory_images(&apart, 600);
	descs = build_folded_descs(&apart, 0);
	for (uint32_t i = 0; i < 6; i++) {
		struct folded_thread t;

		folded_begin(&t, &apart, descs, "merged", seed[i]);
		build_tid(&apart, i, tid[i]);
		t.sp = 0x7fff0000 + (i * i * i + 3) * 0x12340;
		if (i < 3) {
			folded_kernel(&t, 0x500000 + 0x10000 * (i + i / 2), i == 2 ? 4 : 3);
		} else {
			folded_spine(&t, 3000);
			folded_triangles(&t, t.sp, 5);
			folded_loops(&t, t.sp + 0x1000 * i);
		}
		if (i == 1) {
			folded_again(&t);
			folded_turns(&t, 0x600000, 0x700000, 3);
		}
		folded_end(&t);
	}
	bob_file_end(build_head(&apart), BOB_FILE_CLOSED, BOB_STOP_NONE, 9000);
	build_merged(&apart, p);
	build_free(&apart);
	free(descs);
}

/* Rank `rank` of four: two threads, whose memory is at addresses without a rule. One rank has its
 * images in reverse order; the first does a little more than the others, and the last has no
 * threads that access memory. */
static inline void build_rank(struct build *p, uint32_t rank)
{
	static const uint64_t moved[] = { 0, 0x7a123000, 0x13337000, 0 };
	uint32_t first = rank == 1, ranks[2] = { rank, 4 };
	struct folded_descs *descs;
	struct build apart;
	struct bob_meta meta;
	uint8_t buf[64];

	golden_memory_two_images(&apart, 700 + rank, first, moved[rank] & ~0xfffffull);
	bob_meta_init(&meta, buf, sizeof(buf));
	bob_meta_put(&meta, BOB_REC_RANK, ranks, sizeof(ranks));
	build_sealed(&apart, BOB_CHUNK_META, 0, buf, meta.len);
	descs = build_folded_descs(&apart, first);
	for (uint32_t i = 0; i < 2 && rank < 3; i++) {
		struct folded_thread t;

		folded_begin(&t, &apart, descs, "rank", 19);
		t.sp = 0x7fff0000 + moved[rank] * 16 + 0x800000 * i;
		folded_call(&t, FOLD_CALL, 0);
		folded_triangles(&t, 0x500000 + moved[rank] + 0x10000 * i, 5);
		folded_call(&t, FOLD_CALL_TWO, 1);
		folded_turns(&t, t.sp, 0x600000 + moved[rank] + (rank ? 0 : 8), 3);
		folded_tables(&t, 2);
		if (!rank)
			folded_loops(&t, 0x700000);
		folded_end(&t);
	}
	bob_file_end(build_head(&apart), BOB_FILE_CLOSED, BOB_STOP_NONE, 9000);
	if (rank < 3) {
		build_merged(&apart, p);
		build_free(&apart);
	} else {
		*p = apart;
	}
	free(descs);
}

static inline void golden_ranks_files(struct build *p)
{
	struct build rank[4];

	for (uint32_t i = 0; i < 4; i++)
		build_rank(&rank[i], i);
	build_trace(rank, 4, p);
	for (uint32_t i = 0; i < 4; i++)
		build_free(&rank[i]);
}

#endif
