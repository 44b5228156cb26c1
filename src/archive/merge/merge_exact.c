/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the times of events of merged threads under their participants' ids, segment by segment,
 * so that memory does not depend on their number. The values are unchanged. */
#include <stdlib.h>
#include <string.h>

#include "archive/events/exact.h"
#include "archive/merge/merging.h"

#define HEADS_BYTES (256u << 10) /* per chunk: a reader decompresses a whole chunk */

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

/* Sets the position of each segment's bytes, which is known once all are present. */
static void place(struct bob_exact_segment *x, size_t count, const struct bob_exact_writer *w)
{
	const uint8_t *heads = w->heads->at, *tails = w->tails->at;

	for (size_t i = 0; i < count; i++) {
		x[i].heads.at = heads;
		x[i].tails.at = tails;
		heads += x[i].heads.len;
		tails += x[i].tails.len;
	}
}

static bob_status flush(struct bob_exact_writer *w)
{
	struct bob_exact_segment *x = (struct bob_exact_segment *)(void *)w->index->at;
	const size_t count = w->index->len / sizeof(*x);
	struct bob_bytes moments = { 0 }, heads = { 0 };
	uint64_t n = 0, m = 0;

	if (!count)
		return BOB_OK;
	if (!w->index->failed && !w->tails->failed && !w->heads->failed) {
		place(x, count, w);
		bob_rows_write(&bob_exact_moments, x, count, bob_bytes_take, &moments);
		bob_rows_write(&bob_exact_heads, x, count, bob_bytes_take, &heads);
	}
	if (moments.len && heads.len && !moments.failed && !heads.failed) {
		n = bob_chunk_write(w->to, BOB_CHUNK_TABLE_MOMENTS, BOB_STREAM_NONE, w->chunks,
				    moments.at, moments.len);
		m = bob_chunk_write_packed(w->to, BOB_CHUNK_TABLE_HEADS, w->chunks, heads.at,
					   heads.len);
	}
	free(moments.at);
	free(heads.at);
	w->used += n + m;
	w->chunks++;
	w->index->len = w->heads->len = w->tails->len = 0;
	return n && m ? BOB_OK : BOB_ERR_NOMEM;
}

static bob_status put_segment(struct bob_exact_writer *w, uint64_t id, uint64_t first,
			      uint64_t base_ns, const uint64_t *value, size_t count)
{
	struct bob_exact_segment x = { .id = id, .first = first, .base_ns = base_ns,
				       .count = count };

	x.tails.len = w->tails->len;
	bob_exact_pack(value, count, w->heads, w->tails);
	x.tails.len = w->tails->len - x.tails.len;
	x.heads.len = count;
	bob_bytes_take(w->index, &x, sizeof(x));
	if (w->index->failed) /* after a failed allocation there is nothing to flush */
		return BOB_ERR_NOMEM;
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
