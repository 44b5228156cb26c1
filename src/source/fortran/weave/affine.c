/* SPDX-License-Identifier: BSD-3-Clause */
/* Loop-invariant and affine expressions of a nest. The analysis is conservative: an expression that
 * it does not understand is neither. */
#include "source/fortran/weave/nest.h"

#include <string.h>

const struct bob_fortran_symbol *bob_weave_symbol(const struct bob_weave *w, uint32_t statement,
						  const struct bob_fortran_expr *ref)
{
	const struct bob_fortran_statement *s = &w->file->statements[statement];
	const struct bob_fortran_expr *part = ref->child;

	if (ref->node != BOB_N_REFERENCE || !part || part->node != BOB_N_PART || !s->names)
		return NULL;
	return bob_fortran_lookup(s->names, s->text + part->from, part->name_len);
}

bool bob_weave_names(const struct bob_weave *w, uint32_t statement,
		     const struct bob_fortran_expr *e, const struct bob_fortran_symbol *symbol)
{
	for (; e; e = e->next)
		if ((e->node == BOB_N_REFERENCE && bob_weave_symbol(w, statement, e) == symbol) ||
		    bob_weave_names(w, statement, e->child, symbol))
			return true;
	return false;
}

/* --- writes --- */

/* Members of a COMMON block within one unit are disjoint, without EQUIVALENCE. */
static bool may_overlap(const struct bob_fortran_symbol *a, const struct bob_fortran_symbol *b)
{
	const uint32_t leads = BOB_SYMBOL_POINTER, led = BOB_SYMBOL_POINTER | BOB_SYMBOL_TARGET;
	const uint32_t unknown = BOB_SYMBOL_ASSOCIATE | BOB_SYMBOL_CRAY_POINTEE;

	if (a == b || (a->flags | b->flags) & unknown)
		return true;
	if ((a->flags & leads && b->flags & led) || (b->flags & leads && a->flags & led))
		return true;
	if (a->common && b->common && !strcmp(a->common->name, b->common->name))
		return a->unit != b->unit || a->class_id || b->class_id;
	return a->class_id && a->class_id == b->class_id && a->unit == b->unit;
}

uint32_t bob_weave_writes(const struct bob_weave_nest *n, const struct bob_fortran_symbol *s)
{
	uint32_t places = 0;

	for (uint32_t i = 0; i < n->written_count; i++)
		if (may_overlap(n->written[i].symbol, s))
			places += n->written[i].places;
	return places;
}

struct bob_weave_nest_written bob_weave_way_of(const struct bob_weave *w, uint32_t statement,
					       const struct bob_fortran_expr *ref,
					       const struct bob_fortran_symbol *symbol)
{
	struct bob_weave_nest_written x = { .symbol = symbol };
	const struct bob_fortran_expr *part = ref->child ? ref->child->next : NULL;

	for (; part; part = part->next) {
		x.last = bob_weave_part(w, statement, ref, part);
		if (!x.last) {
			x.first = NULL;
			return x;
		}
		if (!x.first)
			x.first = x.last;
		x.leads |= (x.last->flags & BOB_SYMBOL_POINTER) != 0;
	}
	return x;
}

static bool is_intrinsic_type(const struct bob_fortran_symbol *s)
{
	return s->type == BOB_T_INTEGER || s->type == BOB_T_REAL || s->type == BOB_T_LOGICAL ||
	       s->type == BOB_T_CHARACTER;
}

/* Two components of one variable are disjoint by their paths or types. */
static bool are_apart(const struct bob_weave_nest_written *a,
		      const struct bob_weave_nest_written *b)
{
	if (a->symbol != b->symbol || !a->first || !b->first)
		return false;
	if (is_intrinsic_type(a->last) && is_intrinsic_type(b->last) &&
	    a->last->type != b->last->type)
		return true;
	return !a->leads && !b->leads && strcmp(a->first->name, b->first->name) != 0;
}

/* May something in the nest change its value? */
static bool is_changed(const struct bob_weave_nest *n, uint32_t statement,
		       const struct bob_fortran_expr *ref, const struct bob_fortran_symbol *s)
{
	const struct bob_weave_nest_written x = bob_weave_way_of(n->w, statement, ref, s);

	for (uint32_t i = 0; i < n->written_count; i++)
		if (may_overlap(n->written[i].symbol, s) && !are_apart(&n->written[i], &x))
			return true;
	return false;
}

/* --- loop invariants --- */

static bool is_name(const struct bob_weave *w, uint32_t statement,
		    const struct bob_fortran_expr *part, const char *const *names)
{
	const char *text = w->file->statements[statement].text + part->from;

	for (; *names; names++)
		if (part->name_len == strlen(*names) && !memcmp(text, *names, part->name_len))
			return true;
	return false;
}

