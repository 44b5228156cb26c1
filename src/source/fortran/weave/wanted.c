/* SPDX-License-Identifier: BSD-3-Clause */
/* Which variables are meant, and which references may be of them. A reference may if it names the variable, or storage that COMMON or EQUIVALENCE
 * puts in the same place, or a dummy argument or pointer that may lead to it. Which dummies may is found by following arguments through the
 * calls of the file until nothing more comes. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/host/nearest.h"
#include "source/fortran/weave/weave.h"

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

static const struct bob_fortran_unit *unit_of(const struct bob_weave *w, uint32_t i)
{
	return &w->file->units[i];
}

static bool is_unit_meant(const struct bob_fortran_unit *u, const struct bob_wish *wish,
			  const char *in)
{
	const bool is_module = u->kind == BOB_UNIT_MODULE || u->kind == BOB_UNIT_SUBMODULE;

	if (u->flags & BOB_UNIT_INTERFACE || u->kind == BOB_UNIT_BLOCK_DATA)
		return false;
	switch (wish->scope) {
	case BOB_SCOPE_UNIT:
		return !strcmp(u->name, in);
	case BOB_SCOPE_MODULE:
		return is_module && !strcmp(u->name, in);
	default:
		return true;
	}
}

static const char *name_of(struct bob_weave *w, const struct bob_fortran_symbol *s,
			   const struct bob_fortran_unit *u)
{
	if (s->common)
		return bob_weave_text(w, "/%s/%s", s->common->name, s->name);
	if (u->kind == BOB_UNIT_PROGRAM)
		return s->name;
	if (u->kind == BOB_UNIT_MODULE || u->kind == BOB_UNIT_SUBMODULE)
		return bob_weave_text(w, "%s::%s", u->name, s->name);
	return bob_weave_text(w, "%s in %s", s->name, u->name);
}

/* Of a length that is not known here, or too long for one access. */
static bool is_text(const struct bob_fortran_symbol *s, uint64_t element)
{
	return s->type == BOB_T_CHARACTER && s->kind > 0 && s->rank < BOB_FORTRAN_RANK_MAX &&
	       (!element || element > UINT16_MAX);
}

/* Why it cannot be declared; NULL: it can. */
static const char *unfit(const struct bob_fortran_symbol *s, uint64_t element)
{
	if (s->flags & (BOB_SYMBOL_COARRAY | BOB_SYMBOL_CRAY_POINTEE))
		return "a coarray, or what a Cray pointer leads to";
	if (s->shape == BOB_SHAPE_ASSUMED_SIZE || s->shape == BOB_SHAPE_ASSUMED_RANK)
		return "a dummy argument of unknown size: name the variable that is passed";
	if (s->flags & BOB_SYMBOL_THREADPRIVATE)
		return "threadprivate";
	if (s->flags & BOB_SYMBOL_ASSOCIATE)
		return "a name that ASSOCIATE gives";
	if (!element && is_text(s, element))
		return NULL;
	if (!element || (element > UINT16_MAX && !is_text(s, element)))
		return "the size of its elements is not known here";
	return NULL;
}

static void add(struct bob_weave *w, const struct bob_fortran_symbol *s, uint32_t unit,
		const struct bob_wish *wish)
{
	const struct bob_fortran_unit *u = unit_of(w, unit);
	const uint64_t element = bob_fortran_element_bytes(u->symbols, s);
	const char *name = name_of(w, s, u), *why = unfit(s, element);

	struct bob_weave_variable *v;

	if (!why && u->flags & BOB_UNIT_ENTRIES && !s->common)
		why = "a variable of a unit with ENTRY statements";
	for (size_t i = 0; i < w->variable_count; i++) /* a member of COMMON, in another unit */
		if (w->variables[i].wish == wish && !strcmp(w->variables[i].name, name))
			return;
	if (why) {
		bob_weave_refuse(
			w, why,
			w->file->statements[s->statement < w->file->count ? s->statement : 0].line);
		return;
	}
	if (bob_array_room(&w->variables, w->variable_count, &w->variable_room,
			   sizeof(*w->variables))) {
		w->is_failed = true;
		return;
	}
	v = &w->variables[w->variable_count++];
	*v = (struct bob_weave_variable){ .symbol = s, .wish = wish, .name = name, .unit = unit,
					  .element = (uint32_t)element };
	v->is_text = is_text(s, element);
	if (v->is_text)
		v->element = (uint32_t)s->kind;
	v->is_alone = !s->common && u->kind != BOB_UNIT_MODULE && u->kind != BOB_UNIT_SUBMODULE;
	v->is_automatic = v->is_alone && !(s->flags & BOB_SYMBOL_SAVE) &&
			  u->kind != BOB_UNIT_PROGRAM;
}

