/* SPDX-License-Identifier: BSD-3-Clause */
/* Collects distinct names of variables from the shapes in a trace (variable_names.h). */
#include "cli/source/variable_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN 8u
#define PROCESSES_MAX 16u

static int add(struct cli_variable_names *n, const char *name)
{
	for (size_t i = 0; i < n->count; i++)
		if (!strcmp(n->at[i], name))
			return 0;
	if (n->count == n->capacity) {
		const size_t capacity = 2 * n->capacity + 64;
		const char **more = realloc(n->at, capacity * sizeof(*more));

		if (!more)
			return 1;
		n->at = more;
		n->capacity = capacity;
	}
	n->at[n->count++] = name;
	return 0;
}

int cli_variable_names_add(struct cli_variable_names *n, const struct bob_trace *t)
{
	struct bob_shape s;

	for (uint32_t p = 0; p < bob_trace_process_count(t) && p < PROCESSES_MAX; p++)
		for (uint32_t i = 0; bob_trace_shape_at(t, p, i, &s) == BOB_OK; i++)
			if (*s.name && add(n, s.name))
				return 1;
	return 0;
}

const char *cli_variable_names_list(const struct cli_variable_names *n, char *to, size_t size)
{
	size_t len = 0;

	*to = 0;
	for (size_t i = 0; i < n->count && i < SHOWN && len < size; i++)
		len += (size_t)snprintf(to + len, size - len, "%s%.50s", i ? ", " : "", n->at[i]);
	if (n->count > SHOWN && len < size)
		snprintf(to + len, size - len, " and %zu more", n->count - SHOWN);
	return to;
}

void cli_variable_names_free(struct cli_variable_names *n)
{
	free(n->at);
	*n = (struct cli_variable_names){ .at = NULL };
}
