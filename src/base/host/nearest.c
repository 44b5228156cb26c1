/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/host/nearest.h"

#include <string.h>

#define NAME_MAX_LEN 31
#define FARTHEST 2u

/* Letters to insert, remove or replace. */
static unsigned distance(const char *a, size_t len, const char *b)
{
	size_t n = strlen(b);
	unsigned row[NAME_MAX_LEN + 1];

	if (n > NAME_MAX_LEN)
		return FARTHEST + 1;
	for (size_t j = 0; j <= n; j++)
		row[j] = (unsigned)j;
	for (size_t i = 0; i < len; i++) {
		unsigned diagonal = row[0];

		row[0] = (unsigned)i + 1;
		for (size_t j = 0; j < n; j++) {
			unsigned best = diagonal + (a[i] != b[j]);

			diagonal = row[j + 1];
			if (row[j] + 1 < best)
				best = row[j] + 1;
			if (diagonal + 1 < best)
				best = diagonal + 1;
			row[j + 1] = best;
		}
	}
	return row[n];
}

void bob_nearest_try(struct bob_nearest *n, const char *name)
{
	const size_t len = n->len ? n->len : strlen(n->word);
	const unsigned d = distance(n->word, len, name);

	/* more than half of it differs: another word */
	if (d > FARTHEST || 2 * d > len || (n->name && d >= n->distance))
		return;
	n->name = name;
	n->distance = d;
}
