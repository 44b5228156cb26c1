/* SPDX-License-Identifier: BSD-3-Clause */
/* Merges processes of a trace into one file: heads, META and threads as columns (inner.h), and
 * their memory records merged, with the numbers of the trace (unify.c). Addresses differ between
 * processes because the system chooses them; one number per process and object (SHIFTS) describes
 * that. */
#include <stdlib.h>
#include <string.h>

#include "archive/merge/drop.h"
#include "archive/folds.h"
#include "archive/merge/inner.h"
#include "archive/merge/merge_trace.h"
#include "archive/write/write.h"
#include "base/crc.h"
#include "base/varint.h"

/* --- selection --- */

static int may_join(const struct bob_process *p, int running)
{
	if (p->file->outer)
		return 1;
	for (size_t i = 0; i < p->stream_count; i++) {
		const struct bob_stream *s = p->streams[i];

		if (s->info.symbols || (bob_stream_has_raw(s) && !s->has_log) || s->mpi.is_flat)
			return 0;
	}
	return running || p->info.state != BOB_FILE_OPEN || p->common->merged || p->common->events;
}

int bob_archive_is_damaged(const struct bob_trace *t, uint32_t process)
{
	const struct bob_file *f = t->processes[process]->file;

	return f->lost && !f->outer;
}

const char *bob_archive_damaged_outer(const struct bob_trace *t, const char *name)
{
	for (size_t i = 0; i < t->process_count; i++) {
		const struct bob_process *p = t->processes[i]->head ? t->processes[i]->head :
								      t->processes[i];

		if (p->file->outer && t->files[p->file->outer - 1].lost)
			return t->files[p->file->outer - 1].name;
	}
	for (size_t i = 0; i < t->file_count; i++)
		if (t->files[i].lost && !t->files[i].outer && !strcmp(t->files[i].name, name))
			return t->files[i].name;
	return NULL;
}

void bob_archive_sum(struct bob_trace *t, int processes)
{
	for (size_t i = 0; i < t->file_count; i++) {
		const struct bob_file *f = &t->files[i];

		if (f->outer ||
		    (f->kind != BOB_FILE_TRACE && !(processes && f->kind == BOB_FILE_PROCESS)))
			continue;
		for (size_t k = 0; k < f->chunk_count && !f->lost; k++)
			if (!bob_chunk_crc_ok(f, &f->chunks[k]))
				bob_problem_add(t, f, f->chunks[k].off,
						"the checksum of a chunk does not match", 1);
	}
}

/* Selects the processes that can be merged and returns their number. *is_new: they are not all in
 * one file yet. */
static size_t choose(const struct bob_trace *t, int running, uint8_t *is_in, int *is_new)
{
	size_t n = 0, outer = 0;

	*is_new = 0;
	for (size_t i = 0; i < t->process_count; i++) {
		const struct bob_file *f = t->processes[i]->file;

		is_in[i] = may_join(t->processes[i], running) &&
			   (running || !bob_archive_is_damaged(t, (uint32_t)i));
		n += is_in[i];
		*is_new |= is_in[i] && (!f->outer || (outer && f->outer != outer));
		if (is_in[i])
			outer = f->outer;
	}
	return n;
}

/* Finds the commons of the selected processes. */
static bob_status find_commons(struct bob_merging *m)
{
	m->first = calloc(m->t->common_count + 1, sizeof(*m->first));
	m->has_some_before = calloc(m->t->common_count + 1, 1);
	if (!m->first || !m->has_some_before)
		return BOB_ERR_NOMEM;
	for (size_t i = 0; i < m->t->process_count; i++) {
		const struct bob_process *p = m->t->processes[i];

		if (m->is_in[i] && !m->first[p->common->number])
			m->first[p->common->number] = p;
		for (const struct bob_process *q = bob_process_before(p); m->is_in[i] && q;
		     q = bob_process_before(q))
			m->has_some_before[q->common->number] = 1;
	}
	return BOB_OK;
}

