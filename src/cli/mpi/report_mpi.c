/* SPDX-License-Identifier: BSD-3-Clause */
/* bobbin report of MPI calls: sums and balance over ranks, tables, and calls and ranks that did not
 * end normally. */
#define _GNU_SOURCE
#include "cli/mpi/report_mpi.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/terminal/complain.h"
#include "cli/left_out.h"
#include "cli/merge/whole.h"
#include "cli/mpi/mpi_one.h"
#include "analysis/mpi/tables.h"
#include "analysis/mpi/values.h"
#include "table/numbers.h"
#include "cli/code_place.h"
#include "cli/print_worlds.h"

#define OPEN_SHOWN 20u		/* calls in progress, and ranks that did not end normally */

struct reporting {
	struct cli_session *s;
	FILE *text;
	struct bob_mpi_table *table;
	char *open;		/* text: lines about calls in progress */
	size_t open_len;
	FILE *open_out;
	uint32_t open_count;
	uint8_t *is_open;	/* processes with such calls */
};

/* --- incomplete calls and ranks --- */

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

/* Prints events that began and did not end. */
static void print_left(const struct reporting *r)
{
	size_t count;
	const struct bob_mpi_row *row = bob_mpi_table_rows(r->table, &count);
	FILE *out = r->text;
	char a[BOB_NUMBER_MAX], b[BOB_NUMBER_MAX];

	if (bob_mpi_table_sum(r->table)->left <= 0)
		return;
	fprintf(out,
		"\nbegan and never ended (left by longjmp, or under way when recording ended): "
		"%s event%s\n",
		bob_format_count(a, (uint64_t)bob_mpi_table_sum(r->table)->left),
		bob_plural((uint64_t)bob_mpi_table_sum(r->table)->left));
	for (size_t i = 0; i < count && bob_mpi_table_by(r->table) <= BOB_MPI_BY_SITE; i++)
		if (row[i].left > 0)
			fprintf(out, "  %s of %s %s\n", bob_format_count(a, (uint64_t)row[i].left),
				bob_format_count(b, row[i].calls.sum), row[i].function->name);
}

static void print_incomplete(struct reporting *r)
{
	uint32_t count, left = 0, *rank;
	const uint32_t *process = bob_mpi_table_unfinished(r->table, &count);
	FILE *out = r->text;
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

/* --- sums --- */

static void print_share(const struct reporting *r, const char *what, const struct bob_mpi_share *s,
			int bytes)
{
	uint32_t n = bob_mpi_table_processes(r->table);
	char a[BOB_NUMBER_MAX], b[BOB_NUMBER_MAX];
	uint64_t mean = n ? (s->sum + n / 2) / n : 0;

	if (!s->sum)
		return;
	fprintf(r->text, "%-12s%s: mean %s, most %s (", "", what,
		bytes ? bob_format_bytes(a, mean) : bob_format_count(a, mean),
		bytes ? bob_format_bytes(b, s->most) : bob_format_count(b, s->most));
	print_process(r->s, s->most_process, r->text);
	fprintf(r->text, "), %.2f of the mean\n", (double)s->most * n / (double)s->sum);
}

static void print_balance(const struct reporting *r)
{
	const struct bob_mpi_row *sum = bob_mpi_table_sum(r->table);
	char a[BOB_NUMBER_MAX];

	if (bob_mpi_table_has_mpi(r->table) || bob_mpi_table_processes(r->table) > 1) {
		fprintf(r->text, "\nbalance     of the %s\n",
			bob_mpi_table_has_mpi(r->table) ? "ranks" : "processes");
		print_share(r, bob_mpi_table_has_mpi(r->table) ? "calls" : "events", &sum->calls,
			    0);
	}
	print_share(r, "sent", &sum->sent, 1);
	print_share(r, "received", &sum->received, 1);
	if (sum->unknown)
		fprintf(r->text,
			"unknown     bytes of %s call%s: of types or requests whose "
			"making was not recorded\n",
			bob_format_count(a, sum->unknown), bob_plural(sum->unknown));
	if (sum->time_ns)
		fprintf(r->text, "time        %s in MPI calls, of all threads together\n",
			bob_format_seconds(a, sum->time_ns));
}

static void print_head(const struct reporting *r)
{
	const struct bob_mpi_row *sum = bob_mpi_table_sum(r->table);
	char a[BOB_NUMBER_MAX], b[BOB_NUMBER_MAX], c[BOB_NUMBER_MAX], d[BOB_NUMBER_MAX];
	uint32_t n = bob_mpi_table_processes(r->table);
	const uint64_t mpi = sum->calls.sum - sum->own;

	fprintf(r->text, "%s: ", r->s->dir);
	if (bob_mpi_table_has_mpi(r->table))
		fprintf(r->text, "%s MPI call%s", bob_format_count(a, mpi), bob_plural(mpi));
	if (sum->own)
		fprintf(r->text, "%s%s event%s", bob_mpi_table_has_mpi(r->table) ? " and " : "",
			bob_format_count(a, sum->own), bob_plural(sum->own));
	fprintf(r->text, " of %s process%s", bob_format_count(b, n), n == 1 ? "" : "es");
	if (bob_mpi_table_has_mpi(r->table))
		fprintf(r->text, ", %s sent, %s received", bob_format_bytes(c, sum->sent.sum),
			bob_format_bytes(d, sum->received.sum));
	fputc('\n', r->text);
	cli_worlds_print(r->s->trace, "", r->text);
	(void)cli_left_out_print(r->s, "", r->text);
	(void)cli_whole_print(r->s->trace, "", r->text);
	fputc('\n', r->text);
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

int cli_report_mpi(struct cli_answer *a, enum bob_mpi_by by)
{
	struct cli_session *s = &a->s;
	const struct bob_naming names = cli_session_naming(s);
	struct reporting r = { .s = s, .text = a->text };
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
		status = cli_answer_table(a, bob_mpi_calls_table(r.table, s->trace, &names));
	}
	if (st == BOB_OK && !status) {
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
