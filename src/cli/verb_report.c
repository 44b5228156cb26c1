/* SPDX-License-Identifier: BSD-3-Clause */
/* bobbin report: functions by calls; callers and callees; per thread, per process or in total. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/callgraph/tables.h"
#include "cli/between.h"
#include "cli/terminal/complain.h"
#include "table/numbers.h"
#include "cli/overhead.h"
#include "cli/report_events.h"
#include "cli/mpi/report_late.h"
#include "cli/memory/report_memory.h"
#include "cli/mpi/report_mpi.h"
#include "cli/source/report_predicted.h"
#include "cli/memory/report_syncs.h"
#include "cli/report.h"
#include "cli/session.h"
#include "cli/untraced_functions.h"
#include "cli/verbs.h"

enum per { PER_THREAD, PER_PROCESS, PER_ALL };

struct report {
	struct cli_answer a;
	const char *callers, *callees;
	enum cli_report_by by;
	enum per per;
	struct cli_between between;
	double baseline;	/* in seconds; 0: unknown */
	int mpi;
	char group[32];		/* thread or process of the table, "1.0" or "1" */
	int found;	/* a function matches --callers or --callees */
};

static int take_baseline(const char *verb, void *seconds, const char *arg)
{
	double *baseline = seconds;
	char *end;

	*baseline = strtod(arg, &end);
	if (*end || end == arg || !(*baseline > 0 && *baseline < 1e9))
		return cli_misuse(verb, "--baseline is a number of seconds, not '%s'", arg);
	return 0;
}

const struct cli_option report_options[] = {
	{ "callers", 'c', "FUNCTION",
	  "print the callers of FUNCTION, a name or a pattern such as 'read_*'",
	  CLI_TEXT(struct report, callers) },
	{ "callees", 'C', "FUNCTION", "print what FUNCTION calls",
	  CLI_TEXT(struct report, callees) },
	{ "by", 'b', "KIND",
	  "rows of calls: function, image, api (calls from one image into another); of "
	  "memory accesses: function, instruction, line, variable, sync (what threads "
	  "synchronise with); of MPI calls: function, site, comm, rank, late (which calls "
	  "waited for which ranks); of any: hook (data of hooks), parameter (values of "
	  "events and calls)",
	  CLI_WORD(struct report, by, CLI_BY_WORDS) },
	{ "mpi", 0, NULL, "use the MPI calls, even if the trace has other calls",
	  CLI_FLAG(struct report, mpi) },
	{ "per", 'p', "KIND", "one table per thread, per process, or one for all (default)",
	  CLI_WORD(struct report, per, "thread|process|all") },
	{ "between", 0, "FROM..TO", "in a table of memory accesses: " CLI_BETWEEN_HELP,
	  CLI_TAKE(struct report, between, cli_between_parse) },
	{ "baseline", 0, "SECONDS",
	  "run time of the program without probes of `bobbin instrument`: print the "
	  "measured cost of the probes next to the predicted one",
	  CLI_TAKE(struct report, baseline, take_baseline) },
	CLI_OPTIONS_TABLE(struct report, a, CLI_FORMATS),
	CLI_OPTIONS_THREADS(struct report, a),
	CLI_OPTIONS_OUTPUT(struct report, a),
	CLI_OPTION_NO_DEMANGLE(struct report, a.s),
	{ 0 },
};

#define ROWS_DEFAULT 30u

static int print_table(struct report *r, struct bob_table *t)
{
	if (r->per != PER_ALL)
		bob_table_of(t, r->per == PER_THREAD ? "thread" : "process", r->group);
	return cli_answer_table(&r->a, t);
}

/* Prints a table for each matching function. 0; 1: failed; 2: none matches. */
static int print_neighbours(struct report *r, struct bob_callgraph *g, const char *pattern,
			    bool callers)
{
	const uint64_t *calls = bob_callgraph_calls(g);
	const struct cli_session *s = &r->a.s;
	const struct bob_naming names = cli_session_naming(s);
	int found = 0, status = 0;
	char a[BOB_NUMBER_MAX];

	for (uint32_t i = 0; i < bob_functions_count(s->functions) && !status; i++) {
		struct bob_table *t;

		if (!calls[i] || !cli_names_match(s->names, i, pattern))
			continue;
		fprintf(r->a.text, "%s%s (%s), called %s time%s\n", found++ ? "\n" : "",
			cli_names_get(s->names, i), cli_names_image(s->names, i),
			bob_format_count(a, calls[i]), bob_plural(calls[i]));
		t = bob_callgraph_neighbours_table(g, s->functions, i, callers, &names);
		bob_table_of(t, "function", cli_names_get(s->names, i));
		if (t && !bob_table_rows(t))
			fputs("  none\n", r->a.text);
		status = print_table(r, t);
	}
	return status ? 1 : found ? 0 : 2;
}

