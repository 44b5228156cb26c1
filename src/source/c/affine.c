/* SPDX-License-Identifier: BSD-3-Clause */
/* Loop-invariant and affine expressions of a nest. The analysis is conservative: an expression that
 * it does not understand is neither. */
#include "source/c/nest.h"

#include <string.h>

#include "source/across.h"

static CXCursor strip(const struct bob_c_unit *u, CXCursor c)
{
	CXCursor child[1];
	enum CXCursorKind k = u->clang->getCursorKind(c);

	while ((k == CXCursor_ParenExpr || k == CXCursor_UnexposedExpr) &&
	       bob_c_children(u, c, child, 1) == 1) {
		c = child[0];
		k = u->clang->getCursorKind(c);
	}
	return c;
}

struct bob_c_variable *bob_c_nest_variable(struct bob_c_unit *u, CXCursor c)
{
	c = strip(u, c);
	return u->clang->getCursorKind(c) == CXCursor_DeclRefExpr ?
		       bob_c_variable(u, u->clang->getCursorReferenced(c)) :
		       NULL;
}

bool bob_c_nest_writes(const struct bob_c_nest *n, const struct bob_c_variable *v)
{
	for (uint32_t i = 0; i < n->written_count; i++)
		if (n->written[i] == v)
			return true;
	return false;
}

bool bob_c_nest_counts(const struct bob_c_nest *n, const struct bob_c_variable *v)
{
	for (uint32_t i = 0; i < n->depth; i++)
		if (n->loop[i].counter == v)
			return true;
	for (uint32_t i = 0; i < n->laid_count; i++)
		if (n->laid[i].loop.counter == v)
			return true;
	for (uint32_t i = 0; i < n->mover_count; i++)
		if (n->mover[i].variable == v)
			return true;
	return false;
}

bool bob_c_nest_counts_around(const struct bob_c_nest *n, const struct bob_c_variable *v)
{
	for (uint32_t i = 0; v && i < n->around; i++)
		if (n->loop[i].counter == v)
			return true;
	for (const struct bob_c_nest_laid *l = n->within; v && l; l = l->outer)
		if (l->loop.counter == v)
			return true;
	for (uint32_t i = 0; v && n->around && i < n->mover_count; i++)
		if (n->mover[i].variable == v)
			return true;
	return false;
}

/* --- loop invariants --- */

static bool is_declared_within(struct bob_c_nest *n, CXCursor decl)
{
	const struct bob_c_span s = bob_c_span(n->u, decl);

	return s.is_ours && s.start >= n->from && s.start < n->to;
}

static enum CXChildVisitResult see_name(CXCursor c, CXCursor parent, CXClientData data)
{
	struct bob_c_nest *n = data;
	const struct bob_clang *l = n->u->clang;
	const enum CXCursorKind k = l->getCursorKind(c);

	(void)parent;
	if ((k != CXCursor_DeclRefExpr && k != CXCursor_TypeRef) ||
	    !is_declared_within(n, l->getCursorReferenced(c)))
		return CXChildVisit_Recurse;
	return CXChildVisit_Break;
}

/* sizeof or _Alignof with a constant value and an operand that has the same name before the
 * loop. */
static bool is_size_kept(struct bob_c_nest *n, CXCursor c)
{
	CXEvalResult r;

	if (n->u->clang->visitChildren(c, see_name, n))
		return false;
	r = n->u->clang->Cursor_Evaluate(c);
	if (r)
		n->u->clang->EvalResult_dispose(r);
	return r != NULL;
}

/* Nothing is stored to the object itself. The caller checks its parts. */
static bool is_kept(struct bob_c_nest *n, CXCursor c)
{
	const uint32_t own = bob_c_classes(n->u, n->u->clang->getCursorType(c));
	struct bob_c_lvalue lv;

	if (bob_c_is_shared(n->u, c))
		return false;
	bob_c_lvalue_find(n->u, c, &lv);
	if (!lv.is_known)
		return false;
	if (lv.is_through || !lv.variable)
		return !bob_classes_meet(n->stored, own);
	if (bob_c_nest_writes(n, lv.variable) || bob_c_nest_counts(n, lv.variable) ||
	    lv.variable->is_thread)
		return false;
	return !lv.variable->is_exposed || !bob_classes_meet(n->stored_through, own);
}

