/* SPDX-License-Identifier: BSD-3-Clause */
/* Folds a trace anew, exactly or with bounded errors: the implementation, and the options that
 * `record` and `fold` share. */
#ifndef BOB_CLI_FOLDING_H
#define BOB_CLI_FOLDING_H

#include "archive/archive.h"
#include "cli/merge/merging.h"
#include "cli/terminal/options.h"

struct cli_folding {
	struct bob_fold_settings how;
	void *library;		/* of the plug-in, until the end of the process */
	uint64_t max_events;	/* limit of folded accesses of a thread, beyond which it is an
				 * error; 0: none */
};

/* For option tables; `folding` is the struct cli_folding. 0, or 2 after a complaint. */
int cli_folding_tolerance(const char *verb, void *folding, const char *arg);
int cli_folding_unordered(const char *verb, void *folding, const char *arg);
int cli_folding_drop_below(const char *verb, void *folding, const char *arg);
int cli_folding_plugin(const char *verb, void *folding, const char *arg);
#define FOLDING_OPTIONS(type, f)                                                                   \
	{ "tolerance", 0, "BYTES",                                                                 \
	  "let addresses deviate by at most BYTES where this folds more",                          \
	  CLI_TAKE(type, f, cli_folding_tolerance) },                                              \
	{ "unordered", 0, "[N]",                                                                   \
	  "do not keep the order of independent accesses within N (64) records",                   \
	  CLI_TAKE(type, f, cli_folding_unordered) },                                              \
	{ "drop-below", 0, "K",                                                                    \
	  "leave out code that fewer than K threads of a process executed",                        \
	  CLI_TAKE(type, f, cli_folding_drop_below) },                                             \
	{ "fold-plugin", 0, "FILE",                                                                \
	  "shared object that defines which events are equal (bobbin/fold.h)",                     \
	  CLI_TAKE(type, f, cli_folding_plugin) }

/* Folds every process of the trace or, if `root` is not 0, this pid and its descendants, as `f`
 * says; without `raw`, killed processes stay unchanged. In place, or into a trace directory `to`
 * unless NULL. 0, or an exit status after a complaint. */
int cli_fold(const char *verb, const char *dir, uint32_t root, int raw, const struct cli_folding *f,
	     const char *to, struct cli_merged *result);

/* Prints a line about the information that folding the process's accesses lost, if any. Returns
 * whether. */
int cli_loss_print(const struct bob_trace *t, uint32_t process, const char *before, FILE *out);

#endif
