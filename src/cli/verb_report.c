/* SPDX-License-Identifier: BSD-3-Clause */
/* bobbin report: functions by calls; callers and callees; per thread, process or all together. */
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/between.h"
#include "cli/terminal/complain.h"
#include "table/numbers.h"
#include "cli/terminal/output.h"
#include "cli/overhead.h"
#include "cli/terminal/pager.h"
#include "cli/report_hooks.h"
#include "cli/mpi/report_late.h"
#include "cli/memory/report_memory.h"
#include "cli/mpi/report_mpi.h"
#include "cli/report_parameters.h"
#include "cli/source/report_predicted.h"
#include "cli/memory/report_syncs.h"
#include "cli/report_tables.h"
#include "cli/session.h"
#include "cli/terminal/text_table.h"
#include "cli/untraced.h"
#include "cli/verbs.h"

enum {
	OPT_CALLERS,
	OPT_CALLEES,
	OPT_BY,
	OPT_MPI,
	OPT_SORT,
	OPT_PER,
	OPT_BETWEEN,
	OPT_BASELINE,
	OPT_GROUP,
	OPT_LIMIT,
	OPT_MAX_EVENTS,
	OPT_OUTPUT,
	OPT_NO_DEMANGLE,
	OPT_NO_PAGER
};

const struct cli_option report_options[] = {
	{ "callers", 'c', "FUNCTION", "who calls it; a name or a pattern such as 'read_*'", NULL,
	  NULL },
	{ "callees", 'C', "FUNCTION", "what it calls", NULL, NULL },
	{ "by", 'b', "KIND", "rows are functions, images, or api: calls from one image into another; of "
	  "memory accesses functions, instructions, source lines, variables, or sync: what threads "
	  "synchronise by; of MPI calls functions, sites, communicators (comm), ranks, or late: what waited for whom; hook: what hooks brought; parameter: what events and calls were called with", NULL,
	  "function|image|api|instruction|line|variable|sync|site|comm|rank|late|hook|parameter" },
	{ "mpi", 0, NULL, "the calls of MPI, where others are recorded, too", NULL, NULL },
	{ "sort", 's', "KEY", "order by calls (default), below, name or image", NULL,
	  "calls|below|name|image" },
	{ "per", 'p', "KIND", "one table per thread, per process, or one for all (default)", NULL,
	  "thread|process|all" },
	{ "between", 0, "FROM..TO", "in a table of memory accesses: " CLI_BETWEEN_HELP, NULL, NULL },
	{ "baseline", 0, "SECONDS", "how long the program takes without probes of `bobbin instrument`: what they cost stands beside what was predicted", NULL, NULL },
	{ "group", 'g', "SPEC", "only these threads: 0, 1.0, rank=0-3, pid=N, host=NAME", NULL,
	  NULL },
	{ "limit", 'n', "ROWS", "rows per table (default 30, 0 for all)", NULL, NULL },
	{ "max-events", 0, "N", CLI_MAX_EVENTS_HELP, NULL, NULL },
	{ "output", 'o', "FILE", "write there instead of standard output", NULL, NULL },
	{ "no-demangle", 0, NULL, "print C++ names as the compiler wrote them", NULL, NULL },
	{ "no-pager", 0, NULL, "do not use a pager on a terminal", NULL, NULL },
	{ NULL, 0, NULL, NULL, NULL, NULL },
};

#define ROWS_DEFAULT 30u

enum per { PER_THREAD, PER_PROCESS, PER_ALL };

struct report {
	struct cli_session s;
	struct cli_report_style style;
	const char *callers, *callees, *output;
	enum per per;
	struct cli_between between;
	double baseline;	/* seconds; 0: not said */
	int no_pager, mpi;
	int found;	/* a function that fits --callers or --callees */
};

static int take_baseline(struct report *r, const char *arg)
{
	char *end;

	r->baseline = strtod(arg, &end);
	if (*end || end == arg || !(r->baseline > 0 && r->baseline < 1e9))
		return cli_misuse("report", "--baseline is a number of seconds, not '%s'", arg);
	return 0;
}

