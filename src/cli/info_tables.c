/* SPDX-License-Identifier: BSD-3-Clause */
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
#include "cli/terminal/text_table.h"
#include "cli/terminal/width.h"
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

/* Did the process end otherwise than by exit or exec, or is that not known? */
static int ended_badly(const struct bob_process_info *p)
{
	return p->end_source ? was_killed(p) : p->state == 0;
}

void cli_info_last(const struct bob_trace *t, uint32_t max)
{
	char text[CLI_LAST_MAX];
	uint32_t n = 0;

	for (uint32_t i = 0; i < bob_trace_thread_count(t); i++) {
		const struct bob_thread_info *th = bob_trace_thread(t, i);

		if (th->state == 1 || !ended_badly(bob_trace_process(t, th->process)) ||
		    !cli_last_entry(t, i, text)[0])
			continue;
		if (n++ < max)
			printf("%slast entry  thread %" PRIu32 ".%" PRIu32 ": %s\n",
			       n == 1 ? "\n" : "", th->process, th->number, text);
	}
	if (n > max)
		printf("... %" PRIu32 " more (--all)\n", n - max);
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

/* "MPI calls   12", "events      12", and of both together "12 MPI calls and events". */
static void print_events(const struct bob_trace *t, const struct bob_trace_sizes *s)
{
	const int both = bob_trace_value_origins(t) == (BOB_VALUES_OF_MPI | BOB_VALUES_OF_PROGRAM);
	char a[BOB_NUMBER_MAX];

	printf("%-12s%s%s\n", cli_event_only_own(t) || both ? "events" : "MPI calls",
	       bob_format_count(a, s->mpi_calls),
	       both ? ", calls of MPI and the program's own" : "");
}

void cli_info_sizes(const struct bob_trace *t, const struct bob_trace_sizes *s)
{
	uint64_t count = s->events + s->accesses + s->mpi_calls;
	char a[BOB_NUMBER_MAX], b[BOB_NUMBER_MAX], text[64];
	const char *what = what_is_there(t, s, text);

	const int none = !s->events && !s->accesses && !s->mpi_calls;

	if (none && cli_is_of_source(t))
		printf("accesses    none: %s\n", cli_source_without_accesses(t));
	else if (s->events || none)
		printf("calls       %s\n", bob_format_count(a, s->events));
	if (s->accesses)
		printf("accesses    %s\n", bob_format_count(a, s->accesses));
	if (s->mpi_calls)
		print_events(t, s);
	printf("size        %s on disk: %s %s", bob_format_bytes(a, s->file_bytes), what,
	       bob_format_bytes(b, s->stream_bytes));
	printf(", names and descriptions %s", bob_format_bytes(a, s->meta_bytes));
	printf(", times %s, the rest unused\n", bob_format_bytes(a, s->mark_bytes));
	if (!count || !s->stream_bytes)
		return;
	printf("            %s need %.3g bytes each, ", what,
	       (double)s->stream_bytes / (double)count);
	if (cli_info_ratio(s) >= 2)
		printf("%.0f times less than ", cli_info_ratio(s));
	printf("%s uncompressed\n", bob_format_bytes(a, s->raw_bytes));
}

static void print_clocks(const struct bob_trace *t)
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
		printf("            all ranks have the same clock\n");
	else if (measured)
		printf("            clocks of the ranks beside that of rank 0: known to %" PRIu64
		       ".%03u us\n",
		       worst / 1000, (unsigned)(worst % 1000));
	else if (n > 1)
		printf("            clocks of the processes were not compared\n");
}

void cli_info_moments(const struct bob_trace *t, const struct bob_trace_sizes *s)
{
	uint64_t bytes = bob_trace_spans_bytes(t);
	char a[BOB_NUMBER_MAX];

	if (!bytes || !s->mpi_calls)
		return;
	printf("exact times %s of these, %.3g bytes for each of the %s\n",
	       bob_format_bytes(a, bytes), (double)bytes / (double)s->mpi_calls,
	       cli_event_words(t, 2));
	print_clocks(t);
}

enum counted { COUNT_CALLS, COUNT_ACCESSES, COUNT_MPI };

static uint64_t count_of(const struct bob_trace *t, uint32_t thread, enum counted what)
{
	if (what == COUNT_MPI)
		return bob_trace_value_events(t, thread, BOB_VALUES_MPI);
	return what == COUNT_ACCESSES ? bob_trace_accesses(t, thread) :
					bob_trace_thread(t, thread)->events;
}

/* Of a trace of accesses alone, those are counted; of one of MPI calls alone these, and what they
 * take. */
void cli_info_processes(const struct bob_trace *t, const struct bob_trace_sizes *s, uint32_t max)
{
	const enum counted what = s->events	      ? COUNT_CALLS :
				  s->accesses	      ? COUNT_ACCESSES :
				  s->mpi_calls	      ? COUNT_MPI :
				  cli_is_of_source(t) ? COUNT_ACCESSES :
							COUNT_CALLS;
	const char *const counts[] = { ">calls", ">accesses",
				       bob_trace_value_origins(t) & BOB_VALUES_OF_PROGRAM ?
					       ">events" :
					       ">MPI calls" };
	const char *const titles[] = { "process", ">pid", ">rank", ">threads", counts[what],
				       "how it ended", "program" };
	const char *const sized[] = { "process", ">pid", ">rank", ">threads", counts[what],
				      ">bytes", ">each", "how it ended", "program" };
	uint32_t n = bob_trace_process_count(t);
	char text[BOB_NUMBER_MAX], ended[CLI_END_MAX];
	struct cli_table table;

	cli_table_begin(&table, what == COUNT_MPI ? 9 : 7, what == COUNT_MPI ? sized : titles);
	for (uint32_t i = 0; i < n && i < max; i++) {
		const struct bob_process_info *p = bob_trace_process(t, i);
		uint64_t events = 0, bytes = 0;

		for (uint32_t k = 0; k < p->thread_count; k++) {
			events += count_of(t, p->first_thread + k, what);
			bytes += bob_trace_thread(t, p->first_thread + k)->stream_bytes;
		}
		snprintf(text, sizeof(text), "%" PRIu32, i);
		cli_table_cell(&table, text);
		snprintf(text, sizeof(text), "%" PRIu32, p->pid);
		cli_table_cell(&table, text);
		snprintf(text, sizeof(text), "%" PRId32, p->rank);
		cli_table_cell(&table, p->rank < 0 ? "-" : text);
		cli_table_cell(&table, bob_format_count(text, p->thread_count));
		cli_table_cell(&table, bob_format_count(text, events));
		if (what == COUNT_MPI) {
			/* of what is merged nobody has a part of his own */
			cli_table_cell(&table, bytes ? bob_format_count(text, bytes) : "-");
			snprintf(text, sizeof(text), "%.3g",
				 events ? (double)bytes / (double)events : 0.0);
			cli_table_cell(&table, bytes ? text : "-");
		}
		cli_table_cell(&table, cli_process_end(p, ended));
		cli_table_cell(&table, p->exe[0] ? p->exe : "?");
	}
	cli_table_end(&table, cli_terminal_width(), stdout);
	if (n > max)
		printf("... %" PRIu32 " more (--all)\n", n - max);
}
