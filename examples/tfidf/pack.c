/* SPDX-License-Identifier: BSD-3-Clause */
/* Converts a table of terms to bytes and back. */
#include "pack.h"

#include <stdlib.h>
#include <string.h>

char *terms_serialise(const struct terms *t, size_t *bytes)
{
	size_t len = 0;
	char *all, *p;

	for (size_t i = 0; i < t->slots; i++)
		if (t->slot[i].word)
			len += strlen(t->slot[i].word) + 1 + sizeof(int64_t);
	p = all = malloc(len + 1);
	for (size_t i = 0; all && i < t->slots; i++)
		if (t->slot[i].word) {
			p = stpcpy(p, t->slot[i].word) + 1;
			memcpy(p, &t->slot[i].count, sizeof(int64_t));
			p += sizeof(int64_t);
		}
	*bytes = len;
	return all;
}

int terms_deserialise(struct terms *t, const char *bytes, size_t len)
{
	const char *end = bytes + len;

	while (bytes < end) {
		const char *zero = memchr(bytes, 0, (size_t)(end - bytes));
		int64_t count;

		if (!zero || end - zero - 1 < (ptrdiff_t)sizeof(count))
			return -1;
		memcpy(&count, zero + 1, sizeof(count));
		if (terms_add(t, bytes, (size_t)(zero - bytes), count))
			return -1;
		bytes = zero + 1 + sizeof(count);
	}
	return 0;
}
