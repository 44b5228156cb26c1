/* SPDX-License-Identifier: BSD-3-Clause */
/* Wait states: reads the calls of all threads merged by time, with a heap of threads, and passes
 * them to late_calls.c. */
#include "analysis/mpi/late.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/mpi/late_calls.h"

#define RANKS_MAX (1u << 24)

/* A thread, positioned at its next call. */
struct source {
	struct bob_mpi_reader *reader;
	struct bob_span_cursor *spans;
	struct bob_mpi_call call;
	struct bob_value_span span;
	uint64_t begin_ns;	/* on the clock of rank 0 */
	uint64_t made;		/* number of requests created before the call */
	uint32_t thread, process;
};

/* --- preconditions --- */

static bob_status refuse(struct bob_error *err, const char *why)
{
	if (err)
		*err = (struct bob_error){ .code = BOB_NONE, .text = why };
	return BOB_NONE;
}

/* All threads with calls must have times, and no calls may be excluded: otherwise messages would be
 * mismatched. */
static bob_status check(const struct bob_trace *t, struct bob_error *err)
{
	int found = 0;

	for (uint32_t i = 0; i < bob_trace_thread_count(t); i++) {
		struct bob_value_cursor *c;
		struct bob_span_cursor *s;

		if (bob_value_cursor_open(t, i, BOB_VALUES_MPI, &c, NULL) != BOB_OK)
			continue;
		bob_value_cursor_close(c);
		if (bob_span_cursor_open(t, i, BOB_VALUES_MPI, &s, NULL) != BOB_OK)
			return refuse(err, "not available: record with --time=exact:mpi");
		bob_span_cursor_close(s);
		if (*bob_trace_process(t, bob_trace_thread(t, i)->process)->left_out)
			return refuse(err, "not available: not everything was recorded, so "
					   "messages cannot be matched");
		found = 1;
	}
	return found ? BOB_OK : refuse(err, "the trace has no MPI calls");
}

static bob_status find_ranks(struct bob_mpi_late *l, struct bob_error *err)
{
	for (uint32_t p = 0; p < l->processes; p++) {
		const uint32_t rank = l->process[p].rank;

		if (rank != ~0u && rank >= l->ranks)
			l->ranks = rank + 1;
	}
	l->process_of = malloc((l->ranks + 1ull) * sizeof(*l->process_of));
	if (!l->process_of)
		return BOB_ERR_NOMEM;
	memset(l->process_of, 0xff, (l->ranks + 1ull) * sizeof(*l->process_of));
	for (uint32_t p = 0; p < l->processes; p++) {
		const uint32_t rank = l->process[p].rank;

		if (rank == ~0u)
			continue;
		if (l->process_of[rank] != ~0u)
			return refuse(err, "not available: several processes have the same rank");
		l->process_of[rank] = p;
	}
	return BOB_OK;
}

static bob_status find_processes(struct bob_mpi_late *l, struct bob_error *err)
{
	bob_status st = BOB_OK;

	l->processes = bob_trace_process_count(l->trace);
	l->process = calloc(l->processes + 1ull, sizeof(*l->process));
	if (!l->process)
		return BOB_ERR_NOMEM;
	for (uint32_t p = 0; p < l->processes && st == BOB_OK; p++) {
		struct bob_late_process *x = &l->process[p];
		uint64_t worst = l->sum.uncertainty_ns;

		st = bob_mpi_objects_create(l->trace, p, &x->objects);
		if (st != BOB_OK)
			break;
		x->rank = bob_mpi_objects_rank(x->objects);
		if (x->rank >= RANKS_MAX || !bob_mpi_has_calls_of(l->trace, p))
			x->rank = ~0u;
		(void)bob_trace_moment(l->trace, p, 0, &x->uncertainty_ns);
		if (x->rank != ~0u && x->uncertainty_ns > worst)
			l->sum.uncertainty_ns = x->uncertainty_ns;
	}
	return st == BOB_OK ? find_ranks(l, err) : st;
}

/* --- merging by time --- */

struct heap {
	struct source *source;
	uint32_t count;
	uint32_t *at;		/* indices of sources, by begin_ns */
};

static int is_before(const struct heap *h, uint32_t a, uint32_t b)
{
	const struct source *x = &h->source[h->at[a]], *y = &h->source[h->at[b]];

	return x->begin_ns != y->begin_ns ? x->begin_ns < y->begin_ns : x->thread < y->thread;
}

static void sink(struct heap *h, uint32_t i)
{
	for (uint32_t child; (child = 2 * i + 1) < h->count; i = child) {
		uint32_t x;

		if (child + 1 < h->count && is_before(h, child + 1, child))
			child++;
		if (!is_before(h, child, i))
			return;
		x = h->at[i];
		h->at[i] = h->at[child];
		h->at[child] = x;
	}
}

/* Damage ends the thread, because the calls after it cannot be counted. Returns 0 at the end. */
static int next(struct bob_mpi_late *l, struct source *s)
{
	uint64_t uncertainty;
	bob_status st = bob_mpi_reader_next(s->reader, &s->call, NULL);

	if (st == BOB_OK && !s->call.event.lost)
		st = bob_span_cursor_next(s->spans, &s->span, NULL);
	else if (st == BOB_OK)
		st = BOB_ERR_CORRUPT;
	if (st != BOB_OK) {
		l->process[s->process].doubtful |= st != BOB_END;
		l->no_memory |= st == BOB_ERR_NOMEM;
		return 0;
	}
	s->begin_ns = bob_trace_moment(l->trace, s->process, s->span.begin_ns, &uncertainty);
	return 1;
}

