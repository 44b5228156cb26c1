/* SPDX-License-Identifier: BSD-3-Clause */
/* Alias analysis of traced variables: names, storage shared by COMMON or EQUIVALENCE, dummy
 * arguments and pointers. Traced dummies are found by propagation through the calls of all files of
 * the command, up to a fixed point. */
#include <string.h>

#include "source/fortran/weave/weave.h"
#include "source/fortran/weave/reached.h"

/* Index of a dummy; dummies of all units are numbered consecutively. */
static uint32_t dummy_number(const struct bob_weave *w, uint32_t unit, uint32_t dummy)
{
	return w->dummy_at[unit] + dummy;
}

uint8_t *bob_weave_dummy(const struct bob_weave *w, uint32_t unit, uint32_t d)
{
	return &w->dummies[dummy_number(w, unit, d)];
}

static bool is_dummy_reached(const struct bob_weave *w, uint32_t unit, const char *name)
{
	const struct bob_fortran_unit *u = bob_weave_unit_at(w, unit);

	for (uint32_t d = 0; d < u->dummy_count; d++)
		if (!strcmp(u->dummies[d], name))
			return w->dummies[dummy_number(w, unit, d)] != 0;
	return u->flags & BOB_UNIT_ENTRIES || u->other; /* of an ENTRY or another first statement */
}

/* The end of a COMMON member in its block. UINT64_MAX: unknown, or it may be used beyond its end,
 * as the last member and arrays of one element are. */
static uint64_t end_in_block(const struct bob_weave *w, const struct bob_fortran_symbol *s)
{
	const struct bob_fortran_symbols *t =
		s->unit < w->file->unit_count ? w->file->units[s->unit].symbols : NULL;
	const uint64_t bytes = t ? bob_fortran_symbol_bytes(t, s) : 0;
	const uint64_t end = (uint64_t)s->offset + bytes;

	if (!s->is_placed || s->offset < 0 || !s->common->is_exact || !bytes ||
	    end >= s->common->bytes || (s->rank && bytes == bob_fortran_element_bytes(t, s)))
		return UINT64_MAX;
	return end;
}

static bool are_apart(const struct bob_weave *w, const struct bob_fortran_symbol *a,
		      const struct bob_fortran_symbol *b)
{
	return a->is_placed && b->is_placed &&
	       (end_in_block(w, a) <= (uint64_t)b->offset ||
		end_in_block(w, b) <= (uint64_t)a->offset);
}

static bool share_storage(const struct bob_weave *w, const struct bob_fortran_symbol *a,
			  const struct bob_weave_variable *v)
{
	const struct bob_fortran_symbol *b = v->symbol;

	if (a->common && b->common)
		return !strcmp(a->common->name, b->common->name) &&
		       (v->is_foreign || !are_apart(w, a, b));
	return !v->is_foreign && a->class_id && a->class_id == b->class_id && a->unit == b->unit;
}

/* By its type a pointer may refer to the variable, a component of it, or a part of a complex
 * number. */
static bool may_point(const struct bob_fortran_symbol *s, const struct bob_fortran_symbol *to)
{
	const bool is_part = s->type == BOB_T_REAL && to->type == BOB_T_COMPLEX;

	if (s->type == BOB_T_CLASS || to->type == BOB_T_DERIVED || to->type == BOB_T_CLASS)
		return true;
	return (s->type == to->type || is_part) && (s->kind == to->kind || !s->kind || !to->kind);
}

/* A module's variable, accessed by USE. */
static bool is_used(const struct bob_fortran_symbol *s, const struct bob_weave_variable *v)
{
	return s->flags & (BOB_SYMBOL_USED | BOB_SYMBOL_HOST) && v->is_module &&
	       !strcmp(s->origin ? s->origin : s->name, v->symbol->name);
}

bool bob_weave_is(const struct bob_fortran_symbol *s, const struct bob_weave_variable *v)
{
	if (s == v->symbol || is_used(s, v))
		return true;
	return s->common && v->symbol->common && !strcmp(s->name, v->symbol->name) &&
	       !strcmp(s->common->name, v->symbol->common->name);
}

