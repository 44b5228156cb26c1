/* SPDX-License-Identifier: BSD-3-Clause */
/* Which functions of memory accesses are shown: those of --function, --not and --image, and inlined
 * functions among them. A rule is a set of BOB_TREE_ONLY, BOB_TREE_HIDE and BOB_TREE_PASS. Owner:
 * the caller. Threads: one. */
#ifndef BOB_CLI_CHOICE_H
#define BOB_CLI_CHOICE_H

#include "analysis/analysis.h"

struct cli_choice {
	const struct bob_functions *functions;
	const uint8_t *rules;	/* by function, as in struct bob_tree_options; NULL: all */
	int only;		/* only functions with BOB_TREE_ONLY */
	/* the rule of an inlined function, by its symbol */
	uint8_t (*rule_of)(void *ctx, const char *symbol);
	void *ctx;
};

/* The rule of the function at a link address, of the inlined ones there, and of all of them.
 * `rules` is not NULL. */
uint8_t cli_choice_of(const struct cli_choice *c, const struct bob_trace *t, uint32_t process,
		      uint32_t image, uint64_t pc);
uint8_t cli_choice_at_inlined(const struct cli_choice *c, const struct bob_trace *t,
			      uint32_t process, uint32_t image, uint64_t pc);
uint8_t cli_choice_at(const struct cli_choice *c, const struct bob_trace *t, uint32_t process,
		      uint32_t image, uint64_t pc);
/* Whether an inlined function with accesses has this rule. */
int cli_choice_has_inlined(const struct cli_choice *c, const struct bob_trace *t, uint8_t rule);

#endif
