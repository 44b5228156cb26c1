/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls without a static callee: type-bound procedures, generic names, operators, procedures that
 * are arguments or pointers. Every procedure that can be called that way is assumed to get the
 * arguments of such calls. This is conservative: the recorder filters by the address. */
#include <string.h>

#include "source/fortran/split.h"
#include "base/ascii.h"
#include "source/fortran/weave/weave.h"
#include "source/fortran/weave/reached.h"

/* Marks procedures and ENTRYs of that name: calls may reach them under other names. */
static void note(struct bob_weave *files, const char *name, uint32_t len)
{
	for (struct bob_weave *w = files; w; w = w->next)
		for (uint32_t i = 0; i < w->file->unit_count; i++) {
			const struct bob_fortran_unit *u = &w->file->units[i];

			if (!(u->flags & BOB_UNIT_ENTRIES) && !u->other && *u->name != *name)
				continue;
			if (bob_weave_has_body(u) &&
			    ((strlen(u->name) == len && !memcmp(u->name, name, len)) ||
			     bob_weave_has_entry(w, i, name, len)))
				w->is_bound[i] = true;
		}
}

/* Marks a procedure that is named without a call, by this name or the name that USE renamed. */
static void note_name(struct bob_weave *files, const struct bob_fortran_statement *s, uint32_t from,
		      uint32_t to)
{
	const struct bob_fortran_symbol *y;

	if (!s->names || (to < s->len && s->text[to] == '(') || bob_is_digit(s->text[from]))
		return;
	y = bob_fortran_lookup(s->names, s->text + from, to - from);
	if (y && y->class != BOB_NAME_SUBROUTINE && y->class != BOB_NAME_FUNCTION &&
	    y->class != BOB_NAME_PROCEDURE && y->class != BOB_NAME_GENERIC &&
	    y->class != BOB_NAME_UNKNOWN)
		return;
	note(files, s->text + from, to - from);
	if (y && y->origin)
		note(files, y->origin, (uint32_t)strlen(y->origin));
}

/* Marks all words of the text from there on. */
static void note_words(struct bob_weave *files, const struct bob_fortran_statement *s,
		       uint32_t from, bool is_list)
{
	uint32_t to;

	for (; from < s->len; from = to) {
		for (to = from; to < s->len && bob_fortran_is_word(s->text[to]); to++)
			;
		if (to == from)
			to++;
		else if (is_list)
			note(files, s->text + from, to - from);
		else
			note_name(files, s, from, to);
	}
}

/* The beginning of initial values: `procedure(f), pointer :: p => g`; else the end. */
static uint32_t values_of(const struct bob_fortran_statement *s)
{
	const char *colons = s->kind == BOB_F_USE ? NULL : strstr(s->text, "::");
	const char *value = colons ? strchr(colons, '=') : NULL;

	return value ? (uint32_t)(value - s->text) : s->len;
}

/* `procedure :: a => b, c`, `module procedure a, b`; an argument, `p => f`, c_funloc(f), `t(f)`. */
static void note_file(struct bob_weave *files, const struct bob_weave *w)
{
	for (uint32_t i = 0; i < w->file->count; i++) {
		const struct bob_fortran_statement *s = &w->file->statements[i];

		if (s->kind == BOB_F_PROCEDURE || s->kind == BOB_F_MODULE_PROCEDURE)
			note_words(files, s, s->from, true);
		else
			note_words(files, s, s->is_executable ? 0 : values_of(s), false);
	}
}

/* Operators and assignments are not calls in the text. If something of a derived type is traced,
 * any object may be their argument. */
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

	for (struct bob_weave *w = files; w; w = w->next) {
		w->is_bound = bob_arena_alloc(w->arena, w->file->unit_count + 1u);
		if (!w->is_bound)
			return BOB_ERR_NOMEM;
		for (size_t i = 0; i < w->variables.count; i++)
			has_objects |= w->variables.at[i].symbol->type == BOB_T_DERIVED;
	}
	for (struct bob_weave *w = files; w; w = w->next)
		note_file(files, w);
	for (struct bob_weave *w = files; w && has_objects; w = w->next)
		*is_new |= mark_objects(w);
	return BOB_OK;
}

bool bob_weave_mark_bound(struct bob_weave *files, uint32_t position, bool is_any)
{
	bool is_new = false;

	for (struct bob_weave *w = files; w; w = w->next)
		for (uint32_t i = 0; i < w->file->unit_count; i++)
			if (w->is_bound[i])
				is_new |= bob_weave_mark(w, i, position,
							 is_any || w->file->units[i].other ||
								 w->file->units[i].flags &
									 BOB_UNIT_ENTRIES);
	return is_new;
}

bool bob_weave_is_indirect(const struct bob_fortran_symbol *s)
{
	return s->class == BOB_NAME_GENERIC || s->class == BOB_NAME_PROCEDURE ||
	       s->flags & (BOB_SYMBOL_POINTER | BOB_SYMBOL_DUMMY) ||
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
				 bob_weave_may_be_any(w, uses->at[k].symbol, uses->at[k].flags);
		if (passes)
			is_new |= bob_weave_mark_bound(w->files, 0, true);
	}
	return is_new;
}
