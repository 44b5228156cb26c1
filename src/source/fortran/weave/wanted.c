/* SPDX-License-Identifier: BSD-3-Clause */
/* Selects the requested variables, and the references that may access them (trace_closure.c). */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "source/fortran/scope.h"
#include "source/fortran/weave/weave.h"
#include "source/fortran/weave/lines.h"
#include "source/fortran/weave/memory.h"
#include "source/fortran/weave/reached.h"

/* --- names --- */

static const char *lower(struct bob_weave *w, const char *text)
{
	char *copy = bob_arena_text(w->arena, text, strlen(text));

	if (!copy)
		w->is_failed = true;
	for (char *c = copy; c && *c; c++)
		*c = (char)tolower((unsigned char)*c);
	return copy ? copy : "";
}

/* --- the table --- */

bool bob_weave_is_unit_meant(const struct bob_fortran_unit *u, const struct bob_request *request,
			     const char *in)
{
	const bool is_module = u->kind == BOB_UNIT_MODULE || u->kind == BOB_UNIT_SUBMODULE;
	bool is_named = false;

	if (u->flags & BOB_UNIT_INTERFACE || u->kind == BOB_UNIT_BLOCK_DATA)
		return false;
	switch (request->scope) {
	case BOB_SCOPE_UNIT:
		for (const struct bob_fortran_unit *o = u; o; o = o->other)
			is_named |= !strcmp(o->name, in);
		return is_named;
	case BOB_SCOPE_MODULE:
		return is_module && !strcmp(u->name, in);
	default:
		return true;
	}
}

/* The text before and after its name in messages and tables. */
static void name_around(struct bob_weave *w, const struct bob_fortran_symbol *s,
			const struct bob_fortran_unit *u, uint32_t construct,
			struct bob_weave_ask *ask)
{
	ask->before = ask->after = "";
	if (construct != BOB_FORTRAN_NO)
		ask->after = bob_weave_text(
			w, " in block %u of %s",
			w->file->statements[w->file->constructs[construct].first].line,
			*u->name ? u->name : "main");
	else if (s->common)
		ask->before = bob_weave_text(w, "/%s/", s->common->name);
	else if (u->kind == BOB_UNIT_MODULE || u->kind == BOB_UNIT_SUBMODULE)
		ask->before = bob_weave_text(w, "%s::", u->name);
	else if (u->kind != BOB_UNIT_PROGRAM)
		ask->after = bob_weave_text(w, " in %s", u->name);
}

/* Is it a character of unknown length, or too long for one access? */
static bool is_text(const struct bob_fortran_symbol *s, uint64_t element)
{
	return s->type == BOB_T_CHARACTER && s->kind > 0 && s->rank < BOB_FORTRAN_RANK_MAX &&
	       (!element || element > UINT16_MAX);
}

/* Why it cannot be registered; NULL: it can. */
static const char *unfit(struct bob_weave *w, const struct bob_fortran_symbols *names,
			 const struct bob_fortran_symbol *s, uint64_t element)
{
	if (bob_weave_passing(names, s) == BOB_PASSED_NOT)
		return "of a type with parameters: Fortran passes it to no probe";
	if (s->flags & (BOB_SYMBOL_COARRAY | BOB_SYMBOL_CRAY_POINTEE))
		return "a coarray, or what a Cray pointer leads to";
	if (s->shape == BOB_SHAPE_ASSUMED_SIZE || s->shape == BOB_SHAPE_ASSUMED_RANK)
		return "a dummy argument of unknown size: name the variable that is passed";
	if (s->flags & BOB_SYMBOL_THREADPRIVATE)
		return "threadprivate";
	if (s->flags & BOB_SYMBOL_ASSOCIATE)
		return "an ASSOCIATE name";
	if (!element && is_text(s, element))
		return NULL;
	if (!element)
		return bob_weave_unknown_size(w, names, s);
	if (element > UINT16_MAX && !is_text(s, element))
		return "its elements are longer than 65,535 bytes";
	return NULL;
}

/* Does the list in parentheses contain the name? */
static bool lists(const struct bob_fortran_statement *s, const char *name)
{
	const size_t n = strlen(name);

	for (const char *p = strchr(s->text, '('); p && *p && *p != ')'; p++)
		if ((*p == '(' || *p == ',' || *p == ' ') && !strncmp(p + 1, name, n) &&
		    strchr(",) ", p[1 + n]))
			return true;
	return false;
}

