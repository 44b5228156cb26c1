/* SPDX-License-Identifier: BSD-3-Clause */
/* All processes of a trace in one file: what they are -- heads, META, threads -- compressed one behind the other, and their memory
 * records merged, under the numbers of the trace (unify.c). Addresses differ from process to process by where the system put
 * things; that is a number a process for each such place (SHIFTS), whatever else the records say. */
#include <stdlib.h>
#include <string.h>

#include "archive/drop.h"
#include "archive/folds.h"
#include "archive/loss.h"
#include "archive/merging.h"
#include "archive/write.h"
#include "base/crc.h"
#include "base/varint.h"

#define INNER_BYTES (8u << 20) /* of one chunk, before it is compressed */

struct merging {
	const struct bob_trace *t;
	const uint8_t *is_in;	/* by process */
	struct bob_fold_settings how;
	struct bob_folded **
		merged; /* by common: the records of its threads; NULL: it has none, or is not in */
	struct bob_folded **events; /* likewise: events with values */
	struct bob_unified unified;
	FILE *to;
	uint64_t used;		/* bytes written */
};

/* The names of one common's records. */
struct names {
	const struct bob_unified_of *of;
	uint64_t *id;		/* of its participants: old, new, old, new ... by old */
	size_t id_count, id_cap;
	struct bob_fold_rename rename;
};

/* --- which --- */

static int may_join(const struct bob_process *p)
{
	if (p->file->outer)
		return 1;
	for (size_t i = 0; i < p->stream_count; i++) {
		const struct bob_stream *s = p->streams[i];

		if (s->info.symbols || (bob_stream_has_raw(s) && !s->has_log))
			return 0;
	}
	return p->info.state != BOB_FILE_OPEN || p->common->merged || p->common->events;
}

/* How many may, and whether one has not yet. */
static size_t choose(const struct bob_trace *t, uint8_t *is_in, int *is_new)
{
	size_t n = 0;

	*is_new = 0;
	for (size_t i = 0; i < t->process_count; i++) {
		is_in[i] = (uint8_t)may_join(t->processes[i]);
		n += is_in[i];
		*is_new |= is_in[i] && !t->processes[i]->file->outer;
	}
	return n;
}

/* The first one that is in. */
static const struct bob_process *process_of(const struct merging *m, const struct bob_common *c)
{
	for (size_t i = 0; i < m->t->process_count; i++)
		if (m->is_in[i] && m->t->processes[i]->common == c)
			return m->t->processes[i];
	return NULL;
}

/* Threads first. What a file has merged already is borrowed. */
static bob_status merge_threads(struct merging *m, struct bob_error *err)
{
	bob_status st = BOB_OK;

	m->merged = calloc(m->t->common_count + 1, sizeof(struct bob_folded *));
	m->events = calloc(m->t->common_count + 1, sizeof(struct bob_folded *));
	if (!m->merged || !m->events)
		return BOB_ERR_NOMEM;
	for (size_t i = 0; i < m->t->common_count && st == BOB_OK; i++) {
		const struct bob_common *c = m->t->commons[i];
		const struct bob_process *p = process_of(m, c);

		m->merged[i] = p ? c->merged : NULL;
		if (p && !c->merged)
			st = bob_threads_merge(p, NULL, &m->merged[i], err);
		m->events[i] = p ? c->events : NULL;
		if (p && !c->events && st == BOB_OK)
			st = bob_events_merge(m->t, p, &m->events[i], err);
	}
	return st;
}

static void free_merged(struct merging *m)
{
	for (size_t i = 0; i < m->t->common_count && m->merged; i++)
		if (m->merged[i] != m->t->commons[i]->merged)
			bob_folded_close(m->merged[i]);
	for (size_t i = 0; i < m->t->common_count && m->events; i++)
		if (m->events[i] != m->t->commons[i]->events)
			bob_folded_close(m->events[i]);
	free(m->merged);
	free(m->events);
}

/* --- names --- */

