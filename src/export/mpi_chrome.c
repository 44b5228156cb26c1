/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI calls as Trace Event Format JSON: a complete event ("X") per call, a track per thread, and
 * messages as flow arrows from the sending call to the call that completes the receive. The format
 * permits any order of events, so the end of an arrow is written when it becomes known. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdlib.h>

#include "table/json.h"
#include "export/mpi_calls.h"
#include "export/mpi_flows.h"

struct drawing {
	struct bob_export *x;
	struct bob_mpi_flows *flows;
	const struct bob_mpi_visited *visited;
	FILE *text;
	char *at;
	size_t len;
	int exact;
};

static void begin_event(struct bob_json *j, struct bob_export *x, const char *phase,
			uint32_t process, uint32_t thread)
{
	*j = (struct bob_json){ .out = x->out, .dense = 1, .depth = 1, .first = 1 };
	fputs(",\n", x->out);
	bob_json_object(j, NULL);
	bob_json_string(j, "ph", phase);
	bob_json_uint(j, "pid", process);
	bob_json_uint(j, "tid", thread);
}

/* Writes a time of the format, in microseconds. */
static void put_time(struct bob_export *x, const char *key, uint64_t ns)
{
	fprintf(x->out, ",\"%s\":%" PRIu64 ".%03u", key, ns / 1000, (unsigned)(ns % 1000));
}

static void put_label(struct bob_export *x, const struct bob_mpi_visited *visited, const char *kind,
		      const char *label)
{
	struct bob_json j;

	begin_event(&j, x, "M", visited->process, visited->number);
	bob_json_string(&j, "name", kind);
	bob_json_object(&j, "args");
	bob_json_string(&j, "name", label);
	bob_json_end(&j, '}');
	bob_json_end(&j, '}');
}

static void put_sort_index(struct bob_export *x, const struct bob_mpi_visited *visited)
{
	struct bob_json j;

	begin_event(&j, x, "M", visited->process, visited->number);
	bob_json_string(&j, "name", "process_sort_index");
	bob_json_object(&j, "args");
	bob_json_uint(&j, "sort_index", visited->rank != ~0u ? visited->rank : visited->process);
	bob_json_end(&j, '}');
	bob_json_end(&j, '}');
}

/* --- messages --- */

static void put_flow(struct bob_export *x, const char *phase, uint64_t id, uint32_t process,
		     uint32_t thread, uint64_t ns)
{
	char text[24];
	struct bob_json j;

	begin_event(&j, x, phase, process, thread);
	snprintf(text, sizeof(text), "0x%" PRIx64, id);
	bob_json_string(&j, "id", text);
	bob_json_string(&j, "cat", "message");
	bob_json_string(&j, "name", "message");
	if (*phase == 'f')
		bob_json_string(&j, "bp", "e"); /* bind to the enclosing slice */
	put_time(x, "ts", ns);
	bob_json_end(&j, '}');
}

static void put_arrival(void *ctx, uint64_t id, const struct bob_mpi_arrival *at)
{
	struct drawing *d = ctx;

	put_flow(d->x, "f", id, d->visited->process, at->thread, at->time);
}

static bob_status put_act(void *ctx, const struct bob_mpi_act *a)
{
	struct drawing *d = ctx;
	const struct bob_mpi_visited *visited = d->visited;
	const struct bob_mpi_span *span = &visited->span;
	/* slices are half-open: the end does not belong to the slice */
	const struct bob_mpi_arrival at = {
		visited->number, span->end_ns > span->begin_ns ? span->end_ns - 1 : span->begin_ns
	};
	uint64_t id;
	bob_status st;

	st = bob_mpi_flows_act(d->flows, a, &at, &id);
	if (st == BOB_OK && id)
		put_flow(d->x, "s", id, visited->process, visited->number, visited->span.begin_ns);
	return st;
}

/* --- calls --- */

static void put_text(struct drawing *d, struct bob_json *j, const char *key)
{
	fputc('\0', d->text);
	fflush(d->text);
	if (*d->at)
		bob_json_string(j, key, d->at);
	rewind(d->text);
}

