/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of verbs, in the order in which --help lists them. */
#include "cli/verbs.h"

#include <string.h>

static const struct cli_verb
	record = { "record", "run a program and record the calls of all its threads",
		   "[options] [--] COMMAND [ARG...]", record_options, verb_record, 125, 1, 0 },
	report = { "report", "functions by calls, their callers and callees",
		   "[options] [DIR]", report_options, verb_report, 2, 0, 0 },
	show = { "show", "the calls as a folded tree, thread by thread",
		 "[options] [DIR]", show_options, verb_show, 2, 0, 0 },
	graph = { "graph", "the call graph: call paths or arcs",
		  "[options] [DIR]", graph_options, verb_graph, 2, 0, 0 },
	info = { "info", "what was recorded, where, how large, and what is missing",
		 "[options] [DIR]", info_options, verb_info, 2, 0, 0 },
	export = { "export", "write the trace for other tools",
		   "--format=FORMAT [options] [DIR]", export_options, verb_export, 2, 0, 0 },
	check = { "check", "is the trace intact, and is the run in it complete?",
		  "[options] [DIR]", check_options, verb_check, 2, 0, 0 },
	dump = { "dump", "print every event as one line of text",
		 "[options] [DIR]", dump_options, verb_dump, 2, 0, 0 },
	replay = { "replay", "print the memory accesses, one by one, in order",
		   "[options] [DIR]", replay_options, verb_replay, 2, 0, 0 },
	cache = { "cache", "simulate caches: misses and sharing of memory accesses",
		  "[options] [DIR]", cache_options, verb_cache, 2, 0, 0 },
	arrays = { "arrays", "how instrumented sources accessed their variables",
		   "[options] [DIR]", arrays_options, verb_arrays, 2, 0, 0 },
	commmatrix = { "commmatrix", "messages and bytes between pairs of MPI ranks",
		       "[options] [DIR]", commmatrix_options, verb_commmatrix, 2, 0, 0 },
	merge = { "merge", "merge the threads and processes of a folded trace",
		  "[options] [DIR]", merge_options, verb_merge, 2, 0, 0 },
	fold = { "fold", "fold raw memory accesses, or fold a trace differently",
		 "[options] [DIR]", fold_options, verb_fold, 2, 0, 0 },
	concerns = { "concerns", "how scattered concerns are over a program's source",
		     "[options] MAP [MAP]", concerns_options, verb_concerns, 2, 0, 0 },
	plan = { "plan", "prepare the patch plans of programs and libraries",
		 "[options] FILE...", plan_options, verb_plan, 2, 0, 0 },
	wrap = { "wrap", "write wrappers that record functions, from C prototypes",
		 "[options] SPEC", wrap_options, verb_wrap, 2, 0, 0 },
	instrument = { "instrument", "insert probes for variables into C and Fortran sources",
		       "[options] [COMMANDS] [-- FLAG...]", instrument_options,
		       verb_instrument, 2, 1, 0 },
	env = { "env", "print variables that record without the launcher",
		"[options]", env_options, verb_env, 2, 0, 0 },
	calibrate = { "calibrate", "internal: time calls, for the estimate of overhead",
		      "", calibrate_options, verb_calibrate, 2, 0, 1 },
	help = { "help", "explain a verb",
		 "[VERB]", help_options, verb_help, 2, 0, 0 };

const struct cli_verb *const cli_verbs[] = {
	&record, &report, &show, &graph, &info, &export, &check, &dump, &replay, &cache, &arrays,
	&commmatrix, &merge, &fold, &concerns, &plan, &wrap, &instrument, &env, &help, &calibrate,
	NULL
};

const struct cli_verb *cli_verb_find(const char *name)
{
	for (int i = 0; cli_verbs[i]; i++)
		if (!strcmp(cli_verbs[i]->name, name))
			return cli_verbs[i];
	return NULL;
}

int cli_verb_is_planned(const char *name)
{
	static const char *const words[] = { "diff",	 "outlier",	"phases",  "view", "where",
					     "generate", "extrapolate", "predict", "tui", "flags" };

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!strcmp(words[i], name))
			return 1;
	return 0;
}
