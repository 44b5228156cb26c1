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
	uint64_t max_events;	/* a thread that has more folded ones is an error; 0: no limit */
};

/* Of options, for the struct cli_folding. 0, or 2 after a complaint. */
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

/* Every process of the trace, or, if `root` is not 0, of this pid and its descendants, folded as
 * `f` says; without `raw` those that were killed stay as they are. In place, or, if `to` is not
 * NULL, in a trace directory of that name. 0, or a status for exit after a complaint. */
int cli_fold(const char *verb, const char *dir, uint32_t root, int raw, const struct cli_folding *f,
	     const char *to, struct cli_merged *result);

/* A line that says what was given up when the process's accesses were folded, if anything was.
 * Returns whether. */
int cli_loss_print(const struct bob_trace *t, uint32_t process, const char *before, FILE *out);

#endif
