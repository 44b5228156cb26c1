/* SPDX-License-Identifier: BSD-3-Clause */
/* Writer of memory accesses of one thread: folds full record buffers, and commits when due. */
#include "archive/write/mem_write.h"

#include <string.h>

#define DATA_FIRST (4096u - sizeof(struct bob_chunk_head))

static size_t rounded(size_t n)
{
	return (n + 63) & ~(size_t)63;
}

size_t bob_mem_writer_size(void)
{
	return rounded(bob_folder_size()) + rounded(bob_mem_fold_size());
}

bob_status bob_mem_writer_begin(struct bob_mem_writer *w, void *mem, bob_fold_chunk_fn chunk,
				void *ctx, uint32_t stream, bob_mem_desc_fn desc, void *desc_ctx)
{
	bob_status st;

	memset(w, 0, sizeof(*w));
	st = bob_fold_writer_begin(&w->out, chunk, ctx, stream, DATA_FIRST);
	if (st != BOB_OK)
		return st;
	w->folder = bob_folder_begin(mem, bob_fold_writer_data, &w->out);
	w->fold = bob_mem_fold_begin((uint8_t *)mem + rounded(bob_folder_size()), w->folder, desc,
				     desc_ctx);
	return BOB_OK;
}

/* Folds the newest buffer up to `at`; NULL: up to the last complete record. */
static bob_status fold_buffer(struct bob_mem_writer *w, const uint64_t *at)
{
	size_t used, count;
	const uint64_t *begin = bob_record_buffers_newest(&w->buffers, &count);
	bob_status st;

	if (!begin)
		return BOB_OK;
	if (at)
		count = (size_t)(at - begin);
	st = bob_mem_fold_put(w->fold, begin, count, !at, &used);
	if (st == BOB_OK || used)
		bob_record_buffers_folded(&w->buffers, used);
	return st;
}

static bob_status commit(struct bob_mem_writer *w)
{
	uint64_t state[BOB_MEM_STATE_WORDS];
	size_t n = bob_mem_fold_state(w->fold, state);
	bob_status st = bob_fold_writer_commit(&w->out, w->folder, w->buffers.position, state,
					       n * sizeof(*state));

	if (st == BOB_OK)
		bob_record_buffers_committed(&w->buffers, 0);
	return st;
}

uint64_t *bob_mem_writer_next(struct bob_mem_writer *w, const uint64_t *at, size_t need,
			      uint64_t **end, bob_status *why)
{
	uint64_t *buffer = NULL;

	*why = fold_buffer(w, at);
	if (*why == BOB_OK && bob_record_buffers_are_full(&w->buffers, w->folder))
		*why = commit(w);
	if (*why == BOB_OK) {
		buffer = bob_record_buffers_next(&w->buffers, &w->out, need, end);
		*why = buffer ? BOB_OK : BOB_ERR_FULL;
	}
	return buffer;
}

uint64_t *bob_mem_writer_cut(struct bob_mem_writer *w, const uint64_t *at, size_t need,
			     uint64_t **end, bob_status *why)
{
	uint64_t *buffer = NULL;

	*why = fold_buffer(w, at);
	if (*why == BOB_OK)
		*why = bob_mem_fold_again(w->fold);
	if (*why == BOB_OK)
		*why = commit(w);
	if (*why == BOB_OK) {
		buffer = bob_record_buffers_next(&w->buffers, &w->out, need, end);
		*why = buffer ? BOB_OK : BOB_ERR_FULL;
	}
	return buffer;
}

/* Copies the state to aligned memory: it follows the rest at any offset. */
static bob_status resume_state(struct bob_mem_writer *w, const struct bob_fold_left *left)
{
	uint64_t state[BOB_MEM_STATE_WORDS];

	if (!left->state_bytes || left->state_bytes % sizeof(*state) ||
	    left->state_bytes > sizeof(state))
		return BOB_OK; /* no state; readers can do without */
	memcpy(state, left->state, left->state_bytes);
	return bob_mem_fold_resume(w->fold, state, left->state_bytes / sizeof(*state));
}

bob_status bob_mem_writer_resume(struct bob_mem_writer *w, void *mem, bob_fold_chunk_fn chunk,
				 void *ctx, uint32_t stream, bob_mem_desc_fn desc, void *desc_ctx,
				 uint8_t *file, uint64_t len, int *ended)
{
	struct bob_fold_left left;
	bob_status st;

	memset(w, 0, sizeof(*w));
	st = bob_fold_writer_resume(&w->out, chunk, ctx, stream, DATA_FIRST, file, len, &left);
	*ended = left.ended;
	if (st != BOB_OK || left.ended)
		return st;
	w->buffers.position = left.log_begin;
	w->folder = bob_folder_begin(mem, bob_fold_writer_data, &w->out);
	w->fold = bob_mem_fold_begin((uint8_t *)mem + rounded(bob_folder_size()), w->folder, desc,
				     desc_ctx);
	return resume_state(w, &left);
}

bob_status bob_mem_writer_fold(struct bob_mem_writer *w, const uint64_t *word, size_t count,
			       int open, size_t *used)
{
	bob_status st = bob_mem_fold_put(w->fold, word, count, open, used);

	w->buffers.position += *used;
	return st;
}

bob_status bob_mem_writer_commit(struct bob_mem_writer *w, int part)
{
	bob_status st = part ? bob_mem_fold_again(w->fold) : BOB_OK;

	return st == BOB_OK ? commit(w) : st;
}

bob_status bob_mem_writer_end(struct bob_mem_writer *w, const uint64_t *at)
{
	bob_status st = fold_buffer(w, at);

	if (st != BOB_OK) /* the records stay in the log */
		return st;
	bob_folder_end(w->folder);
	return bob_fold_writer_end(&w->out, w->buffers.position);
}