static bool are_same_always(struct bob_c_nest *n, CXCursor c)
{
	CXCursor child[2];
	const uint32_t count = bob_c_children(n->u, c, child, 2);

	for (uint32_t i = 0; i < count && i < 2; i++)
		if (!bob_c_is_same_always(n, child[i]))
			return false;
	return count > 0 && count <= 2;
}

bool bob_c_is_same_always(struct bob_c_nest *n, CXCursor c)
{
	const struct bob_clang *l = n->u->clang;
	CXCursor child[1];

	switch (l->getCursorKind(c)) {
	case CXCursor_IntegerLiteral:
	case CXCursor_CharacterLiteral:
		return true;
	case CXCursor_UnaryExpr:
		return is_size_kept(n, c);
	case CXCursor_DeclRefExpr:
		if (is_declared_within(n, l->getCursorReferenced(c)))
			return false;
		if (!bob_c_is_lvalue(n->u, c))
			return l->getCursorKind(l->getCursorReferenced(c)) ==
			       CXCursor_EnumConstantDecl;
		return bob_c_is_array(bob_c_type_kind(n->u, c)) || is_kept(n, c);
	case CXCursor_MemberRefExpr:
	case CXCursor_ArraySubscriptExpr:
		return are_same_always(n, c) &&
		       (bob_c_is_array(bob_c_type_kind(n->u, c)) || is_kept(n, c));
	case CXCursor_UnaryOperator:
		if (bob_c_is_lvalue(n->u, c))
			return are_same_always(n, c) && is_kept(n, c);
		/* ++, -- and & have an lvalue directly below them. */
		return bob_c_children(n->u, c, child, 1) == 1 && !bob_c_is_lvalue(n->u, child[0]) &&
		       bob_c_is_same_always(n, child[0]);
	case CXCursor_BinaryOperator:
		return bob_c_children(n->u, c, child, 1) == 2 && !bob_c_is_lvalue(n->u, child[0]) &&
		       are_same_always(n, c);
	case CXCursor_ParenExpr:
	case CXCursor_UnexposedExpr:
		return bob_c_children(n->u, c, child, 1) == 1 && bob_c_is_same_always(n, child[0]);
	default:
		return false;
	}
}

/* --- affine expressions --- */

static bool is_affine(struct bob_c_nest *n, CXCursor c)
{
	struct bob_c_operator op;
	CXCursor child[2];

	c = strip(n->u, c);
	if (n->u->clang->Type_getSizeOf(n->u->clang->getCursorType(c)) < (long long)sizeof(int))
		return bob_c_is_same_always(n, c);
	if (bob_c_is_same_always(n, c) || bob_c_nest_counts_around(n, bob_c_nest_variable(n->u, c)))
		return true;
	op = bob_c_operator(n->u, c);
	if (n->u->clang->getCursorKind(c) == CXCursor_UnaryOperator)
		return (!strcmp(op.text, "-") || !strcmp(op.text, "+")) &&
		       bob_c_children(n->u, c, child, 1) == 1 && is_affine(n, child[0]);
	if (n->u->clang->getCursorKind(c) != CXCursor_BinaryOperator ||
	    bob_c_children(n->u, c, child, 2) != 2)
		return false;
	if (!strcmp(op.text, "+") || !strcmp(op.text, "-"))
		return is_affine(n, child[0]) && is_affine(n, child[1]);
	if (!strcmp(op.text, "*"))
		return (bob_c_is_same_always(n, child[0]) && is_affine(n, child[1])) ||
		       (is_affine(n, child[0]) && bob_c_is_same_always(n, child[1]));
	return false;
}