/* Does the variable exist whichever ENTRY the unit is entered by? */
static bool is_at_entries(const struct bob_weave *w, const struct bob_fortran_symbol *s,
			  uint32_t unit)
{
	const struct bob_fortran_unit *u = bob_weave_unit_at(w, unit);
	bool all = false;

	if (s->flags & BOB_SYMBOL_RESULT) /* an ENTRY's name as an argument is the procedure */
		return false;
	if (s->type == BOB_T_CHARACTER && s->char_len < 0)
		return false;
	for (uint32_t d = 0; d < s->rank && s->shape == BOB_SHAPE_EXPLICIT; d++)
		if (s->lower[d].bound != BOB_BOUND_NUMBER || s->upper[d].bound != BOB_BOUND_NUMBER)
			return false;
	if (!(s->flags & BOB_SYMBOL_DUMMY))
		return true;
	for (uint32_t d = 0; d < u->dummy_count && !all; d++)
		all = !strcmp(u->dummies[d], s->name);
	for (uint32_t i = u->first; i <= u->last && all; i++)
		if (w->file->statements[i].kind == BOB_F_ENTRY &&
		    w->file->statements[i].unit == unit)
			all = lists(&w->file->statements[i], s->name);
	return all;
}

/* False: it has no component that the request names. */
static bool add(struct bob_weave *w, const struct bob_fortran_symbol *s,
		const struct bob_fortran_symbols *names, const struct bob_request *request,
		struct bob_weave_ask *ask)
{
	const uint32_t unit = names->unit;
	const struct bob_fortran_unit *u = bob_weave_unit_at(w, unit);
	const uint64_t element = bob_fortran_element_bytes(names, s);
	const char *name, *why = unfit(w, names, s, element);
	struct bob_weave_class *class = NULL;
	struct bob_weave_variable *v;

	*ask = (struct bob_weave_ask){ .request = request, .names = names, .symbol = s };
	name_around(w, s, u, names->construct, ask);
	name = bob_weave_text(w, "%s%s%s%s", ask->before, s->name,
			      request->path ? request->path : "", ask->after);

	if (!why && w->is_left[unit] && !s->common)
		why = "a variable of a unit that has what is not understood";
	if (!why && u->kind == BOB_UNIT_PROCEDURE && !(s->flags & BOB_SYMBOL_TYPED))
		why = "declared by an interface in another unit";
	if (!why && names->construct != BOB_FORTRAN_NO &&
	    !bob_weave_is_left_in_order(w, names->construct))
		why = "a variable of a BLOCK that may be left by a jump";
	if (!why && u->flags & BOB_UNIT_ENTRIES && !s->common &&
	    names->construct == BOB_FORTRAN_NO && !is_at_entries(w, s, unit))
		why = "a result, an argument that not every ENTRY has, or one whose size depends "
		      "on some";
	/* It may be a member of COMMON in another unit. Other equal names belong to units of one
	 * name, under #if and #else. */
	for (size_t i = 0; s->common && i < w->variables.count; i++)
		if (w->variables.at[i].request == request && !strcmp(w->variables.at[i].name, name))
			return true;
	if (!why && (request->path || !request->rank))
		class = bob_weave_class(w, ask, request->path);
	if (request->path && !class && (why || !ask->is_found)) {
		ask->why = why ? bob_weave_text(w, "cannot be traced: %s", why) : ask->why;
		return false;
	}
	if (why) {
		bob_weave_refuse(
			w, why,
			w->file->statements[s->statement < w->file->count ? s->statement : 0].line);
		return true;
	}
	if (request->path && !class)
		return true; /* it exists, and was refused */
	v = BOB_VEC_PUSH(&w->variables);
	if (!v) {
		w->is_failed = true;
		return true;
	}
	*v = (struct bob_weave_variable){ .symbol = s, .request = request,
					  .name = name, .unit = unit,
					  .construct = names->construct,
					  .element = (uint32_t)element };
	v->is_text = is_text(s, element);
	if (v->is_text)
		v->element = (uint32_t)s->kind;
	v->is_object = bob_weave_passing(names, s) == BOB_PASSED_AS_OBJECT;
	v->is_module = u->kind == BOB_UNIT_MODULE || u->kind == BOB_UNIT_SUBMODULE;
	v->is_alone = !s->common && !v->is_module;
	v->is_automatic = v->is_alone && !(s->flags & BOB_SYMBOL_SAVE) &&
			  (u->kind != BOB_UNIT_PROGRAM || v->construct != BOB_FORTRAN_NO);
	v->class = class;
	v->is_holder = request->path != NULL;
	v->has_pointers = bob_weave_class_has_pointers(class);
	return true;
}

