/* SPDX-License-Identifier: BSD-3-Clause */
/* Ring of record buffers between a thread and the collector: slots whose states change by atomic
 * stores. */
#include "archive/write/ring.h"

#include <string.h>

#define UNUSED UINT64_MAX /* position of an unused buffer */

static uint64_t *payload(struct bob_chunk_head *c)
{
	return (uint64_t *)(void *)bob_chunk_data(c);
}

/* --- the file --- */

int bob_chunk_is_at(const uint8_t *p, const uint8_t *end)
{
	struct bob_chunk_head h;

	if (end - p < (ptrdiff_t)sizeof(h))
		return 0;
	memcpy(&h, p, sizeof(h));
	return h.magic == BOB_CHUNK_MAGIC && h.head_crc == bob_chunk_head_crc(&h) &&
	       h.size <= (uint64_t)(end - p) - sizeof(h);
}

void bob_ring_pad(uint8_t *p, uint64_t bytes)
{
	if (bytes >= sizeof(struct bob_chunk_head))
		bob_chunk_begin((struct bob_chunk_head *)(void *)p, BOB_CHUNK_PAD, BOB_STREAM_NONE,
				bytes - sizeof(struct bob_chunk_head), 0);
}

void bob_ring_used(struct bob_file_head *head, uint64_t used)
{
	uint64_t now = __atomic_load_n(&head->used, __ATOMIC_RELAXED);

	while (now < used && !__atomic_compare_exchange_n(&head->used, &now, used, 0,
							  __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
}

/* --- side of the process --- */

void bob_ring_hand_over(struct bob_ring_writer *w, const uint64_t *at)
{
	struct bob_ring_slot *s;
	uint64_t words;

	if (w->now == BOB_RECORD_BUFFERS_MAX)
		return;
	s = &w->ring->slot[w->now];
	words = (uint64_t)(at - (payload(w->buffer[w->now]) + 1));
	if (!words)
		return;
	s->words = words;
	w->position += words;
	w->now = BOB_RECORD_BUFFERS_MAX;
	__atomic_store_n(&s->state, BOB_SLOT_HANDED, __ATOMIC_RELEASE);
}

static uint32_t free_slot(const struct bob_ring *r)
{
	for (uint32_t i = 0; i < r->buffers; i++)
		if (__atomic_load_n(&r->slot[i].state, __ATOMIC_ACQUIRE) == BOB_SLOT_FREE)
			return i;
	return BOB_RECORD_BUFFERS_MAX;
}

static uint32_t add_buffer(struct bob_ring_writer *w, bob_fold_chunk_fn chunk, void *ctx,
			   uint32_t stream)
{
	struct bob_ring *r = w->ring;
	const uint32_t i = r->buffers;
	const uint64_t bytes = i < BOB_RING_SMALL ? BOB_RECORD_BUFFER_FIRST :
						    BOB_RECORD_BUFFER_NEXT;
	uint64_t off;
	struct bob_chunk_head *c =
		chunk(ctx, BOB_CHUNK_FOLD_LOG, stream, bytes - sizeof(*c), 0, &off);

	if (!c)
		return BOB_RECORD_BUFFERS_MAX;
	*payload(c) = UNUSED;
	w->buffer[i] = c;
	r->slot[i].off = off;
	__atomic_store_n(&r->buffers, i + 1, __ATOMIC_RELEASE);
	return i;
}

uint64_t *bob_ring_buffer(struct bob_ring_writer *w, bob_fold_chunk_fn chunk, void *ctx,
			  uint32_t stream, uint64_t **end, bob_status *why)
{
	struct bob_ring *r = w->ring;
	const uint32_t limit = __atomic_load_n(&r->limit, __ATOMIC_RELAXED);
	uint32_t i = w->now == BOB_RECORD_BUFFERS_MAX ? free_slot(r) : w->now;
	struct bob_chunk_head *c;

	*why = BOB_OK;
	if (i == BOB_RECORD_BUFFERS_MAX &&
	    (r->buffers >= limit || r->buffers >= BOB_RECORD_BUFFERS_MAX))
		return NULL;
	if (i == BOB_RECORD_BUFFERS_MAX)
		i = add_buffer(w, chunk, ctx, stream);
	if (i == BOB_RECORD_BUFFERS_MAX) {
		*why = BOB_ERR_FULL;
		return NULL;
	}
	c = w->buffer[i];
	if (w->now == BOB_RECORD_BUFFERS_MAX) {
		__atomic_store_n(payload(c), w->position, __ATOMIC_RELEASE);
		__atomic_store_n(&r->slot[i].state, BOB_SLOT_FILLING, __ATOMIC_RELEASE);
		w->now = i;
	}
	*end = payload(c) + c->size / 8;
	return payload(c) + 1;
}

/* --- side of the collector --- */

uint64_t *bob_ring_words(const struct bob_ring *r, uint32_t slot, uint8_t *file, uint64_t len,
			 uint64_t *count)
{
	const uint64_t off = r->slot[slot].off;
	struct bob_chunk_head *c;

	if (off % BOB_CHUNK_ALIGN || off >= len || !bob_chunk_is_at(file + off, file + len))
		return NULL;
	c = (struct bob_chunk_head *)(void *)(file + off);
	if (c->kind != BOB_CHUNK_FOLD_LOG || c->size < 16)
		return NULL;
	*count = c->size / 8 - 1;
	return payload(c) + 1;
}

uint32_t bob_ring_find(const struct bob_ring *r, const uint8_t *file, uint64_t len,
		       uint64_t position)
{
	const uint32_t buffers = __atomic_load_n(&r->buffers, __ATOMIC_ACQUIRE);

	for (uint32_t i = 0; i < buffers && i < BOB_RECORD_BUFFERS_MAX; i++) {
		uint64_t count, *word;

		if (__atomic_load_n(&r->slot[i].state, __ATOMIC_ACQUIRE) == BOB_SLOT_FREE)
			continue;
		word = bob_ring_words(r, i, (uint8_t *)(uintptr_t)file, len, &count);
		if (word && __atomic_load_n(word - 1, __ATOMIC_ACQUIRE) == position)
			return i;
	}
	return BOB_RECORD_BUFFERS_MAX;
}

void bob_ring_free(struct bob_ring *r, uint8_t *file, uint64_t len, uint64_t position)
{
	const uint32_t buffers = __atomic_load_n(&r->buffers, __ATOMIC_ACQUIRE);

	for (uint32_t i = 0; i < buffers && i < BOB_RECORD_BUFFERS_MAX; i++) {
		struct bob_ring_slot *s = &r->slot[i];
		uint64_t count, *word;

		if (__atomic_load_n(&s->state, __ATOMIC_ACQUIRE) != BOB_SLOT_HANDED)
			continue;
		word = bob_ring_words(r, i, file, len, &count);
		if (!word || (word[-1] != UNUSED && word[-1] >= position))
			continue;
		__atomic_store_n(word - 1, UNUSED, __ATOMIC_RELEASE); /* readers skip it */
		memset(word, 0, count * sizeof(*word));
		__atomic_store_n(&s->state, BOB_SLOT_FREE, __ATOMIC_RELEASE);
	}
}
