/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables and texts of `bobbin info` (info_tables.h): state of processes, sizes and ratios, clocks,
 * the table of processes. */
#define _GNU_SOURCE
#include "cli/info_tables.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "cli/event_words.h"
#include "cli/source/of_source.h"
#include "table/numbers.h"
#include "sys/sys.h"

static int was_killed(const struct bob_process_info *p)
{
	return p->end_source && WIFSIGNALED((int)p->end_status);
}

const char *cli_process_state(const struct bob_process_info *p)
{
	static const char *const process_states[] = { "unknown", "ended", "replaced by exec",
						      "stopped recording" };

	if (was_killed(p))
		return "killed";
	if (p->state == 0 && p->end_source)
		return "ended";
	return p->state < 4 ? process_states[p->state] : "?";
}

const char *cli_process_end(const struct bob_process_info *p, char text[CLI_END_MAX])
{
	const char *before = p->stop_text[0] && p->end_source ? "; " : "";
	const int status = (int)p->end_status;
	const char *name = was_killed(p) ? sigabbrev_np(WTERMSIG(status)) : NULL;

	if (was_killed(p) && name)
		snprintf(text, CLI_END_MAX, "%s%skilled by SIG%s%s", p->stop_text, before, name,
			 WCOREDUMP(status) ? ", core dumped" : "");
	else if (was_killed(p))
		snprintf(text, CLI_END_MAX, "%s%skilled by signal %d", p->stop_text, before,
			 WTERMSIG(status));
	else if (p->end_source)
		snprintf(text, CLI_END_MAX, "%s%sexit status %d", p->stop_text, before,
			 WEXITSTATUS(status));
	else
		snprintf(text, CLI_END_MAX, "%s",
			 p->stop_text[0] ? p->stop_text : cli_process_state(p));
	if (p->debugged_mono_ns)
		strncat(text, "; a debugger attached", CLI_END_MAX - 1 - strlen(text));
	return text;
}

const char *cli_last_entry(const struct bob_trace *t, uint32_t thread, char text[CLI_LAST_MAX])
{
	const uint32_t process = bob_trace_thread(t, thread)->process;
	const struct bob_image_info *im;
	struct bob_function_info f;
	uint32_t id;
	char *plain;

	text[0] = '\0';
	if (bob_trace_last_entry(t, thread, &id) != BOB_OK ||
	    bob_trace_function(t, process, id, &f) != BOB_OK || f.image == ~0u)
		return text;
	im = bob_trace_image(t, process, f.image);
	plain = f.name[0] ? bob_demangle(f.name) : NULL;
	if (f.name[0])
		snprintf(text, CLI_LAST_MAX, "%s (%s)", plain ? plain : f.name, im->soname);
	else
		snprintf(text, CLI_LAST_MAX, "%s+0x%" PRIx64, im->soname, f.addr);
	free(plain);
	return text;
}

/* Whether the process ended otherwise than by exit or exec, or that is unknown. */
static int ended_badly(const struct bob_process_info *p)
{
	return p->end_source ? was_killed(p) : p->state == 0;
}

void cli_info_last(const struct bob_trace *t, uint32_t max, FILE *out)
{
	char text[CLI_LAST_MAX];
	uint32_t n = 0;

	for (uint32_t i = 0; i < bob_trace_thread_count(t); i++) {
		const struct bob_thread_info *th = bob_trace_thread(t, i);

		if (th->state == 1 || !ended_badly(bob_trace_process(t, th->process)) ||
		    !cli_last_entry(t, i, text)[0])
			continue;
		if (n++ < max)
			fprintf(out, "%slast entry  thread %" PRIu32 ".%" PRIu32 ": %s\n",
				n == 1 ? "\n" : "", th->process, th->number, text);
	}
	if (n > max)
		fprintf(out, "... %" PRIu32 " more; --limit=0 shows all\n", n - max);
}

double cli_info_ratio(const struct bob_trace_sizes *s)
{
	return s->stream_bytes ? (double)s->raw_bytes / (double)s->stream_bytes : 0;
}

