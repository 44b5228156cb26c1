/* SPDX-License-Identifier: BSD-3-Clause */
/* What other files of the program may access of the requested objects of this file: variables that
 * they can name, and targets of pointers. */
#include "source/c/unit.h"

#include <stdlib.h>
#include <string.h>

static bool is_everywhere(const struct bob_source_c_request *w)
{
	return w->first_line <= 1 && !w->last_line;
}

static uint32_t classes_of_paths(struct bob_c_unit *u, const struct bob_source_c_request *w)
{
	uint32_t mask = 0;

	for (const struct bob_c_path *p = u->paths; p; p = p->next)
		if (bob_c_is_request_of_path(u, w, p))
			mask |= bob_c_path_classes(u, p);
	return mask;
}

struct name {
	const struct bob_c_variable *of;
	uint32_t request;
};
struct names {
	BOB_VEC(struct name);
};

/* Collects variables that other files can name, and the requests that match them. False: no
 * memory. */
static bool find_names(struct bob_c_unit *u, uint32_t *classes, struct names *names)
{
	for (uint32_t i = 0; i < u->options->request_count; i++) {
		const struct bob_source_c_request *w = &u->options->requests[i];

		if (!is_everywhere(w) || w->what != BOB_SOURCE_C_VARIABLE)
			continue;
		*classes |= classes_of_paths(u, w);
		for (const struct bob_c_variable *v = u->variables; v; v = v->later) {
			if (!bob_c_is_name_of(w, v))
				continue;
			if (!w->path)
				*classes |= bob_c_exposed_classes(u, v);
			if (!v->is_linked)
				continue;
			if (BOB_VEC_ADD(names, (struct name){ v, i }) != BOB_OK)
				return false;
		}
	}
	return true;
}

struct bob_source_c_reach *bob_c_reach(struct bob_c_unit *u)
{
	struct bob_source_c_reach *r;
	uint32_t classes = 0;
	size_t bytes = 0, all;
	struct names names = { .at = NULL };
	const bool ok = find_names(u, &classes, &names);
	char *text;

	for (size_t i = 0; i < names.count; i++)
		bytes += strlen(names.at[i].of->name) + 1;
	for (size_t i = 0; i < u->functions.count; i++)
		bytes += strlen(u->functions.at[i]) + 1;
	all = sizeof(*r) + (names.count + u->functions.count) * sizeof(*r->names) +
	      names.count * sizeof(*r->requests) + bytes;
	r = ok ? calloc(1, all) : NULL;
	if (!r) {
		free(names.at);
		return NULL;
	}
	r->classes = classes;
	r->has_arguments = bob_c_has_arguments(u);
	r->count = (uint32_t)names.count;
	r->names = (const char **)(r + 1);
	r->functions = r->names + names.count;
	r->function_count = (uint32_t)u->functions.count;
	r->requests = (uint32_t *)(r->functions + u->functions.count);
	text = (char *)(r->requests + names.count);
	for (size_t i = 0; i < names.count; i++) {
		r->requests[i] = names.at[i].request;
		r->names[i] = strcpy(text, names.at[i].of->name);
		text += strlen(text) + 1;
	}
	for (size_t i = 0; i < u->functions.count; i++) {
		r->functions[i] = strcpy(text, u->functions.at[i]);
		text += strlen(text) + 1;
	}
	free(names.at);
	return r;
}