static int print_tables(struct report *r, struct bob_callgraph *g)
{
	const struct cli_session *s = &r->a.s;
	const struct bob_naming names = cli_session_naming(s);
	int status = 0;

	if (r->callers || r->callees) {
		if (r->callers)
			status = print_neighbours(r, g, r->callers, true);
		r->found |= r->callers && status == 0;
		if (status != 1 && r->callees) {
			if (r->callers)
				fputc('\n', r->a.text);
			status = print_neighbours(r, g, r->callees, false);
			r->found |= status == 0;
		}
		return status == 1;
	}
	if (r->by == CLI_BY_IMAGE)
		return print_table(r, bob_callgraph_images_table(g, s->functions));
	if (r->by == CLI_BY_API)
		return print_table(r, bob_callgraph_api_table(g, s->functions, &names));
	return print_table(r, bob_callgraph_functions_table(g, s->functions, &names));
}

static void print_group_title(struct report *r, uint32_t thread, uint64_t calls)
{
	const struct bob_thread_info *th = bob_trace_thread(r->a.s.trace, thread);
	const struct bob_process_info *p = bob_trace_process(r->a.s.trace, th->process);
	char a[BOB_NUMBER_MAX];

	snprintf(r->group, sizeof(r->group),
		 r->per == PER_THREAD ? "%" PRIu32 ".%" PRIu32 : "%" PRIu32, th->process,
		 th->number);
	if (r->per == PER_THREAD)
		fprintf(r->a.text, "\nthread %" PRIu32 ".%" PRIu32 "  %s  tid %" PRIu32,
			th->process, th->number, th->name, th->tid);
	else
		fprintf(r->a.text, "\nprocess %" PRIu32 "  %s  pid %" PRIu32, th->process, p->exe,
			p->pid);
	if (p->rank >= 0)
		fprintf(r->a.text, "  rank %" PRId32, p->rank);
	fprintf(r->a.text, ": %s call%s\n", bob_format_count(a, calls), bob_plural(calls));
}

static int same_group(const struct report *r, uint32_t a, uint32_t b)
{
	if (r->per == PER_ALL)
		return 1;
	return r->per == PER_PROCESS && bob_trace_thread(r->a.s.trace, a)->process ==
						bob_trace_thread(r->a.s.trace, b)->process;
}

/* Prints a table of the threads from `first` on that belong together; *next is the one after
 * them. */
static int report_group(struct report *r, uint32_t first, uint32_t *next)
{
	uint32_t n = bob_trace_thread_count(r->a.s.trace), i = first;
	struct bob_error err = { 0 };
	struct bob_callgraph *g;
	bob_status st = bob_callgraph_create(r->a.s.functions, &g);
	int status = 0;

	if (st != BOB_OK)
		return cli_fail_status("report", "cannot count", st, NULL);
	do {
		st = bob_callgraph_add(g, r->a.s.trace, i, &r->a.s.progress, &err);
		status = cli_session_thread_done(&r->a.s, i, st, &err);
		i = cli_session_thread(&r->a.s, i + 1);
	} while (!status && i < n && same_group(r, first, i));
	cli_session_progress_end(&r->a.s);
	if (!status) {
		if (r->per != PER_ALL)
			print_group_title(r, first, bob_callgraph_total(g));
		status = print_tables(r, g);
	}
	bob_callgraph_destroy(g);
	*next = i;
	return status;
}

static void add_counters(struct bob_thread_info *sum, const struct bob_thread_info *th)
{
	sum->events += th->events;
	sum->stream_bytes += th->stream_bytes;
	sum->top_mismatch += th->top_mismatch;
	sum->orphans += th->orphans;
	sum->sp_rule += th->sp_rule;
	sum->lost += th->lost;
	sum->restarts += th->restarts;
}

