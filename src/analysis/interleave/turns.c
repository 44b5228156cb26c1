/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/interleave/turns.h"

#include <stdlib.h>

#include "analysis/interleave/interleave.h"

#define BATCH 256u

struct reader {
	struct bob_access_cursor *cursor; /* NULL: ended */
	struct bob_access *batch;
	size_t at, count;
};

struct bob_turns {
	struct bob_interleave *order;
	struct reader *reader;
	uint32_t count;
};

bob_status bob_turns_open(const struct bob_trace *t, const uint32_t *threads, uint32_t count,
			  uint64_t quantum, struct bob_turns **out, struct bob_error *err)
{
	struct bob_turns *v = calloc(1, sizeof(*v));
	bob_status st = BOB_ERR_NOMEM;

	if (v)
		v->reader = calloc(count + 1ull, sizeof(*v->reader));
	if (v && v->reader)
		st = bob_interleave_create(count, quantum, &v->order);
	for (uint32_t i = 0; st == BOB_OK && i < count; i++) {
		struct reader *r = &v->reader[i];

		v->count = count;
		st = bob_access_cursor_open(t, threads[i], &r->cursor, err);
		if (st == BOB_NONE) {
			st = BOB_OK;
			continue;
		}
		r->batch = malloc(BATCH * sizeof(*r->batch));
		if (st == BOB_OK && !r->batch)
			st = BOB_ERR_NOMEM;
	}
	if (st == BOB_OK)
		*out = v;
	else
		bob_turns_close(v);
	return st;
}

void bob_turns_close(struct bob_turns *v)
{
	if (!v)
		return;
	for (uint32_t i = 0; i < v->count; i++) {
		bob_access_cursor_close(v->reader[i].cursor);
		free(v->reader[i].batch);
	}
	bob_interleave_destroy(v->order);
	free(v->reader);
	free(v);
}

static bob_status read_ahead(struct reader *r, struct bob_error *err)
{
	if (!r->cursor)
		return BOB_END;
	if (r->at < r->count)
		return BOB_OK;
	r->at = r->count = 0;
	return bob_access_cursor_read(r->cursor, r->batch, BATCH, &r->count, err);
}

bob_status bob_turns_next(struct bob_turns *v, uint32_t *index, const struct bob_access **accesses,
			  size_t *count, struct bob_error *err)
{
	uint64_t most;
	bob_status st;

	while ((st = bob_interleave_turn(v->order, index, &most)) == BOB_OK) {
		struct reader *r = &v->reader[*index];

		st = read_ahead(r, err);
		if (st == BOB_END) {
			st = bob_interleave_sync(v->order, BOB_SYNC_END, 0, 0);
			if (st != BOB_OK)
				return st;
			continue;
		}
		if (st != BOB_OK)
			return st;
		*count = r->count - r->at < most ? r->count - r->at : (size_t)most;
		*accesses = r->batch + r->at;
		r->at += *count;
		return bob_interleave_ran(v->order, *count);
	}
	return st;
}