/* Records of `p` that its file has already merged: `of_file`, borrowed; what follows its head; or
 * NULL. */
static bob_status merged_of_file(const struct bob_process *p, enum bob_content content,
				 struct bob_folded *of_file, struct bob_folded **out)
{
	*out = of_file;
	return of_file && p && p->head ? bob_tail_of_merged(p, content, of_file, out) : BOB_OK;
}

static bob_status merge_common(struct bob_merging *m, size_t i, struct bob_error *err)
{
	const struct bob_common *c = m->t->commons[i];
	const struct bob_process *p = m->first[i];
	enum bob_which which = m->running ? BOB_COMPLETE : p && p->head ? BOB_TAIL : BOB_ALL;
	bob_status st;

	if (!p && !m->has_some_before[i])
		return BOB_OK;
	st = merged_of_file(p, BOB_CONTENT_MEM, c->merged, &m->merged[i]);
	if (st == BOB_OK && p && !c->merged)
		st = bob_threads_merge(p, NULL, which, &m->merged[i], err);
	if (st == BOB_OK)
		st = merged_of_file(p, BOB_CONTENT_MPI, c->events, &m->events[i]);
	if (st == BOB_OK && p && !c->events)
		st = bob_events_merge(m->t, p, which, &m->events[i], err);
	return st;
}

/* Merges the threads of each process first. */
static bob_status merge_threads(struct bob_merging *m, struct bob_error *err)
{
	bob_status st = BOB_OK;

	m->merged = calloc(m->t->common_count + 1, sizeof(struct bob_folded *));
	m->events = calloc(m->t->common_count + 1, sizeof(struct bob_folded *));
	if (!m->merged || !m->events)
		return BOB_ERR_NOMEM;
	for (size_t i = 0; i < m->t->common_count && st == BOB_OK; i++)
		st = merge_common(m, i, err);
	return st;
}

static void free_merged(struct bob_merging *m)
{
	for (size_t i = 0; i < m->t->common_count && m->merged; i++)
		if (m->merged[i] != m->t->commons[i]->merged)
			bob_folded_close(m->merged[i]);
	for (size_t i = 0; i < m->t->common_count && m->events; i++)
		if (m->events[i] != m->t->commons[i]->events)
			bob_folded_close(m->events[i]);
	free(m->merged);
	free(m->events);
	free(m->first);
	free(m->has_some_before);
}

/* --- merging --- */

/* Adds the records of common `i` as a source. */
static void add_source(const struct bob_merging *m, size_t i, int events,
		       const struct bob_names *names, struct bob_fold_source *from,
		       struct bob_time_source *timed)
{
	const struct bob_process *p = m->first[i];

	*timed = (struct bob_time_source){ p, &names->rename };
	*from = (struct bob_fold_source){ .folded = events ? m->events[i] : m->merged[i],
					  .rename = &names->rename,
					  .goes_on = m->t->joins || (p && p->head) };
}

/* Merges the records of all commons, or, with `times` (which returns their statistics), the events.
 * *out is NULL if there are none. Trace files come first, because other sources may continue
 * them. */
static bob_status merge_all(const struct bob_merging *m, struct bob_bytes *times,
			    struct bob_folded **out)
{
	const int events = times != NULL;
	struct bob_folded *const *merged = events ? m->events : m->merged;
	size_t most = m->t->common_count + 1;
	struct bob_names *names = calloc(most, sizeof(*names));
	struct bob_fold_source *from = calloc(most, sizeof(*from));
	struct bob_time_source *timed = calloc(most, sizeof(*timed));
	bob_status st = names && from && timed ? BOB_OK : BOB_ERR_NOMEM;
	uint32_t n = 0;