static bob_status new_key(void *ctx, const uint8_t *key, size_t len, uint8_t *to, size_t *to_len)
{
	const struct names *n = ctx;
	uint32_t number;

	if (bob_mem_leaf_key(key, len, &number) != BOB_OK || number >= n->of->desc_count ||
	    !n->of->desc[number])
		return BOB_ERR_CORRUPT;
	*to_len = bob_varint_put(to, n->of->desc[number] - 1);
	return BOB_OK;
}

static uint64_t new_place(void *ctx, uint64_t place)
{
	const struct names *n = ctx;
	uint64_t image = place >> 48;

	if (image >= n->of->image_count || n->of->image[image] == BOB_MEM_NO_IMAGE)
		return place;
	return (place & ~(0xffffull << 48)) | (uint64_t)n->of->image[image] << 48;
}

static int by_old(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static uint64_t new_id(void *ctx, uint64_t id)
{
	const struct names *n = ctx;
	const uint64_t *found =
		n->id_count ? bsearch(&id, n->id, n->id_count, 2 * sizeof(*n->id), by_old) : NULL;

	return found ? found[1] : id;
}

/* Process `number` of the file, among those of the common. */
static bob_status add_ids(struct names *n, const struct bob_process *p, uint32_t number)
{
	for (size_t i = 0; i < p->stream_count; i++) {
		uint64_t id = bob_merged_id(p, i), before = 0;

		for (size_t k = 0; k < p->stream_count; k++)
			before += bob_merged_id(p, k) < id;
		while (n->id_cap < 2 * n->id_count + 2)
			if (bob_array_room(&n->id, n->id_cap, &n->id_cap, sizeof(*n->id)))
				return BOB_ERR_NOMEM;
		n->id[2 * n->id_count] = id;
		n->id[2 * n->id_count++ + 1] = (uint64_t)number << 32 | before;
	}
	return BOB_OK;
}

static bob_status find_names(const struct merging *m, size_t common, int events, struct names *n)
{
	uint32_t number = 0;
	bob_status st = BOB_OK;

	n->of = &m->unified.of[common];
	n->rename = (struct bob_fold_rename){ new_id, events ? NULL : new_key, new_place, n };
	for (size_t i = 0; i < m->t->process_count && st == BOB_OK; i++) {
		if (m->is_in[i] && m->t->processes[i]->common == m->t->commons[common])
			st = add_ids(n, m->t->processes[i], number);
		number += m->is_in[i];
	}
	if (n->id_count)
		qsort(n->id, n->id_count, 2 * sizeof(*n->id), by_old);
	return st;
}

/* --- merging --- */

/* *out is NULL if there are no records; or, with `times` (which get the statistics of their times), events. */
static bob_status merge_all(const struct merging *m, struct bob_bytes *times,
			    struct bob_folded **out)
{
	const int events = times != NULL;
	struct bob_folded *const *merged = events ? m->events : m->merged;
	size_t most = m->t->common_count + 1;
	struct names *names = calloc(most, sizeof(*names));
	struct bob_fold_source *from = calloc(most, sizeof(*from));
	struct bob_time_source *timed = calloc(most, sizeof(*timed));
	bob_status st = names && from && timed ? BOB_OK : BOB_ERR_NOMEM;
	uint32_t n = 0;

	*out = NULL;
	for (size_t i = 0; i < m->t->common_count && st == BOB_OK; i++) {
		if (!merged[i])
			continue;
		timed[n] = (struct bob_time_source){ process_of(m, m->t->commons[i]),
						     &names[i].rename };
		from[n++] = (struct bob_fold_source){ .folded = merged[i],
							.rename = &names[i].rename };
		st = find_names(m, i, events, &names[i]);
	}
	if (st == BOB_OK && n)
		st = bob_folded_merge_all(from, n, &bob_alloc_malloc, out);
	if (st == BOB_OK && events && n)
		st = bob_times_pack(*out, timed, n, times);
	for (size_t i = 0; i < m->t->common_count && names; i++)
		free(names[i].id);
	free(names);
	free(from);
	free(timed);
	return st;
}

/* --- what the processes are --- */

static void put_padded(struct bob_bytes *b, const void *bytes, size_t len)
{
	static const uint8_t zero[8];

	bob_bytes_take(b, bytes, len);
	bob_bytes_take(b, zero, -len & 7);
}

static void put_chunk(struct bob_bytes *b, enum bob_chunk_kind kind, uint32_t stream, uint64_t aux,
		      const void *bytes, uint64_t len)
{
	static const uint8_t zero[BOB_CHUNK_ALIGN];
	struct bob_chunk_head h = { 0 };

	bob_chunk_begin(&h, kind, stream, len, aux);
	h.flags = BOB_CHUNK_SEALED;
	h.len = len;
	h.crc = bob_crc32c(0, bytes, len);
	bob_bytes_take(b, &h, sizeof(h));
	bob_bytes_take(b, bytes, len);
	bob_bytes_take(b, zero, bob_chunk_bytes(len) - sizeof(h) - len);
}

/* The numbers that the process's images have now. */
static bob_status put_map(struct merging *m, const struct bob_process *p, struct bob_bytes *b)
{
	const struct bob_unified_of *of = NULL;
	struct bob_record rec = { BOB_REC_IMAGE_MAP, (uint32_t)(p->image_count * 4) };
	struct bob_bytes map = { 0 };

	for (size_t i = 0; i < m->t->common_count; i++)
		if (m->t->commons[i] == p->common)
			of = &m->unified.of[i];
	bob_bytes_take(&map, &rec, sizeof(rec));
	for (uint32_t own = 0; own < p->image_count; own++) {
		uint32_t number = bob_unified_image(of, p, own);

		bob_bytes_take(&map, &number, sizeof(number));
	}
	bob_bytes_take(&map, (const uint8_t[8]){ 0 }, -map.len & 7);
	if (!map.failed)
		put_chunk(b, BOB_CHUNK_META, BOB_STREAM_NONE, 0, map.at, map.len);
	free(map.at);
	return map.failed || b->failed ? BOB_ERR_NOMEM : BOB_OK;
}

/* What has been given up, if anything has. */
static bob_status put_loss(struct merging *m, const struct bob_process *p, struct bob_bytes *b)
{
	uint8_t *bytes;
	size_t len;
	bob_status st = bob_loss_record(&m->how, p, &bytes, &len);

	if (st == BOB_OK && len)
		put_chunk(b, BOB_CHUNK_META, BOB_STREAM_NONE, 0, bytes, len);
	free(bytes);
	return st;
}

/* The process's file without its memory records. A map of images that it had, and what it said about loss, is
 * overwritten by what comes last. */
static bob_status put_file(struct merging *m, const struct bob_process *p, struct bob_bytes *b)
{
	const struct bob_file *f = p->file;
	uint8_t head[BOB_FILE_HEAD_BYTES] = { 0 };
	size_t begin = b->len;
	bob_status st;

	bob_bytes_take(b, head, sizeof(head));
	for (size_t i = 0; i < f->chunk_count; i++) {
		const struct bob_chunk_ref *c = &f->chunks[i];

		if (bob_chunk_is_kept(c->head.kind))
			put_chunk(b, c->head.kind, c->head.stream, c->head.aux, f->bytes + c->off,
				  bob_chunk_kept_bytes(c));
	}
	st = put_map(m, p, b);
	if (st == BOB_OK)
		st = put_loss(m, p, b);
	if (st == BOB_OK) {
		struct bob_file_head h = f->head;

		h.used = b->len - begin;
		memcpy(b->at + begin, &h, sizeof(h));
	}
	return st;
}

static bob_status put_process(struct merging *m, const struct bob_process *p, struct bob_bytes *b)
{
	struct bob_bytes file = { 0 };
	struct bob_inner_head h = { .name_len = (uint32_t)strlen(p->file->name) };
	bob_status st = put_file(m, p, &file);

	h.bytes = file.len;
	if (st == BOB_OK) {
		bob_bytes_take(b, &h, sizeof(h));
		put_padded(b, p->file->name, h.name_len);
		put_padded(b, file.at, file.len);
	}
	free(file.at);
	return st == BOB_OK && b->failed ? BOB_ERR_NOMEM : st;
}

static bob_status write_inner(struct merging *m, struct bob_bytes *b, uint32_t first)
{
	uint64_t n;

	if (!b->len)
		return BOB_OK;
	n = bob_chunk_write_packed(m->to, BOB_CHUNK_INNER, first, b->at, b->len);
	m->used += n;
	b->len = 0;
	return n ? BOB_OK : BOB_ERR_NOMEM;
}

static bob_status write_processes(struct merging *m)
{
	struct bob_bytes b = { 0 };
	uint32_t number = 0, first = 0;
	bob_status st = BOB_OK;

	for (size_t i = 0; i < m->t->process_count && st == BOB_OK; i++) {
		if (!m->is_in[i])
			continue;
		st = put_process(m, m->t->processes[i], &b);
		number++;
		if (st == BOB_OK && b.len >= INNER_BYTES) {
			st = write_inner(m, &b, first);
			first = number;
		}
	}
	if (st == BOB_OK)
		st = write_inner(m, &b, first);
	free(b.at);
	return st;
}

/* --- the file --- */

static bob_status write_packed(struct merging *m, const struct bob_packed *p)
{
	uint64_t n = bob_packed_write(p, m->to);

	m->used += n;
	return n ? BOB_OK : BOB_ERR_NOMEM;
}

static bob_status write_events(struct merging *m)
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
		n = bob_chunk_write_packed(m->to, BOB_CHUNK_TIMES, BOB_CONTENT_MPI, times.at,
					   times.len);
		m->used += n;
		st = n ? BOB_OK : BOB_ERR_NOMEM;
	}
	bob_folded_close(f);
	bob_packed_free(&packed);
	free(times.at);
	return st;
}

