/* SPDX-License-Identifier: BSD-3-Clause */
/* Merges the events with values of a process's threads. Events in logs are folded first. */
#include <stdlib.h>
#include <string.h>

#include "archive/write/event_fold.h"
#include "archive/folds.h"
#include "archive/merge/merging.h"

#define KEPT_EVENTS (1u << 18) /* longer folded parts are kept, and the log becomes another part */

/* --- the log --- */

/* Does the event have all elements that its words announce? */
static int has_elements(const struct bob_event_layout *l, const struct bob_value_event *e)
{
	for (uint32_t i = 0; i < e->vectors; i++)
		if (bob_event_elements(l, i, e->word) != e->vector[i].count)
			return 0;
	return 1;
}

static bob_status put_event(struct bob_folder *folder, const struct bob_value_cursor *c,
			    const struct bob_value_event *e)
{
	struct bob_event_def d = *bob_value_cursor_def(c);
	uint32_t shape[1 + BOB_EVENT_VECTORS_MAX];
	bob_status st;

	d.place = e->place;
	d.depth = e->depth;
	if (!has_elements(&d.layout, e)) /* it never completed */
		d.layout.vectors = 0;
	st = bob_event_shapes(folder, &d, e->open, shape);
	if (st == BOB_ERR_FULL) {
		bob_folder_again(folder);
		st = bob_event_shapes(folder, &d, e->open, shape);
	}
	if (st == BOB_OK)
		bob_event_fold(folder, &d.layout, shape, e->word);
	return st;
}

static bob_status put_events(const struct bob_trace *t, uint32_t thread, int only_log,
			     enum bob_which which, struct bob_folder *folder, struct bob_error *err)
{
	struct bob_value_cursor *c;
	struct bob_value_event e;
	bob_status st = bob_value_cursor_open(t, thread, BOB_VALUES_MPI, &c, err);

	if (st != BOB_OK)
		return st;
	if (only_log)
		bob_value_cursor_only_log(c);
	while ((st = bob_value_cursor_next(c, &e, err)) == BOB_OK)
		if (e.open && which == BOB_COMPLETE) /* only the last event can be incomplete */
			continue;
		else if ((st = put_event(folder, c, &e)) != BOB_OK)
			break;
	bob_value_cursor_close(c);
	return st == BOB_END ? BOB_OK : st;
}

/* Folds a stream with a nonempty log as if it had ended. */
static bob_status fold_log(const struct bob_trace *t, uint32_t thread, enum bob_which which,
			   uint64_t after, struct bob_folded **out, struct bob_error *err)
{
	const struct bob_stream *s = t->threads[thread];
	const uint32_t number = s->number | (uint32_t)BOB_CONTENT_MPI << BOB_CONTENT_SHIFT;
	int keep = s->mpi.folded &&
		   (after || bob_folded_events(s->mpi.folded, s->mpi.participant) >= KEPT_EVENTS);
	struct bob_fold_stream kept = { 0 };
	struct bob_bytes entries = { 0 };
	void *mem = bob_folder_map(bob_folder_size());
	bob_status st = mem ? BOB_OK : BOB_ERR_NOMEM;

	if (st == BOB_OK && keep)
		st = bob_fold_stream_read(s->file, number, &kept, err);
	if (st == BOB_OK && keep)
		bob_bytes_take(&entries, kept.bytes, kept.len);
	if (st == BOB_OK) {
		struct bob_folder *folder = bob_folder_begin(mem, bob_bytes_take, &entries);

		st = put_events(t, thread, keep, which, folder, err);
		bob_folder_end(folder);
	}
	if (st == BOB_OK && entries.failed)
		st = BOB_ERR_NOMEM;
	if (st == BOB_OK)
		st = bob_folded_open(entries.at, entries.len, 0, &bob_alloc_malloc, out);
	bob_fold_stream_free(&kept);
	free(entries.at);
	bob_folder_unmap(mem, bob_folder_size());
	return st;
}

/* --- the threads --- */

int bob_has_events(const struct bob_process *p)
{
	for (size_t i = 0; i < p->stream_count; i++)
		if (p->streams[i]->mpi.folded || p->streams[i]->mpi.log_count)
			return 1;
	return 0;
}

struct thread {
	struct bob_folded *own;	/* refolded */
	uint64_t after;	/* number of events to omit */
	struct bob_fold_rename name;
	uint64_t id;
};

static uint64_t id_of(void *ctx, uint64_t id)
{
	(void)id;
	return ((const struct thread *)ctx)->id;
}

static bob_status add_thread(const struct bob_trace *t, const struct bob_process *p, size_t i,
			     enum bob_which which, struct thread *th, struct bob_fold_source *from,
			     struct bob_error *err)
{
	const struct bob_stream *s = p->streams[i];
	struct bob_folded *tail = NULL;
	bob_status st = BOB_OK;

	th->after = which == BOB_ALL ? 0 : bob_head_events(p, s, BOB_CONTENT_MPI);
	if (s->mpi.log_count)
		st = fold_log(t, p->info.first_thread + (uint32_t)i, which, th->after, &th->own,
			      err);
	th->id = bob_merged_id(p, i);
	th->name = (struct bob_fold_rename){ .id = id_of, .ctx = th };
	*from = (struct bob_fold_source){ .folded = th->own ? th->own : s->mpi.folded,
					  .rename = &th->name };
	if (st != BOB_OK || !from->folded || !th->after)
		return st;
	st = bob_tail_make(from->folded, &th->after, &tail);
	if (st == BOB_OK && tail) {
		bob_folded_close(th->own);
		from->folded = th->own = tail;
	} else {
		from->skip = &th->after;
	}
	return st;
}

bob_status bob_events_merge(const struct bob_trace *t, const struct bob_process *p,
			    enum bob_which which, struct bob_folded **out, struct bob_error *err)
{
	struct thread *th = calloc(p->stream_count + 1, sizeof(*th));
	struct bob_fold_source *from = calloc(p->stream_count + 1, sizeof(*from));
	bob_status st = th && from ? BOB_OK : BOB_ERR_NOMEM;
	uint32_t n = 0;

	*out = NULL;
	for (size_t i = 0; i < p->stream_count && st == BOB_OK; i++) {
		st = add_thread(t, p, i, which, &th[i], &from[n], err);
		n += from[n].folded != NULL;
	}
	if (st == BOB_OK && n)
		st = bob_folded_merge_all(from, n, &bob_alloc_malloc, out);
	for (size_t i = 0; th && i < p->stream_count; i++)
		bob_folded_close(th[i].own);
	free(th);
	free(from);
	return st;
}
