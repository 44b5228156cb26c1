/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes chunks, plain or compressed; packs folded records and their shifts; computes the set of
 * descriptors in use. */
#include "archive/merge/merging.h"

#include <stdlib.h>
#include <string.h>

#include "archive/columns/columns.h"
#include "archive/write/write.h"
#include "base/varint.h"

#define ALIGNED 16u /* minimal alignment of stacks and allocated blocks */

/* --- chunks --- */

/* Writes a chunk with capacity for at least `least` bytes. */
static uint64_t write_chunk(FILE *to, const struct bob_chunk_head *head, const void *bytes,
			    uint64_t len, uint64_t least)
{
	const uint64_t size = len > least ? len : least, all = bob_chunk_bytes(size);
	struct bob_chunk_head *c = calloc(1, all);

	if (!c)
		return 0;
	if (len)
		memcpy(c + 1, bytes, len);
	bob_chunk_begin(c, head->kind, head->stream, size, head->aux);
	c->flags = head->flags;
	bob_chunk_seal(c, len);
	fwrite(c, 1, all, to);
	free(c);
	return all;
}

uint64_t bob_chunk_write(FILE *to, enum bob_chunk_kind kind, uint32_t stream, uint64_t aux,
			 const void *bytes, uint64_t len)
{
	const struct bob_chunk_head h = { .kind = (uint16_t)kind, .stream = stream, .aux = aux };

	return write_chunk(to, &h, bytes, len, 0);
}

uint64_t bob_chunk_write_packed(FILE *to, enum bob_chunk_kind kind, uint64_t aux, const void *bytes,
				uint64_t len)
{
	return bob_chunk_write_reserved(to, kind, aux, bytes, len, 0);
}

/* Writes the compressed or the plain form. `st`: result of compressing the bytes to `p`, which is
 * closed here. */
static uint64_t write_shorter(FILE *to, struct bob_chunk_head *h, const void *bytes, uint64_t len,
			      uint64_t least, bob_status st, struct bob_payload *p)
{
	uint64_t n = 0;

	if (st == BOB_NONE)
		return write_chunk(to, h, bytes, len, least);
	h->flags = BOB_CHUNK_ZSTD;
	if (st == BOB_OK)
		n = write_chunk(to, h, p->at, p->len, least);
	bob_payload_close(p);
	return n;
}

uint64_t bob_chunk_write_reserved(FILE *to, enum bob_chunk_kind kind, uint64_t aux,
				  const void *bytes, uint64_t len, uint64_t least)
{
	struct bob_chunk_head h = { .kind = (uint16_t)kind, .stream = BOB_STREAM_NONE, .aux = aux };
	struct bob_payload p;
	const bob_status st = bob_payload_pack(bytes, len, &p);

	return write_shorter(to, &h, bytes, len, least, st, &p);
}

uint64_t bob_chunk_write_quickly(FILE *to, enum bob_chunk_kind kind, uint64_t aux,
				 const void *bytes, uint64_t len)
{
	struct bob_chunk_head h = { .kind = (uint16_t)kind, .stream = BOB_STREAM_NONE, .aux = aux };
	struct bob_payload p;
	const bob_status st = bob_payload_pack_quickly(bytes, len, &p);

	return write_shorter(to, &h, bytes, len, 0, st, &p);
}

bob_status bob_head_write(FILE *to, const struct bob_file_head *head, uint64_t used)
{
	union {
		struct bob_file_head h;
		uint8_t bytes[BOB_FILE_HEAD_SHORT];
	} b;

	memset(&b, 0, sizeof(b));
	b.h = *head;
	b.h.used = used;
	b.h.head_bytes = sizeof(b);
	bob_file_seal(&b.h);
	rewind(to);
	fwrite(&b, 1, sizeof(b), to);
	return fflush(to) || ferror(to) ? BOB_ERR_IO : BOB_OK;
}

int bob_chunk_is_kept(uint32_t kind)
{
	return kind != BOB_CHUNK_PAD && (kind < BOB_CHUNK_FOLD || kind > BOB_CHUNK_SHIFTS) &&
	       kind != BOB_CHUNK_RAW && kind != BOB_CHUNK_MEM_DESC &&
	       kind != BOB_CHUNK_EVENT_DEFS && kind != BOB_CHUNK_TIMES && kind != BOB_CHUNK_EXACT &&
	       kind != BOB_CHUNK_EXACT_HEADS && kind != BOB_CHUNK_COLLECTOR &&
	       kind != BOB_CHUNK_RING && (kind < BOB_CHUNK_TABLES || kind == BOB_CHUNK_TABLE_SETS);
}

/* A stream head is always valid as a whole; its writer need not set `len`. */
uint64_t bob_chunk_kept_bytes(const struct bob_chunk_ref *c)
{
	return c->head.kind == BOB_CHUNK_STREAM ? c->avail : bob_chunk_len(c);
}

/* --- folded records --- */

/* Is the difference a change of base address? The system and the allocator place stacks, heaps,
 * images, mappings and blocks at multiples of their alignment. Trip counts are never addresses. */
