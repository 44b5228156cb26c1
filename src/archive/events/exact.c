/* SPDX-License-Identifier: BSD-3-Clause */
/* Reader of times of events: lists the parts of a stream, in its own file or packed in a merged
 * one, and reads their values in order. */
#include "archive/events/exact.h"

#include <stdlib.h>
#include <string.h>

#include "archive/merge/merging.h"
#include "base/order.h"
#include "base/search.h"
#include "base/varint.h"

/* --- lists of parts --- */

static bob_status add_part(struct bob_exact_parts *p, const struct bob_exact_part *part)
{
	if (bob_array_reserve(&p->at, p->count, &p->cap, sizeof(*p->at)))
		return BOB_ERR_NOMEM;
	p->at[p->count++] = *part;
	return BOB_OK;
}

BOB_COMPARE(by_first, struct bob_exact_part, BOB_UP(id) BOB_UP(first))

static void sort_parts(struct bob_exact_parts *p)
{
	if (p->count)
		qsort(p->at, p->count, sizeof(*p->at), by_first);
}

/* An empty chunk is valid: the process may have been killed before it wrote a value. */
bob_status bob_exact_list_own(struct bob_trace *t, const struct bob_file *f, uint32_t stream,
			      struct bob_exact_parts *out)
{
	const struct bob_chunk_ref *c;
	size_t i = bob_chunks_first(f, stream);
	bob_status st = BOB_OK;

	while (st == BOB_OK && (c = bob_chunks_next(f, stream, &i))) {
		struct bob_exact_part p = { .file = f, .id = stream, .first = c->head.aux,
					    .off = c->off + sizeof(p.base_ns) };

		if (c->head.kind != BOB_CHUNK_EXACT || !bob_chunk_len(c))
			continue;
		if (bob_chunk_len(c) < sizeof(p.base_ns)) {
			bob_problem_add(t, f, c->off, "times of events are unreadable", 1);
			continue;
		}
		memcpy(&p.base_ns, f->bytes + c->off, sizeof(p.base_ns));
		p.len = bob_chunk_len(c) - sizeof(p.base_ns);
		st = add_part(out, &p);
	}
	sort_parts(out);
	return st;
}

static const struct bob_chunk_ref *heads_of(const struct bob_file *f, uint32_t kind,
					    uint64_t number)
{
	for (size_t i = 0; i < f->chunk_count; i++)
		if (f->chunks[i].head.kind == kind && f->chunks[i].head.aux == number)
			return &f->chunks[i];
	return NULL;
}

static int is_segment(const struct bob_exact_part *p)
{
	return p->count && p->count <= BOB_EXACT_SEGMENT && p->first % 2 == 0;
}

static int get_segment(const uint8_t **at, const uint8_t *end, struct bob_exact_part *p)
{
	return bob_varint_get(at, end, &p->id) == BOB_OK &&
	       bob_varint_get(at, end, &p->first) == BOB_OK &&
	       bob_varint_get(at, end, &p->base_ns) == BOB_OK &&
	       bob_varint_get(at, end, &p->count) == BOB_OK &&
	       bob_varint_get(at, end, &p->len) == BOB_OK && is_segment(p);
}

/* Version 1: the index of a chunk, then its tails. BOB_ERR_CORRUPT: invalid. */
static bob_status list_chunk_v1(const struct bob_file *f, const struct bob_chunk_ref *c,
				struct bob_exact_parts *out)
{
	const uint8_t *at = f->bytes + c->off, *begin = at, *end = at + bob_chunk_len(c);
	struct bob_exact_part p = { .file = f,
				    .heads = heads_of(f, BOB_CHUNK_EXACT_HEADS, c->head.aux) };
	const size_t before = out->count;
	uint64_t version, segments, left;

	if (!p.heads || bob_varint_get(&at, end, &version) || version != 1 ||
	    bob_varint_get(&at, end, &segments))
		return BOB_ERR_CORRUPT;
	for (; segments; segments--) {
		if (!get_segment(&at, end, &p))
			return BOB_ERR_CORRUPT;
		if (add_part(out, &p) != BOB_OK)
			return BOB_ERR_NOMEM;
		p.heads_at += p.count;
	}
	p.off = c->off + (uint64_t)(at - begin);
	left = (uint64_t)(end - at);
	for (size_t i = before; i < out->count; i++) {
		if (out->at[i].len > left)
			return BOB_ERR_CORRUPT;
		out->at[i].off = p.off;
		p.off += out->at[i].len;
		left -= out->at[i].len;
	}
	return left ? BOB_ERR_CORRUPT : BOB_OK;
}