	*out = NULL;
	if (st == BOB_OK)
		st = bob_names_find(m, events, names);
	for (size_t k = 0; k < 2 * m->t->common_count && st == BOB_OK; k++) {
		size_t i = k % m->t->common_count;
		int first = m->t->commons[i]->file->kind == BOB_FILE_TRACE;

		if (merged[i] && first == (k < m->t->common_count)) {
			add_source(m, i, events, &names[i], &from[n], &timed[n]);
			n++;
		}
	}
	if (st == BOB_OK && n)
		st = bob_folded_merge_all(from, n, &bob_alloc_malloc, out);
	if (st == BOB_OK && events && n && !m->running)
		st = bob_times_pack(*out, timed, n, times);
	for (size_t i = 0; i < m->t->common_count && names; i++)
		free(names[i].id);
	free(names);
	free(from);
	free(timed);
	return st;
}

/* --- process files --- */

static bob_status write_inner(struct bob_merging *m, const struct bob_inner_member *member,
			      uint32_t count, uint32_t first)
{
	struct bob_bytes b = { 0 };
	uint64_t budget = 0, n = 0;
	bob_status st = bob_inner_pack(member, count, first, &m->how, &b);

	for (uint32_t i = 0; i < count; i++)
		budget += bob_inner_budget(member[i].process);
	if (st == BOB_OK) {
		n = bob_chunk_write_reserved(m->to, BOB_CHUNK_INNER, 0, b.at, b.len,
					     budget / BOB_INNER_BYTES_TIMES);
		st = n ? BOB_OK : BOB_ERR_NOMEM;
	}
	m->used += n;
	free(b.at);
	return st;
}

/* Events that are in earlier parts; 0 if parts are joined. */
static const struct bob_rec_after *before_of(const struct bob_merging *m,
					     const struct bob_process *p, size_t *count)
{
	if (p == m->own) {
		*count = p->given_count;
		return p->given;
	}
	*count = m->t->joins ? 0 : p->after_count;
	return p->after;
}

static struct bob_inner_member member_of(const struct bob_merging *m, const struct bob_process *p)
{
	size_t before;

	(void)before_of(m, p, &before);
	return (struct bob_inner_member){ .process = p, .of = &m->unified.of[p->common->number],
					  .is_known = before != 0 };
}

static bob_status write_processes(struct bob_merging *m)
{
	struct bob_inner_member member[BOB_INNER_PROCESSES];
	uint32_t number = 0, count = 0;
	bob_status st = BOB_OK;

	for (size_t i = 0; i < m->t->process_count && st == BOB_OK; i++) {
		const struct bob_process *p = m->t->processes[i];

		if (!m->is_in[i])
			continue;
		member[count++] = member_of(m, p);
		if (count < BOB_INNER_PROCESSES)
			continue;
		st = write_inner(m, member, count, number);
		number += count;
		count = 0;
	}
	return st == BOB_OK && count ? write_inner(m, member, count, number) : st;
}

static void put_before(const struct bob_merging *m, const struct bob_process *p, uint32_t number,
		       struct bob_bytes *rows)
{
	size_t count;
	const struct bob_rec_after *row = before_of(m, p, &count);

	for (size_t i = 0; i < count; i++) {
		const struct bob_before b = { .process = number, .stream = row[i].stream,
					      .content = row[i].content,
					      .events = row[i].events };

		bob_bytes_take(rows, &b, sizeof(b));
	}
}

/* Writes the table `before`, unless it is empty. */
static bob_status write_before(struct bob_merging *m)
{
	struct bob_bytes rows = { 0 }, table = { 0 };
	uint32_t number = 0;
	uint64_t n = 0;

	for (size_t i = 0; i < m->t->process_count; i++)
		if (m->is_in[i])
			put_before(m, m->t->processes[i], number++, &rows);
	if (rows.len && !rows.failed)
		bob_rows_write(&bob_before_table, rows.at, rows.len / sizeof(struct bob_before),
			       bob_bytes_take, &table);
	if (table.len && !table.failed)
		n = bob_chunk_write_packed(m->to, BOB_CHUNK_TABLE_BEFORE, 0, table.at, table.len);
	m->used += n;
	free(rows.at);
	free(table.at);
	return n || (!rows.len && !rows.failed) ? BOB_OK : BOB_ERR_NOMEM;
}

