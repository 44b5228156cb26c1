/* SPDX-License-Identifier: BSD-3-Clause */
/* Reports requests that match nothing: an unknown variable or unit, a box of something that is not
 * an array, lines after the end of the file. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/host/nearest.h"
#include "source/fortran/weave/weave.h"
#include "source/fortran/weave/memory.h"
#include "source/fortran/weave/reached.h"

static bob_status say(const struct bob_weave *w, const struct bob_request *request,
		      const char *text, const char *near, struct bob_source_complaint *why)
{
	why->command = request->command;
	why->column = request->column;
	snprintf(why->text, sizeof(why->text), "%.100s: there is no %.200s%s%.63s%s", w->path, text,
		 near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
	return BOB_ERR_INVAL;
}

/* --- names --- */

bob_status bob_weave_not_there(struct bob_weave *w, const struct bob_request *request,
			       const char *in, const char *name, struct bob_source_complaint *why)
{
	struct bob_nearest near = { .word = name };
	bool has_unit = request->scope == BOB_SCOPE_ANY || request->scope == BOB_SCOPE_COMMON;
	uint32_t lacking = 0;
	char text[200];

	for (uint32_t i = 0; i < w->file->unit_count; i++) {
		const struct bob_fortran_unit *u = &w->file->units[i];

		if (!bob_weave_is_unit_meant(u, request, in))
			continue;
		has_unit = true;
		if (!lacking)
			lacking = bob_weave_lacks_include(w, i);
		for (const struct bob_fortran_symbols *t = u->symbols; t; t = t->inner)
			for (const struct bob_fortran_symbol *s = t->first; s; s = s->next)
				if (bob_weave_is_variable(s))
					bob_nearest_try(&near, s->name);
	}
	if (!has_unit) {
		near = (struct bob_nearest){ .word = in };
		for (uint32_t i = 0; i < w->file->unit_count; i++)
			bob_nearest_try(&near, w->file->units[i].name);
		snprintf(text, sizeof(text), "unit %.80s", in);
	} else if (request->scope == BOB_SCOPE_ANY) {
		snprintf(text, sizeof(text), "variable %.80s", name);
	} else {
		snprintf(text, sizeof(text), "variable %.80s in %.80s", name, in);
	}
	say(w, request, text, near.name, why);
	if (has_unit && lacking) {
		const size_t n = strlen(why->text);

		snprintf(why->text + n, sizeof(why->text) - n,
			 "; the INCLUDE of line %u, which may declare it, was not found (-I says "
			 "where)",
			 lacking);
	}
	return BOB_ERR_INVAL;
}

/* --- boxes --- */

/* Is the range completely outside of the bounds? Bounds of dummy arguments are ignored: old
 * programs declare 1 for any size. */
static bool is_outside(const struct bob_fortran_symbol *s, uint32_t d,
		       const struct bob_request_range *r)
{
	return !(s->flags & BOB_SYMBOL_DUMMY) && s->lower[d].bound == BOB_BOUND_NUMBER &&
	       s->upper[d].bound == BOB_BOUND_NUMBER &&
	       (r->last < s->lower[d].value || r->first > s->upper[d].value);
}

static uint32_t first_outside(const struct bob_fortran_symbol *s, const struct bob_request *request)
{
	uint32_t d = 0;

	while (d < request->rank && d < s->rank && !is_outside(s, d, &request->box[d]))
		d++;
	return d;
}

bool bob_weave_box_fits(const struct bob_fortran_symbol *s, const struct bob_request *request)
{
	return s->shape == BOB_SHAPE_ASSUMED_RANK || first_outside(s, request) == request->rank;
}

bob_status bob_weave_no_box(const struct bob_weave *w, const struct bob_request *request,
			    const struct bob_fortran_symbol *s, struct bob_source_complaint *why)
{
	const uint32_t d = first_outside(s, request);
	char text[200];

	if (d == s->rank)
		snprintf(text, sizeof(text), "subscript %u of %.63s: it has %u", d + 1, s->name,
			 s->rank);
	else
		snprintf(text, sizeof(text),
			 "such part of %.63s: its subscript %u goes from %" PRId64 " to %" PRId64,
			 s->name, d + 1, s->lower[d].value, s->upper[d].value);
	return say(w, request, text, NULL, why);
}

/* --- components --- */

bob_status bob_weave_no_way(const struct bob_weave *w, const struct bob_request *request,
			    const struct bob_weave_ask *ask, struct bob_source_complaint *why)
{
	if (!ask->why) {
		char text[200];

		snprintf(text, sizeof(text), "component %.80s of %.80s", request->path + 1,
			 ask->symbol->name);
		return say(w, request, text, ask->near, why);
	}
	why->command = request->command;
	why->column = request->column;
	snprintf(why->text, sizeof(why->text), "%.100s: %.63s%.80s %.250s", w->path,
		 ask->symbol->name, request->path, ask->why);
	return BOB_ERR_INVAL;
}

/* --- lines --- */

bob_status bob_weave_check_lines(const struct bob_weave *w, struct bob_source_complaint *why)
{
	char text[64];

	for (const struct bob_request *x = w->requests->first; x; x = x->next)
		if (x->first_line > 1 && x->first_line > w->file->line_count) {
			snprintf(text, sizeof(text), "line %u: it has %u", x->first_line,
				 w->file->line_count);
			return say(w, x, text, NULL, why);
		}
	return BOB_OK;
}