/* May pointers refer to it? */
bool bob_weave_is_target(const struct bob_weave_variable *v)
{
	return v->has_pointers || v->symbol->flags & (BOB_SYMBOL_TARGET | BOB_SYMBOL_POINTER);
}

bool bob_weave_may_be(const struct bob_weave *w, const struct bob_fortran_symbol *s,
		      uint32_t use_flags, const struct bob_weave_variable *v)
{
	if (use_flags & BOB_USE_COMPONENT && bob_weave_is_target(v))
		return true;
	if (!v->is_of_c && (s == v->symbol || share_storage(w, s, v) || is_used(s, v)))
		return true;
	if (s->flags & BOB_SYMBOL_DUMMY && s->unit < w->file->unit_count)
		return is_dummy_reached(w, s->unit, s->name);
	if (v->is_of_c)
		return bob_weave_may_be_of_c(w, s);
	return s->flags & BOB_SYMBOL_ASSOCIATE ||
	       (s->flags & BOB_SYMBOL_POINTER && may_point(s, v->symbol) && bob_weave_is_target(v));
}

/* Is the variable considered now, as one of this file or of another one? */
static bool counts(const struct bob_weave *w, const struct bob_weave_variable *v)
{
	return !w->only || (v->request == w->only->request && !strcmp(v->name, w->only->name));
}

bool bob_weave_may_be_any(const struct bob_weave *w, const struct bob_fortran_symbol *s,
			  uint32_t use_flags)
{
	for (size_t i = 0; i < w->variables.count; i++)
		if (counts(w, &w->variables.at[i]) &&
		    bob_weave_may_be(w, s, use_flags, &w->variables.at[i]))
			return true;
	for (size_t i = 0; i < w->passed.count; i++)
		if (counts(w, &w->passed.at[i]) &&
		    bob_weave_may_be(w, s, use_flags, &w->passed.at[i]))
			return true;
	return false;
}

/* Is `name` the name of the ENTRY statement? */
static bool is_entry(const struct bob_fortran_statement *s, const char *name, uint32_t len)
{
	uint32_t at = 5; /* after the word */

	at += s->kind == BOB_F_ENTRY && s->text[at] == ' ';
	return s->kind == BOB_F_ENTRY && s->len >= at + len && !memcmp(s->text + at, name, len) &&
	       (s->len == at + len || s->text[at + len] == '(' || s->text[at + len] == ' ');
}

bool bob_weave_has_entry(const struct bob_weave *w, uint32_t unit, const char *name, uint32_t len)
{
	const struct bob_fortran_unit *u = bob_weave_unit_at(w, unit);

	for (const struct bob_fortran_unit *o = u->other; o; o = o->other)
		if (strlen(o->name) == len && !memcmp(o->name, name, len))
			return true;
	for (uint32_t i = u->first; u->flags & BOB_UNIT_ENTRIES && i <= u->last; i++)
		if (w->file->statements[i].unit == unit &&
		    is_entry(&w->file->statements[i], name, len))
			return true;
	return false;
}

static bool is_called(const struct bob_fortran_unit *u, const char *name, uint32_t len)
{
	return !(u->flags & BOB_UNIT_INTERFACE) && strlen(u->name) == len &&
	       !memcmp(u->name, name, len) &&
	       (u->kind == BOB_UNIT_SUBROUTINE || u->kind == BOB_UNIT_FUNCTION);
}

uint32_t bob_weave_procedure(const struct bob_weave *w, const char *name, uint32_t len)
{
	for (uint32_t i = 0; i < w->file->unit_count; i++)
		if (is_called(bob_weave_unit_at(w, i), name, len))
			return i;
	return BOB_FORTRAN_NO;
}

