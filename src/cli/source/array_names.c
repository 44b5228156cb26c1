/* SPDX-License-Identifier: BSD-3-Clause */
/* Explains why a selection matches nothing (array_names.h): the name, the number of subscripts, or
 * the subscripts; suggests the nearest name. */
#include "cli/source/array_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/host/nearest.h"
#include "cli/source/variable_names.h"
#include "cli/terminal/complain.h"
#include "table/numbers.h"

struct fit {
	int is_there;		/* a variable has the name, ... */
	uint32_t rank;		/* ... with this many subscripts, ... */
	int has_rank;		/* ... or with the requested number */
};

static void find_fit(const struct bob_trace *t, const struct bob_arrays_wanted *w, struct fit *f)
{
	struct bob_shape s;

	for (uint32_t p = 0; p < bob_trace_process_count(t); p++)
		for (uint32_t i = 0; bob_trace_shape_at(t, p, i, &s) == BOB_OK; i++) {
			if (!bob_array_name_fits(s.name, w->variable))
				continue;
			f->is_there = 1;
			f->rank = s.rank;
			f->has_rank |= !w->rank || w->rank == s.rank;
		}
}

/* The nearest name, compared without " in f". */
static const char *near_name(const struct cli_variable_names *n, const char *word)
{
	struct bob_nearest near = { .word = word };
	const char *found = NULL;
	unsigned distance = 0;

	for (size_t i = 0; i < n->count; i++) {
		char name[64];

		snprintf(name, sizeof(name), "%.*s", (int)strcspn(n->at[i], " "), n->at[i]);
		near.name = NULL;
		bob_nearest_try(&near, name);
		if (near.name && (!found || near.distance < distance)) {
			found = n->at[i];
			distance = near.distance;
		}
	}
	return found;
}

static int complain_of_name(const char *verb, const struct bob_trace *t, const char *name)
{
	struct cli_variable_names n = { .at = NULL };
	char there[512];
	const char *near;
	int bad;

	if (cli_variable_names_add(&n, t)) {
		bad = cli_fail(verb, "out of memory");
	} else {
		near = near_name(&n, name);
		bad = cli_fail(verb, "no variable fits '%s'%s%s%s: the trace has %s", name,
			       near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "",
			       n.count ? cli_variable_names_list(&n, there, sizeof(there)) :
					 "none with a name");
	}
	cli_variable_names_free(&n);
	return bad;
}

int cli_array_not_found(const char *verb, const struct bob_trace *t,
			const struct bob_arrays_wanted *w)
{
	struct fit f = { 0 };

	find_fit(t, w, &f);
	if (!f.is_there)
		return complain_of_name(verb, t, w->variable);
	if (!f.has_rank)
		return cli_fail(verb, "'%s' has %" PRIu32 " subscript%s, not %" PRIu32, w->variable,
				f.rank, bob_plural(f.rank), w->rank);
	return cli_fail(
		verb,
		"'%s' is in the trace, but no such element of it was accessed in the threads "
		"chosen",
		w->variable);
}
