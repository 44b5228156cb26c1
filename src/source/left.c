/* SPDX-License-Identifier: BSD-3-Clause */
/* Returns a file unchanged as the result of its instrumentation. */
#include "source/left.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct left {
	struct bob_source_result result;
	char *why;
};

static void close_left(struct bob_source_result *r)
{
	struct left *l = r->memory;

	free(r->text);
	free(l->why);
	free(l);
}

static bob_status read_all(FILE *f, struct bob_source_result *r)
{
	size_t capacity = 0;

	do {
		char *more = realloc(r->text, capacity + 65536);

		if (!more)
			return BOB_ERR_NOMEM;
		r->text = more;
		capacity += 65536;
		r->len += fread(r->text + r->len, 1, capacity - r->len, f);
	} while (r->len == capacity);
	return ferror(f) ? BOB_ERR_IO : BOB_OK;
}

bob_status bob_source_leave(const char *path, const char *why, struct bob_source_result **out)
{
	struct left *l = calloc(1, sizeof(*l));
	FILE *f = l ? fopen(path, "rbe") : NULL;
	bob_status st = f ? BOB_OK : l ? BOB_ERR_NOENT : BOB_ERR_NOMEM;

	if (f) {
		st = read_all(f, &l->result);
		fclose(f);
	}
	if (st == BOB_OK && !(l->why = strdup(why)))
		st = BOB_ERR_NOMEM;
	if (st != BOB_OK) {
		free(l ? l->result.text : NULL);
		free(l);
		return st;
	}
	l->result.left = l->why;
	l->result.memory = l;
	l->result.close = close_left;
	*out = &l->result;
	return BOB_OK;
}
