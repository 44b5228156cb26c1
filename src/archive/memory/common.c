/* SPDX-License-Identifier: BSD-3-Clause */
/* Objects to which the memory records of a process refer: descriptors, and the folded records of
 * all its threads if they were merged. Processes of a merged trace share them. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "archive/folds.h"
#include "archive/merge/merging.h"
#include "archive/reader.h"
#include "base/search.h"

void bob_common_free(struct bob_common *c)
{
	bob_folded_close(c->merged);
	bob_folded_close(c->events);
	bob_time_rows_free(&c->times);
	free(c->exact.at);
	free(c->before);
	free(c->descs);
	free(c);
}

static const struct bob_chunk_ref *find_chunk(const struct bob_file *f, uint32_t kind,
					      enum bob_content content)
{
	for (size_t i = 0; i < f->chunk_count; i++)
		if (f->chunks[i].head.kind == kind && f->chunks[i].head.aux == content)
			return &f->chunks[i];
	return NULL;
}

/* Opens the separate bytes of merged records, in their original form or as a table. Without such a
 * chunk the result is empty. *c: the chunk, or NULL. */
static bob_status open_shifts(struct bob_trace *t, const struct bob_file *f,
			      enum bob_content content, const struct bob_chunk_ref **c,
			      struct bob_payload *p)
{
	struct bob_bytes series = { 0 };
	struct bob_payload table;
	bob_status st;

	*p = (struct bob_payload){ .at = f->bytes };
	*c = find_chunk(f, BOB_CHUNK_SHIFTS, content);
	if (*c)
		return bob_payload_open(t, f, *c, p);
	*c = find_chunk(f, BOB_CHUNK_TABLE_SHIFTS, content);
	if (!*c)
		return BOB_OK;
	st = bob_payload_open(t, f, *c, &table);
	if (st != BOB_OK)
		return st;
	st = bob_shifts_read(&table, &series);
	bob_payload_close(&table);
	*p = (struct bob_payload){ .at = series.at, .len = series.len, .owned = series.at };
	if (st != BOB_OK)
		bob_payload_close(p);
	return st == BOB_NONE ? BOB_ERR_CORRUPT : st;
}

static bob_status read_merged(struct bob_trace *t, struct bob_common *c, enum bob_content content,
			      struct bob_folded **out)
{
	const struct bob_chunk_ref *m = find_chunk(c->file, BOB_CHUNK_FOLD_MERGED, content);
	const struct bob_chunk_ref *s = NULL;
	struct bob_payload folded = { 0 }, shifts = { 0 };
	bob_status st;

	if (!m)
		return BOB_OK;
	st = bob_payload_open(t, c->file, m, &folded);
	if (st == BOB_OK)
		st = open_shifts(t, c->file, content, &s, &shifts);
	if (st == BOB_OK)
		st = bob_folded_unpack_apart(folded.at, folded.len, shifts.at, shifts.len,
					     &bob_alloc_malloc, out);
	bob_payload_close(&folded);
	bob_payload_close(&shifts);
	if (st == BOB_ERR_NOMEM)
		return st;
	if (st != BOB_OK && st != BOB_NONE)
		bob_problem_add(t, c->file, m->off, "merged folded streams cannot be read", 1);
	if (st == BOB_OK)
		c->merged_bytes += bob_chunk_len(m);
	t->meta_bytes += s ? sizeof(s->head) + bob_chunk_len(s) : 0;
	return BOB_OK;
}

/* Merged times belong to no stream. */
static bob_status read_times(struct bob_trace *t, struct bob_common *c)
{
	const struct bob_chunk_ref *m = find_chunk(c->file, BOB_CHUNK_TABLE_TIMES, BOB_CONTENT_MPI);
	const int is_table = m != NULL;
	struct bob_payload p;
	bob_status st;

	m = m ? m : find_chunk(c->file, BOB_CHUNK_TIMES, BOB_CONTENT_MPI);
	if (!m || !c->events)
		return BOB_OK;
	st = bob_payload_open(t, c->file, m, &p);
	if (st != BOB_OK)
		return st == BOB_ERR_NOMEM ? st : BOB_OK;
	st = (is_table ? bob_time_rows_unpack : bob_time_rows_unpack_v1)(
		p.at, p.len, bob_folded_shapes(c->events), bob_folded_count(c->events), &c->times);
	bob_payload_close(&p);
	if (st == BOB_ERR_CORRUPT || st == BOB_ERR_VERSION)
		bob_problem_add(t, c->file, m->off, "statistics of times cannot be read", 1);
	if (st == BOB_OK)
		c->merged_bytes += bob_chunk_len(m);
	return st == BOB_ERR_NOMEM ? st : BOB_OK;
}

static const struct bob_schema_column before_columns[] = {
	BOB_SCHEMA_COLUMN(struct bob_before, process, BOB_STORED_REFERENCE, BOB_STORED_PROCESSES),
	BOB_SCHEMA_COLUMN(struct bob_before, stream, BOB_STORED_UNSIGNED, 0),
	BOB_SCHEMA_COLUMN(struct bob_before, content, BOB_STORED_UNSIGNED, 0),
	BOB_SCHEMA_COLUMN(struct bob_before, events, BOB_STORED_UNSIGNED, 0),
};
const struct bob_schema bob_before_table =
	BOB_SCHEMA(BOB_STORED_BEFORE, "before", struct bob_before, before_columns);

