/* SPDX-License-Identifier: BSD-3-Clause */
/* Determines the object and the subscripts of an lvalue, as far as the text shows them, and the
 * requests that apply to it. An object is named (a[i].x is a part of a) or accessed through a
 * pointer (p[i], *p, p->x through p; f()->x through a pointer without a name). */
#include "source/c/copies.h"

#include <string.h>

#include "source/across.h"

static CXCursor inner(struct bob_c_unit *u, CXCursor c)
{
	CXCursor child[1];

	while (u->clang->getCursorKind(c) == CXCursor_ParenExpr &&
	       bob_c_children(u, c, child, 1) == 1)
		c = child[0];
	return c;
}

static bool is_variable(struct bob_c_unit *u, CXCursor ref)
{
	const enum CXCursorKind k = u->clang->getCursorKind(u->clang->getCursorReferenced(ref));

	return k == CXCursor_VarDecl || k == CXCursor_ParmDecl;
}

/* Is the unary operator `*`? In a macro, the type decides. */
static bool is_indirection(struct bob_c_unit *u, CXCursor c)
{
	const struct bob_clang *l = u->clang;
	const struct bob_c_operator op = bob_c_operator(u, c);
	CXCursor child[1];
	CXType t;

	if (op.text[0])
		return op.is_prefix && !strcmp(op.text, "*");
	if (bob_c_children(u, c, child, 1) != 1)
		return false;
	t = l->getCanonicalType(l->getCursorType(child[0]));
	return t.kind == CXType_Pointer &&
	       l->getCanonicalType(l->getPointeeType(t)).kind == bob_c_type_kind(u, c);
}

bool bob_c_is_lvalue(struct bob_c_unit *u, CXCursor c)
{
	CXCursor child[2];
	uint32_t n;

	c = inner(u, c);
	switch (u->clang->getCursorKind(c)) {
	case CXCursor_DeclRefExpr:
		return is_variable(u, c);
	case CXCursor_ArraySubscriptExpr:
	case CXCursor_CompoundLiteralExpr:
		return true;
	case CXCursor_MemberRefExpr:
		n = bob_c_children(u, c, child, 2);
		return n && (bob_c_type_kind(u, child[0]) == CXType_Pointer ||
			     bob_c_is_lvalue(u, child[0]));
	case CXCursor_UnaryOperator:
		if (is_indirection(u, c))
			return true;
		return !strcmp(bob_c_operator(u, c).text, "__") &&
		       bob_c_children(u, c, child, 1) == 1 && bob_c_is_lvalue(u, child[0]);
	default:
		return false;
	}
}

static void add_subscript(struct bob_c_unit *u, struct bob_c_lvalue *lv, CXCursor index,
			  bool is_zero)
{
	CXEvalResult r;

	if (lv->is_whole || lv->rank == BOB_SOURCE_C_RANK_MAX)
		return;
	if (is_zero) {
		lv->is_constant[lv->rank] = true;
	} else {
		r = u->clang->Cursor_Evaluate(index);
		if (r && u->clang->EvalResult_getKind(r) == CXEval_Int) {
			lv->is_constant[lv->rank] = true;
			lv->subscript[lv->rank] = u->clang->EvalResult_getAsLongLong(r);
		}
		if (r)
			u->clang->EvalResult_dispose(r);
	}
	lv->rank++;
}

static void find(struct bob_c_unit *u, CXCursor c, struct bob_c_lvalue *lv);

static void find_pointed(struct bob_c_unit *u, CXCursor c, struct bob_c_lvalue *lv);

/* A pointer derived from another one: p + i, p++, (int *)p. */
static bool find_moved(struct bob_c_unit *u, CXCursor c, const CXCursor *child, uint32_t n,
		       struct bob_c_lvalue *lv)
{
	CXCursor from;

	if (u->clang->getCursorKind(c) == CXCursor_BinaryOperator && n == 2 &&
	    !bob_c_is_lvalue(u, child[0]))
		from = child[bob_c_type_kind(u, child[0]) != CXType_Pointer];
	else
		return false;
	if (bob_c_type_kind(u, from) != CXType_Pointer)
		return false;
	find_pointed(u, from, lv);
	lv->is_blurred = true;
	return true;
}

/* The target of the pointer `c`: an array converted here, or anything. */
static void find_pointed(struct bob_c_unit *u, CXCursor c, struct bob_c_lvalue *lv)
{
	const CXCursor whole = c;
	CXCursor child[2];
	uint32_t n;

	c = inner(u, c);
	n = bob_c_children(u, c, child, 2);
	if (u->clang->getCursorKind(c) == CXCursor_UnexposedExpr && n == 1) {
		if (bob_c_is_array(bob_c_type_kind(u, child[0]))) {
			find(u, child[0], lv);
			return;
		}
		c = inner(u, child[0]);
		if (u->clang->getCursorKind(c) == CXCursor_DeclRefExpr)
			lv->variable = bob_c_variable(u, u->clang->getCursorReferenced(c));
		else
			lv->path = bob_c_path(u, c);
	} else if (u->clang->getCursorKind(c) == CXCursor_UnaryOperator && n == 1 &&
		   !strcmp(bob_c_operator(u, c).text, "&") && bob_c_is_lvalue(u, child[0])) {
		find(u, child[0], lv);
		lv->is_blurred = true;
		return;
	} else if (find_moved(u, c, child, n, lv)) {
		return;
	}
	lv->is_known = lv->is_through = true;
	lv->leads = u->copies && !u->is_scan ? bob_c_leads(u, whole) : 0;
}