static uint32_t sum_chosen(const struct cli_session *s, struct bob_thread_info *sum)
{
	uint32_t n = bob_trace_thread_count(s->trace), count = 0;

	memset(sum, 0, sizeof(*sum));
	for (uint32_t i = cli_session_thread(s, 0); i < n; i = cli_session_thread(s, i + 1)) {
		add_counters(sum, bob_trace_thread(s->trace, i));
		count++;
	}
	return count;
}

static void print_head(const struct cli_session *s, FILE *out)
{
	char a[BOB_NUMBER_MAX], b[BOB_NUMBER_MAX], c[BOB_NUMBER_MAX];
	uint32_t processes = bob_trace_process_count(s->trace), threads;
	struct bob_thread_info sum;

	threads = sum_chosen(s, &sum);
	fprintf(out, "%s: %s call%s in %s thread%s", s->dir, bob_format_count(a, sum.events),
		bob_plural(sum.events), bob_format_count(b, threads), bob_plural(threads));
	if (threads == bob_trace_thread_count(s->trace))
		fprintf(out, " of %s process%s", bob_format_count(a, processes),
			processes == 1 ? "" : "es");
	fprintf(out, ", kept in %s\n", bob_format_bytes(c, sum.stream_bytes));
}

static void print_self_check(const struct cli_session *s, FILE *out)
{
	char a[BOB_NUMBER_MAX];
	struct bob_thread_info sum;

	sum_chosen(s, &sum);
	fprintf(out, "self-check  %s call%s did not meet the expected caller's frame\n",
		bob_format_count(a, sum.top_mismatch), bob_plural(sum.top_mismatch));
	if (sum.orphans)
		fprintf(out,
			"            %s call%s came from code that is not known "
			"(JIT, vdso): %s there\n",
			bob_format_count(a, sum.orphans), bob_plural(sum.orphans),
			sum.orphans == 1 ? "its stack begins" : "their stacks begin");
	if (sum.sp_rule)
		fprintf(out, "            %s exit%s guessed from the stack pointer\n",
			bob_format_count(a, sum.sp_rule), bob_plural(sum.sp_rule));
	if (sum.lost)
		fprintf(out, "            %s call%s could not be recorded\n",
			bob_format_count(a, sum.lost), bob_plural(sum.lost));
	if (sum.restarts)
		fprintf(out, "            %s recording%s given up half way and begun anew\n",
			bob_format_count(a, sum.restarts), bob_plural(sum.restarts));
}

static void print_overhead(const struct cli_session *s, FILE *out)
{
	uint32_t n = bob_trace_thread_count(s->trace);
	struct cli_overhead o = { 0 };

	for (uint32_t i = cli_session_thread(s, 0); i < n; i = cli_session_thread(s, i + 1)) {
		const struct bob_thread_info *th = bob_trace_thread(s->trace, i);

		cli_overhead_add(&o, bob_trace_process(s->trace, th->process), th);
	}
	cli_overhead_print(&o, out);
}

static int report_all(struct report *r)
{
	uint32_t n = bob_trace_thread_count(r->a.s.trace);
	int status = 0;

	print_head(&r->a.s, r->a.text);
	if (r->per == PER_ALL)
		fputc('\n', r->a.text);
	for (uint32_t i = cli_session_thread(&r->a.s, 0); i < n && !status;)
		status = report_group(r, i, &i);
	if (status)
		return status;
	if (r->callers || r->callees) {
		if (!r->found)
			return cli_fail("report", "no function that was called fits '%s'",
					r->callers ? r->callers : r->callees);
		return r->a.s.damaged != 0;
	}
	cli_untraced_print(&r->a.s, r->a.text);
	fputc('\n', r->a.text);
	print_self_check(&r->a.s, r->a.text);
	print_overhead(&r->a.s, r->a.text);
	return r->a.s.damaged != 0;
}

static int check_calls(const struct report *r)
{
	if (r->by >= CLI_BY_INSTRUCTION)
		return cli_misuse("report",
				  "--by=instruction, line, variable and sync are for memory "
				  "accesses; these are calls");
	return cli_session_need_calls(&r->a.s) ? 1 : 0;
}

static enum bob_memory_by memory_by(enum cli_report_by by)
{
	switch (by) {
	case CLI_BY_INSTRUCTION:
		return BOB_MEMORY_INSTRUCTION;
	case CLI_BY_LINE:
		return BOB_MEMORY_LINE;
	case CLI_BY_VARIABLE:
		return BOB_MEMORY_VARIABLE;
	default:
		return BOB_MEMORY_FUNCTION;
	}
}

