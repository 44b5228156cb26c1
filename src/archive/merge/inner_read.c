/* SPDX-License-Identifier: BSD-3-Clause */
/* Decodes leaves to a process file. Each leaf appends bytes; the beginning of a chunk or record
 * ends the previous one. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "archive/merge/inner.h"
#include "archive/write/write.h"
#include "base/crc.h"
#include "base/varint.h"

struct reading {
	struct bob_inner_file *out;
	uint64_t budget;		/* remaining bytes */
	struct bob_file_head head;
	int has_head;
	size_t chunk, record;	/* offsets of their headers; 0: none open */
	uint32_t kind;		/* of the chunk */
};

static bob_status take(struct reading *r, const void *bytes, size_t len)
{
	if (r->budget < len)
		return BOB_ERR_CORRUPT;
	r->budget -= len;
	bob_bytes_take(&r->out->bytes, bytes, len);
	return r->out->bytes.failed ? BOB_ERR_NOMEM : BOB_OK;
}

static bob_status take_zeros(struct reading *r, uint64_t count)
{
	static const uint8_t zero[512];
	bob_status st = r->budget < count ? BOB_ERR_CORRUPT : BOB_OK;

	for (; count && st == BOB_OK; count -= count < sizeof(zero) ? count : sizeof(zero))
		st = take(r, zero, count < sizeof(zero) ? (size_t)count : sizeof(zero));
	return st;
}

/* --- chunks and records --- */

static bob_status end_record(struct reading *r)
{
	struct bob_record rec;
	struct bob_bytes *b = &r->out->bytes;
	uint64_t len;

	if (!r->record)
		return BOB_OK;
	len = b->len - r->record - sizeof(rec);
	if (len > UINT32_MAX)
		return BOB_ERR_CORRUPT;
	memcpy(&rec, b->at + r->record, sizeof(rec));
	rec.len = (uint32_t)len;
	memcpy(b->at + r->record, &rec, sizeof(rec));
	r->record = 0;
	return take_zeros(r, -len & 7);
}

static bob_status end_chunk(struct reading *r)
{
	struct bob_chunk_head h;
	struct bob_bytes *b = &r->out->bytes;
	uint64_t len;
	bob_status st = end_record(r);

	if (st != BOB_OK || !r->chunk)
		return st;
	memcpy(&h, b->at + r->chunk, sizeof(h));
	len = b->len - r->chunk - sizeof(h);
	bob_chunk_begin(&h, r->kind, h.stream, len, h.aux);
	h.flags = BOB_CHUNK_SEALED;
	h.len = len;
	h.crc = bob_crc32c(0, b->at + r->chunk + sizeof(h), len);
	memcpy(b->at + r->chunk, &h, sizeof(h));
	r->chunk = 0;
	return take_zeros(r, bob_chunk_bytes(len) - sizeof(h) - len);
}

static bob_status begin_chunk(struct reading *r, uint64_t kind, const uint64_t *word)
{
	struct bob_chunk_head h = { .stream = (uint32_t)word[0], .aux = word[1] };
	bob_status st = kind > UINT16_MAX ? BOB_ERR_CORRUPT : end_chunk(r);

	if (st != BOB_OK)
		return st;
	r->chunk = r->out->bytes.len;
	r->kind = (uint32_t)kind;
	return take(r, &h, sizeof(h));
}

static bob_status begin_record(struct reading *r, uint64_t kind)
{
	struct bob_record rec = { .kind = (uint32_t)kind };
	bob_status st = kind > UINT32_MAX || !r->chunk ? BOB_ERR_CORRUPT : end_record(r);

	if (st != BOB_OK)
		return st;
	r->record = r->out->bytes.len;
	return take(r, &rec, sizeof(rec));
}

static bob_status put_head(struct reading *r, const uint64_t *word)
{
	uint8_t bytes[BOB_FILE_HEAD_BYTES] = { 0 };

	if (r->has_head || r->out->bytes.len)
		return BOB_ERR_CORRUPT;
	bob_inner_head_of(word, &r->head);
	if (!bob_head_bytes_ok(r->head.head_bytes))
		return BOB_ERR_CORRUPT;
	r->has_head = 1;
	memcpy(bytes, &r->head, sizeof(r->head));
	return take(r, bytes, r->head.head_bytes);
}

/* --- contents --- */

#define NUMBER_MAX 21u /* digits and terminating zero */

/* Expands a form. The number of words must be that of its numbers. */
static bob_status text_of(const uint8_t *form, size_t len, const struct bob_fold_event *e, char *to,
			  size_t *to_len)
{
	uint32_t n = 0;
	size_t at = 0;

	for (size_t i = 0; i < len; i++) {
		if (form[i] > BOB_INNER_AS_IS)
			to[at++] = (char)form[i];
		else if (form[i] == BOB_INNER_AS_IS && i + 1 < len)
			to[at++] = (char)form[++i];
		else if (form[i] == BOB_INNER_AS_IS || n == e->words)
			return BOB_ERR_CORRUPT;
		else if (form[i] == BOB_INNER_HEX)
			at += (size_t)snprintf(to + at, NUMBER_MAX, "%" PRIx64, e->word[n++]);
		else
			at += (size_t)snprintf(to + at, NUMBER_MAX, "%" PRIu64, e->word[n++]);
	}
	*to_len = at;
	return n == e->words ? BOB_OK : BOB_ERR_CORRUPT;
}

