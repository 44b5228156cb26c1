/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "cli/record/record_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/terminal/complain.h"
#include "cli/event_words.h"
#include "cli/record/hook_prototype.h"
#include "cli/record/mpi_shim.h"
#include "cli/record/ranks.h"
#include "cli/verbs.h"

#define TIME_NAMES "marks|exact:mpi|none"
#define COLLECTOR_NAMES "process|none"

enum {
	OPT_CALLS = REC_COMMON,
	OPT_EVENTS,
	OPT_PLUGIN,
	OPT_HOOK_FUNCTIONS,
	OPT_WHEN,
	OPT_RANKS,
	OPT_MPI = OPT_RANKS + RANKS_COMMON,
	OPT_WRAP,
	OPT_NO_CALLSITES,
	OPT_MPI_MORE,
	OPT_MEM = OPT_MPI_MORE + MPI_COMMON,
	OPT_MEM_ONLY,
	OPT_ENGINE,
	OPT_FROM_START,
	OPT_SOURCE,
	OPT_COLLECTOR,
	OPT_REQUIRE_COMPLETE,
	OPT_TIME,
	OPT_QUIET,
	OPT_REPORT,
	OPT_EXEC,
	OPT_FOLDING
};

const struct cli_option record_options[] = {
	RECORDING_OPTIONS,
	{ "calls", 0, NULL,
	  "record calls; this is what is recorded if nothing else is asked for" },
	{ "events", 0, NULL, "record the program's own events (bobbin/events.h)" },
	{ "plugin", 0, "FILE",
	  "--events with the hooks of this shared object (bobbin/hooks.h), or of ours: "
	  "cluster, counters, latency, memory; may be repeated" },
	{ "hook-functions", 0, "PATTERN",
	  "record each call of functions whose name matches as an event of that name; a "
	  "prototype of C: of that function, with its parameters and its result; may be "
	  "repeated" },
	{ "when", 0, "EVENTS: CONDITION",
	  "leave out events of which it is not true: 'MPI_*send: count > 1000'; may be "
	  "repeated" },
	RANKS_OPTIONS,
	{ "mpi", 0, "[WHICH]",
	  "record calls of MPI, with all their parameters, folded to loops",
	  .values = CLI_MPI_NAMES },
	{ "wrap", 0, "SPEC",
	  "record calls of the functions whose prototypes SPEC lists (bobbin wrap); "
	  "opencl is one that is there" },
	{ "no-callsites", 0, NULL, "--mpi, --events: not where they come from" },
	MPI_OPTIONS,
	{ "mem", 0, NULL,
	  "record memory accesses instead of calls, folded to loops; --images is main "
	  "then" },
	{ "mem-only", 0, "WHAT",
	  "--mem of these variables or addresses only: x, file.c:x, mod::x, /blk/x, "
	  "x+800..+80, 0xA..0xB; separated by commas, may be repeated" },
	{ "engine", 0, "ENGINE",
	  "of --mem: native, rewriting the program's code; valgrind; auto (default): "
	  "native, but for static programs",
	  .env = "BOBBIN_ENGINE",
	  .values = "auto|native|valgrind" },
	{ "from-start", 0, NULL, "--mem: accesses before main, too" },
	{ "source", 0, NULL,
	  "record what instrumented sources tell of their variables (bobbin instrument)" },
	{ "collector", 0, "HOW",
	  "--source: process: another process folds what is recorded; none: the program "
	  "itself",
	  .env = "BOBBIN_COLLECTOR",
	  .values = COLLECTOR_NAMES },
	{ "require-complete", 0, NULL,
	  "--mem: refuse to start if some code could not be recorded" },
	{ "time", 0, "HOW",
	  "marks: sample positions of calls from outside, statistics of MPI calls "
	  "(default); exact:mpi: begin and end of each MPI call as well; none",
	  .env = "BOBBIN_TIME",
	  .values = TIME_NAMES },
	{ "quiet", 'q', NULL, "print nothing of our own", .env = "BOBBIN_QUIET" },
	{ "report", 0, NULL, "print a short report when the program has ended" },
	{ "exec", 0, NULL, "become the program instead of waiting for it (no time marks)" },
	FOLDING_OPTIONS,
	{ 0 },
};