static int check_memory(const struct report *r)
{
	if (r->callers || r->callees || r->per != PER_ALL || r->by == CLI_BY_IMAGE ||
	    r->by == CLI_BY_API || r->by >= CLI_BY_SITE)
		return cli_misuse("report",
				  "memory accesses are shown by function, instruction, line, "
				  "variable or sync, of all chosen threads together");
	if (r->by != CLI_BY_SYNC && cli_session_events_alone(&r->a.s))
		return cli_fail("report", "the trace has events alone, no accesses: bobbin report "
					  "--mpi and bobbin show --mpi show them");
	return 0;
}

static int check_mpi(const struct report *r)
{
	if (r->callers || r->callees || r->per != PER_ALL ||
	    (r->by != CLI_BY_FUNCTION && r->by < CLI_BY_SITE))
		return cli_misuse(
			"report",
			"MPI calls are shown by function, site, comm, rank, late, hook or "
			"parameter, of all chosen ranks together");
	if ((r->by == CLI_BY_LATE || r->by == CLI_BY_HOOK) && r->a.s.select.count)
		return cli_misuse("report",
				  "--by=late and hook are of all ranks together: not with --group");
	return cli_session_need_mpi(&r->a.s);
}

static int report_mpi(struct report *r)
{
	if (r->by == CLI_BY_LATE)
		return cli_report_late(&r->a);
	if (r->by == CLI_BY_HOOK)
		return cli_report_hooks(&r->a);
	if (r->by == CLI_BY_PARAMETER)
		return cli_report_parameters(&r->a);

	cli_session_no_limit(&r->a.s, "sums of MPI calls, which are not read one by one");

	static const enum bob_mpi_by by[] = { BOB_MPI_BY_SITE, BOB_MPI_BY_COMM, BOB_MPI_BY_RANK };

	return cli_report_mpi(&r->a,
			      r->by >= CLI_BY_SITE ? by[r->by - CLI_BY_SITE] : BOB_MPI_BY_FUNCTION);
}

static int report_memory(struct report *r)
{
	if (r->by == CLI_BY_SYNC)
		return cli_report_syncs(&r->a);

	int status = cli_report_memory(&r->a, memory_by(r->by));

	if (!status)
		cli_report_predicted(&r->a.s, r->baseline, r->a.text);
	return status;
}

static int print_report(struct report *r, int memory)
{
	int status = cli_answer_begin(&r->a);

	if (status)
		return status;
	status = r->mpi ? report_mpi(r) : memory ? report_memory(r) : report_all(r);
	return cli_answer_end(&r->a, status);
}

int verb_report(int argc, char **argv)
{
	struct report r = { .a = CLI_ANSWER("report", ROWS_DEFAULT), .per = PER_ALL };
	int status = cli_options_read("report", argc, argv, &r), memory;

	if (status != CLI_GO_ON)
		return status;
	status = cli_session_open(&r.a.s, argc, argv);
	if (status)
		return status;
	memory = !r.mpi && cli_report_is_memory(&r.a.s) &&
		 !(r.by == CLI_BY_FUNCTION && cli_session_events_alone(&r.a.s));
	r.mpi |= r.by >= CLI_BY_SITE || (!memory && cli_session_is_mpi(&r.a.s));
	memory &= !r.mpi;
	status = r.mpi ? check_mpi(&r) : memory ? check_memory(&r) : check_calls(&r);
	if (!status && memory)
		status = cli_between_apply(&r.between, &r.a.s, 0);
	else if (!status && r.between.given)
		status = cli_misuse("report", "--between is for memory accesses");
	if (!status)
		status = print_report(&r, memory);
	cli_session_close(&r.a.s);
	return status;
}

int cli_short_report(const char *dir, FILE *out)
{
	struct report r = { .a = CLI_ANSWER("report", 10), .per = PER_ALL };
	uint32_t next;
	int status = cli_session_open_dir(&r.a.s, dir);

	if (status)
		return status;
	r.a.out = r.a.text = out;
	print_head(&r.a.s, out);
	fputc('\n', out);
	if (cli_session_thread(&r.a.s, 0) < bob_trace_thread_count(r.a.s.trace))
		status = report_group(&r, 0, &next);
	fputs("\nnext: bobbin report, bobbin show\n", out);
	cli_session_close(&r.a.s);
	return status;
}
