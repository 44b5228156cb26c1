/* SPDX-License-Identifier: BSD-3-Clause */
/* Writer of folded streams: data chunks, two alternating rests, and the 8-byte store that
 * commits. */
#include "archive/write/fold_write.h"

#include <string.h>

#include "archive/write/ring.h"
#include "base/crc.h"

#define DATA_MAX (4u << 20)

/* --- data --- */

static int more_data(struct bob_fold_writer *w)
{
	uint64_t off;
	struct bob_chunk_head *c = w->chunk(w->ctx, BOB_CHUNK_FOLD_DATA, w->stream,
					    w->data_capacity, w->data_bytes, &off);

	if (!c) {
		w->failed = BOB_ERR_FULL;
		return 0;
	}
	w->data = c;
	w->data_used = 0;
	if (w->data_chunks < BOB_FOLD_KEPT)
		w->kept[w->data_chunks] = c;
	w->data_chunks++;
	if (w->data_capacity < DATA_MAX)
		w->data_capacity *= 2;
	return 1;
}

void bob_fold_writer_data(void *ctx, const void *bytes, size_t len)
{
	struct bob_fold_writer *w = ctx;
	const uint8_t *p = bytes;

	while (len && w->failed == BOB_OK) {
		if ((!w->data || w->data_used == w->data->size) && !more_data(w))
			return;
		uint64_t n = w->data->size - w->data_used;

		if (n > len)
			n = len;
		memcpy((uint8_t *)bob_chunk_data(w->data) + w->data_used, p, n);
		w->data_used += n;
		w->data_bytes += n;
		p += n;
		len -= n;
	}
}

/* --- the rest --- */

static void put_rest(void *ctx, const void *bytes, size_t len)
{
	struct bob_fold_writer *w = ctx;
	struct bob_chunk_head *c = w->rest[!w->turn];

	if (len && c->size - sizeof(struct bob_fold_rest) >= w->rest_used + len)
		memcpy((uint8_t *)bob_chunk_data(c) + sizeof(struct bob_fold_rest) + w->rest_used,
		       bytes, len);
	w->rest_used += len;
}

/* Makes space for `bytes` of rest in the chunk that is not valid. */
static int ensure_space(struct bob_fold_writer *w, uint64_t bytes)
{
	uint64_t off;
	struct bob_chunk_head *c = w->chunk(w->ctx, BOB_CHUNK_FOLD_REST, w->stream,
					    sizeof(struct bob_fold_rest) + bytes, 0, &off);

	if (!c)
		return 0;
	w->rest[!w->turn] = c;
	w->head->rest_off[!w->turn] = off;
	return 1;
}

static void put_all(struct bob_fold_writer *w, struct bob_folder *folder, const void *state,
		    size_t state_bytes)
{
	w->rest_used = 0;
	if (folder)
		bob_folder_rest(folder, put_rest, w);
	put_rest(w, state, state_bytes);
}

/* Writes and publishes the rest; none if `folder` is NULL. */
static bob_status publish(struct bob_fold_writer *w, struct bob_folder *folder, uint64_t log_begin,
			  const void *state, size_t state_bytes)
{
	put_all(w, folder, state, state_bytes);
	if (sizeof(struct bob_fold_rest) + w->rest_used > w->rest[!w->turn]->size) {
		if (!ensure_space(w, 2 * w->rest_used))
			return BOB_ERR_FULL;
		put_all(w, folder, state, state_bytes);
	}
	struct bob_fold_rest *r = bob_chunk_data(w->rest[!w->turn]);
	r->data_bytes = w->data_bytes;
	r->rest_bytes = w->rest_used - state_bytes;
	r->state_bytes = state_bytes;
	r->log_begin = log_begin;
	r->flags = folder ? 0 : BOB_FOLD_ENDED;
	r->crc = 0;
	r->crc = bob_crc32c(0, r, sizeof(*r) + w->rest_used);
	w->turn = !w->turn;
	__atomic_store_n(&w->head->commit, (w->head->commit & ~1ull) + 2 + w->turn,
			 __ATOMIC_RELEASE);
	return BOB_OK;
}

/* --- life --- */

bob_status bob_fold_writer_begin(struct bob_fold_writer *w, bob_fold_chunk_fn chunk, void *ctx,
				 uint32_t stream, uint64_t first_bytes)
{
	uint64_t off;
	struct bob_chunk_head *c;

	memset(w, 0, sizeof(*w));
	w->chunk = chunk;
	w->ctx = ctx;
	w->stream = stream;
	w->data_capacity = first_bytes;
	c = chunk(ctx, BOB_CHUNK_FOLD, stream, sizeof(*w->head), 0, &off);
	if (!c)
		return BOB_ERR_FULL;
	w->head = bob_chunk_data(c);
	if (!ensure_space(w, first_bytes))
		return BOB_ERR_FULL;
	w->turn = 1;
	return ensure_space(w, first_bytes) ? BOB_OK : BOB_ERR_FULL;
}

/* --- resuming --- */

/* Calls `visit` for each chunk of the stream. */
static void visit_chunks(struct bob_fold_writer *w, uint8_t *file, uint64_t len,
			 void (*visit)(struct bob_fold_writer *w, struct bob_chunk_head *c,
				       uint64_t off, void *arg),
			 void *arg)
{
	uint64_t off = BOB_FILE_HEAD_BYTES;

	while (off < len && len - off > sizeof(struct bob_chunk_head)) {
		struct bob_chunk_head *c = (struct bob_chunk_head *)(void *)(file + off);

		if (!bob_chunk_is_at(file + off, file + len)) {
			off += BOB_CHUNK_ALIGN;
			continue;
		}
		off += bob_chunk_bytes(c->size);
		if (c->stream == w->stream)
			visit(w, c, (uint64_t)((uint8_t *)c - file), arg);
	}
}

