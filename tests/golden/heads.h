/* SPDX-License-Identifier: BSD-3-Clause */
/* The trace `heads`: two processes that were merged while they ran, as in MPI_Finalize, and their
 * own files, which continue after that. */
#ifndef BOB_TESTS_GOLDEN_HEADS_H
#define BOB_TESTS_GOLDEN_HEADS_H

#include "events.h"

#define HEADS_RANKS 2u

/* That what comes now is behind a head. */
static inline void build_in_head(struct build *b)
{
	struct bob_meta meta;
	uint8_t buf[16];

	bob_meta_init(&meta, buf, sizeof(buf));
	bob_meta_put(&meta, BOB_REC_IN_HEAD, NULL, 0);
	build_sealed(b, BOB_CHUNK_META, 0, buf, meta.len);
}

/* These, as they are now. */
static inline void build_head_of(const struct build *from, size_t count, struct build *to)
{
	struct bob_memory_file file[8];
	struct bob_trace *trace;
	FILE *f = tmpfile();
	bob_status st;

	assert(f && count <= 8);
	for (size_t i = 0; i < count; i++)
		file[i] = (struct bob_memory_file){ from[i].name, from[i].bytes, from[i].len };
	st = bob_archive_open_running(file, count, &trace, NULL);
	assert(st == BOB_OK);
	st = bob_archive_merge_running(trace, f, NULL);
	assert(st == BOB_OK);
	(void)st;
	bob_trace_close(trace);
	build_of_file(f, "trace.bob", to);
}

static inline void golden_heads_files(struct build *rank, struct build *head)
{
	struct events_thread t[HEADS_RANKS];
	bob_status st;

	for (uint32_t i = 0; i < HEADS_RANKS; i++) {
		golden_memory_two_images(&rank[i], 950 + i, i, 0x1000ull * i);
		events_begin(&t[i], &rank[i], "finalizes", i, 3 + i);
		events_rounds(&t[i], 12);
		if (i) { /* the other one goes on in the same part */
			st = bob_event_writer_cut(t[i].w);
			assert(st == BOB_OK);
			(void)st;
		}
	}
	build_head_of(rank, HEADS_RANKS, head);
	strcpy(head->name, "tgoldhost.950.0.bob");
	for (uint32_t i = 0; i < HEADS_RANKS; i++) {
		build_in_head(&rank[i]);
		events_rounds(&t[i], 2);
		events_end(&t[i]);
		bob_file_end(build_head(&rank[i]), BOB_FILE_CLOSED, BOB_STOP_NONE, 9000);
	}
}

/* --- a head that has grown --- */

/* One more part of `to`, or, where it is NULL, the first one: what each rank has recorded since. */
static inline FILE *build_part(const struct build *rank, struct bob_given *given, FILE *to)
{
	struct bob_memory_file file[HEADS_RANKS];
	struct build head[HEADS_RANKS];
	FILE *part = NULL;
	bob_status st = BOB_OK;

	for (uint32_t i = HEADS_RANKS;
	     i-- && st == BOB_OK;) { /* the first one has what the others sent */
		struct bob_trace *t;
		char name[16];

		file[i] = (struct bob_memory_file){ rank[i].name, rank[i].bytes, rank[i].len };
		part = tmpfile();
		assert(part);
		st = bob_archive_open_running(file + i, i ? 1 : HEADS_RANKS, &t, NULL);
		assert(st == BOB_OK);
		st = bob_archive_merge_after(t, &given[i], part, NULL);
		bob_trace_close(t);
		if (!i)
			break;
		snprintf(name, sizeof(name), "t%u.bob", i);
		build_of_file(part, name, &head[i]);
		file[i] = (struct bob_memory_file){ head[i].name, head[i].bytes, head[i].len };
	}
	assert(st == BOB_OK);
	for (uint32_t i = 1; i < HEADS_RANKS; i++)
		build_free(&head[i]);
	if (!to)
		return part;
	st = bob_archive_append(fileno(to), part);
	assert(st == BOB_OK);
	(void)st;
	fclose(part);
	return to;
}

/* Three parts of two ranks, and nothing else. One rank is cut at each part, so durations are
 * unknown. */
static inline void golden_parts_file(struct build *head)
{
	struct build rank[HEADS_RANKS];
	struct events_thread t[HEADS_RANKS];
	struct bob_given given[HEADS_RANKS] = { { 0 } };
	FILE *f = NULL;

	for (uint32_t i = 0; i < HEADS_RANKS; i++) {
		golden_memory_two_images(&rank[i], 970 + i, i, 0x1000ull * i);
		events_begin(&t[i], &rank[i], "flushes", i, 3 + i);
	}
	for (uint32_t part = 0; part < 3; part++) {
		for (uint32_t i = 0; i < HEADS_RANKS; i++) {
			bob_status st = BOB_OK;

			events_rounds(&t[i], 5 + part);
			if (i)
				st = bob_event_writer_cut(t[i].w);
			assert(st == BOB_OK);
			(void)st;
		}
		f = build_part(rank, given, f);
	}
	build_of_file(f, "tgoldhost.970.0.bob", head);
	for (uint32_t i = 0; i < HEADS_RANKS; i++) {
		events_end(&t[i]);
		build_free(&rank[i]);
		free(given[i].row);
	}
}

#endif