/* Texts outside of chunks. */
static bob_status put_name(struct reading *r, const char *text, size_t len)
{
	struct bob_bytes *b = &r->out->name;

	if (b->len > BOB_FILE_NAME_MAX || memchr(text, 0, len))
		return BOB_ERR_CORRUPT;
	bob_bytes_take(b, text, len);
	return b->failed ? BOB_ERR_NOMEM : BOB_OK;
}

static bob_status put_host(struct reading *r, const char *text, size_t len)
{
	if (len > sizeof(r->head.host))
		return BOB_ERR_CORRUPT;
	memcpy(r->head.host, text, len);
	return BOB_OK;
}

static bob_status put_text(struct reading *r, const struct bob_fold_shape *s,
			   const struct bob_fold_event *e)
{
	char text[(BOB_FOLD_KEY_MAX + 1) * NUMBER_MAX];
	size_t len;
	bob_status st = text_of(s->key + 1, s->key_len - 1, e, text, &len);

	if (st != BOB_OK)
		return st;
	if (s->key[0] == BOB_INNER_NAME)
		return put_name(r, text, len);
	if (s->key[0] == BOB_INNER_HOST)
		return put_host(r, text, len);
	if (s->key[0] == BOB_INNER_ENDED)
		text[len++] = 0;
	else if (s->key[0] == BOB_INNER_LINE)
		text[len++] = '\n';
	return r->chunk ? take(r, text, len) : BOB_ERR_CORRUPT;
}

static bob_status put_bytes(struct reading *r, uint64_t count, const struct bob_fold_event *e)
{
	if (!r->chunk || !e->words || count > 8ull * e->words || count <= 8ull * (e->words - 1))
		return BOB_ERR_CORRUPT;
	return take(r, e->word, count);
}

static bob_status put_image(struct reading *r, const struct bob_fold_event *e)
{
	uint64_t w[sizeof(struct bob_rec_image) / sizeof(uint64_t)];

	if (!r->chunk || e->words != sizeof(w) / sizeof(*w))
		return BOB_ERR_CORRUPT;
	memcpy(w, e->word, sizeof(w));
	w[2] = w[2] << BOB_INNER_BIAS_BITS | w[2] >> (64 - BOB_INNER_BIAS_BITS);
	return take(r, w, sizeof(w));
}

static bob_status put_stream(struct reading *r, const struct bob_fold_event *e)
{
	uint8_t bytes[BOB_INNER_LINE_BYTES];

	if (!r->chunk || e->words != sizeof(bytes) / sizeof(uint64_t))
		return BOB_ERR_CORRUPT;
	bob_inner_stream_of(&r->head, e->word, bytes);
	return take(r, bytes, sizeof(bytes));
}

static bob_status put_leaf(struct reading *r, const struct bob_fold_shape *s,
			   const struct bob_fold_event *e)
{
	const uint8_t *at = s->key + 1, *end = s->key + s->key_len;
	uint64_t n = 0;

	if (!s->key_len)
		return BOB_ERR_CORRUPT;
	switch (s->key[0]) {
	case BOB_INNER_HEAD:
		return e->words == BOB_INNER_HEAD_WORDS ? put_head(r, e->word) : BOB_ERR_CORRUPT;
	case BOB_INNER_IMAGE:
		return put_image(r, e);
	case BOB_INNER_STREAM:
		return put_stream(r, e);
	case BOB_INNER_ZEROS:
		return r->chunk && e->words == 1 ? take_zeros(r, e->word[0]) : BOB_ERR_CORRUPT;
	case BOB_INNER_NAME:
	case BOB_INNER_HOST:
	case BOB_INNER_TEXT:
	case BOB_INNER_ENDED:
	case BOB_INNER_LINE:
		return put_text(r, s, e);
	default:
		break;
	}
	if (bob_varint_get(&at, end, &n) != BOB_OK || at != end)
		return BOB_ERR_CORRUPT;
	switch (s->key[0]) {
	case BOB_INNER_CHUNK:
		return r->has_head && e->words == 2 ? begin_chunk(r, n, e->word) : BOB_ERR_CORRUPT;
	case BOB_INNER_RECORD:
		return e->words ? BOB_ERR_CORRUPT : begin_record(r, n);
	case BOB_INNER_BYTES:
		return put_bytes(r, n, e);
	default:
		return BOB_ERR_CORRUPT;
	}
}

/* Each leaf costs at least one byte of the budget, because loops may claim any number of leaves. */
static bob_status read_leaves(struct reading *r, const struct bob_folded *f,
			      struct bob_fold_cursor *c)
{
	struct bob_fold_shape s;
	struct bob_fold_event e;
	bob_status st;

	while ((st = bob_fold_cursor_next(c, &e)) == BOB_OK) {
		if (!r->budget)
			return BOB_ERR_CORRUPT;
		r->budget--;
		bob_folded_shape(f, e.shape, &s);
		st = put_leaf(r, &s, &e);
		if (st != BOB_OK)
			return st;
	}
	return st == BOB_END ? end_chunk(r) : st;
}

bob_status bob_inner_read(const struct bob_folded *f, uint32_t i, uint64_t budget,
			  struct bob_inner_file *out)
{
	struct reading r = { .out = out, .budget = budget };
	struct bob_fold_cursor *c = NULL;
	bob_status st = bob_fold_cursor_open(f, i, &c);

	if (st == BOB_OK)
		st = read_leaves(&r, f, c);
	bob_fold_cursor_close(c);
	if (st != BOB_OK)
		return st;
	if (!r.has_head || !bob_name_is_of_file((const char *)out->name.at, out->name.len))
		return BOB_ERR_CORRUPT;
	r.head.used = out->bytes.len;
	memcpy(out->bytes.at, &r.head, sizeof(r.head));
	return BOB_OK;
}
