/* SPDX-License-Identifier: BSD-3-Clause */
/* Reader of folded streams. Chunks are found by kind, and the commit word selects the valid rest.
 * Everything is copied before it is checked, because a running writer may change it, and partial
 * updates may be visible, as after a crash. */
#include "archive/folds.h"

#include <stdlib.h>
#include <string.h>

#include "base/crc.h"
#include "base/order.h"

static const struct bob_chunk_ref *find_chunk(const struct bob_file *f, uint32_t number,
					      enum bob_chunk_kind kind, uint64_t off)
{
	const struct bob_chunk_ref *c;
	size_t i = bob_chunks_first(f, number);

	while ((c = bob_chunks_next(f, number, &i)))
		if (c->head.kind == kind && (!off || c->off == off + sizeof(struct bob_chunk_head)))
			return c;
	return NULL;
}

/* --- data and rest --- */

/* Copies the first `len` bytes of the data. Returns 0 and the offset if some are missing. */
static int copy_data(const struct bob_file *f, uint32_t number, uint8_t *to, uint64_t len,
		     uint64_t *off)
{
	const struct bob_chunk_ref *c;
	size_t i = bob_chunks_first(f, number);
	uint64_t have = 0;

	while (have < len && (c = bob_chunks_next(f, number, &i))) {
		uint64_t n = c->avail < len - have ? c->avail : len - have;

		if (c->head.kind != BOB_CHUNK_FOLD_DATA)
			continue;
		*off = c->off;
		if (c->head.aux != have)
			return 0;
		memcpy(to + have, f->bytes + c->off, n);
		have += n;
	}
	return have == len;
}

static uint64_t all_data(const struct bob_file *f, uint32_t number)
{
	const struct bob_chunk_ref *c;
	size_t i = bob_chunks_first(f, number);
	uint64_t n = 0;

	while ((c = bob_chunks_next(f, number, &i)))
		if (c->head.kind == BOB_CHUNK_FOLD_DATA)
			n += c->avail;
	return n;
}

static bob_status read_rest(const struct bob_file *f, uint32_t number,
			    const struct bob_chunk_ref *c, struct bob_fold_stream *s,
			    struct bob_fold_rest *r, struct bob_error *err)
{
	uint64_t off = c->off;
	struct bob_fold_rest zeroed;

	if (c->avail < sizeof(*r))
		return bob_fail(err, BOB_ERR_CORRUPT, f, c->off,
				"the rest of a folded stream is cut off");
	memcpy(r, f->bytes + c->off, sizeof(*r));
	if (r->rest_bytes > c->avail - sizeof(*r) ||
	    r->state_bytes > c->avail - sizeof(*r) - r->rest_bytes ||
	    r->data_bytes > all_data(f, number))
		return bob_fail(err, BOB_ERR_CORRUPT, f, c->off,
				"the rest of a folded stream is longer than its chunk");
	s->len = r->data_bytes + r->rest_bytes;
	s->bytes = malloc(s->len + r->state_bytes + 1);
	if (!s->bytes)
		return bob_fail(err, BOB_ERR_NOMEM, f, c->off, "no memory for a folded stream");
	memcpy(s->bytes + r->data_bytes, f->bytes + c->off + sizeof(*r),
	       r->rest_bytes + r->state_bytes);
	s->state = s->bytes + s->len;
	s->state_len = r->state_bytes;
	zeroed = *r;
	zeroed.crc = 0;
	if (bob_crc32c(bob_crc32c(0, &zeroed, sizeof(zeroed)), s->bytes + r->data_bytes,
		       r->rest_bytes + r->state_bytes) != r->crc)
		return bob_fail(err, BOB_ERR_CORRUPT, f, c->off,
				"the checksum of the rest of a folded stream does not match");
	if (!copy_data(f, number, s->bytes, r->data_bytes, &off))
		return bob_fail(err, BOB_ERR_CORRUPT, f, off,
				"a piece of a folded stream is missing");
	s->ended = (r->flags & BOB_FOLD_ENDED) != 0;
	return BOB_OK;
}

/* --- the log --- */

/* Of two at one position the first one is empty. */
BOB_COMPARE(by_position, struct bob_fold_log, BOB_UP(position) BOB_UP(off))

static bob_status read_log(const struct bob_file *f, uint32_t number, uint64_t begin,
			   struct bob_fold_stream *s)
{
	const struct bob_chunk_ref *c;
	size_t capacity = 0, i = bob_chunks_first(f, number);

	while ((c = bob_chunks_next(f, number, &i))) {
		struct bob_fold_log l = { .off = c->off + 8 };

		if (c->head.kind != BOB_CHUNK_FOLD_LOG || c->avail < 16)
			continue;
		memcpy(&l.position, f->bytes + c->off, 8);
		l.count = c->avail / 8 - 1;
		if (l.position < begin ||
		    l.position == UINT64_MAX) /* already in the rest; not in use */
			continue;
		if (bob_array_reserve(&s->log, s->log_count, &capacity, sizeof(*s->log)))
			return BOB_ERR_NOMEM;
		s->log[s->log_count++] = l;
	}
	if (s->log_count)
		qsort(s->log, s->log_count, sizeof(*s->log), by_position);
	return BOB_OK;
}

bob_status bob_fold_stream_read(const struct bob_file *f, uint32_t number,
				struct bob_fold_stream *s, struct bob_error *err)
{
	const struct bob_chunk_ref *c = find_chunk(f, number, BOB_CHUNK_FOLD, 0);
	struct bob_fold_head h;
	struct bob_fold_rest r = { 0 };
	bob_status st = BOB_OK;

	memset(s, 0, sizeof(*s));
	if (!c || c->avail < sizeof(h))
		return BOB_NONE;
	memcpy(&h, f->bytes + c->off, sizeof(h));
	if (h.commit) {
		uint64_t off = h.rest_off[h.commit & 1];

		c = off ? find_chunk(f, number, BOB_CHUNK_FOLD_REST, off) : NULL;
		if (!c)
			return bob_fail(err, BOB_ERR_CORRUPT, f, off,
					"the rest of a folded stream is not where its head says");
		st = read_rest(f, number, c, s, &r, err);
		if (st != BOB_OK) {
			free(s->bytes);
			s->bytes = NULL;
			s->state = NULL;
			s->len = s->state_len = 0;
		}
	}
	if (!s->ended && read_log(f, number, r.log_begin, s) != BOB_OK)
		st = BOB_ERR_NOMEM;
	return st;
}

bob_status bob_raw_stream_read(const struct bob_file *f, uint32_t number, struct bob_fold_stream *s)
{
	const struct bob_chunk_ref *c;
	size_t capacity = 0, i = bob_chunks_first(f, number);

	memset(s, 0, sizeof(*s));
	while ((c = bob_chunks_next(f, number, &i))) {
		int open = !(c->head.flags & BOB_CHUNK_SEALED) && !c->head.len;

		if (c->head.kind != BOB_CHUNK_RAW)
			continue;
		if (bob_array_reserve(&s->log, s->log_count, &capacity, sizeof(*s->log)))
			return BOB_ERR_NOMEM;
		s->log[s->log_count++] =
			(struct bob_fold_log){ c->head.aux, c->off,
					       (open ? c->avail : bob_chunk_len(c)) / 8 };
	}
	if (s->log_count)
		qsort(s->log, s->log_count, sizeof(*s->log), by_position);
	return BOB_OK;
}

void bob_fold_stream_free(struct bob_fold_stream *s)
{
	free(s->bytes);
	free(s->log);
	memset(s, 0, sizeof(*s));
}
