/* SPDX-License-Identifier: BSD-3-Clause */
/* Parser of a selection of array elements (array_box.h). */
#include "cli/source/array_box.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/terminal/complain.h"

/* Parses an integer at *at and advances past it. 0: none. */
static int number(const char **at, int64_t *value)
{
	char *end;

	errno = 0;
	*value = strtoll(*at, &end, 10);
	if (end == *at || errno)
		return 0;
	*at = end;
	return 1;
}

/* Parses "", "*", "3", "3..5" or "3:5". */
static int range(const char **at, int64_t box[2])
{
	box[0] = INT64_MAX;
	box[1] = INT64_MIN;
	if (**at == '*') {
		++*at;
		return 1;
	}
	if (strchr(",])", **at))
		return **at != 0;
	if (!number(at, &box[0]))
		return 0;
	box[1] = box[0];
	if (**at == ':')
		++*at;
	else if (!strncmp(*at, "..", 2))
		*at += 2;
	else
		return 1;
	return number(at, &box[1]) && box[0] <= box[1];
}

static int boxes(const char *at, struct bob_arrays_wanted *w)
{
	while (*at) {
		const char close = *at == '[' ? ']' : ')';

		if (*at != '[' && *at != '(')
			return 0;
		do {
			at++;
			if (w->rank == BOB_SHAPE_DIMENSIONS_MAX || !range(&at, w->box[w->rank++]))
				return 0;
		} while (*at == ',');
		if (*at++ != close)
			return 0;
	}
	return 1;
}

int cli_array_box(const char *verb, const char *arg, char name[CLI_ARRAY_NAME_MAX],
		  struct bob_arrays_wanted *w)
{
	const size_t len = strcspn(arg, "[(");

	w->rank = 0;
	if (!len || len >= CLI_ARRAY_NAME_MAX)
		return cli_misuse(verb, "--variable is a name, perhaps with subscripts, not '%s'",
				  arg);
	memcpy(name, arg, len);
	name[len] = 0;
	w->variable = name;
	if (!boxes(arg + len, w))
		return cli_misuse(
			verb, "--variable='%s': subscripts are [0..9][3], (1:5,2) or [*][0]", arg);
	return 0;
}