static bool are_same(const struct bob_weave_nest *n, uint32_t statement,
		     const struct bob_fortran_expr *e)
{
	for (; e; e = e->next)
		if (!bob_weave_is_same(n, statement, e))
			return false;
	return true;
}

/* Bounds of a variable: nothing in a nest changes these. */
static bool is_inquiry(const struct bob_weave_nest *n, uint32_t statement,
		       const struct bob_fortran_expr *arguments)
{
	const struct bob_fortran_expr *of = arguments->child;
	const struct bob_fortran_symbol *s = of ? bob_weave_symbol(n->w, statement, of) : NULL;

	return s && s->class == BOB_NAME_VARIABLE && !of->child->next && !of->child->child &&
	       !(s->flags & (BOB_SYMBOL_ASSOCIATE | BOB_SYMBOL_OPTIONAL)) && of->next &&
	       are_same(n, statement, of->next);
}

static bool is_same_call(const struct bob_weave_nest *n, uint32_t statement,
			 const struct bob_fortran_expr *part)
{
	static const char *const inquiries[] = { "size", "lbound", "ubound", NULL };
	static const char *const functions[] = { "min",	 "max",	 "mod",	   "abs",  "modulo",
						 "min0", "max0", "isign", "iabs", NULL };

	if (part->next || !part->child || part->child->node != BOB_N_ARGUMENTS)
		return false;
	if (is_name(n->w, statement, part, inquiries))
		return is_inquiry(n, statement, part->child);
	return is_name(n->w, statement, part, functions) && part->child->child &&
	       are_same(n, statement, part->child->child);
}

static bool is_integer(const struct bob_fortran_symbol *s)
{
	return s && s->type == BOB_T_INTEGER && s->kind >= 1 && s->kind <= 8;
}

static bool is_same_variable(const struct bob_weave_nest *n, uint32_t statement,
			     const struct bob_fortran_expr *ref, const struct bob_fortran_symbol *s)
{
	const struct bob_fortran_symbol *last = bob_weave_last(n->w, statement, ref);
	const bool is_array = last && last->shape != BOB_SHAPE_SCALAR;
	bool has_subscripts = false;

	if (!is_integer(last) || is_changed(n, statement, ref, s) || s->flags & BOB_SYMBOL_VOLATILE)
		return false;
	for (const struct bob_fortran_expr *part = ref->child; part; part = part->next) {
		const struct bob_fortran_expr *list = part->child;

		has_subscripts = list != NULL;
		if (list && (list->node != BOB_N_ARGUMENTS || list->next ||
			     !are_same(n, statement, list->child)))
			return false;
	}
	return is_array == has_subscripts;
}

static bool is_arithmetic(uint8_t op)
{
	return op == BOB_OP_PLUS || op == BOB_OP_MINUS || op == BOB_OP_TIMES ||
	       op == BOB_OP_DIVIDE || op == BOB_OP_POWER;
}

bool bob_weave_is_same(const struct bob_weave_nest *n, uint32_t statement,
		       const struct bob_fortran_expr *e)
{
	const struct bob_fortran_symbol *s;

	switch ((enum bob_fortran_node)e->node) {
	case BOB_N_INTEGER:
		return true;
	case BOB_N_PAREN:
		return e->child && bob_weave_is_same(n, statement, e->child);
	case BOB_N_UNARY:
	case BOB_N_BINARY:
		return is_arithmetic(e->op) && e->child && are_same(n, statement, e->child);
	case BOB_N_REFERENCE:
		s = bob_weave_symbol(n->w, statement, e);
		if (!s)
			return false;
		if (s->class == BOB_NAME_CONSTANT)
			return is_integer(s) && !e->child->next && !e->child->child;
		if (s->class == BOB_NAME_INTRINSIC)
			return is_same_call(n, statement, e->child);
		if (bob_weave_is_laid(n, statement, s)) /* each of its values is a constant */
			return !e->child->next && !e->child->child;
		return s->class == BOB_NAME_VARIABLE && is_same_variable(n, statement, e, s);
	default:
		return false;
	}
}

/* --- affine expressions --- */

static bool is_counter(const struct bob_weave_nest *n, uint32_t statement,
		       const struct bob_fortran_expr *e)
{
	const struct bob_fortran_symbol *s = bob_weave_symbol(n->w, statement, e);

	for (uint32_t d = 0; d < n->depth && s; d++)
		if (n->loop[d].counter == s)
			return !e->child->next && !e->child->child;
	return false;
}

