/* SPDX-License-Identifier: BSD-3-Clause */
/* Rewrites a process file with the folded streams of its threads merged into one chunk. Data that
 * was only needed at run time (record buffers, rests, unused space) is omitted. */
#include <stdlib.h>
#include <string.h>

#include "archive/archive.h"
#include "archive/folds.h"
#include "archive/merge/loss.h"
#include "archive/merge/merging.h"
#include "archive/write/write.h"
#include "base/varint.h"
#include "mem/waiting.h"

#define ALIGNED 64u
#define KEPT_EVENTS (1u << 18) /* refolding them takes a tenth of a second */

/* Merged data of a process's streams. */
struct merged {
	struct bob_packed records, events; /* empty: none */
	struct bob_used used;	/* descriptors of records */
	struct bob_bytes times;	/* of the events */
};

/* --- the threads --- */

/* BOB_NONE: nothing to do. */
static bob_status can_merge(const struct bob_process *p, int raw, int anew)
{
	int found = 0;

	for (size_t i = 0; i < p->stream_count; i++) {
		const struct bob_stream *s = p->streams[i];
		int has_raw = bob_stream_has_raw(s);

		if (((has_raw && !s->has_log) || s->mpi.is_flat) && !raw)
			return BOB_NONE;
		if (s->info.symbols)
			return BOB_NONE;
		found |= has_raw || (s->folded && (!p->common->merged || anew));
	}
	found |= bob_has_events(p) && !p->common->events;
	return found ? BOB_OK : BOB_NONE;
}

/* --- folding --- */

/* Puts the records of a stream one by one; or only those in record buffers. */
static bob_status fold_records(const struct bob_process *p, const struct bob_stream *s,
			       int only_buffers, struct bob_mem_fold *m, struct bob_error *err)
{
	uint64_t *copy = malloc((BOB_MEM_RECORD_MAX + 1ull) * sizeof(*copy));
	struct bob_mem_record rec;
	struct bob_records r;
	bob_status st = copy ? BOB_OK : BOB_ERR_NOMEM;
	size_t used;

	bob_records_open(&r, p, s);
	if (only_buffers)
		bob_records_skip_folded(&r);
	while (st == BOB_OK) {
		st = bob_records_next(&r, &rec, err);
		if (st != BOB_OK)
			break;
		copy[0] = BOB_MEM_HEADER | rec.number;
		if (rec.count > BOB_MEM_RECORD_MAX) {
			st = bob_fail(err, BOB_ERR_CORRUPT, s->file, bob_records_where(&r),
				      "a memory record is too long to be folded");
			break;
		}
		memcpy(copy + 1, rec.word, rec.count * sizeof(*copy));
		st = bob_mem_fold_put(m, copy, rec.count + 1, 0, &used);
	}
	bob_records_close(&r);
	free(copy);
	return st == BOB_END ? BOB_OK : st;
}

static uint8_t *aligned(uint8_t *p)
{
	return p + (-(uintptr_t)p & (ALIGNED - 1));
}

/* Reads the folded part of a stream if it is long: it is kept, and the contents of record buffers
 * become another part after it. Shorter streams are refolded, which takes fewer bytes. NULL:
 * nothing is kept. */
static bob_status read_kept(const struct bob_process *p, const struct bob_stream *s,
			    const struct bob_fold_settings *how, struct bob_fold_stream *kept)
{
	bob_status st;

	memset(kept, 0, sizeof(*kept));
	if (how || p->common->merged || !s->folded || !s->has_log ||
	    (bob_folded_events(s->folded, s->participant) < KEPT_EVENTS && !p->head && !p->given))
		return BOB_OK;
	st = bob_fold_stream_read(p->file, s->number, kept, NULL);
	if (st == BOB_OK && kept->state_len)
		return BOB_OK;
	bob_fold_stream_free(kept);
	return st == BOB_ERR_NOMEM ? st : BOB_OK;
}

static bob_status resume(struct bob_mem_fold *m, const struct bob_fold_stream *kept)
{
	uint64_t state[BOB_MEM_STATE_WORDS];

	if (kept->state_len > sizeof(state) || kept->state_len % sizeof(*state))
		return BOB_ERR_CORRUPT;
	memcpy(state, kept->state, kept->state_len);
	return bob_mem_fold_resume(m, state, kept->state_len / sizeof(*state));
}

