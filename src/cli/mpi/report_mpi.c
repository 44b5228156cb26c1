/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "cli/mpi/report_mpi.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/terminal/complain.h"
#include "cli/left_out.h"
#include "cli/merge/whole.h"
#include "cli/mpi/mpi_one.h"
#include "analysis/mpi/values.h"
#include "table/numbers.h"
#include "cli/place.h"
#include "cli/terminal/text_table.h"
#include "cli/worlds.h"

#define OPEN_SHOWN 20u		/* calls in progress, and ranks that ended otherwise */

struct reporting {
	struct cli_session *s;
	const struct cli_report_style *style;
	enum bob_mpi_by by;
	struct bob_mpi_table *table;
	char *open;		/* lines about calls in progress */
	size_t open_len;
	FILE *open_out;
	uint32_t open_count;
	uint8_t *is_open;	/* processes with such calls */
};

/* --- what was not complete --- */

static void print_process(const struct cli_session *s, uint32_t process, FILE *out)
{
	const struct bob_process_info *p = bob_trace_process(s->trace, process);

	if (p->rank >= 0)
		fprintf(out, "rank %" PRId32, p->rank);
	else
		fprintf(out, "process %" PRIu32, process);
}

static void take_open(void *ctx, uint32_t thread, const struct bob_mpi_objects *o,
		      const struct bob_mpi_call *call)
{
	struct reporting *r = ctx;
	struct cli_mpi_one one = { .call = call };
	const struct bob_thread_info *th = bob_trace_thread(r->s->trace, thread);
	const struct bob_value_event *e = &call->event;
	uint32_t image;
	uint64_t pc;

	(void)o;
	r->is_open[th->process] = 1;
	if (r->open_count++ >= OPEN_SHOWN)
		return;
	fputs("  ", r->open_out);
	print_process(r->s, th->process, r->open_out);
	if (th->number)
		fprintf(r->open_out, ", thread %" PRIu32, th->number);
	fputs(": ", r->open_out);
	one.thread = th->number;
	cli_mpi_one_print(&one, r->open_out);
	if (e->depth) {
		bob_trace_place(r->s->trace, th->process, e->place[e->depth - 1], &image, &pc);
		fputs("   ", r->open_out);
		cli_place_print(r->s->trace, th->process, image, pc, r->open_out);
	}
	fputc('\n', r->open_out);
}

/* Events that began and did not end. */
static void print_left(const struct reporting *r)
{
	size_t count;
	const struct bob_mpi_row *row = bob_mpi_table_rows(r->table, &count);
	FILE *out = r->style->out;
	char a[BOB_NUMBER_MAX], b[BOB_NUMBER_MAX];

	if (bob_mpi_table_sum(r->table)->left <= 0)
		return;
	fprintf(out,
		"\nbegan and never ended (left by longjmp, or under way when recording ended): "
		"%s event%s\n",
		bob_format_count(a, (uint64_t)bob_mpi_table_sum(r->table)->left),
		bob_plural((uint64_t)bob_mpi_table_sum(r->table)->left));
	for (size_t i = 0; i < count && r->by <= BOB_MPI_BY_SITE; i++)
		if (row[i].left > 0)
			fprintf(out, "  %s of %s %s\n", bob_format_count(a, (uint64_t)row[i].left),
				bob_format_count(b, row[i].calls.sum), row[i].function->name);
}

static void print_incomplete(struct reporting *r)
{
	uint32_t count, left = 0, *rank;
	const uint32_t *process = bob_mpi_table_unfinished(r->table, &count);
	FILE *out = r->style->out;
	char a[BOB_NUMBER_MAX];

	fflush(r->open_out);
	if (r->open_count)
		fprintf(out, "\nnot complete: %s call%s had not come back when recording ended\n%s",
			bob_format_count(a, r->open_count), bob_plural(r->open_count), r->open);
	if (r->open_count > OPEN_SHOWN)
		fprintf(out, "  ... %" PRIu32 " more: bobbin show\n", r->open_count - OPEN_SHOWN);
	print_left(r);
	rank = calloc(count + 1u, sizeof(*rank));
	for (uint32_t i = 0; rank && i < count; i++)
		if (!r->is_open[process[i]])
			rank[left++] = (uint32_t)bob_trace_process(r->s->trace, process[i])->rank;
	if (left) {
		fprintf(out, "\nended without MPI_Finalize: rank%s ", bob_plural(left));
		bob_mpi_ranges_print(rank, left, out);
		fputc('\n', out);
	}
	free(rank);
}