static int take_option(struct report *r, int opt, const char *arg)
{
	int value = 0, status = 0;

	switch (opt) {
	case OPT_CALLERS:
		r->callers = arg;
		return 0;
	case OPT_CALLEES:
		r->callees = arg;
		return 0;
	case OPT_BY:
		status = cli_option_word("report", &report_options[opt], arg, &value);
		r->style.by = (enum cli_report_by)value;
		return status;
	case OPT_MPI:
		r->mpi = 1;
		return 0;
	case OPT_SORT:
		status = cli_option_word("report", &report_options[opt], arg, &value);
		r->style.sort = (enum cli_report_sort)value;
		return status;
	case OPT_PER:
		status = cli_option_word("report", &report_options[opt], arg, &value);
		r->per = (enum per)value;
		return status;
	case OPT_BETWEEN:
		return cli_between_parse("report", arg, &r->between);
	case OPT_BASELINE:
		return take_baseline(r, arg);
	case OPT_GROUP:
		return cli_session_select(&r->s, arg);
	case OPT_MAX_EVENTS:
		return cli_session_max_events(&r->s, arg);
	case OPT_LIMIT:
		if (cli_parse_count(arg, &r->style.limit))
			return cli_misuse("report", "--limit is a number, not '%s'", arg);
		return 0;
	case OPT_OUTPUT:
		r->output = arg;
		return 0;
	case OPT_NO_DEMANGLE:
		r->s.no_demangle = 1;
		return 0;
	default:
		r->no_pager = 1;
		return 0;
	}
}

static int print_tables(struct report *r, struct bob_callgraph *g)
{
	int status = 0;

	if (r->callers || r->callees) {
		if (r->callers)
			status = cli_report_neighbours(&r->s, g, r->callers, 1, &r->style);
		r->found |= r->callers && status == 0;
		if (status != 1 && r->callees) {
			if (r->callers)
				fputc('\n', r->style.out);
			status = cli_report_neighbours(&r->s, g, r->callees, 0, &r->style);
			r->found |= status == 0;
		}
		return status == 1;
	}
	if (r->style.by == CLI_BY_IMAGE)
		return cli_report_images(&r->s, g, &r->style);
	if (r->style.by == CLI_BY_API)
		return cli_report_api(&r->s, g, &r->style);
	return cli_report_functions(&r->s, g, &r->style);
}

static void print_group_title(const struct report *r, uint32_t thread, uint64_t calls)
{
	const struct bob_thread_info *th = bob_trace_thread(r->s.trace, thread);
	const struct bob_process_info *p = bob_trace_process(r->s.trace, th->process);
	char a[BOB_NUMBER_MAX];

	if (r->per == PER_THREAD)
		fprintf(r->style.out, "\nthread %" PRIu32 ".%" PRIu32 "  %s  tid %" PRIu32,
			th->process, th->number, th->name, th->tid);
	else
		fprintf(r->style.out, "\nprocess %" PRIu32 "  %s  pid %" PRIu32, th->process,
			p->exe, p->pid);
	if (p->rank >= 0)
		fprintf(r->style.out, "  rank %" PRId32, p->rank);
	fprintf(r->style.out, ": %s call%s\n", bob_format_count(a, calls), bob_plural(calls));
}

static int same_group(const struct report *r, uint32_t a, uint32_t b)
{
	if (r->per == PER_ALL)
		return 1;
	return r->per == PER_PROCESS &&
	       bob_trace_thread(r->s.trace, a)->process == bob_trace_thread(r->s.trace, b)->process;
}

/* One table of the threads from `first` on that belong together; *next is the one after. */
static int report_group(struct report *r, uint32_t first, uint32_t *next)
{
	uint32_t n = bob_trace_thread_count(r->s.trace), i = first;
	struct bob_error err = { 0 };
	struct bob_callgraph *g;
	bob_status st = bob_callgraph_create(r->s.functions, &g);
	int status = 0;

	if (st != BOB_OK)
		return cli_fail_status("report", "cannot count", st, NULL);
	do {
		st = bob_callgraph_add(g, r->s.trace, i, &r->s.progress, &err);
		status = cli_session_thread_done(&r->s, i, st, &err);
		i = cli_session_thread(&r->s, i + 1);
	} while (!status && i < n && same_group(r, first, i));
	cli_session_progress_end(&r->s);
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
	uint32_t n = bob_trace_thread_count(r->s.trace);
	int status = 0;

	print_head(&r->s, r->style.out);
	if (r->per == PER_ALL)
		fputc('\n', r->style.out);
	for (uint32_t i = cli_session_thread(&r->s, 0); i < n && !status;)
		status = report_group(r, i, &i);
	if (status)
		return status;
	if (r->callers || r->callees) {
		if (!r->found)
			return cli_fail("report", "no function that was called fits '%s'",
					r->callers ? r->callers : r->callees);
		return r->s.damaged != 0;
	}
	cli_untraced_print(&r->s, r->style.out);
	fputc('\n', r->style.out);
	print_self_check(&r->s, r->style.out);
	print_overhead(&r->s, r->style.out);
	return r->s.damaged != 0;
}