/* "calls", "calls and accesses", "MPI calls", ... */
static const char *what_is_there(const struct bob_trace *t, const struct bob_trace_sizes *s,
				 char text[64])
{
	const char *none = cli_is_of_source(t) ? "accesses" : "calls";

	snprintf(text, 64, "%s%s%s%s%s",
		 s->events			 ? "calls" :
		 (!s->accesses && !s->mpi_calls) ? none :
						   "",
		 s->events && s->accesses ? " and " : "", s->accesses ? "accesses" : "",
		 (s->events || s->accesses) && s->mpi_calls ? " and " : "",
		 s->mpi_calls ? cli_event_words(t, 2) : "");
	return text;
}

/* "MPI calls   12" or "events      12"; for both together "12 MPI calls and events". */
static void print_events(const struct bob_trace *t, const struct bob_trace_sizes *s, FILE *out)
{
	const int both = bob_trace_value_origins(t) == (BOB_VALUES_OF_MPI | BOB_VALUES_OF_PROGRAM);
	char a[BOB_NUMBER_MAX];

	fprintf(out, "%-12s%s%s\n", cli_event_only_own(t) || both ? "events" : "MPI calls",
		bob_format_count(a, s->mpi_calls),
		both ? ", calls of MPI and the program's own" : "");
}

void cli_info_sizes(const struct bob_trace *t, const struct bob_trace_sizes *s, FILE *out)
{
	uint64_t count = s->events + s->accesses + s->mpi_calls;
	char a[BOB_NUMBER_MAX], b[BOB_NUMBER_MAX], text[64];
	const char *what = what_is_there(t, s, text);

	const int none = !s->events && !s->accesses && !s->mpi_calls;

	if (none && cli_is_of_source(t))
		fprintf(out, "accesses    none: %s\n", cli_source_without_accesses(t));
	else if (s->events || none)
		fprintf(out, "calls       %s\n", bob_format_count(a, s->events));
	if (s->accesses)
		fprintf(out, "accesses    %s\n", bob_format_count(a, s->accesses));
	if (s->mpi_calls)
		print_events(t, s, out);
	fprintf(out, "size        %s on disk: %s %s", bob_format_bytes(a, s->file_bytes), what,
		bob_format_bytes(b, s->stream_bytes));
	fprintf(out, ", names and descriptions %s", bob_format_bytes(a, s->meta_bytes));
	fprintf(out, ", times %s, the rest unused\n", bob_format_bytes(a, s->mark_bytes));
	if (!count || !s->stream_bytes)
		return;
	fprintf(out, "            %s need %.3g bytes each, ", what,
		(double)s->stream_bytes / (double)count);
	if (cli_info_ratio(s) >= 2)
		fprintf(out, "%.0f times less than ", cli_info_ratio(s));
	fprintf(out, "%s uncompressed\n", bob_format_bytes(a, s->raw_bytes));
}

static void print_clocks(const struct bob_trace *t, FILE *out)
{
	uint64_t worst = 0;
	uint32_t same = 0, measured = 0, n = bob_trace_process_count(t);

	for (uint32_t i = 0; i < n; i++) {
		struct bob_clock c;

		bob_trace_clock(t, i, &c);
		same += c.count && c.same;
		measured += c.count != 0;
		for (uint32_t k = 0; k < c.count; k++)
			worst = c.uncertainty_ns[k] > worst ? c.uncertainty_ns[k] : worst;
	}
	if (measured && same == measured)
		fprintf(out, "            all ranks have the same clock\n");
	else if (measured)
		fprintf(out,
			"            clocks of the ranks beside that of rank 0: known to %" PRIu64
			".%03u us\n",
			worst / 1000, (unsigned)(worst % 1000));
	else if (n > 1)
		fprintf(out, "            clocks of the processes were not compared\n");
}

void cli_info_moments(const struct bob_trace *t, const struct bob_trace_sizes *s, FILE *out)
{
	uint64_t bytes = bob_trace_spans_bytes(t);
	char a[BOB_NUMBER_MAX];

	if (!bytes || !s->mpi_calls)
		return;
	fprintf(out, "exact times %s of these, %.3g bytes for each of the %s\n",
		bob_format_bytes(a, bytes), (double)bytes / (double)s->mpi_calls,
		cli_event_words(t, 2));
	print_clocks(t, out);
}

/* Text output has one count: accesses if the trace has nothing else, MPI calls (and their bytes) if
 * it has nothing else, otherwise calls. */