/* --- the table --- */

/* How much more than the mean the one with most has, over all processes; "-": nobody has any. */
static const char *balance(const struct bob_mpi_share *s, uint32_t processes,
			   char text[BOB_NUMBER_MAX])
{
	if (!s->sum || !processes)
		return "-";
	snprintf(text, BOB_NUMBER_MAX, "%.2f",
		 (double)s->most * (double)processes / (double)s->sum);
	return text;
}

static const char *bytes_text(const struct bob_mpi_row *r, uint64_t n, char text[BOB_NUMBER_MAX])
{
	char a[BOB_NUMBER_MAX];

	if (!n && !r->unknown)
		return "-";
	snprintf(text, BOB_NUMBER_MAX, "%s%s", r->unknown ? "> " : "", bob_format_bytes(a, n));
	return text;
}

/* Of those that have several rows, such as a communicator that each row makes another one of. */
static void print_comm(const struct bob_mpi_row *r, FILE *out)
{
	if (r->comm == BOB_MPI_UNKNOWN) {
		fputs("none", out);
		return;
	}
	bob_mpi_value_print(BOB_MPI_ROLE_COMM, r->comm, out);
	if (r->members_most)
		fprintf(out, " of %" PRIu32, r->members_least);
	if (r->members_most != r->members_least)
		fprintf(out, " to %" PRIu32, r->members_most);
	if (r->function)
		fprintf(out, " by %s%s", bob_mpi_prefix(r->function), r->function->name);
}

static void print_function(const struct bob_mpi_function *f, FILE *out)
{
	fprintf(out, "%s%s", f->flags & BOB_MPI_USER ? "" : bob_mpi_prefix(f), f->name);
}

static void print_site(const struct reporting *r, const struct bob_mpi_row *row, FILE *out)
{
	struct bob_mpi_place p;

	print_function(row->function, out);
	if (!bob_mpi_places_last(bob_mpi_table_places(r->table), row->path, &p))
		return;
	fputs("  ", out);
	cli_place_print(r->s->trace, p.process, p.image, p.pc, out);
}

static void put_what(const struct reporting *r, const struct bob_mpi_row *row, struct cli_table *t)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	if (!f) {
		cli_table_cell(t, "?");
		return;
	}
	if (r->by == BOB_MPI_BY_RANK)
		print_process(r->s, row->process, f);
	else if (r->by == BOB_MPI_BY_COMM)
		print_comm(row, f);
	else
		print_site(r, row, f);
	cli_table_cell(t, fclose(f) ? "?" : text);
	free(text);
}

/* Else the program's own events are all there is: they send nothing. */
static int has_mpi(const struct reporting *r)
{
	const struct bob_mpi_row *sum = bob_mpi_table_sum(r->table);

	return sum->own < sum->calls.sum || !sum->calls.sum;
}

/* Loops of instrumented sources are among the events. */
static int has_trips(const struct reporting *r)
{
	return bob_mpi_table_sum(r->table)->trips.loops && r->by <= BOB_MPI_BY_SITE;
}

static void put_trips(const struct bob_mpi_trips *trips, struct cli_table *t)
{
	const uint64_t number[] = { trips->sum, trips->least, trips->most };
	char a[BOB_NUMBER_MAX];

	for (size_t i = 0; i < sizeof(number) / sizeof(number[0]); i++)
		cli_table_cell(t, trips->loops ? bob_format_count(a, number[i]) : "-");
}