static const struct bob_schema_column moments_columns[] = {
	BOB_SCHEMA_COLUMN(struct bob_exact_segment, id, BOB_STORED_UNSIGNED, 0),
	BOB_SCHEMA_COLUMN(struct bob_exact_segment, first, BOB_STORED_UNSIGNED, 0),
	BOB_SCHEMA_COLUMN(struct bob_exact_segment, base_ns, BOB_STORED_UNSIGNED, 0),
	BOB_SCHEMA_COLUMN(struct bob_exact_segment, count, BOB_STORED_UNSIGNED, 0),
	BOB_SCHEMA_COLUMN(struct bob_exact_segment, tails, BOB_STORED_BYTES, 0),
};
const struct bob_schema bob_exact_moments =
	BOB_SCHEMA(BOB_STORED_MOMENTS, "moments", struct bob_exact_segment, moments_columns);

static const struct bob_schema_column heads_columns[] = {
	BOB_SCHEMA_COLUMN(struct bob_exact_segment, heads, BOB_STORED_BYTES, 0),
};
const struct bob_schema bob_exact_heads =
	BOB_SCHEMA(BOB_STORED_HEADS, "heads", struct bob_exact_segment, heads_columns);

/* Reads the table `moments` of a chunk. BOB_ERR_CORRUPT, BOB_ERR_VERSION: missing or invalid. */
static bob_status list_chunk(const struct bob_file *f, const struct bob_chunk_ref *c,
			     struct bob_exact_parts *out)
{
	struct bob_exact_part p = { .file = f,
				    .heads = heads_of(f, BOB_CHUNK_TABLE_HEADS, c->head.aux) };
	void *rows = NULL;
	size_t count = 0;
	bob_status st = bob_rows_read(f->bytes + c->off, bob_chunk_len(c), &bob_exact_moments,
				      &rows, &count);

	if (st == BOB_NONE || (st == BOB_OK && !p.heads))
		st = BOB_ERR_CORRUPT;
	for (size_t i = 0; i < count && st == BOB_OK; i++) {
		const struct bob_exact_segment *x = (const struct bob_exact_segment *)rows + i;

		p.id = x->id;
		p.first = x->first;
		p.base_ns = x->base_ns;
		p.count = x->count;
		p.off = (uint64_t)(x->tails.at - f->bytes);
		p.len = x->tails.len;
		p.heads_at = i;
		st = is_segment(&p) ? add_part(out, &p) : BOB_ERR_CORRUPT;
	}
	free(rows);
	return st;
}

bob_status bob_exact_list_packed(struct bob_trace *t, const struct bob_file *f,
				 struct bob_exact_parts *out)
{
	bob_status st = BOB_OK;

	for (size_t i = 0; i < f->chunk_count && st != BOB_ERR_NOMEM; i++) {
		const struct bob_chunk_ref *c = &f->chunks[i];
		const size_t before = out->count;

		if (c->head.kind == BOB_CHUNK_TABLE_MOMENTS)
			st = list_chunk(f, c, out);
		else if (c->head.kind == BOB_CHUNK_EXACT && c->head.stream == BOB_STREAM_NONE)
			st = list_chunk_v1(f, c, out);
		else
			continue;
		if (st == BOB_OK || st == BOB_ERR_NOMEM)
			continue;
		bob_problem_add(t, f, c->off, "times of events are unreadable", 1);
		out->count = before;
	}
	sort_parts(out);
	return st == BOB_ERR_NOMEM ? st : BOB_OK;
}

const struct bob_exact_part *bob_exact_find(const struct bob_exact_parts *all, uint64_t id,
					    size_t *count)
{
	size_t lo;

	BOB_PARTITION_POINT(lo, all->count, mid, all->at[mid].id < id);
	for (*count = 0; lo + *count < all->count && all->at[lo + *count].id == id;)
		++*count;
	return *count ? all->at + lo : NULL;
}

