/* SPDX-License-Identifier: BSD-3-Clause */
/* The verbs. Each is in verb_<name>.c, which defines the function and the option table declared
 * here; verbs.c lists them. The functions return the exit status.
 *
 * verb_record also implements `record --report -- cmd`: it prints cli_short_report of the trace on
 * stderr after the program has ended, before the launcher returns the program's status; `bobbin
 * ./app` runs this. */
#ifndef BOB_CLI_VERBS_H
#define BOB_CLI_VERBS_H

#include <stdio.h>

#include "cli/terminal/options.h"

int verb_record(int argc, char **argv);
int verb_plan(int argc, char **argv);
int verb_env(int argc, char **argv);
int verb_info(int argc, char **argv);
int verb_report(int argc, char **argv);
int verb_show(int argc, char **argv);
int verb_graph(int argc, char **argv);
int verb_dump(int argc, char **argv);
int verb_export(int argc, char **argv);
int verb_replay(int argc, char **argv);
int verb_cache(int argc, char **argv);
int verb_arrays(int argc, char **argv);
int verb_commmatrix(int argc, char **argv);
int verb_merge(int argc, char **argv);
int verb_fold(int argc, char **argv);
int verb_concerns(int argc, char **argv);
int verb_wrap(int argc, char **argv);
int verb_instrument(int argc, char **argv);
int verb_check(int argc, char **argv);
int verb_calibrate(int argc, char **argv);
int verb_help(int argc, char **argv);

extern const struct cli_option record_options[], plan_options[], env_options[], info_options[],
	report_options[], show_options[], graph_options[], dump_options[], export_options[],
	check_options[], replay_options[], cache_options[], arrays_options[], commmatrix_options[],
	merge_options[], fold_options[], concerns_options[], wrap_options[], instrument_options[],
	calibrate_options[], help_options[];

extern const struct cli_verb *const cli_verbs[]; /* NULL terminated */
const struct cli_verb *cli_verb_find(const char *name); /* NULL: unknown */
/* A planned verb: never taken for a program to record, whose trace would replace another one. */
int cli_verb_is_planned(const char *name);

/* Prints the lines that follow `bobbin ./app`. Returns an exit status. */
int cli_short_report(const char *dir, FILE *out);

#endif