static bob_status write_folded(struct merging *m)
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

static bob_status write_trace(struct merging *m)
{
	struct bob_file_head head = { .magic = BOB_FORMAT_MAGIC, .version = BOB_FORMAT_VERSION,
				      .kind = BOB_FILE_TRACE, .head_bytes = BOB_FILE_HEAD_BYTES,
				      .parent_seq = ~0u, .state = BOB_FILE_CLOSED };
	bob_status st;

	head.crc = bob_crc32c(0, &head, offsetof(struct bob_file_head, crc));
	m->used = BOB_FILE_HEAD_BYTES;
	if (fseek(m->to, BOB_FILE_HEAD_BYTES, SEEK_SET))
		return BOB_ERR_IO;
	st = write_processes(m);
	if (st == BOB_OK)
		st = write_folded(m);
	if (st == BOB_OK)
		st = write_events(m);
	return st == BOB_OK ? bob_head_write(m->to, &head, m->used) : st;
}

bob_status bob_archive_merge_processes(const struct bob_trace *t, uint32_t drop_below, FILE *to,
				       uint8_t *is_in, struct bob_error *err)
{
	struct bob_error why = { .text = "the processes cannot be merged" };
	struct merging m = { .t = t, .is_in = is_in, .to = to };
	int is_new;
	size_t count = choose(t, is_in, &is_new);
	bob_status st;

	if (count < 2 || !(is_new || drop_below))
		return BOB_NONE;
	m.how.drop_below = drop_below;
	m.how.drop_over = (uint32_t)count;
	st = merge_threads(&m, &why);
	if (st == BOB_OK)
		st = bob_unify(t, m.merged, &m.unified);
	if (st == BOB_OK)
		st = write_trace(&m);
	bob_unified_free(&m.unified);
	free_merged(&m);
	return st == BOB_OK ? st : bob_fail(err, st, NULL, why.offset, why.text);
}
