/* SPDX-License-Identifier: BSD-3-Clause */
/* Classifies the addresses of a reference by its subscripts: whether they are regular, and which of
 * the enclosing loops move them. Only `for` loops are known, by the first name in the last part of
 * their heads. */
#include "source/c/nest.h"

struct names {
	struct bob_c_unit *u;
	const struct bob_c_variable *first;
	uint32_t used;		/* bit d: contains the counter of loop d */
};

static enum CXChildVisitResult see_name(CXCursor c, CXCursor parent, CXClientData data)
{
	struct names *n = data;
	const struct bob_clang *l = n->u->clang;
	const struct bob_c_variable *v;

	(void)parent;
	if (l->getCursorKind(c) != CXCursor_DeclRefExpr)
		return CXChildVisit_Recurse;
	v = bob_c_variable(n->u, l->getCursorReferenced(c));
	if (!n->first)
		n->first = v;
	for (uint32_t d = 0; v && d < n->u->often.depth && d < BOB_C_OFTEN_LOOPS; d++)
		n->used |= n->u->often.moved[d] == v ? 1u << d : 0;
	return CXChildVisit_Recurse;
}

static struct names names_in(struct bob_c_unit *u, CXCursor c)
{
	struct names n = { u, NULL, 0 };

	see_name(c, c, &n);
	u->clang->visitChildren(c, see_name, &n);
	return n;
}

void bob_c_predict_enter(struct bob_c_unit *u, CXCursor loop)
{
	const uint32_t d = u->often.depth++;
	struct bob_c_head head;

	if (d >= BOB_C_OFTEN_LOOPS)
		return;
	u->often.moved[d] = NULL;
	if (u->clang->getCursorKind(loop) != CXCursor_ForStmt)
		return;
	bob_c_head_find(u, loop, &head);
	if (!u->clang->Cursor_isNull(head.step))
		u->often.moved[d] = names_in(u, head.step).first;
}

static enum CXChildVisitResult see_element(CXCursor c, CXCursor parent, CXClientData data)
{
	struct bob_c_unit *u = data;
	const enum CXCursorKind k = u->clang->getCursorKind(c);

	(void)parent;
	return k == CXCursor_ArraySubscriptExpr || k == CXCursor_CallExpr ? CXChildVisit_Break :
									    CXChildVisit_Recurse;
}

/* Is a subscript an array element or the result of a call? */
static bool is_scattered(struct bob_c_unit *u, CXCursor c)
{
	const struct bob_clang *l = u->clang;
	CXCursor child[2];
	uint32_t n;

	for (; l->isExpression(l->getCursorKind(c)); c = child[0]) {
		n = bob_c_children(u, c, child, 2);
		if (l->getCursorKind(c) == CXCursor_ArraySubscriptExpr && n == 2 &&
		    (see_element(child[1], c, u) == CXChildVisit_Break ||
		     l->visitChildren(child[1], see_element, u)))
			return true;
		if (!n)
			return false;
	}
	return false;
}

void bob_c_predict_place(struct bob_c_unit *u, CXCursor c, struct bob_predict_single *s)
{
	uint32_t known = 0;

	if (!u->clang->isExpression(u->clang->getCursorKind(c)))
		return;
	for (uint32_t d = 0; d < u->often.depth && d < BOB_C_OFTEN_LOOPS; d++)
		known |= u->often.moved[d] ? 1u << d : 0;
	s->is_scattered = is_scattered(u, c);
	s->is_back = bob_predict_is_back(names_in(u, c).used, known);
}
