/* SPDX-License-Identifier: BSD-3-Clause */
/* Where pointers lead. A value comes from an object that the text names, from an argument of the function, from memory that was just given out, or from anywhere: from
 * memory, from a function that is called, from a number. An object that was asked for, and a pointer variable that was, are anywhere, too; another
 * object is nowhere. A variable that nobody else can change leads to where all that it gets leads, in whatever order. */
#include <string.h>

#include "source/c/copies.h"

#define NOWHERE UINT64_C(0)
#define DEPTH_MAX 64u

/* Where it leads; `to`: NULL, or the variable that gets it, whose values are noted. */
struct look {
	struct bob_c_unit *u;
	struct bob_c_variable *to;
	uint32_t depth;
};

static uint64_t leads(struct look *l, CXCursor c);

static uint64_t of_variable(struct look *l, struct bob_c_variable *from)
{
	struct bob_c_copies *k = l->u->copies;

	if (!l->to)
		return from->leads;
	if (from == l->to)
		return NOWHERE;
	if (bob_array_room(&k->values, k->value_count, &k->value_room, sizeof(*k->values))) {
		l->u->is_failed = true;
		return BOB_C_ANYWHERE;
	}
	k->values[k->value_count++] = (struct bob_c_value){ l->to, from };
	return NOWHERE;
}

static struct bob_c_variable *variable_at(struct look *l, CXCursor c)
{
	return l->u->clang->getCursorKind(c) == CXCursor_DeclRefExpr ?
		       bob_c_variable(l->u, l->u->clang->getCursorReferenced(c)) :
		       NULL;
}

static bool is_pointer(struct look *l, CXCursor c)
{
	return bob_c_type_kind(l->u, c) == CXType_Pointer;
}

static CXCursor without_brackets(struct look *l, CXCursor c)
{
	CXCursor child[1];

	while (l->u->clang->getCursorKind(c) == CXCursor_ParenExpr &&
	       bob_c_children(l->u, c, child, 1) == 1)
		c = child[0];
	return c;
}

/* The object that an lvalue is a part of. */
static uint64_t object(struct look *l, CXCursor c)
{
	struct bob_c_variable *v;
	CXCursor child[2];
	uint32_t n;

	c = without_brackets(l, c);
	n = bob_c_children(l->u, c, child, 2);
	if (l->depth++ > DEPTH_MAX)
		return BOB_C_ANYWHERE;
	switch (l->u->clang->getCursorKind(c)) {
	case CXCursor_DeclRefExpr:
		v = variable_at(l, c);
		return v && v->is_wanted ? BOB_C_ANYWHERE : NOWHERE;
	case CXCursor_StringLiteral:
	case CXCursor_CompoundLiteralExpr:
		return NOWHERE;
	case CXCursor_MemberRefExpr:
		if (!n)
			return BOB_C_ANYWHERE;
		return is_pointer(l, child[0]) ? leads(l, child[0]) : object(l, child[0]);
	case CXCursor_ArraySubscriptExpr:
		if (n != 2)
			return BOB_C_ANYWHERE;
		if (is_pointer(l, child[0]) || is_pointer(l, child[1]))
			return leads(l, child[!is_pointer(l, child[0])]);
		return object(l, child[0]);
	case CXCursor_UnaryOperator:
		if (n != 1)
			return BOB_C_ANYWHERE;
		return is_pointer(l, child[0]) ? leads(l, child[0]) : object(l, child[0]);
	default:
		return BOB_C_ANYWHERE;
	}
}

static bool is_constant(struct look *l, CXCursor c)
{
	CXEvalResult r = l->u->clang->Cursor_Evaluate(c);
	const bool is = r && l->u->clang->EvalResult_getKind(r) == CXEval_Int;

	if (r)
		l->u->clang->EvalResult_dispose(r);
	return is;
}

/* What a value is made of that has another type. */
static uint64_t converted(struct look *l, CXCursor from)
{
	const enum CXTypeKind k = bob_c_type_kind(l->u, from);

	if (k == CXType_Pointer)
		return leads(l, from);
	if (bob_c_is_array(k))
		return object(l, from);
	return is_constant(l, from) ? NOWHERE : BOB_C_ANYWHERE;
}

/* What libclang calls unexposed: a value is read from an lvalue, an array becomes a pointer, a value gets another type. */
static uint64_t implicit(struct look *l, CXCursor child)
{
	struct bob_c_variable *v;

	child = without_brackets(l, child);
	if (l->u->clang->getCursorKind(l->u->clang->getCursorReferenced(child)) ==
		    CXCursor_FunctionDecl &&
	    l->u->clang->getCursorKind(child) == CXCursor_DeclRefExpr)
		return NOWHERE;
	if (!bob_c_is_lvalue(l->u, child) || bob_c_is_array(bob_c_type_kind(l->u, child)))
		return converted(l, child);
	v = variable_at(l, child);
	return v && v->is_pointer ? of_variable(l, v) : BOB_C_ANYWHERE;
}

/* An lvalue that stands right below an operator which gives its value. */
static uint64_t updated(struct look *l, CXCursor c)
{
	struct bob_c_variable *v = variable_at(l, without_brackets(l, c));

	return v && v->is_pointer ? of_variable(l, v) : BOB_C_ANYWHERE;
}

static uint64_t binary(struct look *l, CXCursor c, const CXCursor child[2])
{
	const struct bob_c_operator op = bob_c_operator(l->u, c);
	uint64_t to = NOWHERE;

	/* An assignment; what operators in a macro are is not known. */
	if (bob_c_is_lvalue(l->u, child[0]) || !strcmp(op.text, ","))
		return is_pointer(l, child[1]) ? leads(l, child[1]) : BOB_C_ANYWHERE;
	for (int i = 0; i < 2; i++)
		if (is_pointer(l, child[i]))
			to |= leads(l, child[i]);
	return is_pointer(l, child[0]) || is_pointer(l, child[1]) ? to : BOB_C_ANYWHERE;
}

