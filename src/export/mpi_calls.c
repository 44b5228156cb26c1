/* SPDX-License-Identifier: BSD-3-Clause */
/* Iteration over MPI calls for exports. Damaged calls are skipped and the first damage is reported
 * at the end. */
#include "export/mpi_calls.h"

#include <stdlib.h>
#include <string.h>

struct tour {
	struct bob_export *x;
	const struct bob_mpi_visitor *v;
	struct bob_mpi_visited visited;
	bob_status damage;
};

bob_status bob_mpi_tour_out(const struct bob_export *x)
{
	return ferror(x->out) ? BOB_ERR_IO : BOB_OK;
}

static bob_status visit(const struct tour *t,
			bob_status (*fn)(void *, const struct bob_mpi_visited *))
{
	return fn ? fn(t->v->ctx, &t->visited) : BOB_OK;
}

static bob_status visit_calls(struct tour *t, struct bob_mpi_reader *r, struct bob_mpi_clock *clock)
{
	struct bob_mpi_call c;
	bob_status st = BOB_OK, next;

	t->visited.call = &c;
	for (t->visited.index = t->visited.made = 0; st == BOB_OK;) {
		next = bob_mpi_reader_next(r, &c, t->damage == BOB_OK ? t->x->err : NULL);
		if (next == BOB_ERR_CORRUPT) {	/* intact calls may follow */
			t->damage = next;
			continue;
		}
		if (next != BOB_OK)
			return next == BOB_END ? BOB_OK : next;
		if (t->visited.index == t->v->budget)
			break;
		st = bob_mpi_clock_next(clock, &t->visited.span);
		if (st == BOB_OK)
			st = visit(t, t->v->call);
		t->visited.made += bob_mpi_requests_made(&c);
		t->visited.index++;
		if (!(t->visited.index & 0xfffff) && t->x->progress && t->x->progress->tick)
			t->x->progress->tick(t->x->progress->ctx, 0x100000);
	}
	if (st == BOB_OK)
		t->x->cut_events +=
			bob_trace_value_events(t->x->trace, t->visited.thread, BOB_VALUES_MPI) -
			t->visited.index;
	return st;
}

static bob_status visit_thread(struct tour *t, uint32_t thread)
{
	struct bob_mpi_clock *clock = NULL;
	struct bob_mpi_reader *r;
	bob_status st = bob_mpi_reader_open(t->x->trace, thread, &r, t->x->err);

	if (st != BOB_OK)
		return st == BOB_NONE ? BOB_OK : st;
	t->visited.thread = thread;
	t->visited.number = bob_trace_thread(t->x->trace, thread)->number;
	st = bob_mpi_clock_open(t->x->trace, thread, t->v->exact, &clock);
	if (st == BOB_OK)
		st = visit(t, t->v->begin_thread);
	if (st == BOB_OK)
		st = visit_calls(t, r, clock);
	if (st == BOB_OK)
		st = visit(t, t->v->end_thread);
	bob_mpi_clock_close(clock);
	bob_mpi_reader_close(r);
	return st;
}

static uint32_t threads_with_calls(const struct bob_trace *t, const struct bob_process_info *p)
{
	struct bob_value_cursor *c;
	uint32_t n = 0;

	for (uint32_t i = 0; i < p->thread_count; i++)
		if (bob_value_cursor_open(t, p->first_thread + i, BOB_VALUES_MPI, &c, NULL) ==
		    BOB_OK) {
			n++;
			bob_value_cursor_close(c);
		}
	return n;
}

/* Visits the process of x->threads[*i] and advances *i to the first thread of the next process. */
static bob_status visit_process(struct tour *t, uint32_t *i)
{
	const struct bob_export *x = t->x;
	uint32_t process = bob_trace_thread(x->trace, x->threads[*i])->process;
	uint32_t first = *i, with;
	struct bob_mpi_objects *objects = NULL;
	bob_status st = BOB_OK;

	while (*i < x->thread_count &&
	       bob_trace_thread(x->trace, x->threads[*i])->process == process)
		++*i;
	with = threads_with_calls(x->trace, bob_trace_process(x->trace, process));
	if (!with)
		return BOB_OK;
	st = bob_mpi_objects_create(x->trace, process, &objects);
	if (st != BOB_OK)
		return st;
	t->visited = (struct bob_mpi_visited){ .process = process,
					       .objects = objects,
					       .lone = with == 1 };
	t->visited.rank = bob_mpi_objects_rank(objects);
	st = bob_mpi_messages_create(objects, &t->visited.messages);
	if (st == BOB_OK)
		st = visit(t, t->v->begin_process);
	for (uint32_t k = first; k < *i && st == BOB_OK; k++)
		st = visit_thread(t, x->threads[k]);
	if (st == BOB_OK)
		st = visit(t, t->v->end_process);
	bob_mpi_messages_destroy(t->visited.messages);
	bob_mpi_objects_destroy(objects);
	return st;
}

bob_status bob_mpi_tour(struct bob_export *x, const struct bob_mpi_visitor *v)
{
	struct tour t = { .x = x, .v = v };
	bob_status st = BOB_OK;

	for (uint32_t i = 0; i < x->thread_count && st == BOB_OK;)
		st = visit_process(&t, &i);
	return st == BOB_OK ? t.damage : st;
}

uint64_t bob_mpi_tour_budget(const struct bob_export *x)
{
	uint64_t lo = 1, hi = x->max_events;

	if (!x->max_events)
		return UINT64_MAX;
	while (lo < hi) {
		uint64_t cap = hi - (hi - lo) / 2, sum = 0;

		for (uint32_t i = 0; i < x->thread_count && sum <= x->max_events; i++) {
			uint64_t n =
				bob_trace_value_events(x->trace, x->threads[i], BOB_VALUES_MPI);

			sum += n < cap ? n : cap;
		}
		if (sum <= x->max_events)
			lo = cap;
		else
			hi = cap - 1;
	}
	return lo;
}