static bool is_pointer_affine(struct bob_c_nest *n, CXCursor c)
{
	CXCursor child[2];
	uint32_t count;

	while (n->u->clang->getCursorKind(c) == CXCursor_ParenExpr &&
	       bob_c_children(n->u, c, child, 1) == 1)
		c = child[0];
	count = bob_c_children(n->u, c, child, 2);
	if (n->u->clang->getCursorKind(c) == CXCursor_UnexposedExpr && count == 1 &&
	    bob_c_is_array(bob_c_type_kind(n->u, child[0])))
		return bob_c_is_place_affine(n, child[0]);
	if (bob_c_is_same_always(n, c) || bob_c_nest_counts_around(n, bob_c_nest_variable(n->u, c)))
		return true;
	if (n->u->clang->getCursorKind(c) == CXCursor_BinaryOperator && count == 2 &&
	    strchr("+-", bob_c_operator(n->u, c).text[0]) && bob_c_operator(n->u, c).text[0]) {
		const bool second = bob_c_type_kind(n->u, child[0]) != CXType_Pointer;

		return is_pointer_affine(n, child[second]) && is_affine(n, child[!second]);
	}
	return false;
}

bool bob_c_is_place_affine(struct bob_c_nest *n, CXCursor c)
{
	CXCursor child[2];
	uint32_t count;
	bool second;

	while (n->u->clang->getCursorKind(c) == CXCursor_ParenExpr &&
	       bob_c_children(n->u, c, child, 1) == 1)
		c = child[0];
	count = bob_c_children(n->u, c, child, 2);
	switch (n->u->clang->getCursorKind(c)) {
	case CXCursor_DeclRefExpr:
		return true;
	case CXCursor_MemberRefExpr:
		return count && (bob_c_type_kind(n->u, child[0]) == CXType_Pointer ?
					 is_pointer_affine(n, child[0]) :
					 bob_c_is_place_affine(n, child[0]));
	case CXCursor_ArraySubscriptExpr:
		second = bob_c_type_kind(n->u, child[0]) != CXType_Pointer;
		return count == 2 && is_pointer_affine(n, child[second]) &&
		       is_affine(n, child[!second]);
	case CXCursor_UnaryOperator:
		return count == 1 && is_pointer_affine(n, child[0]);
	default:
		return false;
	}
}

/* --- bounds --- */

bool bob_c_is_signed(enum CXTypeKind k)
{
	return k == CXType_Int || k == CXType_Long || k == CXType_LongLong;
}

bool bob_c_is_unsigned(enum CXTypeKind k)
{
	return k == CXType_UInt || k == CXType_ULong || k == CXType_ULongLong;
}

/* Excludes subtraction, so that unsigned integers cannot wrap around below 0. */
static bool is_sum(struct bob_c_nest *n, CXCursor c)
{
	struct bob_c_operator op;
	CXCursor child[2];

	c = strip(n->u, c);
	if (n->u->clang->getCursorKind(c) != CXCursor_BinaryOperator || bob_c_is_same_always(n, c))
		return n->u->clang->getCursorKind(c) != CXCursor_UnaryOperator;
	op = bob_c_operator(n->u, c);
	return (!strcmp(op.text, "+") || !strcmp(op.text, "*")) &&
	       bob_c_children(n->u, c, child, 2) == 2 && is_sum(n, child[0]) && is_sum(n, child[1]);
}

static bool is_even_bound(struct bob_c_nest *n, CXCursor c, bool has_sign)
{
	const enum CXTypeKind k = bob_c_type_kind(n->u, c);

	if (bob_c_is_same_always(n, c))
		return true;
	return is_affine(n, c) &&
	       (has_sign ? bob_c_is_signed(k) : bob_c_is_unsigned(k) && is_sum(n, c));
}

bool bob_c_has_even_bounds(struct bob_c_nest *n, struct bob_c_nest_loop *loop)
{
	const bool has_sign = bob_c_is_signed(loop->counter->canonical.kind);

	if (bob_c_is_same_always(n, loop->low) && bob_c_is_high_same(n, loop))
		return true;
	n->is_uneven = true;
	for (uint32_t i = 0; i < n->around; i++)
		if (bob_c_is_signed(n->loop[i].counter->canonical.kind) != has_sign)
			return false;
	return is_even_bound(n, loop->low, has_sign) &&
	       (loop->is_to_zero || is_even_bound(n, loop->high, has_sign));
}