uint64_t bob_exact_bytes(const struct bob_file *f, uint32_t stream)
{
	const struct bob_chunk_ref *c;
	size_t i = bob_chunks_first(f, stream);
	uint64_t n = 0;

	while ((c = bob_chunks_next(f, stream, &i)))
		if (c->head.kind == BOB_CHUNK_EXACT || c->head.kind == BOB_CHUNK_EXACT_HEADS ||
		    c->head.kind == BOB_CHUNK_TABLE_MOMENTS ||
		    c->head.kind == BOB_CHUNK_TABLE_HEADS)
			n += bob_chunk_len(c);
	return n;
}

/* --- values --- */

void bob_exact_open(struct bob_exact_reader *r, const struct bob_event_stream *s)
{
	*r = (struct bob_exact_reader){ .s = s };
}

void bob_exact_close(struct bob_exact_reader *r)
{
	free(r->value);
	r->value = NULL;
}

static bob_status read_plain(struct bob_exact_reader *r, const struct bob_exact_part *p)
{
	const uint8_t *at = p->file->bytes + p->off, *end = at + p->len;
	size_t values = 1;

	for (uint64_t i = 0; i < p->len; i++)
		values += at[i] < 0x80;
	r->value = malloc(values * sizeof(*r->value));
	if (!r->value)
		return BOB_ERR_NOMEM;
	for (r->count = 0; at < end; r->count++)
		if (bob_varint_get(&at, end, &r->value[r->count]) != BOB_OK)
			return BOB_ERR_CORRUPT;
	return BOB_OK;
}

/* Finds the heads of a part in a chunk's payload, by offset or by row. */
static bob_status find_heads(const struct bob_exact_part *p, const struct bob_payload *all,
			     struct bob_cell_bytes *heads)
{
	void *rows = NULL;
	size_t count = 0;
	bob_status st;

	if (p->heads->head.kind == BOB_CHUNK_EXACT_HEADS) {
		if (p->heads_at > all->len || all->len - p->heads_at < p->count)
			return BOB_ERR_CORRUPT;
		*heads = (struct bob_cell_bytes){ all->at + p->heads_at, p->count };
		return BOB_OK;
	}
	st = bob_rows_read(all->at, all->len, &bob_exact_heads, &rows, &count);
	if (st == BOB_OK && p->heads_at < count)
		*heads = ((const struct bob_exact_segment *)rows)[p->heads_at].heads;
	free(rows);
	return st == BOB_OK && heads->len != p->count ? BOB_ERR_CORRUPT : st;
}

static bob_status read_packed(struct bob_exact_reader *r, const struct bob_exact_part *p)
{
	struct bob_cell_bytes heads = { 0 };
	struct bob_payload all;
	bob_status st = bob_payload_read(p->file, p->heads, &all);

	if (st != BOB_OK)
		return st;
	st = find_heads(p, &all, &heads);
	r->value = malloc(p->count * sizeof(*r->value));
	if (!r->value)
		st = BOB_ERR_NOMEM;
	if (st == BOB_OK)
		st = bob_exact_unpack(heads.at, p->count, p->file->bytes + p->off, p->len,
				      r->value);
	r->count = p->count;
	bob_payload_close(&all);
	return st == BOB_NONE ? BOB_ERR_CORRUPT : st;
}

static bob_status open_part(struct bob_exact_reader *r, struct bob_error *err)
{
	const struct bob_exact_part *p = &r->s->exact[r->part];
	bob_status st = BOB_ERR_CORRUPT;

	bob_exact_close(r);
	r->at = r->count = 0;
	if (p->first == r->index)
		st = p->heads ? read_packed(r, p) : read_plain(r, p);
	if (st != BOB_OK)
		return bob_fail(err, st, p->file, p->off,
				st == BOB_ERR_NOMEM ? "no memory" :
						      "times of events are unreadable");
	r->now_ns = p->base_ns;
	r->part++;
	return BOB_OK;
}

bob_status bob_exact_next(struct bob_exact_reader *r, uint64_t *value, struct bob_error *err)
{
	while (r->at == r->count) {
		bob_status st = BOB_END;

		if (r->part < r->s->exact_count)
			st = open_part(r, err);
		if (st != BOB_OK)
			return st;
	}
	*value = r->value[r->at++];
	r->now_ns += *value;
	r->index++;
	return BOB_OK;
}