static void find(struct bob_c_unit *u, CXCursor c, struct bob_c_lvalue *lv)
{
	CXCursor child[2];
	uint32_t n;

	c = inner(u, c);
	n = bob_c_children(u, c, child, 2);
	switch (u->clang->getCursorKind(c)) {
	case CXCursor_DeclRefExpr:
		lv->variable = bob_c_variable(u, u->clang->getCursorReferenced(c));
		lv->is_known = lv->variable != NULL;
		break;
	case CXCursor_MemberRefExpr:
		if (!n)
			break;
		if (bob_c_type_kind(u, child[0]) == CXType_Pointer)
			find_pointed(u, child[0], lv);
		else
			find(u, child[0], lv);
		lv->is_whole = true;	/* further subscripts are the member's */
		break;
	case CXCursor_ArraySubscriptExpr:
		if (n != 2)
			break;
		if (bob_c_type_kind(u, child[0]) != CXType_Pointer &&
		    bob_c_type_kind(u, child[1]) == CXType_Pointer) {
			const CXCursor swap = child[0];

			child[0] = child[1];
			child[1] = swap;
		}
		lv->is_vector = bob_c_type_kind(u, child[0]) == CXType_Vector;
		if (lv->is_vector)
			find(u, child[0], lv);
		else
			find_pointed(u, child[0], lv);
		add_subscript(u, lv, child[1], false);
		break;
	case CXCursor_UnaryOperator:
		if (n != 1)
			break;
		if (!is_indirection(u, c)) {
			find(u, child[0], lv);
			break;
		}
		find_pointed(u, child[0], lv);
		add_subscript(u, lv, child[0], true);
		break;
	default:
		break;
	}
}

CXCursor bob_c_member_of(struct bob_c_unit *u, CXCursor member)
{
	CXCursor child[1], c = inner(u, member);

	member = c;
	while (bob_c_children(u, c, child, 1)) {
		c = child[0];
		if (u->clang->getCursorKind(c) != CXCursor_MemberRefExpr || *bob_c_spelling(u, c))
			return c;
	}
	return member;
}

/* The bytes that contain a bit-field. */
static void find_bits(struct bob_c_unit *u, CXCursor member, struct bob_c_lvalue *out)
{
	const struct bob_clang *l = u->clang;
	const int width = l->getFieldDeclBitWidth(l->getCursorReferenced(member));
	CXType of = l->getCanonicalType(l->getCursorType(bob_c_member_of(u, member)));
	long long at;

	out->is_packed = out->is_by_member = false;
	if (of.kind == CXType_Pointer)
		of = l->getCanonicalType(l->getPointeeType(of));
	at = l->Type_getOffsetOf(of, bob_c_spelling(u, member));
	if (at < 0 || at / 8 > UINT32_MAX || width <= 0) {
		out->is_odd = true;
		return;
	}
	out->is_by_member = true;
	out->bits_at = (uint32_t)(at / 8);
	out->bits_bytes = (uint32_t)(at % 8 + width + 7) / 8;
}

/* The containing struct and the offset in it; UINT32_MAX: unknown. */
static uint32_t member_at(struct bob_c_unit *u, CXCursor member, CXType *of)
{
	const struct bob_clang *l = u->clang;
	long long at;

	*of = l->getCanonicalType(l->getCursorType(bob_c_member_of(u, member)));
	if (of->kind == CXType_Pointer)
		*of = l->getCanonicalType(l->getPointeeType(*of));
	at = l->Type_getOffsetOf(*of, bob_c_spelling(u, member));
	return at < 0 || at / 8 >= UINT32_MAX ? UINT32_MAX : (uint32_t)(at / 8);
}

/* May the lvalue be misaligned for `alignment`, because it is in a packed struct? The text up to
 * the pointer that leads there decides. */
static bool is_loose(struct bob_c_unit *u, CXCursor c, long long alignment)
{
	CXCursor child[2];
	CXType of;
	uint32_t at;

	for (;;) {
		c = inner(u, c);
		switch (u->clang->getCursorKind(c)) {
		case CXCursor_MemberRefExpr:
			at = member_at(u, c, &of);
			if (at == UINT32_MAX || of.kind != CXType_Record)
				return false;
			if (u->clang->Type_getAlignOf(of) < alignment || at % alignment)
				return true;
			c = bob_c_member_of(u, c);
			if (bob_c_type_kind(u, c) == CXType_Pointer)
				return false;
			break;
		case CXCursor_ArraySubscriptExpr:
		case CXCursor_UnexposedExpr: /* an array converted to a pointer */
			if (!bob_c_children(u, c, child, 2))
				return false;
			if (u->clang->getCursorKind(c) == CXCursor_UnexposedExpr &&
			    !bob_c_is_array(bob_c_type_kind(u, child[0])))
				return false;
			c = child[0];
			break;
		default:
			return false;
		}
	}
}