static bob_status open_sources(struct bob_mpi_late *l, struct heap *h)
{
	const uint32_t n = bob_trace_thread_count(l->trace);

	h->source = calloc(n + 1ull, sizeof(*h->source));
	h->at = calloc(n + 1ull, sizeof(*h->at));
	if (!h->source || !h->at)
		return BOB_ERR_NOMEM;
	for (uint32_t i = 0; i < n; i++) {
		struct source *s = &h->source[i];

		s->thread = i;
		s->process = bob_trace_thread(l->trace, i)->process;
		if (l->process[s->process].rank == ~0u ||
		    bob_mpi_reader_open(l->trace, i, &s->reader, NULL) != BOB_OK)
			continue;
		if (bob_span_cursor_open(l->trace, i, BOB_VALUES_MPI, &s->spans, NULL) != BOB_OK)
			return BOB_ERR_NOMEM;
		if (next(l, s))
			h->at[h->count++] = i;
	}
	for (uint32_t i = h->count / 2 + 1; i-- > 0;)
		sink(h, i);
	return BOB_OK;
}

static void close_sources(const struct bob_mpi_late *l, struct heap *h)
{
	for (uint32_t i = 0; h->source && i < bob_trace_thread_count(l->trace); i++) {
		bob_mpi_reader_close(h->source[i].reader);
		bob_span_cursor_close(h->source[i].spans);
	}
	free(h->source);
	free(h->at);
}

static void take(struct bob_mpi_late *l, struct source *s)
{
	const struct bob_value_event *e = &s->call.event;
	struct bob_late_event x = { .call = &s->call, .made = s->made,
				    .thread = bob_trace_thread(l->trace, s->thread)->number };
	uint64_t uncertainty;

	x.at.site = (struct bob_late_site){ s->call.function, BOB_MPI_NO_PATH, s->process };
	if (e->depth)
		x.at.site.path =
			bob_mpi_places_path(l->places, s->process, &e->place[e->depth - 1], 1);
	x.at.begin_ns = s->begin_ns;
	x.at.end_ns = UINT64_MAX;
	if (!s->span.open && !e->open)
		x.at.end_ns = bob_trace_moment(l->trace, s->process, s->span.end_ns, &uncertainty);
	bob_late_take(l, &x);
	s->made += bob_mpi_requests_made(&s->call);
}

static bob_status read_all(struct bob_mpi_late *l)
{
	struct heap h = { 0 };
	bob_status st = open_sources(l, &h);

	while (st == BOB_OK && h.count && !l->no_memory) {
		struct source *s = &h.source[h.at[0]];

		take(l, s);
		if (!next(l, s))
			h.at[0] = h.at[--h.count];
		sink(&h, 0);
	}
	close_sources(l, &h);
	bob_late_match_end(l);
	bob_late_all_end(l);
	for (uint32_t p = 0; p < l->processes; p++)
		l->sum.doubtful += l->process[p].doubtful || l->process[p].deaf;
	bob_late_rows_finish(l);
	return st == BOB_OK && l->no_memory ? BOB_ERR_NOMEM : st;
}

/* --- public functions --- */

bob_status bob_mpi_late_create(const struct bob_trace *t, struct bob_mpi_late **out,
			       struct bob_error *err)
{
	struct bob_mpi_late *l;
	bob_status st = check(t, err);

	if (st != BOB_OK)
		return st;
	l = calloc(1, sizeof(*l));
	if (!l)
		return BOB_ERR_NOMEM;
	l->trace = t;
	st = bob_mpi_places_create(t, &l->places);
	if (st == BOB_OK)
		st = find_processes(l, err);
	if (st == BOB_OK)
		st = read_all(l);
	if (st != BOB_OK) {
		bob_mpi_late_destroy(l);
		return st;
	}
	*out = l;
	return BOB_OK;
}

void bob_mpi_late_destroy(struct bob_mpi_late *l)
{
	if (!l)
		return;
	for (uint32_t p = 0; p < l->processes && l->process; p++)
		bob_mpi_objects_destroy(l->process[p].objects);
	bob_late_map_free(&l->comms, free);
	bob_late_map_free(&l->comm_numbers, NULL);
	bob_late_map_free(&l->collectives, free);
	bob_late_map_free(&l->requests, bob_late_request_free);
	bob_late_map_free(&l->channels, free);
	bob_late_map_free(&l->instances, free);
	bob_late_map_free(&l->rows, free);
	bob_late_map_free(&l->causes, free);
	bob_mpi_places_destroy(l->places);
	free(l->process);
	free(l->process_of);
	free(l->row);
	free(l->cause);
	free(l);
}

const struct bob_mpi_late_row *bob_mpi_late_rows(const struct bob_mpi_late *l, size_t *count)
{
	*count = l->row_count;
	return l->row;
}

const struct bob_mpi_late_sum *bob_mpi_late_sums(const struct bob_mpi_late *l)
{
	return &l->sum;
}

const struct bob_mpi_places *bob_mpi_late_places(const struct bob_mpi_late *l)
{
	return l->places;
}
