/* SPDX-License-Identifier: BSD-3-Clause */
/* Nearest name by edit distance with transpositions of neighbours (optimal string alignment), up to
 * a distance of 2. */
#include "base/host/nearest.h"

#include <string.h>

#define NAME_MAX_LEN 31
#define FARTHEST 2u

/* The edit distance: insertions, deletions, substitutions and transpositions of neighbours. */
static unsigned distance(const char *a, size_t len, const char *b)
{
	size_t n = strlen(b);
	unsigned rows[3][NAME_MAX_LEN + 1], *above = rows[0], *row = rows[1], *next = rows[2];

	if (n > NAME_MAX_LEN)
		return FARTHEST + 1;
	for (size_t j = 0; j <= n; j++)
		row[j] = (unsigned)j;
	for (size_t i = 0; i < len; i++) {
		unsigned *free_row = above;

		next[0] = (unsigned)i + 1;
		for (size_t j = 0; j < n; j++) {
			unsigned best = row[j] + (a[i] != b[j]);

			if (row[j + 1] + 1 < best)
				best = row[j + 1] + 1;
			if (next[j] + 1 < best)
				best = next[j] + 1;
			if (i && j && a[i] == b[j - 1] && a[i - 1] == b[j] &&
			    above[j - 1] + 1 < best)
				best = above[j - 1] + 1;
			next[j + 1] = best;
		}
		above = row;
		row = next;
		next = free_row;
	}
	return row[n];
}

void bob_nearest_try(struct bob_nearest *n, const char *name)
{
	const size_t len = n->len ? n->len : strlen(n->word);
	const unsigned d = distance(n->word, len, name);

	/* more than half of the word differs: it is another word */
	if (d > FARTHEST || 2 * d > len || (n->name && d >= n->distance))
		return;
	n->name = name;
	n->distance = d;
}
