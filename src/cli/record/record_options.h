/* SPDX-License-Identifier: BSD-3-Clause */
/* The parsed options of `record`. */
#ifndef BOB_CLI_RECORD_OPTIONS_H
#define BOB_CLI_RECORD_OPTIONS_H

#include "cli/merge/folding.h"
#include "cli/record/mem_engine.h"
#include "cli/record/recording.h"
#include "cli/record/wrap_library.h"

struct recording {
	const char *output;
	int quiet, report, exec, calls, events, mpi, mem, source;
	const char *collector;	/* process or none; NULL: not given, process */
	const char *time;	/* one of TIME_NAMES */
	char *mem_only;		/* items of --mem-only, malloc'ed; NULL: everything */
	const char *which_mpi;	/* NULL: the program's */
	struct cli_wrap wrap;
	struct cli_mem engine;
	struct cli_folding folding;
	struct cli_vars vars;
};

/* 0; -1: help was printed; else an exit status after a complaint. */
int record_options_read(struct recording *r, int argc, char **argv);

#endif
