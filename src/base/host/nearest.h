/* SPDX-License-Identifier: BSD-3-Clause */
/* "Did you mean": among names, the one nearest to a word that is not among them. One thread. */
#ifndef BOB_BASE_HOST_NEAREST_H
#define BOB_BASE_HOST_NEAREST_H

#include <stddef.h>

struct bob_nearest {
	const char *word;	/* set by the caller, the rest zero */
	size_t len;		/* of the word, 0: all of it */
	const char *name;	/* the answer, borrowed; NULL: none is near */
	unsigned distance;
};

void bob_nearest_try(struct bob_nearest *n, const char *name);

#endif