/* --- the file --- */

static bob_status write_packed(struct bob_merging *m, const struct bob_packed *p)
{
	uint64_t n = bob_packed_write(p, m->to);

	m->used += n;
	return n ? BOB_OK : BOB_ERR_NOMEM;
}

static bob_status write_events(struct bob_merging *m)
{
	struct bob_folded *f = NULL;
	struct bob_packed packed = { 0 };
	struct bob_bytes times = { 0 };
	uint64_t n;
	bob_status st = merge_all(m, &times, &f);

	if (st == BOB_OK && f)
		st = bob_packed_make(f, BOB_CONTENT_MPI, &packed);
	if (st == BOB_OK && f)
		st = write_packed(m, &packed);
	if (st == BOB_OK && times.len) {
		n = bob_chunk_write_packed(m->to, BOB_CHUNK_TABLE_TIMES, BOB_CONTENT_MPI, times.at,
					   times.len);
		m->used += n;
		st = n ? BOB_OK : BOB_ERR_NOMEM;
	}
	bob_folded_close(f);
	bob_packed_free(&packed);
	free(times.at);
	return st;
}

/* Writes the times of all threads in the order of the processes' new numbers. */
static bob_status write_exact(struct bob_merging *m, struct bob_error *err)
{
	struct bob_exact_writer w;
	bob_status st = bob_exact_writer_begin(&w, m->to), end;
	uint32_t number = 0;

	for (size_t i = 0; i < m->t->process_count && st == BOB_OK; i++) {
		const struct bob_process *p = m->t->processes[i];

		for (size_t k = 0; k < p->stream_count && m->is_in[i] && st == BOB_OK; k++)
			st = bob_exact_writer_put(&w, &p->streams[k]->mpi,
						  bob_trace_id(p, k, number), err);
		number += m->is_in[i];
	}
	end = bob_exact_writer_end(&w);
	m->used += w.used;
	return st == BOB_OK ? end : st;
}

static bob_status write_folded(struct bob_merging *m)
{
	const struct bob_bytes *descs = &m->unified.descs;
	struct bob_folded *f = NULL;
	struct bob_packed packed = { 0 };
	uint64_t n = 0;
	bob_status st = merge_all(m, NULL, &f);

	if (st != BOB_OK || !f)
		return st;
	if (m->how.drop_below)
		st = bob_drop_unified(&f, m->how.drop_below, m->t, &m->unified);
	if (st == BOB_OK)
		st = bob_packed_make(f, BOB_CONTENT_MEM, &packed);
	bob_folded_close(f);
	if (st == BOB_OK) {
		n = bob_chunk_write_packed(m->to, BOB_CHUNK_MEM_DESC, 0, descs->at, descs->len);
		m->used += n;
		st = n ? BOB_OK : BOB_ERR_NOMEM;
	}
	if (st == BOB_OK)
		st = write_packed(m, &packed);
	bob_packed_free(&packed);
	return st;
}

static bob_status write_trace(struct bob_merging *m, struct bob_error *err)
{
	struct bob_file_head head = { .magic = BOB_FORMAT_MAGIC, .version = BOB_FORMAT_VERSION,
				      .kind = BOB_FILE_TRACE, .parent_seq = ~0u,
				      .state = BOB_FILE_CLOSED };
	bob_status st;

	m->used = BOB_FILE_HEAD_SHORT;
	if (fseek(m->to, BOB_FILE_HEAD_SHORT, SEEK_SET))
		return BOB_ERR_IO;
	st = write_processes(m);
	if (st == BOB_OK)
		st = write_before(m);
	if (st == BOB_OK)
		st = write_folded(m);
	if (st == BOB_OK)
		st = write_events(m);
	if (st == BOB_OK && !m->running) /* a head: its processes' own files have the times */
		st = write_exact(m, err);
	return st == BOB_OK ? bob_head_write(m->to, &head, m->used) : st;
}

