/* SPDX-License-Identifier: BSD-3-Clause */
#include "archive/fold_write.h"

#include <string.h>

#include "base/crc.h"

#define DATA_MAX (4u << 20)

/* --- data --- */

static int more_data(struct bob_fold_writer *w)
{
	uint64_t off;
	struct bob_chunk_head *c =
		w->chunk(w->ctx, BOB_CHUNK_FOLD_DATA, w->stream, w->data_room, w->data_bytes, &off);

	if (!c) {
		w->failed = BOB_ERR_FULL;
		return 0;
	}
	w->data = c;
	w->data_used = 0;
	if (w->data_chunks < BOB_FOLD_KEPT)
		w->kept[w->data_chunks] = c;
	w->data_chunks++;
	if (w->data_room < DATA_MAX)
		w->data_room *= 2;
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

/* Room for `bytes` of rest in the chunk that is not valid. */
static int make_room(struct bob_fold_writer *w, uint64_t bytes)
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

/* `folder` NULL: there is no rest. */
static bob_status publish(struct bob_fold_writer *w, struct bob_folder *folder, uint64_t log_begin,
			  const void *state, size_t state_bytes)
{
	put_all(w, folder, state, state_bytes);
	if (sizeof(struct bob_fold_rest) + w->rest_used > w->rest[!w->turn]->size) {
		if (!make_room(w, 2 * w->rest_used))
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
	w->data_room = first_bytes;
	c = chunk(ctx, BOB_CHUNK_FOLD, stream, sizeof(*w->head), 0, &off);
	if (!c)
		return BOB_ERR_FULL;
	w->head = bob_chunk_data(c);
	if (!make_room(w, first_bytes))
		return BOB_ERR_FULL;
	w->turn = 1;
	return make_room(w, first_bytes) ? BOB_OK : BOB_ERR_FULL;
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
