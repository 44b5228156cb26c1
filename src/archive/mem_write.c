/* SPDX-License-Identifier: BSD-3-Clause */
#include "archive/mem_write.h"

#include <string.h>

#define DATA_FIRST (4096u - sizeof(struct bob_chunk_head))
#define WORDS_PER_COLUMN 256u

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

/* The payload of a room: its position, then words. */
static uint64_t *payload(const struct bob_chunk_head *c)
{
	return (uint64_t *)(void *)bob_chunk_data((struct bob_chunk_head *)(uintptr_t)c);
}

uint64_t *bob_mem_writer_room(const struct bob_mem_writer *w)
{
	return w->used ? payload(w->room[w->newest]) + 1 : NULL;
}

/* --- full rooms --- */

/* The records of the newest room, up to `at`; NULL: up to the last one that is complete. */
static bob_status fold_room(struct bob_mem_writer *w, const uint64_t *at)
{
	const uint64_t *begin = bob_mem_writer_room(w);
	size_t used, count;
	bob_status st;

	if (!begin)
		return BOB_OK;
	count = at ? (size_t)(at - begin) : w->room[w->newest]->size / 8 - 1;
	st = bob_mem_fold_put(w->fold, begin, count, !at, &used);
	w->position += used;
	return st;
}

static int is_time(const struct bob_mem_writer *w)
{
	uint64_t words = 0;

	for (uint32_t i = 0; i < w->rooms; i++)
		words += w->room[i]->size / 8;
	return words >= (uint64_t)WORDS_PER_COLUMN * bob_folder_columns(w->folder) ||
	       w->rooms == BOB_MEM_ROOMS_MAX;
}

static bob_status commit(struct bob_mem_writer *w)
{
	uint64_t state[BOB_MEM_STATE_WORDS];
	size_t n = bob_mem_fold_state(w->fold, state);
	bob_status st =
		bob_fold_writer_commit(&w->out, w->folder, w->position, state, n * sizeof(*state));

	if (st == BOB_OK)
		w->used = 0;
	return st;
}

/* --- the next room --- */

static bob_status add_room(struct bob_mem_writer *w, size_t need)
{
	uint64_t bytes = w->rooms ? BOB_MEM_ROOM_NEXT : BOB_MEM_ROOM_FIRST, off;
	struct bob_chunk_head *c;

	while (bytes < need + 8 + sizeof(*c))
		bytes *= 2;
	if (w->rooms == BOB_MEM_ROOMS_MAX)
		return BOB_ERR_FULL;
	c = w->out.chunk(w->out.ctx, BOB_CHUNK_FOLD_LOG, w->out.stream, bytes - sizeof(*c), 0,
			 &off);
	if (!c)
		return BOB_ERR_FULL;
	*payload(c) = UINT64_MAX; /* not in use yet */
	w->room[w->rooms++] = c;
	return BOB_OK;
}

/* A room that is not needed any more and holds `need` bytes; they are used in the order in which they were made. */
static bob_status find_room(struct bob_mem_writer *w, size_t need)
{
	while (w->used < w->rooms && w->room[w->used]->size < need + 8)
		w->used++; /* too small this time */
	if (w->used == w->rooms) {
		bob_status st = add_room(w, need);

		if (st != BOB_OK)
			return st;
	}
	w->newest = w->used++;
	return BOB_OK;
}

uint64_t *bob_mem_writer_next(struct bob_mem_writer *w, const uint64_t *at, size_t need,
			      uint64_t **end, bob_status *why)
{
	uint64_t before = w->position;
	struct bob_chunk_head *c;

	*why = fold_room(w, at);
	/* nothing was written into it: readers would miss it before the next one, whose position is the same */
	if (*why == BOB_OK && w->used && w->position == before)
		__atomic_store_n(payload(w->room[w->newest]), UINT64_MAX, __ATOMIC_RELEASE);
	if (*why == BOB_OK && w->used == w->rooms && w->rooms && is_time(w))
		*why = commit(w);
	if (*why == BOB_OK)
		*why = find_room(w, need);
	if (*why != BOB_OK)
		return NULL;
	c = w->room[w->newest];
	memset(payload(c) + 1, 0, c->size - 8);
	__atomic_store_n(payload(c), w->position, __ATOMIC_RELEASE);
	*end = payload(c) + c->size / 8;
	return payload(c) + 1;
}

bob_status bob_mem_writer_end(struct bob_mem_writer *w, const uint64_t *at)
{
	bob_status st = fold_room(w, at);

	if (st != BOB_OK) /* the log says the rest */
		return st;
	bob_folder_end(w->folder);
	return bob_fold_writer_end(&w->out, w->position);
}
