/* SPDX-License-Identifier: BSD-3-Clause */
/* "Did you mean": the known name that is nearest to an unknown word. Threads: one. */
#ifndef BOB_BASE_HOST_NEAREST_H
#define BOB_BASE_HOST_NEAREST_H

#include <stddef.h>

struct bob_nearest {
	const char *word;	/* set by the caller, the rest zero */
	size_t len;		/* of the word; 0: up to its zero byte */
	const char *name;	/* the result, borrowed; NULL: no name is near */
	unsigned distance;
};

void bob_nearest_try(struct bob_nearest *n, const char *name);

#endif
