/* SPDX-License-Identifier: BSD-3-Clause */
/* Targets of the jumps of a function. No jump may skip a variable with the attribute `cleanup`. */
#include "source/c/unit.h"

#include <stdlib.h>

enum kind { LABEL, GOTO, CASE, SWITCH };

struct jump {
	enum kind kind;
	uint32_t start, end;
	uint32_t to;		/* GOTO: place of the label */
};

struct bob_c_jumps {
	BOB_VEC(struct jump);
	bool is_computed;	/* the target of some jump is unknown */
	struct bob_c_unit *u;
};

static enum CXChildVisitResult see(CXCursor c, CXCursor parent, CXClientData data)
{
	struct bob_c_jumps *j = data;
	const struct bob_clang *l = j->u->clang;
	struct bob_c_span s;
	struct jump one = { .to = 0 };
	CXCursor child[1];

	(void)parent;
	switch (l->getCursorKind(c)) {
	case CXCursor_LabelStmt:
		one.kind = LABEL;
		break;
	case CXCursor_GotoStmt:
		one.kind = GOTO;
		if (bob_c_children(j->u, c, child, 1))
			one.to = bob_c_span(j->u, l->getCursorReferenced(child[0])).start;
		break;
	case CXCursor_CaseStmt:
	case CXCursor_DefaultStmt:
		one.kind = CASE;
		break;
	case CXCursor_SwitchStmt:
		one.kind = SWITCH;
		break;
	case CXCursor_IndirectGotoStmt:
		j->is_computed = true;
		return CXChildVisit_Recurse;
	case CXCursor_AsmStmt:
		s = bob_c_span(j->u, c);
		/* asm goto */
		for (uint32_t i = s.start; s.is_ours && i + 4 < s.end && i < s.start + 40; i++)
			if (j->u->bytes[i] == 'g' && j->u->bytes[i + 1] == 'o')
				j->is_computed = true;
		return CXChildVisit_Recurse;
	default:
		return CXChildVisit_Recurse;
	}
	s = bob_c_span(j->u, c);
	one.start = s.start;
	one.end = s.end;
	if (BOB_VEC_ADD(j, one) != BOB_OK) {
		j->u->is_failed = true;
		return CXChildVisit_Break;
	}
	return CXChildVisit_Recurse;
}

void bob_c_jumps_find(struct bob_c_unit *u, CXCursor body)
{
	if (!u->jumps)
		u->jumps = calloc(1, sizeof(*u->jumps));
	if (!u->jumps) {
		u->is_failed = true;
		return;
	}
	u->jumps->u = u;
	u->jumps->count = 0;
	u->jumps->is_computed = false;
	u->clang->visitChildren(body, see, u->jumps);
}

void bob_c_jumps_free(struct bob_c_unit *u)
{
	if (u->jumps)
		free(u->jumps->at);
	free(u->jumps);
}

/* The start of the innermost switch around a case. */
static uint32_t switch_start(const struct bob_c_jumps *j, const struct jump *c)
{
	uint32_t best = 0;

	for (size_t i = 0; i < j->count; i++) {
		const struct jump *s = &j->at[i];

		if (s->kind == SWITCH && s->start <= c->start && c->start < s->end &&
		    s->start > best)
			best = s->start;
	}
	return best;
}

bool bob_c_is_jumped_into(const struct bob_c_unit *u, uint32_t start, uint32_t end)
{
	const struct bob_c_jumps *j = u->jumps;

	if (!j || j->is_computed)
		return true;
	for (size_t i = 0; i < j->count; i++) {
		const struct jump *to = &j->at[i];

		if (to->start < start || to->start >= end)
			continue;
		if (to->kind == CASE && switch_start(j, to) < start)
			return true;
		for (size_t k = 0; to->kind == LABEL && k < j->count; k++) {
			const struct jump *from = &j->at[k];

			if (from->kind == GOTO && (from->start < start || from->start >= end) &&
			    from->to == to->start)
				return true;
		}
	}
	return false;
}