static void put_row(const struct reporting *r, const struct bob_mpi_row *row, struct cli_table *t)
{
	uint32_t processes = bob_mpi_table_processes(r->table);
	const struct bob_mpi_row *sum = bob_mpi_table_sum(r->table);
	char a[BOB_NUMBER_MAX];

	cli_table_cell(t, bob_format_count(a, row->calls.sum));
	cli_table_cell(t, bob_format_share(a, row->calls.sum, sum->calls.sum));
	if (has_mpi(r)) {
		cli_table_cell(t, bytes_text(row, row->sent.sum, a));
		cli_table_cell(t, bytes_text(row, row->received.sum, a));
	}
	if (r->by != BOB_MPI_BY_RANK) {
		cli_table_cell(t, bob_format_count(a, row->processes));
		cli_table_cell(t, balance(&row->calls, processes, a));
		if (has_mpi(r))
			cli_table_cell(t, balance(&row->sent, processes, a));
	}
	if (has_trips(r))
		put_trips(&row->trips, t);
	if (r->by <= BOB_MPI_BY_SITE)
		cli_table_cell(t, row->time_ns ? bob_format_seconds(a, row->time_ns) : "-");
	put_what(r, row, t);
}

/* Names of columns; how many. */
static uint32_t titles_of(const struct reporting *r, const char *title[12])
{
	static const char *const whats[] = { "function", "call site", "communicator", "rank" };
	static const char *const own[] = { "event", "place", "communicator", "process" };
	const int mpi = has_mpi(r);
	uint32_t n = 0;

	title[n++] = mpi ? ">calls" : ">events";
	title[n++] = ">share";
	if (mpi) {
		title[n++] = ">sent";
		title[n++] = ">received";
	}
	if (r->by != BOB_MPI_BY_RANK) {
		title[n++] = mpi ? ">ranks" : ">processes";
		title[n++] = mpi ? ">calls max/mean" : ">events max/mean";
		if (mpi)
			title[n++] = ">sent max/mean";
	}
	if (has_trips(r)) {
		title[n++] = ">trips";
		title[n++] = ">fewest";
		title[n++] = ">most";
	}
	if (r->by <= BOB_MPI_BY_SITE)
		title[n++] = ">time";
	title[n++] = (mpi ? whats : own)[r->by];
	return n;
}

static int print_table(const struct reporting *r)
{
	const char *titles[12];
	size_t count;
	const struct bob_mpi_row *row = bob_mpi_table_rows(r->table, &count);
	struct cli_table t;
	char a[BOB_NUMBER_MAX];

	cli_table_begin(&t, (int)titles_of(r, titles), titles);
	for (size_t i = 0; i < count && (!r->style->limit || i < r->style->limit); i++)
		put_row(r, &row[i], &t);
	if (cli_table_end(&t, r->style->width, r->style->out))
		return cli_fail("report", "out of memory");
	if (r->style->limit && count > r->style->limit)
		fprintf(r->style->out, "... %s more rows (--limit)\n",
			bob_format_count(a, count - r->style->limit));
	return 0;
}

static void print_share(const struct reporting *r, const char *what, const struct bob_mpi_share *s,
			int bytes)
{
	uint32_t n = bob_mpi_table_processes(r->table);
	char a[BOB_NUMBER_MAX], b[BOB_NUMBER_MAX], c[BOB_NUMBER_MAX];
	uint64_t mean = n ? (s->sum + n / 2) / n : 0;

	if (!s->sum)
		return;
	fprintf(r->style->out, "%-12s%s: mean %s, most %s (", "", what,
		bytes ? bob_format_bytes(a, mean) : bob_format_count(a, mean),
		bytes ? bob_format_bytes(b, s->most) : bob_format_count(b, s->most));
	print_process(r->s, s->most_process, r->style->out);
	fprintf(r->style->out, "), %s of the mean\n", balance(s, n, c));
}