bool bob_weave_has_entries(const struct bob_weave *w, const char *name, uint32_t len)
{
	for (const struct bob_weave *f = w->files; f; f = f->next)
		for (uint32_t i = 0; i < f->file->unit_count; i++)
			if (bob_weave_unit_at(f, i)->flags & BOB_UNIT_ENTRIES &&
			    (is_called(bob_weave_unit_at(f, i), name, len) ||
			     bob_weave_has_entry(f, i, name, len)))
				return true;
	return false;
}

/* Marks the dummy at that position; for a keyword argument all dummies. */
bool bob_weave_mark(struct bob_weave *w, uint32_t unit, uint32_t position, bool is_any)
{
	bool is_new = false;

	for (uint32_t q = 0; q < bob_weave_unit_at(w, unit)->dummy_count; q++) {
		uint8_t *at = &w->dummies[dummy_number(w, unit, q)];

		if ((q == position || is_any) && !*at)
			*at = is_new = true;
	}
	return is_new;
}

/* Marks all procedures and ENTRYs of that name in all files, because only scopes determine the
 * callee. An ENTRY or another first statement may have other dummies than the unit. */
static bool mark_named(struct bob_weave *files, const char *name, uint32_t len, uint32_t position,
		       bool by_name)
{
	bool is_new = false;

	for (struct bob_weave *w = files; w; w = w->next)
		for (uint32_t i = 0; i < w->file->unit_count; i++) {
			const bool is_it = is_called(bob_weave_unit_at(w, i), name, len);

			if (is_it || bob_weave_has_entry(w, i, name, len))
				is_new |= bob_weave_mark(w, i, position,
							 by_name || !is_it ||
								 bob_weave_unit_at(w, i)->other);
		}
	return is_new;
}

/* Propagates the d-th argument of a call, which may be traced. */
static bool pass(struct bob_weave *w, const char *text, const struct bob_fortran_use *call,
		 uint32_t d, const struct bob_fortran_expr *argument)
{
	const struct bob_fortran_expr *part = call->ref->child;
	const char *origin = call->symbol->origin; /* USE may have renamed it */
	const bool by_name = argument->node == BOB_N_KEYWORD;
	bool is_new = mark_named(w->files, origin ? origin : text + part->from,
				 origin ? (uint32_t)strlen(origin) : part->name_len, d, by_name);

	if (bob_weave_is_indirect(call->symbol))
		is_new |= bob_weave_mark_bound(w->files, d, by_name);
	return is_new;
}

/* Functions may return pointers, and components may be some. */
bool bob_weave_may_pass(const struct bob_weave *w, uint32_t statement,
			const struct bob_fortran_use *u)
{
	const enum bob_fortran_class c = u->symbol->class;

	if (u->role == BOB_ROLE_PASS)
		return bob_weave_may_be_any(w, u->symbol, u->flags);
	return u->role == BOB_ROLE_CALL && c != BOB_NAME_INTRINSIC &&
	       c != BOB_NAME_STATEMENT_FUNCTION &&
	       bob_weave_may_be_any(w, u->symbol, u->flags | BOB_USE_COMPONENT) &&
	       !bob_weave_is_plain(w, statement, u->ref, u->symbol);
}

/* Propagates all arguments of calls in this statement. */
static bool follow(struct bob_weave *w, uint32_t statement, const struct bob_fortran_uses *uses)
{
	const struct bob_fortran_statement *s = &w->file->statements[statement];
	bool is_new = bob_weave_follow_bound(w, statement, uses);

	for (uint32_t i = 0; i < uses->count; i++) {
		const struct bob_fortran_expr *part = uses->at[i].ref->child, *argument;
		uint32_t d = 0;

		if (uses->at[i].role != BOB_ROLE_CALL || !part || !part->child)
			continue;
		for (argument = part->child->child; argument; argument = argument->next, d++)
			for (uint32_t k = 0; k < uses->count; k++) {
				const struct bob_fortran_use *u = &uses->at[k];

				if (u->from >= argument->from && u->to <= argument->to &&
				    bob_weave_may_pass(w, statement, u))
					is_new |= pass(w, s->text, &uses->at[i], d, argument);
			}
	}
	return is_new;
}