enum counted { COUNT_CALLS, COUNT_ACCESSES, COUNT_MPI, COUNTS };

static enum counted what_is_shown(const struct bob_trace *t, const struct bob_trace_sizes *s)
{
	if (s->events)
		return COUNT_CALLS;
	if (s->accesses || (!s->mpi_calls && cli_is_of_source(t)))
		return COUNT_ACCESSES;
	return s->mpi_calls ? COUNT_MPI : COUNT_CALLS;
}

static struct bob_table *create_processes(const struct bob_trace *t,
					  const struct bob_trace_sizes *s)
{
	const int own = bob_trace_value_origins(t) & BOB_VALUES_OF_PROGRAM;
	const enum counted shown = what_is_shown(t, s);
	const unsigned mpi = shown == COUNT_MPI ? 0 : BOB_COLUMN_EXTRA;
	unsigned is[COUNTS];

	for (int i = 0; i < COUNTS; i++)
		is[i] = i == (int)shown ? BOB_COLUMN_ADDS : BOB_COLUMN_EXTRA;

	const struct bob_column columns[] = {
		{ "process", NULL, BOB_COLUMN_NUMBER, 0, "its number in the trace" },
		{ "pid", NULL, BOB_COLUMN_NUMBER, 0, NULL },
		{ "rank", NULL, BOB_COLUMN_NUMBER, 0, "of MPI" },
		{ "threads", NULL, BOB_COLUMN_COUNT, 0, NULL },
		{ "calls", NULL, BOB_COLUMN_COUNT, is[COUNT_CALLS], "of functions" },
		{ "accesses", NULL, BOB_COLUMN_COUNT, is[COUNT_ACCESSES], "of memory" },
		{ "events", own ? "events" : "MPI calls", BOB_COLUMN_COUNT, is[COUNT_MPI],
		  "calls of MPI and the program's own events" },
		{ "bytes", NULL, BOB_COLUMN_COUNT, mpi, "of its streams, if they are not merged" },
		{ "bytes_each", "each", BOB_COLUMN_REAL, mpi, "for each call, access and event" },
		{ "end", "how it ended", BOB_COLUMN_TEXT, 0, NULL },
		{ "host", NULL, BOB_COLUMN_TEXT, BOB_COLUMN_EXTRA, NULL },
		{ "program", NULL, BOB_COLUMN_TEXT, BOB_COLUMN_SUBJECT, "its executable" },
	};

	return bob_table_create("processes", "process", columns,
				sizeof(columns) / sizeof(columns[0]));
}

static void put_counts(struct bob_table *table, const struct bob_trace *t,
		       const struct bob_process_info *p)
{
	uint64_t count[COUNTS] = { 0 }, bytes = 0, all = 0;

	for (uint32_t k = p->first_thread; k < p->first_thread + p->thread_count; k++) {
		count[COUNT_CALLS] += bob_trace_thread(t, k)->events;
		count[COUNT_ACCESSES] += bob_trace_accesses(t, k);
		count[COUNT_MPI] += bob_trace_value_events(t, k, BOB_VALUES_MPI);
		bytes += bob_trace_thread(t, k)->stream_bytes;
	}
	for (int i = 0; i < COUNTS; i++) {
		bob_table_count(table, count[i]);
		all += count[i];
	}
	if (!bytes) { /* merged: it has no part of its own */
		bob_table_none(table);
		bob_table_none(table);
		return;
	}
	bob_table_count(table, bytes);
	bob_table_real(table, all ? (double)bytes / (double)all : 0);
}

struct bob_table *cli_info_processes(const struct bob_trace *t, const struct bob_trace_sizes *s)
{
	struct bob_table *table = create_processes(t, s);
	char ended[CLI_END_MAX];

	for (uint32_t i = 0; i < bob_trace_process_count(t); i++) {
		const struct bob_process_info *p = bob_trace_process(t, i);

		bob_table_number(table, i);
		bob_table_number(table, p->pid);
		if (p->rank < 0)
			bob_table_none(table);
		else
			bob_table_number(table, p->rank);
		bob_table_count(table, p->thread_count);
		put_counts(table, t, p);
		bob_table_text(table, cli_process_end(p, ended));
		bob_table_text(table, p->host);
		bob_table_text(table, p->exe[0] ? p->exe : "?");
	}
	return table;
}
