/* SPDX-License-Identifier: BSD-3-Clause */
/* Moments of the events of merged threads, each under the id of its participant: segment by
 * segment, so memory does not depend on how many there are. The values stay as they are. */
#include <stdlib.h>
#include <string.h>

#include "archive/events/exact.h"
#include "archive/merge/merging.h"
#include "base/varint.h"

#define HEADS_BYTES                                                                                \
	(256u << 10) /* of a chunk: what one reads of it is decompressed with all of it */

bob_status bob_exact_writer_begin(struct bob_exact_writer *w, FILE *to)
{
	*w = (struct bob_exact_writer){ .to = to };
	w->index = calloc(3, sizeof(*w->index));
	if (!w->index)
		return BOB_ERR_NOMEM;
	w->heads = w->index + 1;
	w->tails = w->index + 2;
	return BOB_OK;
}

static void put(struct bob_bytes *b, uint64_t v)
{
	uint8_t bytes[BOB_VARINT_MAX];

	bob_bytes_take(b, bytes, bob_varint_put(bytes, v));
}

static bob_status flush(struct bob_exact_writer *w)
{
	struct bob_bytes all = { 0 };
	uint64_t n = 0, m = 0;

	if (!w->segments)
		return BOB_OK;
	put(&all, 1);
	put(&all, w->segments);
	bob_bytes_take(&all, w->index->at, w->index->len);
	bob_bytes_take(&all, w->tails->at, w->tails->len);
	if (!all.failed && !w->index->failed && !w->tails->failed && !w->heads->failed) {
		n = bob_chunk_write(w->to, BOB_CHUNK_EXACT, BOB_STREAM_NONE, w->chunks, all.at,
				    all.len);
		m = bob_chunk_write_packed(w->to, BOB_CHUNK_EXACT_HEADS, w->chunks, w->heads->at,
					   w->heads->len);
	}
	free(all.at);
	w->used += n + m;
	w->chunks++;
	w->segments = 0;
	w->index->len = w->heads->len = w->tails->len = 0;
	return n && m ? BOB_OK : BOB_ERR_NOMEM;
}

static bob_status put_segment(struct bob_exact_writer *w, uint64_t id, uint64_t first,
			      uint64_t base_ns, const uint64_t *value, size_t count)
{
	const size_t tails = w->tails->len;

	bob_exact_pack(value, count, w->heads, w->tails);
	put(w->index, id);
	put(w->index, first);
	put(w->index, base_ns);
	put(w->index, count);
	put(w->index, w->tails->len - tails);
	w->segments++;
	return w->heads->len < HEADS_BYTES ? BOB_OK : flush(w);
}

bob_status bob_exact_writer_put(struct bob_exact_writer *w, const struct bob_event_stream *s,
				uint64_t id, struct bob_error *err)
{
	uint64_t *value = malloc(BOB_EXACT_SEGMENT * sizeof(*value)), base_ns = 0, v;
	struct bob_exact_reader r;
	bob_status st = value ? BOB_OK : BOB_ERR_NOMEM;
	size_t n = 0;

	bob_exact_open(&r, s);
	while (st == BOB_OK && (st = bob_exact_next(&r, &v, err)) == BOB_OK) {
		if (!n)
			base_ns = r.now_ns - v;
		value[n++] = v;
		if (n < BOB_EXACT_SEGMENT)
			continue;
		st = put_segment(w, id, r.index - n, base_ns, value, n);
		n = 0;
	}
	if (st == BOB_END)
		st = n ? put_segment(w, id, r.index - n, base_ns, value, n) : BOB_OK;
	bob_exact_close(&r);
	free(value);
	return st;
}

bob_status bob_exact_writer_end(struct bob_exact_writer *w)
{
	bob_status st = w->index ? flush(w) : BOB_ERR_NOMEM;

	for (int i = 0; i < 3 && w->index; i++)
		free(w->index[i].at);
	free(w->index);
	w->index = NULL;
	return st;
}