static uint64_t unary(struct look *l, CXCursor c, CXCursor child)
{
	const struct bob_c_operator op = bob_c_operator(l->u, c);

	if (!strcmp(op.text, "__"))
		return converted(l, child);
	if (!bob_c_is_lvalue(l->u, child))
		return BOB_C_ANYWHERE;
	if (!op.text[0]) /* in a macro */
		return object(l, child) | updated(l, child);
	return !strcmp(op.text, "&") ? object(l, child) : updated(l, child);
}

/* New memory is of who gets it, if that was asked for, or of nobody. */
static uint64_t result(struct look *l, CXCursor call)
{
	const CXCursor to = l->u->clang->getCursorReferenced(call);
	struct bob_c_function *f;

	if (bob_c_is_of_library(bob_c_allocator(l->u, call)))
		return NOWHERE;
	if (l->u->clang->getCursorKind(to) != CXCursor_FunctionDecl)
		return BOB_C_ANYWHERE;
	f = bob_c_function(l->u, to);
	return f ? of_variable(l, &f->result) : BOB_C_ANYWHERE;
}

static uint64_t leads(struct look *l, CXCursor c)
{
	const struct bob_clang *k = l->u->clang;
	CXCursor child[3];
	uint32_t n;

	c = without_brackets(l, c);
	n = bob_c_children(l->u, c, child, 3);
	if (l->depth++ > DEPTH_MAX)
		return BOB_C_ANYWHERE;
	switch (k->getCursorKind(c)) {
	case CXCursor_UnexposedExpr:
		return n == 1 ? implicit(l, child[0]) : BOB_C_ANYWHERE;
	case CXCursor_CStyleCastExpr:
		return n ? converted(l, n == 1 ? child[0] : child[n > 2 ? 2 : 1]) : BOB_C_ANYWHERE;
	case CXCursor_UnaryOperator:
		return n == 1 ? unary(l, c, child[0]) : BOB_C_ANYWHERE;
	case CXCursor_BinaryOperator:
		return n == 2 ? binary(l, c, child) : BOB_C_ANYWHERE;
	case CXCursor_CompoundAssignOperator:
		return n == 2 ? updated(l, child[0]) : BOB_C_ANYWHERE;
	case CXCursor_ConditionalOperator:
		return n == 3 ? converted(l, child[1]) | converted(l, child[2]) : BOB_C_ANYWHERE;
	case CXCursor_CallExpr:
		return result(l, c);
	case CXCursor_IntegerLiteral:
		return NOWHERE;
	default:
		return BOB_C_ANYWHERE;
	}
}

void bob_c_value_note(struct bob_c_unit *u, struct bob_c_variable *v, CXCursor value)
{
	struct look l = { u, v, 0 };

	if (!u->copies || u->copies->is_planned || !v || !v->is_pointer)
		return;
	v->leads |= leads(&l, value);
}

void bob_c_return_note(struct bob_c_unit *u, CXCursor statement)
{
	CXCursor child[1];

	if (u->copies && u->copies->function && u->is_scan &&
	    bob_c_children(u, statement, child, 1) == 1)
		bob_c_value_note(u, &u->copies->function->result, child[0]);
}

static enum CXChildVisitResult see(CXCursor c, CXCursor parent, CXClientData data)
{
	struct bob_c_unit *u = data;
	const CXCursor to = u->clang->getCursorReferenced(c);
	struct bob_c_variable *v;

	(void)parent;
	if (u->clang->getCursorKind(c) != CXCursor_DeclRefExpr)
		return CXChildVisit_Recurse;
	v = bob_c_variable(u, to);
	if (v)
		v->leads = BOB_C_ANYWHERE;
	else if (u->clang->getCursorKind(to) == CXCursor_FunctionDecl)
		bob_c_function_named(u, c);
	return CXChildVisit_Continue;
}

void bob_c_value_blur(struct bob_c_unit *u, CXCursor c)
{
	if (u->copies && !u->copies->is_planned && u->is_scan)
		u->clang->visitChildren(c, see, u);
}

uint64_t bob_c_leads(struct bob_c_unit *u, CXCursor pointer)
{
	struct look l = { u, NULL, 0 };

	return leads(&l, pointer);
}

/* Whatever it gets is not all that it may have. */
static bool is_open(const struct bob_c_variable *v)
{
	return v->is_wanted || v->is_exposed || v->is_linked || v->is_extern ||
	       (v->passes_to && !v->passes_to_many);
}

void bob_c_leads_settle(struct bob_c_unit *u)
{
	const struct bob_c_copies *k = u->copies;
	bool is_new = true;

	for (size_t b = 0; b < BOB_C_BUCKETS; b++)
		for (struct bob_c_variable *v = u->buckets[b]; v; v = v->next)
			if (is_open(v))
				v->leads |= BOB_C_ANYWHERE;
	for (size_t i = 0; i < k->function_count; i++)
		if (!k->functions[i]->is_defined)
			k->functions[i]->result.leads = BOB_C_ANYWHERE;
	while (is_new) {
		is_new = false;
		for (size_t i = 0; i < k->value_count; i++) {
			struct bob_c_variable *to = k->values[i].to;
			uint64_t more = k->values[i].from->leads;

			/* What stays from one call to the next has other calls' arguments. */
			if (to->is_static && more)
				more = BOB_C_ANYWHERE;
			is_new |= (more & ~to->leads) != 0;
			to->leads |= more;
		}
	}
}
