/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by `record` and `env`: options that become the agent's environment. */
#ifndef BOB_CLI_RECORDING_H
#define BOB_CLI_RECORDING_H

#include "cli/terminal/options.h"
#include "sys/sys.h"

/* Variables for the program, NAME=value each. The capacity is fixed: options are few. */
#define CLI_VARS_MAX 32
struct cli_vars {
	char *text[CLI_VARS_MAX];
	int count;
};

/* For option tables; the argument is the struct cli_vars. 0, or an exit status after a
 * complaint. */
int cli_recording_images(const char *verb, void *vars, const char *arg);
int cli_recording_codec(const char *verb, void *vars, const char *arg);
int cli_recording_filter(const char *verb, void *vars, const char *arg);
int cli_recording_notrace(const char *verb, void *vars, const char *arg);
int cli_recording_interface(const char *verb, void *vars, const char *arg);
int cli_recording_depth(const char *verb, void *vars, const char *arg);
int cli_recording_trigger(const char *verb, void *vars, const char *arg);
int cli_recording_no_follow(const char *verb, void *vars, const char *arg);
/* Rows of option tables: `type` is the verb's struct, `dir` its field for the trace's name, `vars`
 * its struct cli_vars. */
#define RECORDING_OPTIONS(type, dir, vars)                                                         \
	{ "output", 'o', "DIR",                                                                    \
	  "write the trace to DIR (default: bobbin.data); an existing trace becomes "              \
	  "DIR.old; the newest three are kept",                                                    \
	  .env = "BOBBIN_OUTPUT", CLI_TEXT(type, dir) },                                           \
	{ "images", 0, "WHICH",                                                                    \
	  "main: the program itself; app (default): also its own libraries; all: every "           \
	  "library",                                                                               \
	  .env = "BOBBIN_IMAGES", .values = "main|app|all",                                        \
	  CLI_TAKE(type, vars, cli_recording_images) },                                            \
	{ "codec", 0, "CODEC",                                                                     \
	  "codec of call streams: run (default); parlot, none and null for comparison",            \
	  .env = "BOBBIN_CODEC", .values = "run|parlot|none|null",                                 \
	  CLI_TAKE(type, vars, cli_recording_codec) },                                             \
	{ "filter", 'F', "PATTERN", "record only functions whose name matches; may be repeated",   \
	  CLI_TAKE(type, vars, cli_recording_filter) },                                            \
	{ "notrace", 'N', "PATTERN",                                                               \
	  "do not record functions whose name matches; may be repeated",                           \
	  CLI_TAKE(type, vars, cli_recording_notrace) },                                           \
	{ "interface", 0, "WHAT",                                                                  \
	  "record only calls from other images into mpi, openmp, pthread, a library "              \
	  "(libx.so*) or the functions listed in a file",                                          \
	  .values = "mpi|openmp|pthread", CLI_TAKE(type, vars, cli_recording_interface) },         \
	{ "depth", 0, "N", "record only the N outermost levels of recorded calls",                 \
	  CLI_TAKE(type, vars, cli_recording_depth) },                                             \
	{ "trigger", 0, "PATTERN", "record only during calls of a matching function",              \
	  CLI_TAKE(type, vars, cli_recording_trigger) },                                           \
	{ "no-follow", 0, NULL, "do not record child processes",                                   \
	  CLI_TAKE(type, vars, cli_recording_no_follow) }

/* Why such a program cannot be recorded; NULL: it can. */
const char *cli_recording_problem(enum bob_target t);
/* Completes the variables after the options are read: directory, cache, agent, planner, preload.
 * `dir` is the absolute trace directory. 0, or an exit status after a complaint. */
int cli_recording_finish(struct cli_vars *v, const char *verb, const char *dir);
/* Call it next: sets the cost of recording on this machine, for the trace; measures it if it is
 * unknown and `may_measure`. Unknown costs are no failure. */
void cli_recording_costs(struct cli_vars *v, int may_measure);
const char *cli_vars_get(const struct cli_vars *v, const char *name); /* NULL if not set */
void cli_vars_set(struct cli_vars *v, const char *name, const char *value);
/* Sets the variable, or appends after an existing value and a colon. */
void cli_vars_add(struct cli_vars *v, const char *name, const char *value);
void cli_vars_add_line(struct cli_vars *v, const char *name,
		       const char *value); /* ... and a newline */
void cli_vars_append(struct cli_vars *v, const char *name, const char *value); /* ... directly */
void cli_vars_free(struct cli_vars *v);

#endif