static bool is_variable(const struct bob_fortran_symbol *s)
{
	return s->class == BOB_NAME_VARIABLE && !(s->flags & (BOB_SYMBOL_USED | BOB_SYMBOL_HOST));
}

/* A name with a type that is called, or that of a function whose result has another name, is a procedure's. */
static bool is_procedure(const struct bob_weave *w, const struct bob_fortran_symbol *s,
			 uint32_t unit)
{
	const struct bob_fortran_unit *u = unit_of(w, unit);

	if (u->result && !strcmp(s->name, u->name) && strcmp(s->name, u->result) != 0)
		return true;
	for (size_t i = 0; i < w->called_count; i++)
		if (w->called[i] == s)
			return true;
	return false;
}

/* A scalar with brackets behind it that hold no range: a function, whatever its type. */
static bool is_called(const struct bob_fortran_use *u)
{
	const struct bob_fortran_expr *part = u->ref->child;
	const struct bob_fortran_expr *arguments = part ? part->child : NULL;

	return u->symbol->shape == BOB_SHAPE_SCALAR && !u->symbol->rank && arguments &&
	       arguments->node == BOB_N_ARGUMENTS &&
	       (!arguments->child || arguments->child->node != BOB_N_RANGE);
}

/* What the statements of the file call. */
static bob_status note_calls(struct bob_weave *w)
{
	struct bob_fortran_uses uses;
	bob_status st = BOB_OK;

	for (uint32_t i = 0; i < w->file->count && st == BOB_OK; i++) {
		if (!w->file->statements[i].is_executable)
			continue;
		st = bob_fortran_uses(w->arena, w->file, i, &uses);
		for (uint32_t k = 0; k < uses.count && st == BOB_OK; k++) {
			if (uses.at[k].role != BOB_ROLE_CALL && !is_called(&uses.at[k]))
				continue;
			if (bob_array_room(&w->called, w->called_count, &w->called_room,
					   sizeof(struct bob_fortran_symbol *)))
				return BOB_ERR_NOMEM;
			w->called[w->called_count++] = uses.at[k].symbol;
		}
	}
	return st;
}

static bool is_meant(const struct bob_fortran_symbol *s, const struct bob_wish *wish,
		     const char *in, const char *name)
{
	if (!is_variable(s) || (strcmp(name, "*") != 0 && strcmp(name, s->name) != 0))
		return false;
	return wish->scope != BOB_SCOPE_COMMON || (s->common && !strcmp(s->common->name, in));
}

static bob_status not_there(struct bob_weave *w, const struct bob_wish *wish, const char *in,
			    const char *name, struct bob_source_complaint *why)
{
	struct bob_nearest near = { .word = name };
	bool has_unit = wish->scope == BOB_SCOPE_ANY || wish->scope == BOB_SCOPE_COMMON;
	char text[300];

	for (uint32_t i = 0; i < w->file->unit_count; i++) {
		const struct bob_fortran_unit *u = unit_of(w, i);

		if (!is_unit_meant(u, wish, in))
			continue;
		has_unit = true;
		for (const struct bob_fortran_symbol *s = u->symbols ? u->symbols->first : NULL; s;
		     s = s->next)
			if (is_variable(s))
				bob_nearest_try(&near, s->name);
	}
	if (!has_unit) {
		near = (struct bob_nearest){ .word = in };
		for (uint32_t i = 0; i < w->file->unit_count; i++)
			bob_nearest_try(&near, unit_of(w, i)->name);
		snprintf(text, sizeof(text), "there is no unit %.80s", in);
	} else if (wish->scope == BOB_SCOPE_ANY) {
		snprintf(text, sizeof(text), "there is no variable %.80s", name);
	} else {
		snprintf(text, sizeof(text), "there is no variable %.80s in %.80s", name, in);
	}
	snprintf(why->text, sizeof(why->text), "%.100s: command %u, column %u: %.200s%s%.63s%s",
		 w->path, wish->command, wish->column, text, near.name ? "; did you mean " : "",
		 near.name ? near.name : "", near.name ? "?" : "");
	return BOB_ERR_INVAL;
}

static bob_status choose(struct bob_weave *w, const struct bob_wish *wish,
			 struct bob_source_complaint *why)
{
	const char *name = lower(w, wish->name), *in = lower(w, wish->in);
	bool found = false;

