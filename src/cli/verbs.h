/* SPDX-License-Identifier: BSD-3-Clause */
/* The verbs: each lives in verb_<name>.c, which defines the function and the option table declared
 * here; verbs.c lists them. The functions return the exit status.
 *
 * Contract of verb_record beyond this: `record --report -- cmd` prints cli_short_report of the
 * trace on stderr after the program ended and before the launcher takes over its status; this is
 * what `bobbin ./app` runs. */
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
const struct cli_verb *cli_verb_find(const char *name); /* NULL if there is none */
/* A word that will be a verb: never taken for a program to record, whose trace would replace
 * another. */
int cli_verb_is_planned(const char *name);

/* The few lines shown after `bobbin ./app`. Returns an exit status. */
int cli_short_report(const char *dir, FILE *out);

#endif