static bob_status put_call(void *ctx, const struct bob_mpi_visited *visited)
{
	struct drawing *d = ctx;
	const struct bob_mpi_call *c = visited->call;
	struct bob_json j;

	d->visited = visited;
	const uint8_t flags = c->function->flags;

	begin_event(&j, d->x,
		    flags & BOB_MPI_USER_BEGIN ? "B" :
		    flags & BOB_MPI_USER_END   ? "E" :
						 "X",
		    visited->process, visited->number);
	fprintf(d->text, "%s%s", flags & BOB_MPI_USER ? "" : "MPI_", c->function->name);
	put_text(d, &j, "name");
	put_time(d->x, "ts", visited->span.begin_ns);
	if (!(flags & (BOB_MPI_USER_BEGIN | BOB_MPI_USER_END)))
		put_time(d->x, "dur", visited->span.end_ns - visited->span.begin_ns);
	bob_json_object(&j, "args");
	bob_json_uint(&j, "call", visited->index);
	bob_mpi_put_site(d->x, visited, d->text);
	put_text(d, &j, "site");
	bob_mpi_put_words(visited, 0, d->text);
	put_text(d, &j, "in");
	bob_mpi_put_words(visited, 1, d->text);
	put_text(d, &j, "out");
	if (c->event.open)
		bob_json_bool(&j, "in_progress_at_end", 1);
	else if (bob_mpi_result(c))
		bob_json_int(&j, "result", bob_mpi_result(c));
	bob_json_end(&j, '}');
	bob_json_end(&j, '}');
	if (ferror(d->x->out))
		return BOB_ERR_IO;
	return bob_mpi_messages_take(visited->messages, c, visited->number, visited->made, put_act,
				     d);
}

static bob_status begin_process(void *ctx, const struct bob_mpi_visited *visited)
{
	struct drawing *d = ctx;
	const struct bob_process_info *p = bob_trace_process(d->x->trace, visited->process);
	char text[320];
	bob_status st;

	d->visited = visited;
	if (visited->rank != ~0u)
		snprintf(text, sizeof(text), "rank %" PRIu32 " %s (pid %" PRIu32 ")", visited->rank,
			 p->exe, p->pid);
	else
		snprintf(text, sizeof(text), "%s (pid %" PRIu32 ")", p->exe, p->pid);
	put_label(d->x, visited, "process_name", text);
	put_sort_index(d->x, visited);
	st = bob_mpi_flows_begin(d->flows, visited->objects);
	return st == BOB_OK && !visited->lone ?
		       bob_mpi_flows_read(d->flows, d->x->trace, visited->process,
					  visited->objects) :
		       st;
}

static bob_status begin_thread(void *ctx, const struct bob_mpi_visited *visited)
{
	struct drawing *d = ctx;
	const struct bob_thread_info *th = bob_trace_thread(d->x->trace, visited->thread);
	char text[320];

	snprintf(text, sizeof(text), "%s (tid %" PRIu32 ")", th->name, th->tid);
	put_label(d->x, visited, "thread_name", text);
	return BOB_OK;
}

static bob_status end_process(void *ctx, const struct bob_mpi_visited *visited)
{
	struct drawing *d = ctx;

	d->visited = visited;
	bob_mpi_flows_end(d->flows);
	d->x->lost_messages += bob_mpi_messages_unknown(visited->messages);
	return bob_mpi_tour_out(d->x);
}

bob_status bob_export_mpi_chrome(struct bob_export *x)
{
	struct drawing d = { .x = x };
	struct bob_mpi_visitor v = { .begin_process = begin_process,
				     .begin_thread = begin_thread,
				     .call = put_call,
				     .end_process = end_process,
				     .ctx = &d,
				     .budget = bob_mpi_tour_budget(x) };
	bob_status st = bob_mpi_flows_create(put_arrival, &d, &d.flows);

	v.exact = d.exact = bob_mpi_clock_is_exact(x->trace, x->threads, x->thread_count);
	d.text = st == BOB_OK ? open_memstream(&d.at, &d.len) : NULL;
	if (!d.text) {
		bob_mpi_flows_destroy(d.flows);
		return BOB_ERR_NOMEM;
	}
	fprintf(x->out,
		"{\"displayTimeUnit\":\"ns\",\"otherData\":"
		"{\"recorded_by\":\"bobbin\",\"times\":\"%s\"},"
		"\"traceEvents\":[\n"
		"{\"ph\":\"M\",\"pid\":0,\"name\":\"trace_source\",\"args\":{\"name\":\"bobbin\"}}",
		d.exact ? "exact, by the clock of rank 0" :
			  "not recorded: each call takes 1 us, in the order of its thread");
	st = bob_mpi_tour(x, &v);
	fputs("\n]}\n", x->out);
	x->lost_messages += bob_mpi_flows_lost(d.flows);
	fclose(d.text);
	free(d.at);
	bob_mpi_flows_destroy(d.flows);
	return st;
}
