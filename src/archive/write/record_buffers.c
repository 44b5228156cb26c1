/* SPDX-License-Identifier: BSD-3-Clause */
/* Record buffers of a stream: which one is filled, which are kept until the next commit, and when
 * that is due. */
#include "archive/write/record_buffers.h"

#include <string.h>

#define WORDS_PER_COLUMN 256u

/* Payload of a buffer: its position, then words. */
static uint64_t *payload(const struct bob_chunk_head *c)
{
	return (uint64_t *)(void *)bob_chunk_data((struct bob_chunk_head *)(uintptr_t)c);
}

uint64_t *bob_record_buffers_newest(const struct bob_record_buffers *r, size_t *words)
{
	if (!r->used)
		return NULL;
	*words = r->buffer[r->newest]->size / 8 - 1;
	return payload(r->buffer[r->newest]) + 1;
}

void bob_record_buffers_folded(struct bob_record_buffers *r, size_t used)
{
	r->position += used;
	/* the buffer is empty: readers must not find it before the next one, which has the same
	 * position */
	if (!used && r->used)
		__atomic_store_n(payload(r->buffer[r->newest]), UINT64_MAX, __ATOMIC_RELEASE);
}

int bob_record_buffers_are_full(const struct bob_record_buffers *r, const struct bob_folder *folder)
{
	uint64_t words = 0;

	if (!r->count || r->used != r->count)
		return 0;
	for (uint32_t i = 0; i < r->count; i++)
		words += r->buffer[i]->size / 8;
	return words >= (uint64_t)WORDS_PER_COLUMN * bob_folder_columns(folder) ||
	       r->count == BOB_RECORD_BUFFERS_MAX;
}

void bob_record_buffers_committed(struct bob_record_buffers *r, int keep)
{
	struct bob_chunk_head *c = r->buffer[r->newest];

	r->used = 0;
	if (!keep)
		return;
	r->buffer[r->newest] = r->buffer[0];
	r->buffer[0] = c;
	r->newest = 0;
	r->used = 1;
	__atomic_store_n(payload(c), UINT64_MAX, __ATOMIC_RELEASE);
}

static int add_buffer(struct bob_record_buffers *r, struct bob_fold_writer *out, size_t need)
{
	uint64_t bytes = r->count ? BOB_RECORD_BUFFER_NEXT : BOB_RECORD_BUFFER_FIRST, off;
	struct bob_chunk_head *c;

	while (bytes < need + 8 + sizeof(*c))
		bytes *= 2;
	if (r->count == BOB_RECORD_BUFFERS_MAX)
		return 0;
	c = out->chunk(out->ctx, BOB_CHUNK_FOLD_LOG, out->stream, bytes - sizeof(*c), 0, &off);
	if (!c)
		return 0;
	*payload(c) = UINT64_MAX; /* not in use */
	r->buffer[r->count++] = c;
	return 1;
}

/* Buffers are used in the order of creation. */
uint64_t *bob_record_buffers_next(struct bob_record_buffers *r, struct bob_fold_writer *out,
				  size_t need, uint64_t **end)
{
	struct bob_chunk_head *c;

	while (r->used < r->count && r->buffer[r->used]->size < need + 8)
		r->used++; /* too small for this record */
	if (r->used == r->count && !add_buffer(r, out, need))
		return NULL;
	r->newest = r->used++;
	c = r->buffer[r->newest];
	memset(payload(c) + 1, 0, c->size - 8);
	__atomic_store_n(payload(c), r->position, __ATOMIC_RELEASE);
	*end = payload(c) + c->size / 8;
	return payload(c) + 1;
}
