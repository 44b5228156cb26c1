/* SPDX-License-Identifier: BSD-3-Clause */
/* Option table of `record`: parses the options, and chooses what is recorded (record_options.h). */
#define _GNU_SOURCE
#include "cli/record/record_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/terminal/complain.h"
#include "cli/event_words.h"
#include "cli/record/hook_prototype.h"
#include "cli/record/mpi_shim.h"
#include "cli/record/rank_functions.h"
#include "cli/verbs.h"

#define TIME_NAMES "marks|exact:mpi|none"
#define COLLECTOR_NAMES "process|none"

/* Joins the items of several --mem-only by commas. */
static int add_chosen(const char *verb, void *items, const char *arg)
{
	char **chosen = items, *all;

	if (asprintf(&all, "%s%s%s", *chosen ? *chosen : "", *chosen ? "," : "", arg) < 0)
		return cli_fail(verb, "out of memory"), 125;
	free(*chosen);
	*chosen = all;
	return 0;
}

/* --mpi, whose argument is optional. */
static int take_mpi(const char *verb, void *which, const char *arg)
{
	if (arg && cli_word_index(CLI_MPI_NAMES, arg) < 0)
		return cli_misuse(verb, "--mpi=%s: want openmpi or mpich", arg);
	*(const char **)which = arg;
	return 0;
}

static int take_no_callsites(const char *verb, void *vars, const char *arg)
{
	(void)verb;
	(void)arg;
	cli_vars_set(vars, "BOBBIN_CALLSITES", "0");
	return 0;
}

const struct cli_option record_options[] = {
	RECORDING_OPTIONS(struct recording, output, vars),
	{ "calls", 0, NULL, "record calls (default if no other kind is chosen)",
	  CLI_FLAG(struct recording, calls) },
	{ "events", 0, NULL, "record the program's own events (bobbin/events.h)",
	  CLI_FLAG(struct recording, events) },
	{ "plugin", 0, "FILE",
	  "record events and run the hooks of this shared object (bobbin/hooks.h), or of a "
	  "built-in plug-in: cluster, counters, latency, memory; may be repeated",
	  CLI_TAKE(struct recording, vars, cli_plugin_option) },
	{ "hook-functions", 0, "PATTERN",
	  "record each call of a function whose name matches as an event of that name; a C "
	  "prototype instead of a name also records the parameters and the result; may be "
	  "repeated",
	  CLI_TAKE(struct recording, vars, cli_hook_functions_option) },
	{ "when", 0, "EVENTS: CONDITION",
	  "record matching events only if the condition is true: 'MPI_*send: count > 1000'; "
	  "may be repeated",
	  CLI_TAKE(struct recording, vars, cli_when_option) },
	RANKS_OPTIONS(struct recording, vars),
	{ "mpi", 0, "[WHICH]", "record MPI calls with all their parameters, folded to loops",
	  .values = CLI_MPI_NAMES,
	  CLI_TAKE(struct recording, which_mpi, take_mpi) },
	{ "wrap", 0, "SPEC",
	  "record calls of the functions whose prototypes SPEC lists (bobbin wrap); opencl "
	  "is a built-in SPEC",
	  CLI_TEXT(struct recording, wrap.spec) },
	{ "no-callsites", 0, NULL, "--mpi, --events: do not record call sites",
	  CLI_TAKE(struct recording, vars, take_no_callsites) },
	MPI_OPTIONS(struct recording, vars),
	{ "mem", 0, NULL,
	  "record memory accesses instead of calls, folded to loops; --images is then main "
	  "by default",
	  CLI_FLAG(struct recording, mem) },
	{ "mem-only", 0, "WHAT",
	  "record only accesses to these variables or addresses: x, file.c:x, mod::x, "
	  "/blk/x, x+800..+80, 0xA..0xB; separated by commas, may be repeated",
	  CLI_TAKE(struct recording, mem_only, add_chosen) },
	{ "engine", 0, "ENGINE",
	  "--mem: native rewrites the program's code; valgrind; auto (default): valgrind "
	  "for static programs, else native",
	  .env = "BOBBIN_ENGINE",
	  CLI_ONE_OF(struct recording, engine.engine, "auto|native|valgrind") },
	{ "from-start", 0, NULL, "--mem: also record accesses before main",
	  CLI_FLAG(struct recording, engine.from_start) },
	{ "source", 0, NULL,
	  "record the accesses that instrumented sources report (bobbin instrument)",
	  CLI_FLAG(struct recording, source) },
	{ "collector", 0, "HOW",
	  "--source: where records are folded; process: in another process; none: in the "
	  "program",
	  .env = "BOBBIN_COLLECTOR",
	  CLI_ONE_OF(struct recording, collector, COLLECTOR_NAMES) },
	{ "require-complete", 0, NULL,
	  "--mem: refuse to start if some code cannot be recorded",
	  CLI_FLAG(struct recording, engine.complete) },
	{ "time", 0, "HOW",
	  "marks (default): sample positions of calls from outside, keep statistics of MPI "
	  "calls; exact:mpi: also begin and end of each MPI call; none",
	  .env = "BOBBIN_TIME",
	  CLI_ONE_OF(struct recording, time, TIME_NAMES) },
	{ "quiet", 'q', NULL, "print no messages of bobbin itself", .env = "BOBBIN_QUIET",
	  CLI_FLAG(struct recording, quiet) },
	{ "report", 0, NULL, "print a short report when the program has ended",
	  CLI_FLAG(struct recording, report) },
	{ "exec", 0, NULL, "replace the launcher by the program (no time marks)",
	  CLI_FLAG(struct recording, exec) },
	FOLDING_OPTIONS(struct recording, folding),
	{ 0 },
};

/* Options that imply a kind of recording. */
#define MEANS_EVENTS "plugin|hook-functions|when|init|finalize|rank|ranks|source"
#define MEANS_MPI "mpi|mpi-functions|mpi-level|mpi-vectors"

int record_options_read(struct recording *r, int argc, char **argv)
{
	uint64_t given;
	const int status = cli_options_read_given("record", argc, argv, r, &given);

	if (status != CLI_GO_ON)
		return status ? 125 : -1;
	r->events |= cli_options_given("record", given, MEANS_EVENTS) != NULL;
	r->mpi |= cli_options_given("record", given, MEANS_MPI) != NULL;
	r->mem |= cli_options_given("record", given, "mem-only") != NULL;
	return 0;
}
