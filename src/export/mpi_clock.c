/* SPDX-License-Identifier: BSD-3-Clause */
/* Time of each MPI call: recorded times relative to the start of the run, or one microsecond per
 * call. */
#include "export/mpi_clock.h"

#include <stdlib.h>

struct bob_mpi_clock {
	const struct bob_trace *trace;
	uint32_t process;
	struct bob_span_cursor *spans; /* NULL: time units */
	uint64_t start_ns;	/* of the run, on the clock of rank 0 */
	uint64_t last_ns;
	uint64_t number;
};

int bob_mpi_clock_is_exact(const struct bob_trace *t, const uint32_t *threads, uint32_t count)
{
	uint32_t exact = 0;

	for (uint32_t i = 0; i < count; i++) {
		struct bob_value_cursor *calls;
		struct bob_span_cursor *spans;

		if (bob_value_cursor_open(t, threads[i], BOB_VALUES_MPI, &calls, NULL) != BOB_OK)
			continue;
		bob_value_cursor_close(calls);
		if (bob_span_cursor_open(t, threads[i], BOB_VALUES_MPI, &spans, NULL) != BOB_OK)
			return 0;
		bob_span_cursor_close(spans);
		exact++;
	}
	return exact > 0;
}

static uint64_t start_of_run(const struct bob_trace *t)
{
	uint64_t start = UINT64_MAX, off;

	for (uint32_t i = 0; i < bob_trace_process_count(t); i++) {
		uint64_t ns = bob_trace_moment(t, i, bob_trace_process(t, i)->start_mono_ns, &off);

		start = ns < start ? ns : start;
	}
	return start;
}

bob_status bob_mpi_clock_open(const struct bob_trace *t, uint32_t thread, int exact,
			      struct bob_mpi_clock **out)
{
	struct bob_mpi_clock *c = calloc(1, sizeof(*c));
	bob_status st = BOB_OK;

	if (!c)
		return BOB_ERR_NOMEM;
	c->trace = t;
	c->process = bob_trace_thread(t, thread)->process;
	if (exact) {
		c->start_ns = start_of_run(t);
		st = bob_span_cursor_open(t, thread, BOB_VALUES_MPI, &c->spans, NULL);
	}
	if (st != BOB_OK) {
		free(c);
		return st;
	}
	*out = c;
	return BOB_OK;
}

static uint64_t moment(struct bob_mpi_clock *c, uint64_t ns)
{
	uint64_t off, at = bob_trace_moment(c->trace, c->process, ns, &off);

	at = at > c->start_ns ? at - c->start_ns : 0;
	if (at > c->last_ns)
		c->last_ns = at;
	return c->last_ns;
}

bob_status bob_mpi_clock_next(struct bob_mpi_clock *c, struct bob_mpi_span *span)
{
	struct bob_value_span s;
	bob_status st;

	if (!c->spans) {
		span->begin_ns = BOB_MPI_CLOCK_UNIT_NS * c->number++;
		span->end_ns = span->begin_ns + BOB_MPI_CLOCK_UNIT_NS;
		return BOB_OK;
	}
	st = bob_span_cursor_next(c->spans, &s, NULL);
	if (st == BOB_ERR_NOMEM)
		return st;
	if (st != BOB_OK) { /* the last call may have no times */
		span->begin_ns = span->end_ns = c->last_ns;
		return BOB_OK;
	}
	span->begin_ns = moment(c, s.begin_ns);
	span->end_ns = moment(c, s.end_ns);
	return BOB_OK;
}

void bob_mpi_clock_close(struct bob_mpi_clock *c)
{
	if (!c)
		return;
	bob_span_cursor_close(c->spans);
	free(c);
}
