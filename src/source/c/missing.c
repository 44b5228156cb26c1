/* SPDX-License-Identifier: BSD-3-Clause */
/* Reports requests that match nothing: an unknown variable or function, a box of something that is
 * not an array, lines after the end of the file. */
#include "source/c/unit.h"

#include <stdio.h>
#include <string.h>

#include "base/host/nearest.h"

static bool has_variable(const struct bob_c_unit *u, const struct bob_source_c_request *w)
{
	for (const struct bob_c_variable *v = u->variables; v; v = v->later)
		if (bob_c_is_name_of(w, v))
			return true;
	return false;
}

/* The first subscript of the box that the variable does not have, or that is completely outside its
 * bounds; the box's rank: none. */
static uint32_t first_outside(const struct bob_source_c_request *w, const struct bob_c_shape *s)
{
	uint32_t i = 0;

	while (i < w->rank && i < s->rank &&
	       (s->extent[i] <= 0 || (w->box[i].high >= 0 && w->box[i].low < s->extent[i])))
		i++;
	return i;
}

/* The missing part, if no variable of that name has it; NULL: one has. */
static const char *missing_part(struct bob_c_unit *u, const struct bob_source_c_request *w)
{
	const char *text = NULL;

	for (const struct bob_c_variable *v = u->variables; v; v = v->later) {
		const struct bob_c_row row = { v, w, v->is_pointer, NULL };
		struct bob_c_shape s;
		uint32_t i;

		if (!bob_c_is_name_of(w, v))
			continue;
		s = bob_c_shape_of(u, &row);
		i = first_outside(w, &s);
		if (i == w->rank)
			return NULL;
		text = i == s.rank ?
			       bob_c_printf(u, "subscript %u of %s: it has %u", i + 1, v->name, i) :
			       bob_c_printf(u,
					    "such part of %s: its subscript %u goes from 0 to %lld",
					    v->name, i + 1, s.extent[i] - 1);
	}
	return text;
}

static bool has_path(struct bob_c_unit *u, const struct bob_source_c_request *w)
{
	for (const struct bob_c_path *p = u->paths; p; p = p->next)
		if (bob_c_is_request_of_path(u, w, p))
			return true;
	return false;
}

/* A suggestion: the variable may be in no function, or in another one. */
static const char *near_variable(struct bob_c_unit *u, const struct bob_source_c_request *w)
{
	struct bob_nearest n = { .word = w->name };

	for (const struct bob_c_variable *v = u->variables; v; v = v->later) {
		if (w->function && !strcmp(w->name, v->name))
			return *v->function ? bob_c_printf(u, "%s:%s", v->function, v->name) :
					      bob_c_printf(u, "%s, of the file", v->name);
		if (!w->function || !strcmp(w->function, v->function))
			bob_nearest_try(&n, v->name);
	}
	return n.name;
}

static bool has_function(const struct bob_c_unit *u, const char *name, struct bob_nearest *near)
{
	bool is_there = !*name;

	for (size_t i = 0; i < u->functions.count; i++) {
		is_there |= !strcmp(u->functions.at[i], name);
		bob_nearest_try(near, u->functions.at[i]);
	}
	return is_there;
}

static uint32_t lines_of(const struct bob_c_unit *u)
{
	uint32_t n = 1;

	for (uint32_t i = 0; i + 1 < u->len; i++)
		n += u->bytes[i] == '\n';
	return n;
}

static bob_status say(const struct bob_c_unit *u, struct bob_source_c_complaint *why,
		      uint32_t request, const char *what, const char *name, const char *near)
{
	if (u->options->missing)
		*u->options->missing = request;
	if (why)
		snprintf(why->text, sizeof(why->text),
			 "%.140s: there is no %.160s%s%.110s%s%.60s%s", u->path, what,
			 *name ? " " : "", name, near ? "; did you mean " : "", near ? near : "",
			 near ? "?" : "");
	return BOB_ERR_INVAL;
}

bob_status bob_c_check_requests(struct bob_c_unit *u, struct bob_source_c_complaint *why)
{
	for (uint32_t i = 0; i < u->options->request_count; i++) {
		const struct bob_source_c_request *w = &u->options->requests[i];
		struct bob_nearest near = { .word = w->function };
		const char *part = NULL;
		char line[32];

		if (w->first_line > lines_of(u)) {
			snprintf(line, sizeof(line), "%u: it has %u", w->first_line, lines_of(u));
			return say(u, why, i, "line", line, NULL);
		}
		if (w->what != BOB_SOURCE_C_VARIABLE || !w->name || w->is_of_another)
			continue;
		if (w->function && !has_function(u, w->function, &near))
			return say(u, why, i, "function", w->function, near.name);
		if (strcmp(w->name, "*") && !has_variable(u, w))
			return say(u, why, i, "variable",
				   w->function ? bob_c_printf(u, "%s in %s", w->name, w->function) :
						 w->name,
				   near_variable(u, w));
		if (w->rank && !w->path && strcmp(w->name, "*") != 0)
			part = missing_part(u, w);
		if (part)
			return say(u, why, i, part, "", NULL);
		if (w->path && !has_path(u, w))
			return say(u, why, i, "use of a pointer",
				   bob_c_printf(u,
						"%s%s: what is no pointer is traced with its "
						"variable, %s",
						w->name, w->path, w->name),
				   NULL);
	}
	return BOB_OK;
}