/* Makes the entries of a stream. */
static bob_status make_entries(const struct bob_process *p, const struct bob_stream *s,
			       const struct bob_fold_settings *how, struct bob_bytes *entries,
			       struct bob_error *err)
{
	const size_t size = bob_folder_size() + bob_mem_fold_size() + ALIGNED;
	uint8_t *mem = bob_folder_map(size);
	struct bob_mem_window *window = NULL;
	struct bob_fold_stream kept;
	bob_status st = read_kept(p, s, how, &kept);

	if (st == BOB_OK && !mem)
		st = BOB_ERR_NOMEM;
	if (st == BOB_OK) {
		uint8_t *at = aligned(mem + bob_folder_size());
		struct bob_folder *folder = bob_folder_begin(mem, bob_bytes_take, entries);
		struct bob_mem_fold *m =
			bob_mem_fold_begin(at, folder, bob_desc_finder, (void *)(uintptr_t)p);

		if (kept.bytes) {
			bob_bytes_take(entries, kept.bytes, kept.len);
			st = resume(m, &kept);
		}
		if (st == BOB_OK)
			st = bob_loss_begin(how, p, folder, m, &window);
		if (st == BOB_OK)
			st = fold_records(p, s, kept.bytes != NULL, m, err);
		if (window)
			bob_mem_window_flush(window, folder);
		if (st == BOB_OK)
			bob_folder_end(folder);
	}
	bob_fold_stream_free(&kept);
	free(window);
	bob_folder_unmap(mem, size);
	return st == BOB_OK && entries->failed ? BOB_ERR_NOMEM : st;
}

static bob_status fold_stream(const struct bob_process *p, const struct bob_stream *s, uint64_t id,
			      const struct bob_fold_settings *how, struct bob_folded **out,
			      struct bob_error *err)
{
	struct bob_bytes entries = { 0 };
	bob_status st = make_entries(p, s, how, &entries, err);

	if (st == BOB_OK)
		st = bob_folded_open(entries.at, entries.len, id, &bob_alloc_malloc, out);
	free(entries.at);
	return st;
}

/* --- merging --- */

/* Sources of a merge: threads whose records are refolded, and threads whose folded records only get
 * another id. */
struct threads {
	struct bob_fold_source *from;
	struct bob_fold_rename *name;
	uint64_t *id;
	struct bob_folded **own;
	uint64_t *after;	/* number of events to omit */
	uint32_t count;
};

static uint64_t id_of(void *ctx, uint64_t id)
{
	(void)id;
	return *(const uint64_t *)ctx;
}

/* Reduces the last source to what follows the head. */
static bob_status leave_out_head(struct threads *t, uint32_t n)
{
	struct bob_folded *tail;
	bob_status st = bob_tail_make(t->from[n].folded, &t->after[n], &tail);

	if (st == BOB_OK && tail) {
		bob_folded_close(t->own[n]);
		t->from[n].folded = t->own[n] = tail;
	} else if (st == BOB_OK) {
		t->from[n].skip = &t->after[n];
	}
	return st;
}

static bob_status add_thread(struct threads *t, const struct bob_process *p, size_t i,
			     const struct bob_fold_settings *how, enum bob_which which,
			     struct bob_error *err)
{
	const struct bob_stream *s = p->streams[i];
	uint32_t n = t->count;
	bob_status st;

	t->id[n] = bob_merged_id(p, i);
	t->from[n] = (struct bob_fold_source){ .folded = s->folded };
	if (bob_stream_has_raw(s) || (s->folded && (p->common->merged || how))) {
		st = fold_stream(p, s, t->id[n], how, &t->own[n], err);
		if (st != BOB_OK)
			return st;
		t->from[n].folded = t->own[n];
	} else if (s->folded) {
		t->name[n] = (struct bob_fold_rename){ .id = id_of, .ctx = &t->id[n] };
		t->from[n].rename = &t->name[n];
	}
	if (!t->from[n].folded)
		return BOB_OK;
	t->count++;
	t->after[n] = which == BOB_ALL ? 0 : bob_head_events(p, s, BOB_CONTENT_MEM);
	return t->after[n] ? leave_out_head(t, n) : BOB_OK;
}