bool bob_weave_is_variable(const struct bob_fortran_symbol *s)
{
	const uint32_t not_one =
		BOB_SYMBOL_USED | BOB_SYMBOL_HOST |
		BOB_SYMBOL_EXTERNAL; /* a result that is a pointer to a procedure */

	return s->class == BOB_NAME_VARIABLE && !(s->flags & not_one);
}

static bool is_meant(const struct bob_fortran_symbol *s, const struct bob_request *request,
		     const char *in, const char *name)
{
	if (!bob_weave_is_variable(s) || (strcmp(name, "*") != 0 && strcmp(name, s->name) != 0))
		return false;
	return request->scope != BOB_SCOPE_COMMON || (s->common && !strcmp(s->common->name, in));
}

/* `f%v` is parsed as a variable of a module; without such a module it is a component. Names are in
 * lower case. */
static const struct bob_request *resolved(struct bob_weave *w, const struct bob_request *request)
{
	struct bob_request *copy = bob_arena_alloc(w->arena, sizeof(*copy));
	bool has_module = request->scope != BOB_SCOPE_MODULE;

	if (!copy) {
		w->is_failed = true;
		return request;
	}
	*copy = *request;
	copy->name = lower(w, request->name);
	copy->in = lower(w, request->in);
	copy->path = request->path ? lower(w, request->path) : NULL;
	for (uint32_t i = 0; i < w->file->unit_count; i++)
		has_module |= bob_weave_is_unit_meant(bob_weave_unit_at(w, i), copy, copy->in);
	if (has_module)
		return copy;
	copy->path = bob_weave_text(w, "%%%s%s", copy->name, copy->path ? copy->path : "");
	copy->name = copy->in;
	copy->in = "";
	copy->scope = BOB_SCOPE_ANY;
	return copy;
}

/* Why a request does not match; all NULL: it does. */
struct misfit {
	const struct bob_fortran_symbol *box; /* it has no such part */
	struct bob_weave_ask way; /* it has no such component */
	bool has_no_way;
};

static bool try_to_add(struct bob_weave *w, const struct bob_fortran_symbol *s,
		       const struct bob_fortran_symbols *t, const struct bob_request *request,
		       struct misfit *m)
{
	struct bob_weave_ask ask;

	if (!request->path && strcmp(request->name, "*") != 0 && !bob_weave_box_fits(s, request)) {
		m->box = s;
		return false;
	}
	if (add(w, s, t, request, &ask))
		return true;
	if (ask.box) {
		m->box = ask.box;
		return false;
	}
	m->has_no_way = true;
	m->way = ask;
	return false;
}

static bob_status choose(struct bob_weave *w, const struct bob_request *asked,
			 struct bob_source_complaint *why)
{
	const struct bob_request *request = resolved(w, asked);
	struct misfit m = { .box = NULL };
	bool found = false;

	for (uint32_t i = 0; i < w->file->unit_count; i++) {
		const struct bob_fortran_unit *u = bob_weave_unit_at(w, i);

		if (!u->symbols || !bob_weave_is_unit_meant(u, request, request->in))
			continue;
		found |= !strcmp(request->name, "*") && request->scope != BOB_SCOPE_COMMON;
		for (const struct bob_fortran_symbols *t = u->symbols; t; t = t->inner)
			for (const struct bob_fortran_symbol *s = t->first; s; s = s->next)
				if (!bob_fortran_is_guarded(t) &&
				    is_meant(s, request, request->in, request->name) &&
				    !bob_weave_is_procedure(w, s, i))
					found |= try_to_add(w, s, t, request, &m);
	}
	if (found || w->is_failed)
		return BOB_OK;
	if (m.has_no_way)
		return bob_weave_no_way(w, request, &m.way, why);
	if (m.box)
		return bob_weave_no_box(w, request, m.box, why);
	return bob_weave_not_there(w, asked, lower(w, asked->in), lower(w, asked->name), why);
}

/* Dummies that the user named are traced as such; so are members of used modules. */
bob_status bob_weave_choose(struct bob_weave *w, struct bob_source_complaint *why)
{
	uint32_t dummies = 0;
	bob_status st = BOB_OK;

	w->dummy_at = bob_arena_alloc(w->arena, (w->file->unit_count + 1u) * sizeof(*w->dummy_at));
	for (uint32_t i = 0; i < w->file->unit_count && w->dummy_at; i++) {
		w->dummy_at[i] = dummies;
		dummies += bob_weave_unit_at(w, i)->dummy_count;
	}
	w->dummies = bob_arena_alloc(w->arena, dummies + 1u);
	if (!w->dummies || !w->dummy_at)
		return BOB_ERR_NOMEM;
	st = bob_weave_note_calls(w);
	for (const struct bob_request *x = w->requests->first; x && st == BOB_OK; x = x->next)
		if (x->what == BOB_REQUEST_VARIABLE)
			st = choose(w, x, why);
	return w->is_failed ? BOB_ERR_NOMEM : st;
}

