/* SPDX-License-Identifier: BSD-3-Clause */
/* Statement functions: assignments before the first executable statement whose left side is not an
 * array. */
#include <string.h>

#include "source/fortran/scope.h"

/* `f(x) = ...` before all executable statements, where f is not an array. */
static bool is_statement_function(const struct bob_fortran_scope *s,
				  const struct bob_fortran_statement *t,
				  const struct bob_fortran_expr *left)
{
	const struct bob_fortran_expr *part = left->child, *e;
	const struct bob_fortran_symbol *y;

	if (!part || part->node != BOB_N_PART || part->next || !part->child || part->child->next ||
	    part->child->node != BOB_N_ARGUMENTS)
		return false;
	y = bob_fortran_lookup(s->unit_table, t->text + part->from, part->name_len);
	if (y && (y->shape != BOB_SHAPE_SCALAR || (y->flags & BOB_SYMBOL_USED) ||
		  (y->class != BOB_NAME_UNKNOWN && y->class != BOB_NAME_INTRINSIC)))
		return false;
	for (e = part->child->child; e; e = e->next)
		if (e->node != BOB_N_REFERENCE || !e->child || e->child->child || e->child->next)
			return false;
	return true;
}

bool bob_fortran_take_statement_function(struct bob_fortran_scope *s,
					 struct bob_fortran_statement *t)
{
	struct bob_fortran_parser r = { .arena = s->arena, .text = t->text, .end = t->len };
	struct bob_fortran_expr *left = bob_fortran_parse_reference(&r);
	struct bob_fortran_symbol *y;

	if (!left || !is_statement_function(s, t, left))
		return false;
	y = bob_fortran_enter(s->arena, s->table, t->text + left->child->from,
			      left->child->name_len);
	if (!y) {
		s->failed = true;
		return false;
	}
	y->class = BOB_NAME_STATEMENT_FUNCTION;
	if (y->statement == BOB_FORTRAN_NO)
		y->statement = s->index;
	t->is_executable = false;
	return true;
}

/* Does the statement define `name(...) =`? */
static bool defines(const struct bob_fortran_statement *t, const char *name)
{
	const size_t n = strlen(name);

	return t->kind == BOB_F_ASSIGN && !t->is_executable && t->len > t->from + n &&
	       !memcmp(t->text + t->from, name, n) && strchr("( ", t->text[t->from + n]);
}

uint32_t bob_fortran_statement_function(const struct bob_fortran_file *f,
					const struct bob_fortran_symbol *y)
{
	const struct bob_fortran_unit *u = y->unit < f->unit_count ? &f->units[y->unit] : NULL;

	for (uint32_t i = u ? u->first : 1; u && i <= u->last; i++)
		if (f->statements[i].unit == y->unit && defines(&f->statements[i], y->name))
			return i;
	return BOB_FORTRAN_NO;
}