static int engine_option(struct recording *r, const char *arg)
{
	if (cli_word_index("auto|native|valgrind", arg) < 0)
		return cli_misuse("record", "--engine=%s: want auto, native or valgrind", arg), 125;
	r->engine.engine = arg;
	return 0;
}

static int add_chosen(struct recording *r, const char *arg)
{
	char *all;

	if (asprintf(&all, "%s%s%s", r->mem_only ? r->mem_only : "", r->mem_only ? "," : "", arg) <
	    0)
		return cli_fail("record", "out of memory"), 125;
	free(r->mem_only);
	r->mem_only = all;
	return 0;
}

int record_options_read(struct recording *r, int argc, char **argv)
{
	struct cli_options o;
	const char *arg;
	int i;

	cli_options_begin(&o, "record", argc, argv);
	while ((i = cli_options_next(&o, &arg)) >= 0) {
		int bad = 0;

		if (i == REC_OUTPUT)
			r->output = arg;
		else if (i == OPT_CALLS)
			r->calls = 1;
		else if (i == OPT_EVENTS)
			r->events = 1;
		else if (i == OPT_PLUGIN)
			r->events = 1, bad = cli_plugin_option(&r->vars, "record", arg);
		else if (i == OPT_WHEN)
			r->events = 1, bad = cli_when_option(&r->vars, "record", arg);
		else if (i == OPT_WRAP)
			r->wrap.spec = arg;
		else if (i == OPT_HOOK_FUNCTIONS)
			r->events = 1, bad = cli_hook_functions_option(&r->vars, "record", arg);
		else if (i >= OPT_RANKS && i < OPT_MPI)
			r->events |= i != OPT_RANKS + RANKS_FLUSH,
				bad = cli_ranks_option(&r->vars, "record", i - OPT_RANKS, arg);
		else if (i == OPT_MPI && arg && cli_word_index(CLI_MPI_NAMES, arg) < 0)
			bad = (cli_misuse("record", "--mpi=%s: want openmpi or mpich", arg), 125);
		else if (i == OPT_MPI)
			r->mpi = 1, r->which_mpi = arg;
		else if (i == OPT_NO_CALLSITES)
			cli_vars_set(&r->vars, "BOBBIN_CALLSITES", "0");
		else if (i >= OPT_MPI_MORE && i < OPT_MEM)
			r->mpi = 1, bad = cli_mpi_option(&r->vars, "record", i - OPT_MPI_MORE, arg);
		else if (i == OPT_MEM)
			r->mem = 1;
		else if (i == OPT_MEM_ONLY)
			r->mem = 1, bad = add_chosen(r, arg);
		else if (i == OPT_SOURCE)
			r->source = r->events = 1;
		else if (i == OPT_COLLECTOR && cli_word_index(COLLECTOR_NAMES, arg) >= 0)
			r->collector = arg;
		else if (i == OPT_COLLECTOR)
			bad = (cli_misuse("record", "--collector=%s: want process or none", arg),
			       125);
		else if (i == OPT_FROM_START)
			r->engine.from_start = 1;
		else if (i == OPT_REQUIRE_COMPLETE)
			r->engine.complete = 1;
		else if (i == OPT_ENGINE)
			bad = engine_option(r, arg);
		else if (i == OPT_TIME && cli_word_index(TIME_NAMES, arg) >= 0)
			r->time = arg;
		else if (i == OPT_TIME)
			bad = (cli_misuse("record", "--time=%s: want marks, exact:mpi or none",
					  arg),
			       125);
		else if (i == OPT_QUIET)
			r->quiet = 1;
		else if (i == OPT_REPORT)
			r->report = 1;
		else if (i == OPT_EXEC)
			r->exec = 1;
		else if (i >= OPT_FOLDING)
			bad = cli_folding_option(&r->folding, "record", i - OPT_FOLDING, arg) ?
				      125 :
				      0;
		else
			bad = cli_recording_option(&r->vars, "record", i, arg);
		if (bad)
			return bad;
	}
	if (i == CLI_OPTIONS_HELP)
		return -1;
	return i == CLI_OPTIONS_BAD ? 125 : 0;
}