static void find_head(struct bob_fold_writer *w, struct bob_chunk_head *c, uint64_t off, void *arg)
{
	(void)off, (void)arg;
	if (c->kind == BOB_CHUNK_FOLD && c->size >= sizeof(*w->head) && !w->head)
		w->head = bob_chunk_data(c);
}

static void find_rest(struct bob_fold_writer *w, struct bob_chunk_head *c, uint64_t off, void *arg)
{
	if (c->kind == BOB_CHUNK_FOLD_REST && off == *(const uint64_t *)arg)
		w->rest[w->turn] = c;
}

/* Discards chunks after the valid ones, because new ones will have the same positions. */
static void find_data(struct bob_fold_writer *w, struct bob_chunk_head *c, uint64_t off, void *arg)
{
	(void)off, (void)arg;
	if (c->kind != BOB_CHUNK_FOLD_DATA)
		return;
	if (c->aux >= w->data_bytes) {
		bob_chunk_begin(c, BOB_CHUNK_PAD, BOB_STREAM_NONE, c->size, 0);
		return;
	}
	if (w->data_chunks < BOB_FOLD_KEPT)
		w->kept[w->data_chunks] = c;
	w->data_chunks++;
	w->data = c;
	w->data_used = w->data_bytes - c->aux;
}

/* Selects the valid rest: w->rest[turn]. */
static const struct bob_fold_rest *valid_rest(const struct bob_fold_writer *w)
{
	const struct bob_chunk_head *c = w->rest[w->turn];
	const struct bob_fold_rest *r = c ? (const void *)(c + 1) : NULL;
	struct bob_fold_rest zeroed;

	if (!r || c->size < sizeof(*r) || r->rest_bytes > c->size - sizeof(*r) ||
	    r->state_bytes > c->size - sizeof(*r) - r->rest_bytes)
		return NULL;
	zeroed = *r;
	zeroed.crc = 0;
	return bob_crc32c(bob_crc32c(0, &zeroed, sizeof(zeroed)), r + 1,
			  r->rest_bytes + r->state_bytes) == r->crc ?
		       r :
		       NULL;
}

bob_status bob_fold_writer_resume(struct bob_fold_writer *w, bob_fold_chunk_fn chunk, void *ctx,
				  uint32_t stream, uint64_t first_bytes, uint8_t *file,
				  uint64_t len, struct bob_fold_left *left)
{
	const struct bob_fold_rest *r;
	uint64_t off;

	memset(w, 0, sizeof(*w));
	memset(left, 0, sizeof(*left));
	w->chunk = chunk;
	w->ctx = ctx;
	w->stream = stream;
	w->data_capacity = first_bytes;
	visit_chunks(w, file, len, find_head, NULL);
	if (!w->head)
		return BOB_ERR_CORRUPT;
	if (!w->head->commit) {
		visit_chunks(w, file, len, find_data, NULL);
		w->turn = 1;
		if (!ensure_space(w, first_bytes))
			return BOB_ERR_FULL;
		w->turn = 0;
		return ensure_space(w, first_bytes) ? BOB_OK : BOB_ERR_FULL;
	}
	w->turn = w->head->commit & 1;
	off = w->head->rest_off[w->turn];
	visit_chunks(w, file, len, find_rest, &off);
	r = valid_rest(w);
	if (!r)
		return BOB_ERR_CORRUPT;
	left->log_begin = r->log_begin;
	left->state = (const uint8_t *)(r + 1) + r->rest_bytes;
	left->state_bytes = r->state_bytes;
	left->ended = (r->flags & BOB_FOLD_ENDED) != 0;
	if (left->ended)
		return BOB_OK;
	w->data_bytes = r->data_bytes;
	visit_chunks(w, file, len, find_data, NULL);
	if ((w->data ? w->data_used > w->data->size : r->data_bytes != 0))
		return BOB_ERR_CORRUPT;
	bob_fold_writer_data(w, r + 1, r->rest_bytes);
	/* the other rest may be incomplete */
	return w->failed != BOB_OK || !ensure_space(w, 2 * r->rest_bytes + first_bytes) ?
		       BOB_ERR_FULL :
		       BOB_OK;
}

bob_status bob_fold_writer_commit(struct bob_fold_writer *w, struct bob_folder *folder,
				  uint64_t log_begin, const void *state, size_t state_bytes)
{
	return w->failed != BOB_OK ? w->failed : publish(w, folder, log_begin, state, state_bytes);
}

bob_status bob_fold_writer_end(struct bob_fold_writer *w, uint64_t log_begin)
{
	return w->failed != BOB_OK ? w->failed : publish(w, NULL, log_begin, NULL, 0);
}

bob_status bob_fold_writer_so_far(const struct bob_fold_writer *w, struct bob_folder *folder,
				  bob_fold_write_fn write, void *ctx)
{
	if (w->failed != BOB_OK)
		return w->failed;
	if (w->data_chunks > BOB_FOLD_KEPT)
		return BOB_ERR_FULL;
	for (uint32_t i = 0; i < w->data_chunks; i++)
		write(ctx, bob_chunk_data(w->kept[i]),
		      i + 1 < w->data_chunks ? w->kept[i]->size : w->data_used);
	bob_folder_rest(folder, write, ctx);
	return BOB_OK;
}
