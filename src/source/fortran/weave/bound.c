/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls that do not say what they call: type-bound procedures, generic names, operators, procedures that are arguments or pointers. Which procedure it is, types and the
 * run decide; so whatever can be called that way gets what such a call passes. That is more than needed, never less: the address tells. */
#include <string.h>

#include "source/fortran/split.h"
#include "source/fortran/weave/weave.h"

static bool is_procedure(const struct bob_fortran_unit *u)
{
	return !(u->flags & BOB_UNIT_INTERFACE) &&
	       (u->kind == BOB_UNIT_SUBROUTINE || u->kind == BOB_UNIT_FUNCTION);
}

/* All procedures of that name may be called otherwise than by it. */
static void note(struct bob_weave *files, const char *name, uint32_t len)
{
	for (struct bob_weave *w = files; w; w = w->next)
		for (uint32_t i = 0; i < w->file->unit_count; i++) {
			const struct bob_fortran_unit *u = &w->file->units[i];

			if (is_procedure(u) && strlen(u->name) == len &&
			    !memcmp(u->name, name, len))
				w->is_bound[i] = true;
		}
}

/* `procedure :: a => b, c`, `module procedure a, b`: each word. */
static void note_words(struct bob_weave *files, const struct bob_fortran_statement *s)
{
	uint32_t from = s->from, to;

	for (; from<s->len; from = to> from ? to : from + 1) {
		for (to = from; to < s->len && bob_fortran_is_word(s->text[to]); to++)
			;
		if (to > from)
			note(files, s->text + from, to - from);
	}
}

/* What is passed or pointed to is no variable. */
static void note_values(struct bob_weave *files, const struct bob_fortran_statement *s,
			const struct bob_fortran_uses *uses)
{
	for (uint32_t k = 0; k < uses->count; k++) {
		const struct bob_fortran_use *u = &uses->at[k];
		const struct bob_fortran_expr *part = u->ref->child;

		if ((u->role == BOB_ROLE_PASS || u->role == BOB_ROLE_TARGET) && part &&
		    !part->next && !part->child && u->symbol->class != BOB_NAME_VARIABLE &&
		    u->symbol->class != BOB_NAME_CONSTANT)
			note(files, s->text + part->from, part->name_len);
	}
}

static bob_status note_file(struct bob_weave *files, struct bob_weave *w)
{
	struct bob_arena scratch = { 0 };
	struct bob_fortran_uses uses;
	bob_status st = BOB_OK;

	for (uint32_t i = 0; i < w->file->count && st == BOB_OK; i++) {
		const struct bob_fortran_statement *s = &w->file->statements[i];

		if (s->kind == BOB_F_PROCEDURE || s->kind == BOB_F_MODULE_PROCEDURE)
			note_words(files, s);
		if (!s->is_executable)
			continue;
		st = bob_fortran_uses(&scratch, w->file, i, &uses);
		if (st == BOB_OK)
			note_values(files, s, &uses);
	}
	bob_arena_free(&scratch);
	return st;
}

/* Operators and assignment are no calls in the text: where something of a derived type is traced, any object may be it. */
static bool mark_objects(struct bob_weave *w)
{
	bool is_new = false;

	for (uint32_t i = 0; i < w->file->unit_count; i++) {
		const struct bob_fortran_unit *u = &w->file->units[i];

		for (uint32_t d = 0; w->is_bound[i] && u->symbols && d < u->dummy_count; d++) {
			const struct bob_fortran_symbol *s = bob_fortran_own(
				u->symbols, u->dummies[d], (uint32_t)strlen(u->dummies[d]));
			uint8_t *at = bob_weave_dummy(w, i, d);

			if (*at || !s || (s->type != BOB_T_DERIVED && s->type != BOB_T_CLASS))
				continue;
			*at = is_new = true;
		}
	}
	return is_new;
}

bob_status bob_weave_find_bound(struct bob_weave *files, bool *is_new)
{
	bool has_objects = false;
	bob_status st = BOB_OK;

	for (struct bob_weave *w = files; w; w = w->next) {
		w->is_bound = bob_arena_alloc(w->arena, w->file->unit_count + 1u);
		if (!w->is_bound)
			return BOB_ERR_NOMEM;
		for (size_t i = 0; i < w->variable_count; i++)
			has_objects |= w->variables[i].symbol->type == BOB_T_DERIVED;
	}
	for (struct bob_weave *w = files; w && st == BOB_OK; w = w->next)
		st = note_file(files, w);
	for (struct bob_weave *w = files; w && st == BOB_OK && has_objects; w = w->next)
		*is_new |= mark_objects(w);
	return st;
}

bool bob_weave_mark_bound(struct bob_weave *files, uint32_t position, bool is_any)
{
	bool is_new = false;

	for (struct bob_weave *w = files; w; w = w->next)
		for (uint32_t i = 0; i < w->file->unit_count; i++)
			if (w->is_bound[i])
				is_new |= bob_weave_mark(w, i, position, is_any);
	return is_new;
}

bool bob_weave_is_indirect(const struct bob_fortran_symbol *s)
{
	return s->class == BOB_NAME_GENERIC || s->class == BOB_NAME_PROCEDURE ||
	       s->flags & BOB_SYMBOL_POINTER ||
	       (s->class == BOB_NAME_UNKNOWN && s->flags & BOB_SYMBOL_USED);
}

/* `call x%f(...)`, or `x%f(...)` where x has no component f. */
static bool is_bound_call(const struct bob_weave *w, uint32_t statement,
			  const struct bob_fortran_use *u)
{
	const struct bob_fortran_expr *part = u->ref->child;

	if (!part || !part->next)
		return false;
	while (part->next)
		part = part->next;
	return u->role == BOB_ROLE_CALL || (part->child && !bob_weave_last(w, statement, u->ref));
}

bool bob_weave_follow_bound(struct bob_weave *w, uint32_t statement,
			    const struct bob_fortran_uses *uses)
{
	bool is_new = false;

	for (uint32_t i = 0; i < uses->count; i++) {
		const struct bob_fortran_use *call = &uses->at[i];
		bool passes = false;

		if (!is_bound_call(w, statement, call))
			continue;
		for (uint32_t k = 0; k < uses->count && !passes; k++)
			passes = uses->at[k].from >= call->from && uses->at[k].to <= call->to &&
				 bob_weave_may_be_any(w, uses->at[k].symbol);
		if (passes)
			is_new |= bob_weave_mark_bound(w->files, 0, true);
	}
	return is_new;
}
