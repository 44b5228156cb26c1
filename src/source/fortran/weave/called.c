/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the names that are procedures, because they are called or declared as such. Other names
 * with a type are variables. */
#include <string.h>

#include "source/fortran/scope.h"
#include "source/fortran/weave/weave.h"

static bool is_intrinsic(const struct bob_fortran_symbol *s)
{
	return bob_fortran_intrinsic(s->name, (uint32_t)strlen(s->name)) != NULL;
}

/* A name is a procedure if it has a type and is called, or if it is a function whose result has
 * another name. */
bool bob_weave_is_procedure(const struct bob_weave *w, const struct bob_fortran_symbol *s,
			    uint32_t unit)
{
	const struct bob_fortran_unit *u = &w->file->units[unit];

	for (const struct bob_fortran_unit *o = u; o; o = o->other)
		if (o->result && !strcmp(s->name, o->name) && strcmp(s->name, o->result) != 0)
			return true;
	for (size_t i = 0; i < w->called.count; i++)
		if (w->called.at[i] == s)
			return true;
	if (s->rank || s->flags & ~(BOB_SYMBOL_TYPED | BOB_SYMBOL_SAVE) || !is_intrinsic(s))
		return false;
	for (size_t i = 0; i < w->plain.count; i++)
		if (w->plain.at[i] == s)
			return false;
	return true; /* only `real sqrt` */
}

/* A scalar that is followed by parentheses without a range is a function, whatever its type. */
static bool is_called(const struct bob_fortran_use *u)
{
	const struct bob_fortran_expr *part = u->ref->child;
	const struct bob_fortran_expr *arguments = part ? part->child : NULL;

	return u->symbol->shape == BOB_SHAPE_SCALAR && !u->symbol->rank && arguments &&
	       !part->next && arguments->node == BOB_N_ARGUMENTS &&
	       (!arguments->child || arguments->child->node != BOB_N_RANGE);
}

/* A pointer gets something that is not a target: a procedure. */
static bool is_pointed_to(const struct bob_fortran_statement *s, const struct bob_fortran_use *u)
{
	const uint32_t targets = BOB_SYMBOL_TARGET | BOB_SYMBOL_POINTER | BOB_SYMBOL_ASSOCIATE;
	const enum bob_fortran_kind k = s->body ? s->body_kind : s->kind;

	return k == BOB_F_POINTER_ASSIGN && u->role == BOB_ROLE_TARGET &&
	       !(u->symbol->flags & targets) && u->ref->child && !u->ref->child->next &&
	       !u->symbol->rank && is_intrinsic(u->symbol);
}

static bool note_plain(struct bob_weave *w, const struct bob_fortran_symbol *s)
{
	if (!is_intrinsic(s))
		return true;
	return BOB_VEC_ADD(&w->plain, s) == BOB_OK;
}

static bool note_called(struct bob_weave *w, const struct bob_fortran_symbol *s)
{
	return BOB_VEC_ADD(&w->called, s) == BOB_OK;
}

/* Notes names with parentheses in statement functions that are not arrays. */
static bool note_in(struct bob_weave *w, const struct bob_fortran_statement *s,
		    const struct bob_fortran_expr *e)
{
	const struct bob_fortran_symbols *table = s->names;

	for (; e; e = e->next) {
		const struct bob_fortran_expr *part = e->node == BOB_N_REFERENCE ? e->child : NULL;
		const struct bob_fortran_symbol *y =
			part && part->child && table ?
				bob_fortran_lookup(table, s->text + part->from, part->name_len) :
				NULL;

		if (y && y->shape == BOB_SHAPE_SCALAR && y->type != BOB_T_CHARACTER &&
		    !note_called(w, y))
			return false;
		if (!note_in(w, s, e->child))
			return false;
	}
	return true;
}

static bool note_statement_function(struct bob_weave *w, struct bob_arena *scratch,
				    const struct bob_fortran_statement *s)
{
	const struct bob_fortran_item *item = NULL;

	if (s->kind != BOB_F_ASSIGN || s->unit == BOB_FORTRAN_NO)
		return true;
	if (bob_fortran_items(scratch, s, &item, NULL) != BOB_OK)
		return false;
	for (; item; item = item->next)
		if (!note_in(w, s, item->expr))
			return false;
	return true;
}

/* Notes everything that the statements of the file call. */
bob_status bob_weave_note_calls(struct bob_weave *w)
{
	struct bob_arena scratch = { 0 };
	struct bob_fortran_uses uses;
	bob_status st = BOB_OK;

	for (uint32_t i = 0; i < w->file->count && st == BOB_OK; i++) {
		if (!w->file->statements[i].is_executable) {
			if (!note_statement_function(w, &scratch, &w->file->statements[i]))
				st = BOB_ERR_NOMEM;
			continue;
		}
		st = bob_fortran_uses(&scratch, w->file, i, &uses);
		for (uint32_t k = 0; k < uses.count && st == BOB_OK; k++) {
			const struct bob_fortran_use *u = &uses.at[k];

			const bool is_call = (u->role == BOB_ROLE_CALL && u->ref->child &&
					      !u->ref->child->next) ||
					     is_called(u) ||
					     is_pointed_to(&w->file->statements[i], u);

			if (!(is_call ? note_called(w, u->symbol) : note_plain(w, u->symbol)))
				st = BOB_ERR_NOMEM;
		}
	}
	bob_arena_free(&scratch);
	return st;
}