	for (uint32_t i = 0; i < w->file->unit_count; i++) {
		const struct bob_fortran_unit *u = unit_of(w, i);

		if (!u->symbols || !is_unit_meant(u, wish, in))
			continue;
		found |= !strcmp(name, "*") && wish->scope != BOB_SCOPE_COMMON;
		for (const struct bob_fortran_symbol *s = u->symbols->first; s; s = s->next)
			if (is_meant(s, wish, in, name) && !is_procedure(w, s, i)) {
				found = true;
				add(w, s, i, wish);
			}
	}
	return found || w->is_failed ? BOB_OK : not_there(w, wish, in, name, why);
}

/* --- what else may be the same storage --- */

/* Numbers of dummies, unit after unit. */
static uint32_t dummy_number(const struct bob_weave *w, uint32_t unit, uint32_t dummy)
{
	uint32_t n = dummy;

	for (uint32_t i = 0; i < unit; i++)
		n += unit_of(w, i)->dummy_count;
	return n;
}

static bool is_dummy_reached(const struct bob_weave *w, uint32_t unit, const char *name)
{
	const struct bob_fortran_unit *u = unit_of(w, unit);

	for (uint32_t d = 0; d < u->dummy_count; d++)
		if (!strcmp(u->dummies[d], name))
			return w->dummies[dummy_number(w, unit, d)] != 0;
	return false;
}

static bool share_storage(const struct bob_fortran_symbol *a, const struct bob_fortran_symbol *b)
{
	if (a->common && b->common)
		return !strcmp(a->common->name, b->common->name);
	return a->class_id && a->class_id == b->class_id && a->unit == b->unit;
}

static bool same_type(const struct bob_fortran_symbol *a, const struct bob_fortran_symbol *b)
{
	return a->type == b->type && a->kind == b->kind;
}

/* A module's, seen by who uses it. */
static bool is_used(const struct bob_weave *w, const struct bob_fortran_symbol *s,
		    const struct bob_weave_variable *v)
{
	const enum bob_fortran_unit_kind k = unit_of(w, v->unit)->kind;

	return s->flags & (BOB_SYMBOL_USED | BOB_SYMBOL_HOST) &&
	       (k == BOB_UNIT_MODULE || k == BOB_UNIT_SUBMODULE) &&
	       !strcmp(s->name, v->symbol->name);
}

/* Pointers may lead to it. */
static bool is_target(const struct bob_weave_variable *v)
{
	return v->symbol->flags & (BOB_SYMBOL_TARGET | BOB_SYMBOL_POINTER);
}

/* The symbol, as one of the unit sees it, may be the variable. */
static bool may_be(const struct bob_weave *w, const struct bob_fortran_symbol *s,
		   const struct bob_weave_variable *v)
{
	if (s == v->symbol || share_storage(s, v->symbol) || is_used(w, s, v))
		return true;
	if (s->flags & BOB_SYMBOL_DUMMY && s->unit < w->file->unit_count)
		return is_dummy_reached(w, s->unit, s->name);
	return s->flags & BOB_SYMBOL_ASSOCIATE ||
	       (s->flags & BOB_SYMBOL_POINTER && same_type(s, v->symbol) && is_target(v));
}

static bool may_be_any(const struct bob_weave *w, const struct bob_fortran_symbol *s)
{
	for (size_t i = 0; i < w->variable_count; i++)
		if (may_be(w, s, &w->variables[i]))
			return true;
	return false;
}

/* The procedure of this file that a name calls. */
static uint32_t procedure(const struct bob_weave *w, const char *name, uint32_t len)
{
	for (uint32_t i = 0; i < w->file->unit_count; i++) {
		const struct bob_fortran_unit *u = unit_of(w, i);

		if (!(u->flags & BOB_UNIT_INTERFACE) && strlen(u->name) == len &&
		    !memcmp(u->name, name, len) &&
		    (u->kind == BOB_UNIT_SUBROUTINE || u->kind == BOB_UNIT_FUNCTION))
			return i;
	}
	return BOB_FORTRAN_NO;
}

/* Everything that a call in this statement may pass on: who passes it to a procedure of the file by position is followed exactly, the rest
 * reaches every dummy of the file. */