bob_status bob_threads_merge(const struct bob_process *p, const struct bob_fold_settings *how,
			     enum bob_which which, struct bob_folded **out, struct bob_error *err)
{
	size_t most = p->stream_count + 1;
	struct threads t = { .from = calloc(most, sizeof(*t.from)),
			     .name = calloc(most, sizeof(*t.name)),
			     .id = calloc(most, sizeof(*t.id)),
			     .own = calloc(most, sizeof(struct bob_folded *)),
			     .after = calloc(most, sizeof(*t.after)) };
	bob_status st = t.from && t.name && t.id && t.own && t.after ? BOB_OK : BOB_ERR_NOMEM;

	*out = NULL;
	for (size_t i = 0; i < p->stream_count && st == BOB_OK; i++)
		st = add_thread(&t, p, i, how, which, err);
	if (st == BOB_OK && t.count)
		st = bob_folded_merge_all(t.from, t.count, &bob_alloc_malloc, out);
	for (uint32_t i = 0; i < t.count; i++)
		bob_folded_close(t.own[i]);
	free(t.from);
	free(t.name);
	free(t.id);
	free(t.own);
	free(t.after);
	return st;
}

/* --- descriptors --- */

static void put_desc(struct bob_bytes *out, const struct bob_mem_desc *d)
{
	uint8_t *bytes = malloc(BOB_MEM_DESC_BYTES(d->access_count));

	if (bytes)
		bob_bytes_take(out, bytes, bob_mem_desc_put(d, bytes));
	else
		out->failed = 1;
	free(bytes);
}

/* Writes the descriptors in use. Returns 0 if memory is exhausted. */
static uint64_t write_descs(const struct bob_common *c, const struct bob_used *u, FILE *to)
{
	struct bob_bytes b = { 0 };
	uint64_t n = 0, skipped = 0;

	for (uint64_t i = 0; i < u->count; i++) {
		const struct bob_mem_desc *d = bob_is_used(u, i) ? bob_common_desc(c, i) : NULL;

		if (d) {
			bob_descs_skip(&b, &skipped);
			put_desc(&b, d);
		} else {
			skipped++;
		}
	}
	if (!b.failed)
		n = bob_chunk_write_packed(to, BOB_CHUNK_MEM_DESC, 0, b.at, b.len);
	free(b.at);
	return n;
}

/* --- the file --- */

/* Writes the LOSS record and increases *used. */
static bob_status write_loss(const struct bob_process *p, const struct bob_fold_settings *how,
			     FILE *to, uint64_t *used)
{
	uint8_t *bytes;
	size_t len;
	uint64_t n = 0;
	bob_status st = bob_loss_record(how, p, &bytes, &len);

	if (st == BOB_OK && len) {
		n = bob_chunk_write(to, BOB_CHUNK_META, BOB_STREAM_NONE, 0, bytes, len);
		st = n ? BOB_OK : BOB_ERR_NOMEM;
	}
	*used += n;
	free(bytes);
	return st;
}

/* Empty data is not an error. */
static bob_status write_packed(const struct bob_packed *packed, FILE *to, uint64_t *used)
{
	uint64_t n = packed->bytes.len ? bob_packed_write(packed, to) : 0;

	*used += n;
	return n || !packed->bytes.len ? BOB_OK : BOB_ERR_NOMEM;
}

/* Is it the IN_HEAD record? It does not hold for data that is folded differently. */
static int is_in_head(const struct bob_file *f, const struct bob_chunk_ref *c)
{
	struct bob_record rec;

	if (c->head.kind != BOB_CHUNK_META || bob_chunk_kept_bytes(c) < sizeof(rec))
		return 0;
	memcpy(&rec, f->bytes + c->off, sizeof(rec));
	return rec.kind == BOB_REC_IN_HEAD;
}

static bob_status write_exact(const struct bob_process *p, FILE *to, uint64_t *used,
			      struct bob_error *err)
{
	struct bob_exact_writer w;
	bob_status st = bob_exact_writer_begin(&w, to), end;

	for (size_t i = 0; i < p->stream_count && st == BOB_OK; i++)
		st = bob_exact_writer_put(&w, &p->streams[i]->mpi, bob_merged_id(p, i), err);
	end = bob_exact_writer_end(&w);
	*used += w.used;
	return st == BOB_OK ? end : st;
}