static bob_status read_before(struct bob_trace *t, struct bob_common *c)
{
	const struct bob_chunk_ref *b = find_chunk(c->file, BOB_CHUNK_TABLE_BEFORE, 0);
	struct bob_payload p;
	void *rows = NULL;
	bob_status st;

	if (!b)
		return BOB_OK;
	st = bob_payload_open(t, c->file, b, &p);
	if (st != BOB_OK)
		return st == BOB_ERR_NOMEM ? st : BOB_OK;
	st = bob_rows_read(p.at, p.len, &bob_before_table, &rows, &c->before_count);
	bob_payload_close(&p);
	c->before = rows;
	t->meta_bytes += sizeof(b->head) + bob_chunk_len(b);
	if (st != BOB_OK && st != BOB_ERR_NOMEM)
		bob_problem_add(t, c->file, b->off, "what earlier parts have cannot be read", 1);
	return st == BOB_ERR_NOMEM ? st : BOB_OK;
}

/* Selects the rows of `before` for the process; they are sorted by process. */
static bob_status take_before(struct bob_process *p)
{
	const struct bob_common *c = p->common;
	const size_t end = p->file->outer ? c->before_count : 0;
	bob_status st = BOB_OK;
	size_t lo;

	BOB_PARTITION_POINT(lo, end, i, c->before[i].process < p->file->inner);
	for (; lo < end && c->before[lo].process == p->file->inner && st == BOB_OK; lo++)
		st = bob_after_add(p, c->before[lo].stream, c->before[lo].content,
				   c->before[lo].events);
	return st;
}

/* The struct bob_common of the file; created if it does not exist yet. */
static bob_status find_common(struct bob_trace *t, struct bob_file *f, struct bob_common **out)
{
	struct bob_common *c;
	bob_status st;

	*out = f->common;
	if (f->common)
		return BOB_OK;
	c = calloc(1, sizeof(*c));
	if (!c ||
	    bob_array_reserve(&t->commons, t->common_count, &t->common_cap, sizeof(*t->commons))) {
		free(c);
		return BOB_ERR_NOMEM;
	}
	c->number = t->common_count;
	t->commons[t->common_count++] = f->common = *out = c;
	c->file = f;
	st = bob_descs_build(t, c);
	if (st == BOB_OK)
		st = read_merged(t, c, BOB_CONTENT_MEM, &c->merged);
	if (st == BOB_OK)
		st = read_merged(t, c, BOB_CONTENT_MPI, &c->events);
	if (st == BOB_OK)
		st = read_times(t, c);
	if (st == BOB_OK)
		st = bob_exact_list_packed(t, f, &c->exact);
	if (st == BOB_OK)
		st = read_before(t, c);
	c->merged_bytes += bob_exact_bytes(f, BOB_STREAM_NONE);
	return st;
}

/* --- participants --- */

static int by_tid(const void *a, const void *b, void *streams)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	struct bob_stream *const *s = streams;

	if (s[x]->info.tid != s[y]->info.tid)
		return s[x]->info.tid < s[y]->info.tid ? -1 : 1;
	return (x > y) - (x < y);
}

static bob_status number_participants(const struct bob_process *p)
{
	uint32_t *order = malloc((p->stream_count + 1) * sizeof(*order)), nth = 0;

	if (!order)
		return BOB_ERR_NOMEM;
	for (size_t i = 0; i < p->stream_count; i++)
		order[i] = (uint32_t)i;
	if (p->stream_count)
		qsort_r(order, p->stream_count, sizeof(*order), by_tid, p->streams);
	for (size_t k = 0; k < p->stream_count; k++) {
		struct bob_stream *s = p->streams[order[k]];

		nth = k && p->streams[order[k - 1]]->info.tid == s->info.tid ? nth + 1 : 0;
		s->nth = nth;
		s->rank = (uint32_t)k;
	}
	free(order);
	return BOB_OK;
}

uint64_t bob_merged_id(const struct bob_process *p, size_t i)
{
	const struct bob_stream *s = p->streams[i];

	return p->file->outer ? bob_trace_id(p, i, p->file->inner) :
				(uint64_t)s->info.tid << 32 | s->nth;
}

uint64_t bob_trace_id(const struct bob_process *p, size_t i, uint32_t number)
{
	return (uint64_t)number << 32 | p->streams[i]->rank;
}

int bob_participant_find(const struct bob_folded *merged, uint64_t id, uint32_t *participant)
{
	size_t lo;

	/* participants are sorted by id */
	BOB_PARTITION_POINT(lo, bob_folded_count(merged), i,
			    bob_folded_id(merged, (uint32_t)i) < id);
	*participant = (uint32_t)lo;
	return lo < bob_folded_count(merged) && bob_folded_id(merged, *participant) == id;
}

bob_status bob_common_build(struct bob_trace *t, struct bob_process *p)
{
	size_t outer = p->file->outer ? p->file->outer - 1 : (size_t)(p->file - t->files);
	bob_status st = find_common(t, &t->files[outer], &p->common);

	if (st == BOB_OK)
		st = number_participants(p);
	if (st == BOB_OK)
		st = take_before(p);
	for (size_t k = 0; st == BOB_OK && k < p->stream_count; k++) {
		const struct bob_common *c = p->common;
		uint64_t id = bob_merged_id(p, k);
		struct bob_stream *s = p->streams[k];

		if (c->merged && bob_participant_find(c->merged, id, &s->participant))
			s->folded = c->merged;
		if (c->events && bob_participant_find(c->events, id, &s->mpi.participant))
			s->mpi.folded = c->events;
		if (s->mpi.folded)
			s->mpi.exact = bob_exact_find(&c->exact, id, &s->mpi.exact_count);
	}
	return st;
}