/* --- references --- */

/* Is a constant subscript outside of the range? Subscripts of the last part are compared if their
 * number is that of the box. */
static bool is_outside(const struct bob_weave *w, uint32_t statement,
		       const struct bob_fortran_use *u, const struct bob_weave_variable *v)
{
	const struct bob_fortran_statement *s = &w->file->statements[statement];
	const struct bob_fortran_expr *part = u->ref->child, *e;
	uint32_t d = 0;
	int64_t n;

	if (!bob_weave_box_rank(v) || u->symbol != v->symbol || !part || !part->child || !s->names)
		return false;
	for (e = part->child->child; e && d < v->request->rank; e = e->next, d++)
		if (bob_fortran_fold(s->names, s, e, &n) == BOB_OK &&
		    (n < v->request->box[d].first || n > v->request->box[d].last))
			return true;
	return false;
}

static enum bob_weave_touch touch(const struct bob_weave *w, uint32_t statement,
				  const struct bob_fortran_use *u,
				  const struct bob_weave_variable *v)
{
	const uint32_t line = w->file->statements[statement].line;

	if (!v->is_foreign && (line < v->request->first_line || line > v->request->last_line))
		return BOB_TOUCH_NOT;
	if (!bob_weave_may_be(w, u->symbol, u->flags, v))
		return BOB_TOUCH_NOT;
	if (v->is_holder)
		return bob_weave_reaches(w, statement, u, v) ? BOB_TOUCH_PERHAPS : BOB_TOUCH_NOT;
	if (is_outside(w, statement, u, v))
		return BOB_TOUCH_DROPPED;
	return u->symbol == v->symbol && !v->request->rank ? BOB_TOUCH_PROVED : BOB_TOUCH_PERHAPS;
}

enum bob_weave_touch bob_weave_touches(const struct bob_weave *w, uint32_t statement,
				       const struct bob_fortran_use *u)
{
	enum bob_weave_touch best = BOB_TOUCH_NOT;

	for (size_t i = 0; i < w->variables.count + w->passed.count; i++) {
		const struct bob_weave_variable *v = i < w->variables.count ?
							     &w->variables.at[i] :
							     &w->passed.at[i - w->variables.count];
		const enum bob_weave_touch t = touch(w, statement, u, v);

		if (t > best)
			best = t;
	}
	return best;
}

/* The box's fraction of the variable, if all elements are accessed equally often; below 0: unknown
 * here. */
static double part(const struct bob_weave_variable *v)
{
	const struct bob_fortran_symbol *s = v->symbol;
	double share = 1;

	for (uint32_t d = 0; d < v->request->rank && d < s->rank; d++) {
		const struct bob_request_range *r = &v->request->box[d];
		double low, high;

		if (s->lower[d].bound != BOB_BOUND_NUMBER || s->upper[d].bound != BOB_BOUND_NUMBER)
			return -1;
		low = (double)(r->first > s->lower[d].value ? r->first : s->lower[d].value);
		high = (double)(r->last < s->upper[d].value ? r->last : s->upper[d].value);
		share *= high >= low ? (high - low + 1) /
					       (double)(s->upper[d].value - s->lower[d].value + 1) :
				       0;
	}
	return share;
}

struct bob_predict_share bob_weave_share(const struct bob_weave *w, uint32_t statement,
					 const struct bob_fortran_use *u)
{
	struct bob_predict_share sum = { 0, 0, false };

	for (size_t i = 0; i < w->variables.count + w->passed.count; i++) {
		const struct bob_weave_variable *v = i < w->variables.count ?
							     &w->variables.at[i] :
							     &w->passed.at[i - w->variables.count];
		double share;

		if (touch(w, statement, u, v) <= BOB_TOUCH_DROPPED)
			continue;
		share = v->request->rank ? part(v) : 1;
		if (!bob_weave_is(u->symbol, v) || v->is_holder || share < 0) {
			sum.most = 1;
			continue;
		}
		sum.is_whole |= !v->request->rank;
		sum.least += share;
		sum.most += share;
	}
	sum.least = sum.least < 1 ? sum.least : 1;
	sum.most = sum.most < 1 ? sum.most : 1;
	return sum;
}