static bob_status follow_file(struct bob_weave *w, bool *is_new)
{
	struct bob_arena scratch = { 0 };
	struct bob_fortran_uses uses;
	bob_status st = BOB_OK;

	for (uint32_t i = 0; i < w->file->count && st == BOB_OK; i++) {
		if (!w->file->statements[i].is_executable)
			continue;
		st = bob_fortran_uses(&scratch, w->file, i, &uses);
		if (st == BOB_OK)
			*is_new |= follow(w, i, &uses);
	}
	bob_arena_free(&scratch);
	return st;
}

/* --- variables of other files --- */

static bool put(struct bob_weave_variables *list, struct bob_weave_variable v)
{
	v.is_foreign = true;
	v.unit = BOB_FORTRAN_NO;
	return BOB_VEC_ADD(list, v) == BOB_OK;
}

static bool is_there(const struct bob_weave *w, const struct bob_weave_variable *v)
{
	for (size_t i = 0; i < w->variables.count; i++)
		if (!strcmp(w->variables.at[i].name, v->name))
			return true;
	return false;
}

static bool sees(const struct bob_weave *w, const struct bob_weave_variable *v)
{
	for (uint32_t u = 0; u < w->file->unit_count; u++)
		if (!(bob_weave_unit_at(w, u)->flags & BOB_UNIT_INTERFACE) &&
		    bob_weave_seen(w, v, u))
			return true;
	return false;
}

/* Takes over variables of another file that are requested for all lines: they are registered here,
 * too, if they are visible. */
static bob_status take(struct bob_weave *w, const struct bob_weave *other)
{
	for (size_t i = 0; i < other->variables.count; i++) {
		const struct bob_weave_variable *v = &other->variables.at[i];
		struct bob_weave_variable foreign = *v;
		bool ok;

		foreign.unit = BOB_FORTRAN_NO;
		if (v->is_foreign || v->request->first_line > 1 ||
		    v->request->last_line != UINT32_MAX || is_there(w, v))
			continue;
		if (!v->is_alone && sees(w, &foreign))
			ok = put(&w->variables, *v);
		else
			ok = put(&w->passed, *v);
		if (!ok)
			return BOB_ERR_NOMEM;
	}
	return BOB_OK;
}

bob_status bob_weave_follow(struct bob_weave *files)
{
	bob_status st = BOB_OK;
	bool is_new = true;

	while (is_new && st == BOB_OK) {
		is_new = false;
		for (struct bob_weave *w = files; w && st == BOB_OK; w = w->next)
			st = follow_file(w, &is_new);
	}
	return st;
}

bob_status bob_weave_close(struct bob_weave *files)
{
	bob_status st = BOB_OK;
	bool is_new = false;

	for (struct bob_weave *w = files; w; w = w->next)
		for (struct bob_weave *other = files; other && st == BOB_OK; other = other->next) {
			is_new |= other->variables.count != 0;
			if (other != w)
				st = take(w, other);
		}
	if (st == BOB_OK)
		st = bob_weave_find_bound(files, &is_new);
	if (st == BOB_OK)
		st = bob_weave_join_c(files, &is_new);
	return st == BOB_OK && is_new ? bob_weave_follow(files) : st;
}

const struct bob_fortran_symbol *bob_weave_seen(const struct bob_weave *w,
						const struct bob_weave_variable *v, uint32_t unit)
{
	const struct bob_fortran_unit *u = bob_weave_unit_at(w, unit);
	const struct bob_fortran_symbol *s;

	if (v->unit == unit)
		return v->symbol;
	if (v->is_alone || v->construct != BOB_FORTRAN_NO || !u->symbols)
		return NULL;
	s = bob_fortran_lookup(u->symbols, v->symbol->name, (uint32_t)strlen(v->symbol->name));
	if (s && bob_weave_is(s, v))
		return s;
	for (s = v->is_module ? u->symbols->first : NULL; s; s = s->next)
		if (is_used(s, v))
			return s;
	return NULL;
}
