/* SPDX-License-Identifier: BSD-3-Clause */
#include "source/instrument.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "source/c/c.h"
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

/* --- C --- */

#define OPEN (1ll << 40) /* beyond every array */

struct c_result {
	struct bob_source_result result;
	struct bob_source_c_result *of_c;
	struct bob_source_refusal refusals[BOB_SOURCE_C_REFUSALS];
};

static void close_c(struct bob_source_result *r)
{
	struct c_result *c = r->memory;

	bob_source_c_close(c->of_c);
	free(c);
}

static void take_c(struct c_result *c)
{
	const struct bob_source_c_counts *n = &c->of_c->counts;
	struct bob_source_result *r = &c->result;

	r->text = c->of_c->text;
	r->len = c->of_c->len;
	r->counts = (struct bob_source_counts){ .variables = n->variables, .proved = n->proved,
						.filtered = n->filtered, .dropped = n->dropped,
						.nests = n->nests,
						.nest_references = n->nest_references,
						.loops = n->loops,
						.calls = n->calls,
						.communication = n->communication };
	for (uint32_t i = 0; i < BOB_SOURCE_C_REFUSALS; i++)
		if (n->refused[i])
			c->refusals[r->refusal_count++] = (struct bob_source_refusal){
				.why = bob_source_c_refusal_text((enum bob_source_c_refusal)i),
				.count = n->refused[i] };
	r->refusals = c->refusals;
	r->memory = c;
	r->close = close_c;
}

static const enum bob_source_c_what c_what[] = {
	[BOB_WISH_VARIABLE] = BOB_SOURCE_C_VARIABLE,
	[BOB_WISH_LOOPS] = BOB_SOURCE_C_LOOPS,
	[BOB_WISH_CALLS] = BOB_SOURCE_C_CALLS,
	[BOB_WISH_COMMUNICATION] = BOB_SOURCE_C_COMMUNICATION,
};

/* False: C has no such thing. */
static bool c_wish(const struct bob_wish *w, struct bob_source_c_wish *to)
{
	*to = (struct bob_source_c_wish){
		.what = c_what[w->what],
		.function = w->scope == BOB_SCOPE_UNIT ? w->in : NULL,
		.name = w->name,
		.rank = w->rank,
		.first_line = w->first_line,
		.last_line = w->last_line == UINT32_MAX ? 0 : w->last_line,
	};
	if (w->rank > BOB_SOURCE_C_RANK_MAX || w->scope == BOB_SCOPE_MODULE ||
	    w->scope == BOB_SCOPE_COMMON)
		return false;
	for (uint32_t i = 0; i < w->rank; i++)
		to->box[i] = (struct bob_source_c_bounds){
			w->box[i].first < -OPEN ? -OPEN : w->box[i].first,
			w->box[i].last > OPEN ? OPEN : w->box[i].last };
	return true;
}

static bob_status c_wishes(const struct bob_wish_file *f, struct bob_source_c_wish **wishes,
			   uint32_t *count, struct bob_source_complaint *why)
{
	uint32_t n = 0;

	for (const struct bob_wish *w = f->first; w; w = w->next)
		n++;
	*wishes = calloc(n + 1u, sizeof(**wishes));
	*count = n;
	if (!*wishes)
		return BOB_ERR_NOMEM;
	n = 0;
	for (const struct bob_wish *w = f->first; w; w = w->next)
		if (!c_wish(w, &(*wishes)[n++])) {
			snprintf(
				why->text, sizeof(why->text),
				"%.300s: command %u: not for C, which has neither modules nor COMMON, nor so many subscripts",
				f->path, w->command);
			return BOB_ERR_INVAL;
		}
	return BOB_OK;
}

/* Of a wish for what is not there: which command it was. */
static void complain(const struct bob_wish_file *f, bob_status st, uint32_t missing,
		     const char *text, struct bob_source_complaint *why)
{
	const struct bob_wish *w = f->first;

	for (uint32_t i = 0; w && i < missing; i++)
		w = w->next;
	if (st == BOB_ERR_INVAL && w)
		snprintf(why->text, sizeof(why->text), "command %u, column %u: %.450s", w->command,
			 w->column, text);
	else
		snprintf(why->text, sizeof(why->text), "%s", text);
}

static bob_status instrument_c(const struct bob_wish_file *f, const struct bob_source_options *o,
			       struct bob_source_result **out, struct bob_source_complaint *why)
{
	struct bob_source_c_options options = { .flags = o->flags,
						.flag_count = o->flag_count,
						.is_flat = o->is_flat };
	struct c_result *c = calloc(1, sizeof(*c));
	struct bob_source_c_complaint complaint = { "" };
	struct bob_source_c_wish *wishes = NULL;
	uint32_t missing = UINT32_MAX;
	bob_status st = c ? c_wishes(f, &wishes, &options.wish_count, why) : BOB_ERR_NOMEM;

	options.wishes = wishes;
	if (st == BOB_OK) {
		options.missing = &missing;
		st = bob_source_c_instrument(f->path, &options, &c->of_c, &complaint);
		complain(f, st, missing, complaint.text, why);
	}
	free(wishes);
	if (st != BOB_OK) {
		free(c);
		return st;
	}
	take_c(c);
	*out = &c->result;
	return BOB_OK;
}

/* --- all --- */

struct bob_source_group {
	struct bob_source_fortran_group *fortran;
};

bob_status bob_source_group_open(const struct bob_wish_file *first,
				 const struct bob_source_options *o, struct bob_source_group **out,
				 struct bob_source_complaint *why)
{
	struct bob_source_group *g = calloc(1, sizeof(*g));
	bob_status st = g ? bob_source_fortran_group_open(first, o, &g->fortran, why) :
			    BOB_ERR_NOMEM;

	if (st == BOB_OK)
		*out = g;
	else
		free(g);
	return st;
}

void bob_source_group_close(struct bob_source_group *g)
{
	if (g)
		bob_source_fortran_group_close(g->fortran);
	free(g);
}

bob_status bob_source_instrument(const struct bob_wish_file *f, const struct bob_source_options *o,
				 struct bob_source_result **out, struct bob_source_complaint *why)
{
	switch (bob_source_language(f->path)) {
	case BOB_SOURCE_C:
		return instrument_c(f, o, out, why);
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
