/* SPDX-License-Identifier: BSD-3-Clause */
/* bobbin show of memory accesses: the tree of functions, loops and accesses of a thread
 * (analysis/memory/structure.h). */
#ifndef BOB_CLI_SHOW_STRUCTURE_H
#define BOB_CLI_SHOW_STRUCTURE_H

#include <stdio.h>

#include "cli/memory/choice.h"

struct cli_show_structure {
	uint64_t lines;		/* at most; 0: all */
	/* only so many functions and loops with the most accesses of their own; 0: all */
	uint64_t top;
	int by_accesses;	/* the most accesses first, not the order of the program */
	int instructions;	/* a line for each, not for each line of the source */
	double percent;		/* what has a smaller share of the accesses is in one line */
	const struct cli_choice *choice; /* by function, with what they call */
};

bob_status cli_structure_print(const struct bob_trace *t, uint32_t thread,
			       const struct cli_show_structure *o, FILE *out);

#endif
