/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints the memory accesses of a thread one by one, under the iterations of the loops that they
 * were folded to. */
#ifndef BOB_CLI_EXPANDED_H
#define BOB_CLI_EXPANDED_H

#include <stdio.h>

#include "cli/memory/choice.h"

struct cli_expanded {
	uint64_t lines;		/* 0: all */
	uint64_t first, last;	/* numbers of the thread's accesses, last inclusive */
	const struct cli_choice *choice; /* by the functions that contain the accesses */
};

/* BOB_NONE: the thread has no folded accesses. */
bob_status cli_expanded_print(const struct bob_trace *t, uint32_t thread,
			      const struct cli_expanded *o, FILE *out);

#endif
