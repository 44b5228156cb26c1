/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints the memory accesses of a thread one by one, under the iterations of the loops that they
 * were folded to. */
#ifndef BOB_CLI_EXPANDED_H
#define BOB_CLI_EXPANDED_H

#include <stdio.h>

#include "analysis/analysis.h"

/* The rule of a function by its symbol: BOB_TREE_ONLY, BOB_TREE_HIDE. */
typedef uint8_t (*cli_symbol_rule_fn)(void *ctx, const char *symbol);

struct cli_expanded {
	uint64_t lines;		/* 0: all */
	uint64_t first, last;	/* numbers of the thread's accesses, last inclusive */
	const struct bob_functions *functions;
	/* as in struct bob_tree_options, for the functions that contain the accesses, inlined or
	 * not */
	const uint8_t *rules;
	int only;		/* only functions with BOB_TREE_ONLY */
	cli_symbol_rule_fn rule_of; /* used with `rules`, for inlined functions */
	void *ctx;
};

/* BOB_NONE: the thread has no folded accesses. */
bob_status cli_expanded_print(const struct bob_trace *t, uint32_t thread,
			      const struct cli_expanded *o, FILE *out);

/* Whether an inlined function with accesses has this rule. */
int cli_inlined_has_rule(const struct bob_trace *t, cli_symbol_rule_fn rule_of, void *ctx,
			 uint8_t rule);

#endif