static int is_move(void *ctx, const struct bob_fold_shift *s)
{
	const struct bob_packed *p = ctx;
	uint64_t bits = p->content != BOB_CONTENT_MEM;

	for (uint32_t i = 0; i < s->count; i++)
		bits |= s->value[i];
	return !s->trips && bits % ALIGNED == 0;
}

static void take_packed(void *ctx, const void *bytes, size_t len)
{
	bob_bytes_take(&((struct bob_packed *)ctx)->bytes, bytes, len);
}

static void take_shifts(void *ctx, const void *bytes, size_t len)
{
	bob_bytes_take(&((struct bob_packed *)ctx)->shifts, bytes, len);
}

bob_status bob_packed_make(const struct bob_folded *f, enum bob_content content,
			   struct bob_packed *p)
{
	bob_status st;

	memset(p, 0, sizeof(*p));
	p->content = content;
	st = bob_folded_pack_apart(f, is_move, take_packed, take_shifts, p);
	return st == BOB_OK && (p->bytes.failed || p->shifts.failed) ? BOB_ERR_NOMEM : st;
}

/* --- the table `shifts`: a row per series; bob_folded_pack_apart supplies each series preceded by
 * its length --- */

struct shift {
	struct bob_cell_bytes series;
};

static const struct bob_schema_column shifts_columns[] = {
	BOB_SCHEMA_COLUMN(struct shift, series, BOB_STORED_BYTES, 0),
};
static const struct bob_schema shifts =
	BOB_SCHEMA(BOB_STORED_SHIFTS, "shifts", struct shift, shifts_columns);

static uint64_t write_shifts(const struct bob_packed *p, FILE *to)
{
	const uint8_t *at = p->shifts.at, *end = at + p->shifts.len;
	struct bob_bytes rows = { 0 }, table = { 0 };
	uint64_t len, n = 0;

	while (bob_varint_get(&at, end, &len) == BOB_OK && len <= (size_t)(end - at)) {
		const struct shift s = { { at, (size_t)len } };

		bob_bytes_take(&rows, &s, sizeof(s));
		at += len;
	}
	if (!rows.failed)
		bob_rows_write(&shifts, rows.at, rows.len / sizeof(struct shift), bob_bytes_take,
			       &table);
	if (!rows.failed && !table.failed)
		n = bob_chunk_write_packed(to, BOB_CHUNK_TABLE_SHIFTS, p->content, table.at,
					   table.len);
	free(rows.at);
	free(table.at);
	return n;
}

bob_status bob_shifts_read(const struct bob_payload *p, struct bob_bytes *out)
{
	void *rows = NULL;
	size_t count = 0;
	bob_status st = bob_rows_read(p->at, p->len, &shifts, &rows, &count);

	for (size_t i = 0; i < count && st == BOB_OK; i++) {
		const struct bob_cell_bytes s = ((const struct shift *)rows)[i].series;
		uint8_t len[BOB_VARINT_MAX];

		bob_bytes_take(out, len, bob_varint_put(len, s.len));
		bob_bytes_take(out, s.at, s.len);
	}
	free(rows);
	return st == BOB_OK && out->failed ? BOB_ERR_NOMEM : st;
}

uint64_t bob_packed_write(const struct bob_packed *p, FILE *to)
{
	uint64_t n = 0, m;

	if (p->shifts.len) {
		n = write_shifts(p, to);
		if (!n)
			return 0;
	}
	m = bob_chunk_write_packed(to, BOB_CHUNK_FOLD_MERGED, p->content, p->bytes.at,
				   p->bytes.len);
	return m ? n + m : 0;
}

void bob_packed_free(struct bob_packed *p)
{
	free(p->bytes.at);
	free(p->shifts.at);
	memset(p, 0, sizeof(*p));
}

/* --- descriptors --- */

bob_status bob_used_find(const struct bob_common *c, const struct bob_folded *f, struct bob_used *u)
{
	const size_t runs = c->desc_run_count;
	struct bob_fold_shape s;
	uint32_t number;

	u->count = runs ? c->descs[runs - 1].first + c->descs[runs - 1].count : 0;
	u->count = u->count > BOB_MEM_NUMBER ? BOB_MEM_NUMBER : u->count;
	u->bits = calloc(1, u->count / 8 + 1);
	if (!u->bits)
		return BOB_ERR_NOMEM;
	for (uint32_t i = 0; i < bob_folded_shapes(f); i++) {
		bob_folded_shape(f, i, &s);
		if (bob_mem_leaf_key(s.key, s.key_len, &number) != BOB_OK)
			return BOB_ERR_CORRUPT;
		if (number < u->count)
			u->bits[number / 8] |= (uint8_t)(1 << number % 8);
	}
	return BOB_OK;
}

int bob_is_used(const struct bob_used *u, uint64_t number)
{
	return number < u->count && u->bits[number / 8] >> number % 8 & 1;
}

void bob_descs_skip(struct bob_bytes *descs, uint64_t *count)
{
	uint8_t b[1 + BOB_VARINT_MAX] = { 0 };

	if (*count)
		bob_bytes_take(descs, b, 1 + bob_varint_put(b + 1, *count));
	*count = 0;
}
