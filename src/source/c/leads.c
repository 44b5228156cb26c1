/* SPDX-License-Identifier: BSD-3-Clause */
/* Flow-insensitive points-to analysis: what a pointer may refer to. A value comes from a named
 * object, an argument of the function, newly allocated memory, or anything else (memory, an unknown
 * function, a number). A traced object or pointer variable counts as "anywhere", another object as
 * "nowhere". A variable that no other code can change has the union of all values assigned to
 * it. */
#include <string.h>

#include "source/c/allocators.h"
#include "source/c/copies.h"

#define NOWHERE UINT64_C(0)
#define DEPTH_MAX 64u

/* One evaluation; `to`: the variable that gets the value, or NULL. */
struct look {
	struct bob_c_unit *u;
	struct bob_c_variable *to;
	uint32_t depth;
};

static uint64_t leads(struct look *l, CXCursor c);
static uint64_t moved(struct look *l, CXCursor from, CXCursor by);

static uint64_t of_variable(struct look *l, struct bob_c_variable *from)
{
	struct bob_c_copies *k = l->u->copies;

	if (!l->to)
		return from->leads;
	if (from == l->to)
		return NOWHERE;
	if (BOB_VEC_ADD(&k->values, (struct bob_c_value){ l->to, from }) != BOB_OK) {
		l->u->is_failed = true;
		return BOB_C_ANYWHERE;
	}
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
		return v && (v->is_wanted || (v->is_static && l->u->copies->is_shared)) ?
			       BOB_C_ANYWHERE :
			       NOWHERE;
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
			return moved(l, child[!is_pointer(l, child[0])],
				     child[is_pointer(l, child[0])]);
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

/* The operand of a conversion. */
static uint64_t converted(struct look *l, CXCursor from)
{
	const enum CXTypeKind k = bob_c_type_kind(l->u, from);

	if (k == CXType_Pointer)
		return leads(l, from);
	if (bob_c_is_array(k))
		return object(l, from);
	return is_constant(l, from) ? NOWHERE : BOB_C_ANYWHERE;
}

/* va_arg may give anything; its operand is an argument list. */
static bool is_list(struct look *l, CXCursor c)
{
	const struct bob_clang *k = l->u->clang;
	const CXType t = k->getCanonicalType(k->getCursorType(c)), to = k->getPointeeType(t);

	return strstr(bob_c_text(l->u, k->getTypeSpelling(t)), "va_list") ||
	       strstr(bob_c_text(l->u, k->getTypeSpelling(to)), "va_list");
}

/* Unexposed expressions of libclang: an lvalue is read, an array becomes a pointer, or a value is
 * converted. */
static uint64_t implicit(struct look *l, CXCursor child)
{
	struct bob_c_variable *v;

	child = without_brackets(l, child);
	if (is_list(l, child))
		return BOB_C_ANYWHERE;
	if (l->u->clang->getCursorKind(l->u->clang->getCursorReferenced(child)) ==
		    CXCursor_FunctionDecl &&
	    l->u->clang->getCursorKind(child) == CXCursor_DeclRefExpr)
		return NOWHERE;
	if (!bob_c_is_lvalue(l->u, child) || bob_c_is_array(bob_c_type_kind(l->u, child)))
		return converted(l, child);
	v = variable_at(l, child);
	return v && v->is_pointer ? of_variable(l, v) : BOB_C_ANYWHERE;
}

/* An lvalue that is the direct operand of an operator that yields its value. */
static uint64_t updated(struct look *l, CXCursor c)
{
	struct bob_c_variable *v = variable_at(l, without_brackets(l, c));

	return v && v->is_pointer ? of_variable(l, v) : BOB_C_ANYWHERE;
}

/* A null pointer, or another number converted to a pointer, under casts and sums. */
static bool is_number(struct look *l, CXCursor c)
{
	CXCursor child[3];
	uint32_t n;

	for (uint32_t depth = 0; depth < DEPTH_MAX; depth++) {
		c = without_brackets(l, c);
		if (!is_pointer(l, c))
			return !bob_c_is_array(bob_c_type_kind(l->u, c));
		n = bob_c_children(l->u, c, child, 3);
		switch (l->u->clang->getCursorKind(c)) {
		case CXCursor_UnexposedExpr:
			if (n != 1 || bob_c_is_lvalue(l->u, child[0]))
				return false;
			c = child[0];
			break;
		case CXCursor_CStyleCastExpr:
			if (!n)
				return false;
			c = child[n < 3 ? n - 1 : 2];
			break;
		case CXCursor_BinaryOperator:
			if (n != 2)
				return false;
			c = child[!is_pointer(l, child[0])];
			break;
		default:
			return false;
		}
	}
	return false;
}

/* A pointer plus an offset: anywhere if the pointer is a number and the offset is not constant. */
static uint64_t moved(struct look *l, CXCursor from, CXCursor by)
{
	return leads(l, from) |
	       (is_number(l, from) && !is_constant(l, by) ? BOB_C_ANYWHERE : NOWHERE);
}

static uint64_t binary(struct look *l, CXCursor c, const CXCursor child[2])
{
	const struct bob_c_operator op = bob_c_operator(l->u, c);
	uint64_t to = NOWHERE;

	if (!strcmp(op.text, ","))
		return is_pointer(l, child[1]) ? leads(l, child[1]) : BOB_C_ANYWHERE;
	/* An assignment to a variable that may be traced. Operators in macros are unknown. */
	if (bob_c_is_lvalue(l->u, child[0]))
		return is_pointer(l, child[1]) ? leads(l, child[1]) | updated(l, child[0]) :
						 BOB_C_ANYWHERE;
	for (int i = 0; i < 2; i++)
		if (is_pointer(l, child[i]))
			to |= moved(l, child[i], child[!i]);
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

/* New memory belongs to the pointer that gets it, if that is traced; otherwise it is untraced. */
static uint64_t result(struct look *l, CXCursor call)
{
	const CXCursor to = l->u->clang->getCursorReferenced(call);
	struct bob_c_function *f;

	if (bob_c_is_of_library(bob_c_allocator(l->u, call)))
		return l->u->copies->is_shared ? BOB_C_ANYWHERE : NOWHERE;
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

/* `&v`, in macros, too: a node with the type of a pointer to its operand. */
static enum CXChildVisitResult see_address(CXCursor c, CXCursor parent, CXClientData data)
{
	struct bob_c_unit *u = data;

	(void)parent;
	if (bob_c_is_address(u, c))
		u->clang->visitChildren(c, see, u);
	return CXChildVisit_Recurse;
}

void bob_c_store_note(struct bob_c_unit *u, CXCursor to)
{
	if (u->copies && !u->copies->is_planned && u->is_scan)
		u->clang->visitChildren(to, see_address, u);
}

/* True if one object may have several names: memory of the program's own allocators lies in an
 * object or block. */
static bool is_sharing(struct bob_c_unit *u, CXCursor decl)
{
	const struct bob_clang *l = u->clang;
	const enum CXCursorKind kind = l->getCursorKind(decl);
	const char *text;

	if ((kind != CXCursor_FunctionDecl && kind != CXCursor_VarDecl) ||
	    l->Location_isInSystemHeader(l->getCursorLocation(decl)))
		return false;
	text = bob_c_declaration(u, decl);
	if (kind == CXCursor_FunctionDecl)
		return strstr(text, "alloc_size(");
	return strstr(text, "alias(") || strstr(text, "weakref(") || strstr(text, "asm(");
}

void bob_c_leads_begin(struct bob_c_unit *u)
{
	struct bob_c_list l = bob_c_all_children(u, u->clang->getTranslationUnitCursor(u->tu));

	u->copies->is_shared = u->options->allocator_count > 0;
	for (size_t i = 0; i < l.count && !u->copies->is_shared; i++)
		u->copies->is_shared = is_sharing(u, l.at[i]);
	bob_c_list_free(&l);
}

uint64_t bob_c_leads(struct bob_c_unit *u, CXCursor pointer)
{
	struct look l = { u, NULL, 0 };

	return leads(&l, pointer);
}

/* True if code outside of the analysis may change the variable. */
static bool is_open(const struct bob_c_variable *v)
{
	return v->is_wanted || v->is_exposed || v->is_linked || v->is_extern ||
	       (v->passes_to && !v->passes_to_many);
}

void bob_c_leads_settle(struct bob_c_unit *u)
{
	const struct bob_c_copies *k = u->copies;
	bool is_new = true;

	for (struct bob_c_variable *v = u->variables; v; v = v->later)
		if (is_open(v))
			v->leads |= BOB_C_ANYWHERE;
	for (size_t i = 0; i < k->functions.count; i++)
		if (!k->functions.at[i]->is_defined)
			k->functions.at[i]->result.leads = BOB_C_ANYWHERE;
	while (is_new) {
		is_new = false;
		for (size_t i = 0; i < k->values.count; i++) {
			struct bob_c_variable *to = k->values.at[i].to;
			uint64_t more = k->values.at[i].from->leads;

			/* A static variable keeps arguments of other calls. */
			if (to->is_static && more)
				more = BOB_C_ANYWHERE;
			is_new |= (more & ~to->leads) != 0;
			to->leads |= more;
		}
	}
}
