/* SPDX-License-Identifier: BSD-3-Clause */
/* Replays the accesses of a process: one reader per thread, scheduled by interleave.c. */
#include "analysis/interleave/turns.h"

#include <stdlib.h>

#include "analysis/interleave/interleave.h"

#define BATCH 1024u

struct reader {
	uint32_t thread;	/* index in the trace */
	struct bob_access_cursor *cursor; /* NULL: no records */
	struct bob_access *batch;
	size_t at, count;
};

struct bob_turns {
	const struct bob_trace *trace;
	struct bob_interleave *order;
	struct reader *reader;
	uint32_t chosen, count;	/* readers from `chosen` on only synchronise */
	int reports_syncs;
	struct bob_sync_event sync;
	struct bob_value_place value;
};

/* Makes a reader for each thread of the process, selected ones first. */
static bob_status make_readers(struct bob_turns *v, const uint32_t *threads, uint32_t count)
{
	uint32_t n = bob_trace_thread_count(v->trace), chosen = 0;
	uint32_t process = bob_trace_thread(v->trace, threads[0])->process;

	v->reader = calloc((size_t)n + count, sizeof(*v->reader));
	if (!v->reader)
		return BOB_ERR_NOMEM;
	v->chosen = count;
	for (uint32_t i = 0; i < count; i++)
		v->reader[v->count++].thread = threads[i];
	for (uint32_t i = 0; i < n; i++) {
		if (chosen < count && threads[chosen] == i)
			chosen++;
		else if (bob_trace_thread(v->trace, i)->process == process)
			v->reader[v->count++].thread = i;
	}
	return BOB_OK;
}

static bob_status open_readers(struct bob_turns *v, struct bob_error *err)
{
	for (uint32_t i = 0; i < v->count; i++) {
		struct reader *r = &v->reader[i];
		bob_status st = bob_access_cursor_open(v->trace, r->thread, &r->cursor, err);

		if (st == BOB_NONE)
			continue;
		if (st != BOB_OK)
			return st;
		bob_access_cursor_stop_at_syncs(r->cursor, i >= v->chosen);
		r->batch = malloc(BATCH * sizeof(*r->batch));
		if (!r->batch)
			return BOB_ERR_NOMEM;
	}
	return BOB_OK;
}

bob_status bob_turns_open(const struct bob_trace *t, const uint32_t *threads, uint32_t count,
			  uint64_t quantum, struct bob_turns **out, struct bob_error *err)
{
	struct bob_turns *v;
	bob_status st;

	if (!count)
		return BOB_ERR_INVAL;
	v = calloc(1, sizeof(*v));
	if (!v)
		return BOB_ERR_NOMEM;
	v->trace = t;
	st = make_readers(v, threads, count);
	if (st == BOB_OK)
		st = bob_interleave_create(v->count, quantum, &v->order);
	if (st == BOB_OK)
		st = open_readers(v, err);
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

void bob_turns_report_syncs(struct bob_turns *v)
{
	v->reports_syncs = 1;
}

void bob_turns_report_values(struct bob_turns *v)
{
	for (uint32_t i = 0; i < v->chosen; i++)
		if (v->reader[i].cursor)
			bob_access_cursor_stop_at_values(v->reader[i].cursor);
}

const struct bob_value_place *bob_turns_value(const struct bob_turns *v)
{
	return &v->value;
}

const struct bob_sync_event *bob_turns_sync(const struct bob_turns *v)
{
	return &v->sync;
}

int bob_turns_has(const struct bob_turns *v, uint32_t i)
{
	return i < v->chosen && v->reader[i].cursor != NULL;
}

uint64_t bob_turns_forced(const struct bob_turns *v)
{
	return bob_interleave_forced(v->order);
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

static bob_status synchronise(struct bob_turns *v, const struct reader *r)
{
	static const uint8_t whats[] = {
		[BOB_SYNC_ORDER_NONE] = BOB_INTERLEAVE_POINT,
		[BOB_SYNC_ORDER_TURN] = BOB_INTERLEAVE_TURN,
		[BOB_SYNC_ORDER_GIVE] = BOB_INTERLEAVE_GIVE,
		[BOB_SYNC_ORDER_AWAIT] = BOB_INTERLEAVE_AWAIT,
	};

	bob_access_cursor_sync(r->cursor, &v->sync);
	return bob_interleave_sync(v->order, (enum bob_interleave_what)whats[v->sync.rule & 3],
				   v->sync.order, v->sync.number);
}

static bob_status pass_on(struct bob_turns *v, struct reader *r, uint64_t most,
			  const struct bob_access **accesses, size_t *count)
{
	*count = r->count - r->at < most ? r->count - r->at : (size_t)most;
	*accesses = r->batch + r->at;
	r->at += *count;
	return bob_interleave_ran(v->order, *count);
}

bob_status bob_turns_next(struct bob_turns *v, uint32_t *index, const struct bob_access **accesses,
			  size_t *count, struct bob_error *err)
{
	uint64_t most;
	bob_status st;

	while ((st = bob_interleave_turn(v->order, index, &most)) == BOB_OK) {
		struct reader *r = &v->reader[*index];

		st = read_ahead(r, err);
		if (st == BOB_OK)
			return pass_on(v, r, most, accesses, count);
		if (st == BOB_NONE && bob_access_cursor_value(r->cursor, &v->value))
			return BOB_NONE;
		if (st == BOB_NONE) {
			st = synchronise(v, r);
			if (st == BOB_OK && v->reports_syncs && *index < v->chosen)
				return BOB_NONE;
		} else if (st == BOB_END) {
			st = bob_interleave_sync(v->order, BOB_INTERLEAVE_END,
						 bob_trace_end_order(v->trace, r->thread), 0);
		}
		if (st != BOB_OK)
			return st;
	}
	return st;
}