/* Counts the process's own events in this file and in earlier ones. */
static void count_own(struct bob_merging *m, enum bob_content content,
		      struct bob_folded *const *merged)
{
	const struct bob_process *p = m->own;
	const size_t c = p->common->number;

	for (size_t i = 0; i < p->stream_count; i++) {
		uint32_t participant;
		uint64_t n = bob_head_events(p, p->streams[i], content);

		if (merged[c] && bob_participant_find(merged[c], bob_merged_id(p, i), &participant))
			n += bob_folded_events(merged[c], participant);
		if (n)
			m->now[m->now_count++] =
				(struct bob_rec_after){ p->streams[i]->number, content, n };
	}
}

static bob_status merge_chosen(struct bob_merging *m, struct bob_error *err)
{
	struct bob_error why = { .text = "the processes cannot be merged" };
	bob_status st = find_commons(m);

	if (st == BOB_OK)
		st = merge_threads(m, &why);
	if (st == BOB_OK)
		st = bob_unify(m->t, m->merged, &m->unified);
	if (st == BOB_OK)
		st = write_trace(m, &why);
	if (st == BOB_OK && m->own) {
		count_own(m, BOB_CONTENT_MEM, m->merged);
		count_own(m, BOB_CONTENT_MPI, m->events);
	}
	bob_unified_free(&m->unified);
	free_merged(m);
	return st == BOB_OK ? st : bob_fail(err, st, NULL, why.offset, why.text);
}

bob_status bob_archive_merge_processes(const struct bob_trace *t, uint32_t drop_below, FILE *to,
				       uint8_t *is_in, struct bob_error *err)
{
	struct bob_merging m = { .t = t, .is_in = is_in, .to = to };
	int is_new;
	size_t count = choose(t, 0, is_in, &is_new);

	if (count < 2 || !(is_new || drop_below))
		return BOB_NONE;
	m.how.drop_below = drop_below;
	m.how.drop_over = (uint32_t)count;
	return merge_chosen(&m, err);
}

static bob_status merge_running(struct bob_merging *m, struct bob_error *err)
{
	uint8_t *is_in = calloc(m->t->process_count + 1, 1);
	int is_new;
	bob_status st = BOB_NONE;

	if (!is_in)
		return bob_fail(err, BOB_ERR_NOMEM, NULL, 0, "no memory");
	m->running = 1;
	m->is_in = is_in;
	if (choose(m->t, 1, is_in, &is_new))
		st = merge_chosen(m, err);
	free(is_in);
	return st;
}

bob_status bob_archive_merge_running(const struct bob_trace *t, FILE *to, struct bob_error *err)
{
	struct bob_merging m = { .t = t, .to = to };

	return merge_running(&m, err);
}

bob_status bob_archive_merge_after(const struct bob_trace *t, struct bob_given *given, FILE *to,
				   struct bob_error *err)
{
	struct bob_merging m = { .t = t, .to = to };
	bob_status st = BOB_OK;

	for (size_t i = 0; i < t->process_count; i++)
		if (!t->processes[i]->file->outer)
			m.own = t->processes[i];
	if (m.own) {
		m.own->given = given->row;
		m.own->given_count = given->count;
		m.now = calloc(2 * m.own->stream_count + 1, sizeof(*m.now));
		st = m.now ? BOB_OK : bob_fail(err, BOB_ERR_NOMEM, NULL, 0, "no memory");
	}
	if (st == BOB_OK)
		st = merge_running(&m, err);
	if (m.own)
		m.own->given = NULL;
	if (st == BOB_OK && m.own) {
		free(given->row);
		*given = (struct bob_given){ m.now, m.now_count };
	} else {
		free(m.now);
	}
	return st;
}