static int check_calls(const struct report *r)
{
	if (r->style.by >= CLI_BY_INSTRUCTION)
		return cli_misuse("report",
				  "--by=instruction, line, variable and sync are for memory "
				  "accesses; these are calls");
	return cli_session_need_calls(&r->s) ? 1 : 0;
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
	if (r->callers || r->callees || r->per != PER_ALL || r->style.by == CLI_BY_IMAGE ||
	    r->style.by == CLI_BY_API || r->style.by >= CLI_BY_SITE)
		return cli_misuse("report",
				  "memory accesses are shown by function, instruction, line, "
				  "variable or sync, of all chosen threads together");
	if (r->style.by != CLI_BY_SYNC && cli_session_events_alone(&r->s))
		return cli_fail("report", "the trace has events alone, no accesses: bobbin report "
					  "--mpi and bobbin show --mpi show them");
	return 0;
}

static int check_mpi(const struct report *r)
{
	if (r->callers || r->callees || r->per != PER_ALL ||
	    (r->style.by != CLI_BY_FUNCTION && r->style.by < CLI_BY_SITE))
		return cli_misuse(
			"report",
			"MPI calls are shown by function, site, comm, rank, late, hook or parameter, "
			"of all chosen ranks together");
	if ((r->style.by == CLI_BY_LATE || r->style.by == CLI_BY_HOOK) && r->s.select.count)
		return cli_misuse("report",
				  "--by=late and hook are of all ranks together: not with --group");
	return cli_session_need_mpi(&r->s);
}

static int report_mpi(struct report *r)
{
	if (r->style.by == CLI_BY_LATE)
		return cli_report_late(&r->s, &r->style);
	if (r->style.by == CLI_BY_HOOK)
		return cli_report_hooks(&r->s, &r->style);
	if (r->style.by == CLI_BY_PARAMETER)
		return cli_report_parameters(&r->s, &r->style);

	cli_session_no_limit(&r->s, "sums of MPI calls, which are not read one by one");

	static const enum bob_mpi_by by[] = { BOB_MPI_BY_SITE, BOB_MPI_BY_COMM, BOB_MPI_BY_RANK };

	return cli_report_mpi(&r->s,
			      r->style.by >= CLI_BY_SITE ? by[r->style.by - CLI_BY_SITE] :
							   BOB_MPI_BY_FUNCTION,
			      &r->style);
}

static int report_memory(struct report *r)
{
	if (r->style.by == CLI_BY_SYNC)
		return cli_report_syncs(&r->s, &r->style);

	int status = cli_report_memory(&r->s, memory_by(r->style.by), &r->style);

	cli_report_predicted(&r->s, r->baseline, r->style.out);
	return status;
}

int verb_report(int argc, char **argv)
{
	struct report r = { .s = { .verb = "report" }, .style = { .limit = ROWS_DEFAULT },
			    .per = PER_ALL };
	struct cli_options o;
	const char *arg;
	int opt, status = 0, memory;
	pid_t pager;

	cli_options_begin(&o, "report", argc, argv);
	while ((opt = cli_options_next(&o, &arg)) >= 0)
		if (!status)
			status = take_option(&r, opt, arg);
	if (opt != CLI_OPTIONS_END)
		return opt == CLI_OPTIONS_HELP ? 0 : 2;
	if (!status)
		status = cli_session_open(&r.s, argc, argv);
	if (status)
		return status;
	memory = !r.mpi && cli_report_is_memory(&r.s) &&
		 !(r.style.by == CLI_BY_FUNCTION && cli_session_events_alone(&r.s));
	r.mpi |= r.style.by >= CLI_BY_SITE || (!memory && cli_session_is_mpi(&r.s));
	memory &= !r.mpi;
	status = r.mpi ? check_mpi(&r) : memory ? check_memory(&r) : check_calls(&r);
	if (!status && memory)
		status = cli_between_apply(&r.between, &r.s, 0);
	else if (!status && r.between.given)
		status = cli_misuse("report", "--between is for memory accesses");
	if (status) {
		cli_session_close(&r.s);
		return status;
	}
	r.style.out = cli_output_open("report", r.output);
	if (!r.style.out) {
		cli_session_close(&r.s);
		return 1;
	}
	r.style.width = r.output ? 0 : cli_terminal_width();
	pager = r.output ? 0 : cli_pager_begin(!r.no_pager);
	status = r.mpi ? report_mpi(&r) : memory ? report_memory(&r) : report_all(&r);
	if (pager)
		cli_pager_end(pager);
	else
		status |= cli_output_close("report", r.style.out, r.output);
	cli_session_close(&r.s);
	return status;
}

int cli_short_report(const char *dir, FILE *out)
{
	struct report r = { .s = { .verb = "report" }, .style = { .limit = 10, .out = out },
			    .per = PER_ALL };
	uint32_t next;
	int status = cli_session_open_dir(&r.s, dir);

	if (status)
		return status;
	print_head(&r.s, out);
	fputc('\n', out);
	if (cli_session_thread(&r.s, 0) < bob_trace_thread_count(r.s.trace))
		status = report_group(&r, 0, &next);
	fputs("\nnext: bobbin report, bobbin show\n", out);
	cli_session_close(&r.s);
	return status;
}
