/* SPDX-License-Identifier: BSD-3-Clause */
/* Selects the front end by the file's suffix, and opens groups: the files of each language, and the
 * requests that concern the other language (across.h). */
#include "source/instrument.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "source/instrument_c.h"
#include "source/fortran/weave/fortran.h"

enum bob_source_language bob_source_language(const char *path)
{
	static const char *const fortran[] = { "f",   "for", "ftn", "f77", "f90",
					       "f95", "f03", "f08", "f18", "fpp" };
	const char *dot = strrchr(path, '.'), *slash = strrchr(path, '/');

	if (!dot || (slash && dot < slash))
		return BOB_SOURCE_UNKNOWN;
	if (!strcmp(dot, ".c"))
		return BOB_SOURCE_C;
	for (size_t i = 0; i < sizeof(fortran) / sizeof(fortran[0]); i++)
		if (!strcasecmp(dot + 1, fortran[i]))
			return BOB_SOURCE_FORTRAN;
	return BOB_SOURCE_UNKNOWN;
}

struct bob_source_group {
	struct bob_source_fortran_group *fortran;
	struct bob_source_c_group *c;
};

/* True for a path of Fortran components only, such as `%in%v`. */
static bool is_of_components(const char *path)
{
	return !strpbrk(path, "-.[");
}

/* Reports the first request that the language of the file does not support. */
static bob_status check_requests(const struct bob_request_file *f, struct bob_source_complaint *why)
{
	const bool is_fortran = bob_source_language(f->path) == BOB_SOURCE_FORTRAN;

	for (const struct bob_request *w = f->first; w; w = w->next) {
		const bool is_way = w->path != NULL,
			   is_allocator = w->what == BOB_REQUEST_ALLOCATOR;

		if (is_fortran ? !is_allocator && (!is_way || is_of_components(w->path)) :
				 !is_way || !strchr(w->path, '%'))
			continue;
		why->command = w->command;
		why->column = w->column;
		snprintf(why->text, sizeof(why->text), "%.300s: for %s alone: %s", f->path,
			 is_fortran ? "C" : "Fortran",
			 is_allocator ? "ALLOCATE is known" :
			 is_fortran   ? "components are named x%y" :
					"members are named x->y or x.y");
		return BOB_ERR_INVAL;
	}
	return BOB_OK;
}

bob_status bob_source_group_open(const struct bob_request_file *first,
				 const struct bob_source_options *o, struct bob_source_group **out,
				 struct bob_source_complaint *why)
{
	struct bob_source_group *g = calloc(1, sizeof(*g));
	bob_status st = g ? BOB_OK : BOB_ERR_NOMEM;

	for (const struct bob_request_file *f = first; f && st == BOB_OK; f = f->next)
		st = check_requests(f, why);
	if (st == BOB_OK)
		st = bob_source_c_group_open(first, o, &g->c, why);
	if (st == BOB_OK)
		st = bob_source_fortran_group_open(first, o, bob_source_c_across(g->c), &g->fortran,
						   why);
	if (st == BOB_OK)
		bob_source_c_join(g->c, bob_source_fortran_across(g->fortran));
	if (st == BOB_OK)
		*out = g;
	else
		bob_source_group_close(g);
	return st;
}

void bob_source_group_close(struct bob_source_group *g)
{
	if (g) {
		bob_source_fortran_group_close(g->fortran);
		bob_source_c_group_close(g->c);
	}
	free(g);
}

const char *bob_source_group_unread(const struct bob_source_group *g,
				    const struct bob_request_file *f)
{
	return bob_source_c_unread(g->c, f);
}

bob_status bob_source_instrument(const struct bob_request_file *f,
				 const struct bob_source_options *o, struct bob_source_result **out,
				 struct bob_source_complaint *why)
{
	switch (bob_source_language(f->path)) {
	case BOB_SOURCE_C:
		return bob_source_c_file(o->group ? o->group->c : NULL, f, o, out, why);
	case BOB_SOURCE_FORTRAN:
		return bob_source_fortran_instrument(o->group ? o->group->fortran : NULL, f, o, out,
						     why);
	default:
		snprintf(why->text, sizeof(why->text),
			 "%.400s: not a C or Fortran file by its name (.c, .f, .f90, ...)",
			 f->path);
		return BOB_ERR_UNSUPPORTED;
	}
}

void bob_source_close(struct bob_source_result *r)
{
	if (r)
		r->close(r);
}
