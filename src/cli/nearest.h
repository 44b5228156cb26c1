/* SPDX-License-Identifier: BSD-3-Clause */
/* "Did you mean": of some names the one nearest to a word that is none of them. */
#ifndef BOB_CLI_NEAREST_H
#define BOB_CLI_NEAREST_H

#include <stddef.h>

struct cli_nearest {
	const char *word;	/* set by the caller, the rest zero */
	size_t len;		/* of the word, 0: all of it */
	const char *name;	/* the answer, borrowed; NULL: none is near */
	unsigned distance;
};

void cli_nearest_try(struct cli_nearest *n, const char *name);

#endif