static void print_balance(const struct reporting *r)
{
	const struct bob_mpi_row *sum = bob_mpi_table_sum(r->table);
	char a[BOB_NUMBER_MAX];

	if (has_mpi(r) || bob_mpi_table_processes(r->table) > 1) {
		fprintf(r->style->out, "\nbalance     of the %s\n",
			has_mpi(r) ? "ranks" : "processes");
		print_share(r, has_mpi(r) ? "calls" : "events", &sum->calls, 0);
	}
	print_share(r, "sent", &sum->sent, 1);
	print_share(r, "received", &sum->received, 1);
	if (sum->unknown)
		fprintf(r->style->out,
			"unknown     bytes of %s call%s: of types or requests whose "
			"making was not recorded\n",
			bob_format_count(a, sum->unknown), bob_plural(sum->unknown));
	if (sum->time_ns)
		fprintf(r->style->out, "time        %s in MPI calls, of all threads together\n",
			bob_format_seconds(a, sum->time_ns));
}

static void print_head(const struct reporting *r)
{
	const struct bob_mpi_row *sum = bob_mpi_table_sum(r->table);
	char a[BOB_NUMBER_MAX], b[BOB_NUMBER_MAX], c[BOB_NUMBER_MAX], d[BOB_NUMBER_MAX];
	uint32_t n = bob_mpi_table_processes(r->table);
	const uint64_t mpi = sum->calls.sum - sum->own;

	fprintf(r->style->out, "%s: ", r->s->dir);
	if (has_mpi(r))
		fprintf(r->style->out, "%s MPI call%s", bob_format_count(a, mpi), bob_plural(mpi));
	if (sum->own)
		fprintf(r->style->out, "%s%s event%s", has_mpi(r) ? " and " : "",
			bob_format_count(a, sum->own), bob_plural(sum->own));
	fprintf(r->style->out, " of %s process%s", bob_format_count(b, n), n == 1 ? "" : "es");
	if (has_mpi(r))
		fprintf(r->style->out, ", %s sent, %s received", bob_format_bytes(c, sum->sent.sum),
			bob_format_bytes(d, sum->received.sum));
	fputc('\n', r->style->out);
	cli_worlds_print(r->s->trace, "", r->style->out);
	(void)cli_left_out_print(r->s, "", r->style->out);
	(void)cli_whole_print(r->s->trace, "", r->style->out);
	fputc('\n', r->style->out);
}

/* --- reading --- */

static bob_status add_all(struct reporting *r, struct bob_error *err)
{
	const struct bob_trace *t = r->s->trace;
	uint32_t n = bob_trace_thread_count(t), count = 0;
	uint32_t *threads = calloc(n + 1u, sizeof(*threads));
	bob_status st = threads ? BOB_OK : BOB_ERR_NOMEM;

	for (uint32_t i = cli_session_thread(r->s, 0); i < n && st == BOB_OK;) {
		uint32_t process = bob_trace_thread(t, i)->process;

		for (count = 0; i < n && bob_trace_thread(t, i)->process == process;
		     i = cli_session_thread(r->s, i + 1))
			threads[count++] = i;
		st = bob_mpi_table_add(r->table, process, threads, count, take_open, r, err);
		if (st == BOB_ERR_CORRUPT) {
			(void)cli_session_thread_done(r->s, threads[0], st, err);
			st = BOB_OK;
		}
	}
	free(threads);
	return st;
}

int cli_report_mpi(struct cli_session *s, enum bob_mpi_by by, const struct cli_report_style *style)
{
	struct reporting r = { .s = s, .style = style, .by = by };
	struct bob_error err = { .text = "" };
	bob_status st = BOB_ERR_NOMEM;
	int status = 0;

	r.open_out = open_memstream(&r.open, &r.open_len);
	r.is_open = calloc(bob_trace_process_count(s->trace) + 1u, 1);
	if (r.open_out && r.is_open)
		st = bob_mpi_table_create(s->trace, by, &r.table);
	if (st == BOB_OK)
		st = add_all(&r, &err);
	if (st == BOB_OK && !s->select.count)
		st = bob_mpi_table_add_times(r.table);
	if (st == BOB_OK) {
		print_head(&r);
		status = print_table(&r);
		print_balance(&r);
		print_incomplete(&r);
	}
	bob_mpi_table_destroy(r.table);
	if (r.open_out)
		fclose(r.open_out);
	free(r.open);
	free(r.is_open);
	if (st != BOB_OK)
		return cli_fail_status("report", "not all events can be read", st, &err);
	return status ? status : s->damaged != 0;
}
