/* SPDX-License-Identifier: BSD-3-Clause */
/* Proves that an expression is scalar, by the files of the command. Unknown names may be arrays. */
#include <string.h>

#include "source/fortran/weave/nest.h"

static bool are_one(const struct bob_weave *w, uint32_t statement, const struct bob_fortran_expr *e)
{
	for (; e; e = e->next)
		if (!bob_weave_is_one(w, statement, e))
			return false;
	return true;
}

/* Subscripts and substring of one part of a variable; s: its symbol. */
static bool is_one_part(const struct bob_weave *w, uint32_t statement,
			const struct bob_fortran_expr *part, const struct bob_fortran_symbol *s)
{
	const struct bob_fortran_expr *list = part->child;

	if (s->shape != BOB_SHAPE_SCALAR) {
		if (!list || list->node != BOB_N_ARGUMENTS || !are_one(w, statement, list->child))
			return false;
		list = list->next;
	}
	if (!list)
		return true;
	return s->type == BOB_T_CHARACTER && list->node == BOB_N_ARGUMENTS && !list->next &&
	       list->child && list->child->node == BOB_N_RANGE && !list->child->next &&
	       are_one(w, statement, list->child->child);
}

/* An undeclared name may belong to a module that was not parsed. */
static bool is_known(const struct bob_weave *w, uint32_t statement,
		     const struct bob_fortran_symbol *s)
{
	const struct bob_fortran_symbols *t = w->file->statements[statement].names;

	for (; t && !(s->flags & BOB_SYMBOL_TYPED); t = t->host)
		if (t->is_incomplete || t->used)
			return false;
	return true;
}

static bool is_one_variable(const struct bob_weave *w, uint32_t statement,
			    const struct bob_fortran_expr *ref)
{
	for (const struct bob_fortran_expr *part = ref->child; part; part = part->next) {
		const struct bob_fortran_symbol *s =
			part->node == BOB_N_PART ? bob_weave_part(w, statement, ref, part) : NULL;

		if (!s || (part == ref->child && !is_known(w, statement, s)) ||
		    !is_one_part(w, statement, part, s))
			return false;
	}
	return true;
}

/* Intrinsic functions of scalars return scalars, except array functions. */
static bool is_one_intrinsic(const struct bob_weave *w, uint32_t statement,
			     const struct bob_fortran_expr *ref)
{
	static const char *const others[] = { "spread", "transfer", "reshape", "pack",
					      "unpack", "shape",    "lcobound", "ucobound" };
	static const char *const sizes[] = { "size", "lbound", "ubound" };
	const char *name = w->file->statements[statement].text + ref->child->from;
	const uint32_t len = ref->child->name_len;
	const struct bob_fortran_expr *list = ref->child->child;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		if (strlen(sizes[i]) == len && !memcmp(sizes[i], name, len))
			return list && list->child && list->child->next;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (strlen(others[i]) == len && !memcmp(others[i], name, len))
			return false;
	return list && are_one(w, statement, list->child);
}

static bool is_one_reference(const struct bob_weave *w, uint32_t statement,
			     const struct bob_fortran_expr *ref)
{
	const struct bob_fortran_symbol *s = bob_weave_symbol(w, statement, ref);
	const struct bob_fortran_expr *list = ref->child ? ref->child->child : NULL;

	if (!s)
		return false;
	switch (s->class) {
	case BOB_NAME_VARIABLE:
	case BOB_NAME_CONSTANT:
		return is_one_variable(w, statement, ref);
	case BOB_NAME_STATEMENT_FUNCTION:
		return true;
	case BOB_NAME_INTRINSIC:
		return is_one_intrinsic(w, statement, ref);
	case BOB_NAME_FUNCTION:
	case BOB_NAME_PROCEDURE:
		return list && !ref->child->next && are_one(w, statement, list->child) &&
		       bob_weave_is_plain(w, statement, ref, s);
	default:
		return false;
	}
}

bool bob_weave_is_one(const struct bob_weave *w, uint32_t statement,
		      const struct bob_fortran_expr *e)
{
	switch ((enum bob_fortran_node)e->node) {
	case BOB_N_NOTHING:
	case BOB_N_INTEGER:
	case BOB_N_REAL:
	case BOB_N_LOGICAL:
	case BOB_N_STRING:
	case BOB_N_COMPLEX:
		return true;
	case BOB_N_KEYWORD:
	case BOB_N_PAREN:
	case BOB_N_UNARY:
	case BOB_N_BINARY:
		return e->op != BOB_OP_DEFINED && are_one(w, statement, e->child);
	case BOB_N_REFERENCE:
		return is_one_reference(w, statement, e);
	default:
		return false;
	}
}