static bool follow(struct bob_weave *w, uint32_t statement, const struct bob_fortran_uses *uses)
{
	const struct bob_fortran_statement *s = &w->file->statements[statement];
	bool is_new = false;

	for (uint32_t i = 0; i < uses->count; i++) {
		const struct bob_fortran_use *call = &uses->at[i];
		uint32_t unit, d = 0;
		const struct bob_fortran_expr *argument;

		if (call->role != BOB_ROLE_CALL || !call->ref->child)
			continue;
		unit = procedure(w, s->text + call->ref->child->from, call->ref->child->name_len);
		if (unit == BOB_FORTRAN_NO || !call->ref->child->child)
			continue;
		for (argument = call->ref->child->child->child; argument;
		     argument = argument->next, d++)
			for (uint32_t k = 0; k < uses->count; k++) {
				const struct bob_fortran_use *u = &uses->at[k];

				if (u->from < argument->from || u->to > argument->to ||
				    u->role != BOB_ROLE_PASS || !may_be_any(w, u->symbol))
					continue;
				for (uint32_t q = 0; q < unit_of(w, unit)->dummy_count; q++) {
					uint8_t *at = &w->dummies[dummy_number(w, unit, q)];

					if ((q == d || argument->node == BOB_N_KEYWORD) && !*at)
						*at = is_new = true;
				}
			}
	}
	return is_new;
}

static bob_status follow_all(struct bob_weave *w)
{
	bool is_new = true;

	while (is_new) {
		is_new = false;
		for (uint32_t i = 0; i < w->file->count; i++) {
			struct bob_fortran_uses uses;
			bob_status st;

			if (!w->file->statements[i].is_executable)
				continue;
			st = bob_fortran_uses(w->arena, w->file, i, &uses);
			if (st != BOB_OK)
				return st;
			is_new |= follow(w, i, &uses);
		}
	}
	return BOB_OK;
}

/* Dummies that somebody named are what they are, and so are members of modules that are used. */
bob_status bob_weave_choose(struct bob_weave *w, struct bob_source_complaint *why)
{
	uint32_t dummies = 0;
	bob_status st = BOB_OK;

	for (uint32_t i = 0; i < w->file->unit_count; i++)
		dummies += unit_of(w, i)->dummy_count;
	w->dummies = bob_arena_alloc(w->arena, dummies + 1u);
	if (!w->dummies)
		return BOB_ERR_NOMEM;
	st = note_calls(w);
	for (const struct bob_wish *x = w->wishes->first; x && st == BOB_OK; x = x->next)
		if (x->what == BOB_WISH_VARIABLE)
			st = choose(w, x, why);
	if (st == BOB_OK && w->variable_count)
		st = follow_all(w);
	return w->is_failed ? BOB_ERR_NOMEM : st;
}

/* --- references --- */

/* A subscript that is a number and not in the range. Of the last part's subscripts, if they are as many as the box has. */
static bool is_outside(const struct bob_weave *w, uint32_t statement,
		       const struct bob_fortran_use *u, const struct bob_weave_variable *v)
{
	const struct bob_fortran_statement *s = &w->file->statements[statement];
	const struct bob_fortran_expr *part = u->ref->child, *e;
	const struct bob_fortran_unit *unit = bob_weave_unit(w, statement);
	uint32_t d = 0;
	int64_t n;

	if (!v->wish->rank || u->symbol != v->symbol || !part || !part->child || !unit)
		return false;
	for (e = part->child->child; e && d < v->wish->rank; e = e->next, d++)
		if (bob_fortran_fold(unit->symbols, s, e, &n) == BOB_OK &&
		    (n < v->wish->box[d].first || n > v->wish->box[d].last))
			return true;
	return false;
}

enum bob_weave_touch bob_weave_touches(const struct bob_weave *w, uint32_t statement,
				       const struct bob_fortran_use *u)
{
	const uint32_t line = w->file->statements[statement].line;
	enum bob_weave_touch best = BOB_TOUCH_NOT;

	for (size_t i = 0; i < w->variable_count; i++) {
		const struct bob_weave_variable *v = &w->variables[i];
		enum bob_weave_touch t = BOB_TOUCH_PERHAPS;

		if (line < v->wish->first_line || line > v->wish->last_line ||
		    (!may_be(w, u->symbol, v) && !(u->flags & BOB_USE_COMPONENT && is_target(v))))
			continue;
		if (is_outside(w, statement, u, v))
			t = BOB_TOUCH_DROPPED;
		else if (u->symbol == v->symbol && !v->wish->rank)
			t = BOB_TOUCH_PROVED;
		if (t > best)
			best = t;
	}
	return best;
}

bool bob_weave_is_in(const struct bob_weave *w, const struct bob_weave_variable *v, uint32_t unit)
{
	const struct bob_fortran_unit *u = unit_of(w, unit);

	if (v->unit == unit)
		return true;
	if (v->is_alone || !u->symbols)
		return false;
	const struct bob_fortran_symbol *s =
		bob_fortran_lookup(u->symbols, v->symbol->name, (uint32_t)strlen(v->symbol->name));
	if (!s)
		return false;
	return s == v->symbol || is_used(w, s, v) ||
	       (s->common && v->symbol->common &&
		!strcmp(s->common->name, v->symbol->common->name));
}