/* A member of a packed struct is reported relative to the struct, if that is aligned. */
static void find_packed(struct bob_c_unit *u, CXCursor c, struct bob_c_lvalue *out)
{
	const long long alignment = u->clang->Type_getAlignOf(u->clang->getCursorType(c));
	CXType of;

	if (alignment < 2 || !is_loose(u, c, alignment))
		return;
	out->is_packed = true;
	if (u->clang->getCursorKind(c) != CXCursor_MemberRefExpr)
		return;
	out->bits_at = member_at(u, c, &of);
	out->is_by_member = bob_c_type_kind(u, bob_c_member_of(u, c)) == CXType_Pointer ||
			    !is_loose(u, bob_c_member_of(u, c), u->clang->Type_getAlignOf(of));
}

void bob_c_lvalue_find(struct bob_c_unit *u, CXCursor c, struct bob_c_lvalue *out)
{
	const CXCursor member = inner(u, c);

	memset(out, 0, sizeof(*out));
	find(u, c, out);
	find_packed(u, member, out);
	if (u->clang->getCursorKind(member) != CXCursor_MemberRefExpr)
		return;
	out->is_odd = u->has_odd_order;
	if (u->clang->Cursor_isBitField(u->clang->getCursorReferenced(member)))
		find_bits(u, member, out);
}

static bool is_in_lines(const struct bob_source_c_request *w, uint32_t line)
{
	if (bob_c_file(line)) /* in a header */
		return w->first_line <= 1 && !w->last_line;
	return line >= w->first_line && (!w->last_line || line <= w->last_line);
}

bool bob_c_is_asked(const struct bob_c_unit *u, enum bob_source_c_what what, uint32_t line)
{
	for (uint32_t i = 0; i < u->options->request_count; i++)
		if (u->options->requests[i].what == what &&
		    is_in_lines(&u->options->requests[i], line))
			return true;
	return false;
}

static enum bob_c_verdict judge_box(const struct bob_source_c_request *w,
				    const struct bob_c_lvalue *lv)
{
	enum bob_c_verdict verdict = BOB_C_PROVED;

	if (w->is_of_fortran)
		return BOB_C_FILTERED;
	/* The box of a pointer is a part of its target. */
	if (!lv->is_through &&
	    (lv->variable->is_array_parameter || (w->rank && lv->variable->is_pointer)))
		return BOB_C_NOT_ASKED;
	if (!w->rank)
		return BOB_C_PROVED;
	for (uint32_t i = 0; i < w->rank; i++) {
		if (i >= lv->rank || !lv->is_constant[i] || lv->is_blurred)
			verdict = BOB_C_FILTERED;
		else if (lv->subscript[i] < w->box[i].low || lv->subscript[i] > w->box[i].high)
			return BOB_C_DROPPED;
	}
	return verdict;
}

/* Decides about an access through a pointer by its type only; `best`: the verdict by name. */
static enum bob_c_verdict judge_type(struct bob_c_unit *u, CXCursor c, uint32_t line,
				     enum bob_c_verdict best)
{
	if (bob_c_is_asked(u, BOB_SOURCE_C_POINTERS, line) ||
	    (u->options->reach &&
	     bob_classes_meet(bob_c_classes(u, u->clang->getCursorType(c)), u->options->reach)))
		return BOB_C_FILTERED;
	for (uint32_t i = 0; i < u->options->request_count; i++)
		if (u->options->requests[i].what == BOB_SOURCE_C_VARIABLE &&
		    is_in_lines(&u->options->requests[i], line))
			return bob_c_may_alias(u, u->clang->getCursorType(c)) ? BOB_C_FILTERED :
										BOB_C_DROPPED;
	return best;
}

enum bob_c_verdict bob_c_judge(struct bob_c_unit *u, const struct bob_c_lvalue *lv, CXCursor c,
			       uint32_t line)
{
	enum bob_c_verdict best = BOB_C_NOT_ASKED, one;

	if (!lv->is_known)
		return BOB_C_NOT_ASKED;
	for (uint32_t i = 0;
	     lv->variable && lv->variable->is_wanted && i < u->options->request_count; i++) {
		const struct bob_source_c_request *w = &u->options->requests[i];

		if (!bob_c_is_request_of(w, lv->variable) || !is_in_lines(w, line))
			continue;
		one = judge_box(w, lv);
		if (one == BOB_C_PROVED)
			return one;
		best = one > best ? one : best;
	}
	for (uint32_t i = 0; lv->path && i < u->options->request_count; i++)
		if (is_in_lines(&u->options->requests[i], line) &&
		    bob_c_is_request_of_path(u, &u->options->requests[i], lv->path))
			return BOB_C_FILTERED;
	if (best == BOB_C_FILTERED || !lv->is_through)
		return best;
	best = judge_type(u, c, line, best);
	return best == BOB_C_FILTERED && bob_c_copies_rule_out(u, lv) ? BOB_C_DROPPED : best;
}
