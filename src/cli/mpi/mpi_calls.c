/* SPDX-License-Identifier: BSD-3-Clause */
/* show --mpi --expand: prints one thread after the other, a line for each call as it is read. */
#include <inttypes.h>

#include "cli/terminal/complain.h"
#include "cli/event_words.h"
#include "cli/mpi/mpi_one.h"
#include "cli/mpi/mpi_show.h"
#include "table/numbers.h"
#include "cli/code_place.h"

static void print_title(const struct cli_session *s, uint32_t thread, FILE *out)
{
	const struct bob_thread_info *th = bob_trace_thread(s->trace, thread);
	const struct bob_process_info *p = bob_trace_process(s->trace, th->process);
	uint64_t n = bob_trace_value_events(s->trace, thread, BOB_VALUES_MPI);
	char a[BOB_NUMBER_MAX];

	fprintf(out, "thread %" PRIu32 ".%" PRIu32 "  %s  pid %" PRIu32 "  tid %" PRIu32,
		th->process, th->number, th->name, p->pid, th->tid);
	if (p->rank >= 0)
		fprintf(out, "  rank %" PRId32, p->rank);
	fprintf(out, "  %s %s\n", bob_format_count(a, n), cli_event_words(s->trace, n));
}

/* --- times --- */

/* Times of a thread's calls, in step with the calls. */
struct spans {
	struct bob_span_cursor
		*cursor; /* NULL: not recorded, or the next call's caller is unknown */
	struct bob_value_span now;
	uint64_t origin_ns;	/* on the clock of rank 0 */
	uint32_t process;
};

/* Begin of the first call of all threads. */
static uint64_t find_origin(const struct bob_trace *t)
{
	uint64_t origin = UINT64_MAX, uncertainty;

	for (uint32_t i = 0; i < bob_trace_thread_count(t); i++) {
		struct bob_span_cursor *c;
		struct bob_value_span s;
		uint64_t ns;

		if (bob_span_cursor_open(t, i, BOB_VALUES_MPI, &c, NULL) != BOB_OK)
			continue;
		if (bob_span_cursor_next(c, &s, NULL) == BOB_OK) {
			ns = bob_trace_moment(t, bob_trace_thread(t, i)->process, s.begin_ns,
					      &uncertainty);
			origin = ns < origin ? ns : origin;
		}
		bob_span_cursor_close(c);
	}
	return origin;
}

static void spans_end(struct spans *s)
{
	bob_span_cursor_close(s->cursor);
	s->cursor = NULL;
}

static void spans_next(struct spans *s)
{
	if (s->cursor && bob_span_cursor_next(s->cursor, &s->now, NULL) != BOB_OK)
		spans_end(s);
}

/* Prints begin in seconds since the first call, and duration. */
static void print_span(const struct cli_session *s, const struct spans *x, FILE *out)
{
	uint64_t uncertainty, at, took = x->now.end_ns - x->now.begin_ns;

	if (!x->cursor)
		return;
	at = bob_trace_moment(s->trace, x->process, x->now.begin_ns, &uncertainty) - x->origin_ns;
	fprintf(out, "%5" PRId64 ".%09" PRIu64 "  ", (int64_t)at / 1000000000,
		(uint64_t)((int64_t)at < 0 ? -(int64_t)at : (int64_t)at) % 1000000000);
	if (x->now.open)
		fprintf(out, "%11s  ", "-");
	else
		fprintf(out, "%" PRIu64 ".%09" PRIu64 "  ", took / 1000000000, took % 1000000000);
}

static void print_call(const struct cli_session *s, struct cli_mpi_one *one, uint32_t thread,
		       uint64_t number, const struct spans *spans, FILE *out)
{
	const struct bob_value_event *e = &one->call->event;
	uint32_t process = bob_trace_thread(s->trace, thread)->process, image;
	char a[BOB_NUMBER_MAX];
	uint64_t pc;

	if (e->lost)
		fprintf(out, "%12s  ... calls are missing here\n", "");
	fprintf(out, "%12s  ", bob_format_count(a, number));
	print_span(s, spans, out);
	cli_mpi_one_print(one, out);
	if (e->depth) {
		bob_trace_place(s->trace, process, e->place[e->depth - 1], &image, &pc);
		fputs("   ", out);
		cli_place_print(s->trace, process, image, pc, out);
	}
	fputc('\n', out);
}

static int show_thread(struct cli_session *s, const struct cli_mpi_show *o, uint32_t thread,
		       struct bob_mpi_reader *r, struct spans *spans, FILE *out)
{
	struct bob_mpi_call c;
	struct cli_mpi_one one = { .call = &c, .numbered = 1,
				   .thread = bob_trace_thread(s->trace, thread)->number };
	struct bob_error err = { .text = "" };
	uint64_t number = 0, lines = 0, first = o->first, last = o->last;
	bob_status st;

	if (!cli_between_numbers(o->between, s, thread, &first, &last))
		return 0;
	print_title(s, thread, out);
	for (; (st = bob_mpi_reader_next(r, &c, &err)) == BOB_OK || st == BOB_ERR_CORRUPT;
	     number++) {
		spans_next(spans);
		if (st == BOB_ERR_CORRUPT) {
			spans_end(spans);
			(void)cli_session_thread_done(s, thread, st, &err);
			continue;
		}
		if (number > last || ferror(out) || (o->lines && lines == o->lines))
			break;
		if (number >= first && cli_mpi_show_wants(o, c.function)) {
			print_call(s, &one, thread, number, spans, out);
			lines++;
		}
		one.made += bob_mpi_requests_made(&c);
	}
	if (st == BOB_OK && number <= last)
		fprintf(out, "%12s  ... more calls: --lines, --events\n", "");
	else if (!lines)
		fprintf(out, "%12s  nothing to show\n", "");
	return st == BOB_END || st == BOB_OK ? 0 : cli_session_thread_done(s, thread, st, &err);
}

int cli_mpi_show_calls(struct cli_session *s, const struct cli_mpi_show *o, FILE *out)
{
	uint32_t n = bob_trace_thread_count(s->trace), shown = 0;
	struct spans spans = { .origin_ns = find_origin(s->trace) };
	int status = 0;

	for (uint32_t i = cli_session_thread(s, 0); i < n && !status && !ferror(out);
	     i = cli_session_thread(s, i + 1)) {
		struct bob_error err = { .text = "" };
		struct bob_mpi_reader *r;
		bob_status st = bob_mpi_reader_open(s->trace, i, &r, &err);

		if (st == BOB_NONE)
			continue;
		if (st != BOB_OK) {
			status = cli_session_thread_done(s, i, st, &err);
			continue;
		}
		if (shown++)
			fputc('\n', out);
		spans.process = bob_trace_thread(s->trace, i)->process;
		if (bob_span_cursor_open(s->trace, i, BOB_VALUES_MPI, &spans.cursor, NULL) !=
		    BOB_OK)
			spans.cursor = NULL;
		status = show_thread(s, o, i, r, &spans, out);
		spans_end(&spans);
		bob_mpi_reader_close(r);
	}
	return status ? status : s->damaged != 0;
}
