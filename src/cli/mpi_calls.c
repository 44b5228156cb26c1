/* SPDX-License-Identifier: BSD-3-Clause */
/* One thread after the other, a line for each call, as it is read. */
#include <inttypes.h>

#include "cli/complain.h"
#include "cli/mpi_one.h"
#include "cli/mpi_show.h"
#include "cli/numbers.h"
#include "cli/place.h"

static void print_title(const struct cli_session *s, uint32_t thread, FILE *out)
{
	const struct bob_thread_info *th = bob_trace_thread(s->trace, thread);
	const struct bob_process_info *p = bob_trace_process(s->trace, th->process);
	uint64_t n = bob_trace_value_events(s->trace, thread, BOB_VALUES_MPI);
	char a[CLI_NUMBER_MAX];

	fprintf(out, "thread %" PRIu32 ".%" PRIu32 "  %s  pid %" PRIu32 "  tid %" PRIu32,
		th->process, th->number, th->name, p->pid, th->tid);
	if (p->rank >= 0)
		fprintf(out, "  rank %" PRId32, p->rank);
	fprintf(out, "  %s MPI call%s\n", cli_count(a, n), cli_plural(n));
}

static void print_call(const struct cli_session *s, struct cli_mpi_one *one, uint32_t thread,
		       uint64_t number, FILE *out)
{
	const struct bob_value_event *e = &one->call->event;
	uint32_t process = bob_trace_thread(s->trace, thread)->process, image;
	char a[CLI_NUMBER_MAX];
	uint64_t pc;

	if (e->lost)
		fprintf(out, "%12s  ... calls are missing here\n", "");
	fprintf(out, "%12s  ", cli_count(a, number));
	cli_mpi_one_print(one, out);
	if (e->depth) {
		bob_trace_place(s->trace, process, e->place[e->depth - 1], &image, &pc);
		fputs("   ", out);
		cli_place_print(s->trace, process, image, pc, out);
	}
	fputc('\n', out);
}

static int show_thread(struct cli_session *s, const struct cli_mpi_show *o, uint32_t thread,
		       struct bob_mpi_reader *r, FILE *out)
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
		if (st == BOB_ERR_CORRUPT) {
			(void)cli_session_thread_done(s, thread, st, &err);
			continue;
		}
		if (number > last || ferror(out) || (o->lines && lines == o->lines))
			break;
		if (number >= first && cli_mpi_show_wants(o, c.function->name)) {
			print_call(s, &one, thread, number, out);
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
		status = show_thread(s, o, i, r, out);
		bob_mpi_reader_close(r);
	}
	return status ? status : s->damaged != 0;
}
