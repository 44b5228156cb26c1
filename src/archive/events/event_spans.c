/* SPDX-License-Identifier: BSD-3-Clause */
/* Begin and end times of events, by the thread's own clock and by rank 0's clock. */
#include <stdlib.h>
#include <string.h>

#include "archive/reader.h"

struct bob_span_cursor {
	struct bob_exact_reader values;
	struct bob_allowance allowed;
};

bob_status bob_span_cursor_open(const struct bob_trace *t, uint32_t thread,
				enum bob_value_kind kind, struct bob_span_cursor **out,
				struct bob_error *err)
{
	struct bob_span_cursor *c;

	if (thread >= t->thread_count || kind != BOB_VALUES_MPI)
		return bob_fail(err, BOB_ERR_INVAL, NULL, 0, "no such thread");
	if (!t->threads[thread]->mpi.exact_count)
		return bob_fail(err, BOB_NONE, t->threads[thread]->file, 0,
				"the times of each event were not recorded");
	c = calloc(1, sizeof(*c));
	if (!c)
		return bob_fail(err, BOB_ERR_NOMEM, t->threads[thread]->file, 0, "no memory");
	c->allowed = bob_allowance_of(t);
	bob_exact_open(&c->values, &t->threads[thread]->mpi);
	*out = c;
	return BOB_OK;
}

bob_status bob_span_cursor_next(struct bob_span_cursor *c, struct bob_value_span *s,
				struct bob_error *err)
{
	uint64_t value;
	bob_status st;

	memset(s, 0, sizeof(*s));
	st = bob_exact_next(&c->values, &s->interval_ns, err);
	if (st == BOB_OK && !bob_allowance_take(&c->allowed))
		st = BOB_END;
	if (st != BOB_OK)
		return st;
	s->begin_ns = s->end_ns = c->values.now_ns;
	st = bob_exact_next(&c->values, &value, err);
	s->open = st == BOB_END;
	if (st == BOB_OK)
		s->end_ns = c->values.now_ns;
	return st == BOB_END ? BOB_OK : st;
}

void bob_span_cursor_close(struct bob_span_cursor *c)
{
	if (c)
		bob_exact_close(&c->values);
	free(c);
}

/* --- clocks --- */

/* A second measurement that is not later than the first is ignored. */
static void clock_of(const struct bob_process *p, struct bob_clock *out)
{
	*out = (struct bob_clock){ 0 };
	for (uint32_t when = 0; when < 2; when++) {
		const struct bob_rec_clock *rec = &p->clock[when];
		const uint32_t i = out->count;

		if (!(p->clocks >> when & 1) || (i && rec->at_ns <= out->at_ns[0]))
			continue;
		out->at_ns[i] = rec->at_ns;
		out->offset_ns[i] = rec->offset_ns;
		out->uncertainty_ns[i] = rec->uncertainty_ns;
		out->same = rec->same && (!i || out->same);
		out->count++;
	}
}

void bob_trace_clock(const struct bob_trace *t, uint32_t process, struct bob_clock *out)
{
	*out = (struct bob_clock){ 0 };
	if (process < t->process_count)
		clock_of(t->processes[process], out);
}

static int is_on_one_host(const struct bob_trace *t)
{
	for (size_t i = 1; i < t->process_count; i++)
		if (strcmp(t->processes[i]->info.host, t->processes[0]->info.host))
			return 0;
	return 1;
}

static int64_t offset_at(const struct bob_clock *c, uint64_t ns)
{
	const uint32_t last = c->count - 1;
	__int128 drift = (__int128)c->offset_ns[last] - c->offset_ns[0];

	if (ns <= c->at_ns[0] || !last)
		return c->offset_ns[0];
	if (ns >= c->at_ns[last])
		return c->offset_ns[last];
	return (int64_t)(c->offset_ns[0] + drift * (__int128)(ns - c->at_ns[0]) /
						   (__int128)(c->at_ns[last] - c->at_ns[0]));
}

uint64_t bob_trace_moment(const struct bob_trace *t, uint32_t process, uint64_t ns,
			  uint64_t *uncertainty_ns)
{
	struct bob_clock c;

	*uncertainty_ns = BOB_CLOCK_UNKNOWN;
	if (process >= t->process_count)
		return ns;
	clock_of(t->processes[process], &c);
	if (!c.count) {
		*uncertainty_ns = is_on_one_host(t) ? 0 : BOB_CLOCK_UNKNOWN;
		return ns;
	}
	*uncertainty_ns = c.uncertainty_ns[c.count - 1];
	if (c.uncertainty_ns[0] > *uncertainty_ns)
		*uncertainty_ns = c.uncertainty_ns[0];
	if (t->processes[process]->info.world > 0 && !is_on_one_host(t))
		*uncertainty_ns = BOB_CLOCK_UNKNOWN; /* relative to rank 0 of its own world */
	return ns + (uint64_t)offset_at(&c, ns);
}

uint64_t bob_trace_spans_bytes(const struct bob_trace *t)
{
	uint64_t n = 0;

	for (size_t i = 0; i < t->common_count; i++)
		n += bob_exact_bytes(t->commons[i]->file, BOB_STREAM_NONE);
	for (size_t i = 0; i < t->thread_count; i++) {
		const struct bob_event_stream *s = &t->threads[i]->mpi;

		for (size_t k = 0; k < s->own_exact.count; k++)
			n += s->own_exact.at[k].len + sizeof(s->own_exact.at[k].base_ns);
	}
	return n;
}