static bob_status write_file(const struct bob_process *p, const struct merged *m,
			     const struct bob_fold_settings *how, FILE *to, struct bob_error *err)
{
	const struct bob_file *f = p->file;
	uint64_t used = BOB_FILE_HEAD_SHORT, n;
	bob_status st;

	if (fseek(to, BOB_FILE_HEAD_SHORT, SEEK_SET))
		return BOB_ERR_IO;
	for (size_t i = 0; i < f->chunk_count; i++) {
		const struct bob_chunk_ref *c = &f->chunks[i];

		if (!bob_chunk_is_kept(c->head.kind) || (how && is_in_head(f, c)))
			continue;
		n = bob_chunk_write(to, c->head.kind, c->head.stream, c->head.aux,
				    f->bytes + c->off, bob_chunk_kept_bytes(c));
		if (!n)
			return BOB_ERR_NOMEM;
		used += n;
	}
	if (write_loss(p, how, to, &used) != BOB_OK)
		return BOB_ERR_NOMEM;
	if (m->records.bytes.len) {
		n = write_descs(p->common, &m->used, to);
		if (!n)
			return BOB_ERR_NOMEM;
		used += n;
	}
	if (write_packed(&m->records, to, &used) != BOB_OK ||
	    write_packed(&m->events, to, &used) != BOB_OK)
		return BOB_ERR_NOMEM;
	n = m->times.len ? bob_chunk_write_packed(to, BOB_CHUNK_TABLE_TIMES, BOB_CONTENT_MPI,
						  m->times.at, m->times.len) :
			   0;
	if (!n && m->times.len)
		return BOB_ERR_NOMEM;
	used += n;
	st = write_exact(p, to, &used, err);
	return st == BOB_OK ? bob_head_write(to, &f->head, used) : st;
}

static bob_status merge_records(const struct bob_process *p, const struct bob_fold_settings *how,
				struct merged *m, struct bob_error *err)
{
	struct bob_folded *f = NULL;
	bob_status st = bob_threads_merge(p, how, BOB_ALL, &f, err);

	if (st != BOB_OK || !f)
		return st;
	st = bob_loss_end(how, p, &f);
	if (st == BOB_OK)
		st = bob_packed_make(f, BOB_CONTENT_MEM, &m->records);
	if (st == BOB_OK)
		st = bob_used_find(p->common, f, &m->used);
	bob_folded_close(f);
	return st;
}

static bob_status merge_events(const struct bob_trace *t, const struct bob_process *p,
			       struct merged *m, struct bob_error *err)
{
	struct bob_folded *f = NULL;
	bob_status st = bob_events_merge(t, p, BOB_ALL, &f, err);

	if (st == BOB_OK && f)
		st = bob_packed_make(f, BOB_CONTENT_MPI, &m->events);
	if (st == BOB_OK && f)
		st = bob_times_pack(f, &(struct bob_time_source){ p, NULL }, 1, &m->times);
	bob_folded_close(f);
	return st;
}

static bob_status merge_process(const struct bob_trace *t, uint32_t process, int raw,
				const struct bob_fold_settings *how, FILE *to,
				struct bob_error *err)
{
	const struct bob_process *p = t->processes[process];
	struct bob_error why = { .text = "its threads cannot be merged" };
	struct merged m = { 0 };
	bob_status st = can_merge(p, raw, how != NULL);

	if (st != BOB_OK)
		return st;
	st = merge_records(p, how, &m, &why);
	if (st == BOB_OK)
		st = merge_events(t, p, &m, &why);
	if (st == BOB_OK)
		st = write_file(p, &m, how, to, &why);
	bob_packed_free(&m.records);
	bob_packed_free(&m.events);
	free(m.times.at);
	free(m.used.bits);
	return st == BOB_OK ? st : bob_fail(err, st, p->file, why.offset, why.text);
}

bob_status bob_archive_merge(const struct bob_trace *t, uint32_t process, int raw, FILE *to,
			     struct bob_error *err)
{
	return merge_process(t, process, raw, NULL, to, err);
}

bob_status bob_archive_fold(const struct bob_trace *t, uint32_t process,
			    const struct bob_fold_settings *how, FILE *to, struct bob_error *err)
{
	return merge_process(t, process, 1, bob_fold_settings_any(how) ? how : NULL, to, err);
}