/* A scalar of this unit that always exists. */
static bool is_safe_name(const struct bob_weave_nest *n, uint32_t statement,
			 const struct bob_fortran_expr *ref)
{
	const struct bob_fortran_symbol *s = bob_weave_symbol(n->w, statement, ref);
	const uint32_t bad = BOB_SYMBOL_POINTER | BOB_SYMBOL_ALLOCATABLE | BOB_SYMBOL_OPTIONAL |
			     BOB_SYMBOL_ASSOCIATE | BOB_SYMBOL_CRAY_POINTEE;

	if (!s || !is_integer(s) || ref->child->next || ref->child->child || s->flags & bad)
		return false;
	return s->class == BOB_NAME_CONSTANT ||
	       (s->class == BOB_NAME_VARIABLE && s->shape == BOB_SHAPE_SCALAR &&
		bob_weave_is_same(n, statement, ref));
}

bool bob_weave_is_safe(const struct bob_weave_nest *n, uint32_t statement,
		       const struct bob_fortran_expr *e, uint32_t depth)
{
	const struct bob_fortran_expr *a = e->child, *b = a ? a->next : NULL;

	switch ((enum bob_fortran_node)e->node) {
	case BOB_N_INTEGER:
		return true;
	case BOB_N_PAREN:
		return a && bob_weave_is_safe(n, statement, a, depth);
	case BOB_N_UNARY:
		return a && (e->op == BOB_OP_PLUS || e->op == BOB_OP_MINUS) &&
		       bob_weave_is_safe(n, statement, a, depth);
	case BOB_N_BINARY:
		if (!b || (e->op != BOB_OP_PLUS && e->op != BOB_OP_MINUS && e->op != BOB_OP_TIMES))
			return false;
		return bob_weave_is_safe(n, statement, a, depth) &&
		       bob_weave_is_safe(n, statement, b, depth) &&
		       (e->op != BOB_OP_TIMES || bob_weave_is_safe(n, statement, a, 0) ||
			bob_weave_is_safe(n, statement, b, 0));
	case BOB_N_REFERENCE:
		for (uint32_t d = 0; d < depth; d++)
			if (n->loop[d].counter == bob_weave_symbol(n->w, statement, e))
				return !e->child->next && !e->child->child;
		return is_safe_name(n, statement, e);
	default:
		return false;
	}
}

static bool is_affine(const struct bob_weave_nest *n, uint32_t statement,
		      const struct bob_fortran_expr *e)
{
	const struct bob_fortran_expr *a = e->child, *b = a ? a->next : NULL;

	if (bob_weave_is_same(n, statement, e) || is_counter(n, statement, e))
		return true;
	if (e->node == BOB_N_PAREN || e->node == BOB_N_UNARY)
		return a && (e->node == BOB_N_PAREN || is_arithmetic(e->op)) &&
		       is_affine(n, statement, a);
	if (e->node != BOB_N_BINARY || !b)
		return false;
	if (e->op == BOB_OP_PLUS || e->op == BOB_OP_MINUS)
		return is_affine(n, statement, a) && is_affine(n, statement, b);
	return e->op == BOB_OP_TIMES &&
	       ((bob_weave_is_same(n, statement, a) && is_affine(n, statement, b)) ||
		(is_affine(n, statement, a) && bob_weave_is_same(n, statement, b)));
}

/* The symbol of the part `to` of a reference. */
static const struct bob_fortran_symbol *component(const struct bob_weave_nest *n,
						  uint32_t statement,
						  const struct bob_fortran_expr *ref,
						  const struct bob_fortran_expr *to)
{
	struct bob_fortran_expr parts[8], head = *ref;
	uint32_t i = 0;

	for (const struct bob_fortran_expr *p = ref->child; p && i < 8; p = p->next) {
		parts[i] = *p;
		parts[i].next = p == to ? NULL : &parts[i + 1];
		if (i++, p == to) {
			head.child = parts;
			return bob_weave_last(n->w, statement, &head);
		}
	}
	return NULL;
}

bool bob_weave_is_even(const struct bob_weave_nest *n, uint32_t statement,
		       const struct bob_fortran_expr *ref)
{
	bool varies = false;

	for (const struct bob_fortran_expr *part = ref->child; part; part = part->next) {
		const struct bob_fortran_symbol *s = varies ? component(n, statement, ref, part) :
							      NULL;

		/* Its address then depends on the loaded value. */
		if (varies && (!s || s->flags & (BOB_SYMBOL_POINTER | BOB_SYMBOL_ALLOCATABLE)))
			return false;
		if (part->child && (part->child->node != BOB_N_ARGUMENTS || part->child->next))
			return false;
		for (const struct bob_fortran_expr *e = part->child ? part->child->child : NULL; e;
		     e = e->next) {
			if (!is_affine(n, statement, e))
				return false;
			varies |= !bob_weave_is_same(n, statement, e);
		}
	}
	return true;
}
