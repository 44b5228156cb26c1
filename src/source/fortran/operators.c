/* SPDX-License-Identifier: BSD-3-Clause */
/* Precedence-climbing parser of binary operators: left-associative, except **. */
#include "source/fortran/parse.h"

/* Binding strength of a binary operator; 0: it is not one. */
static int binding(enum bob_fortran_op op)
{
	switch (op) {
	case BOB_OP_DEFINED:
		return 1;
	case BOB_OP_EQV:
	case BOB_OP_NEQV:
		return 2;
	case BOB_OP_OR:
		return 3;
	case BOB_OP_AND:
		return 4;
	case BOB_OP_EQ:
	case BOB_OP_NE:
	case BOB_OP_LT:
	case BOB_OP_LE:
	case BOB_OP_GT:
	case BOB_OP_GE:
		return 6;
	case BOB_OP_CONCAT:
		return 7;
	case BOB_OP_PLUS:
	case BOB_OP_MINUS:
		return 8;
	case BOB_OP_TIMES:
	case BOB_OP_DIVIDE:
		return 9;
	case BOB_OP_POWER:
		return 10;
	case BOB_OP_NOT:
	case BOB_OP_NONE:
		break;
	}
	return 0;
}

static struct bob_fortran_expr *level(struct bob_fortran_parser *r, int min);

static struct bob_fortran_expr *unary(struct bob_fortran_parser *r)
{
	struct bob_fortran_expr *e;
	enum bob_fortran_op op;
	uint32_t len, from;

	(void)bob_fortran_peek(r);
	from = r->p;
	op = bob_fortran_parse_op(r, &len);
	if (op == BOB_OP_DEFINED) { /* .true. */
		e = bob_fortran_parse_literal(r);
		if (e || r->failed)
			return e;
	} else if (op != BOB_OP_PLUS && op != BOB_OP_MINUS && op != BOB_OP_NOT) {
		return bob_fortran_primary(r);
	}
	r->p += len;
	e = bob_fortran_node(r, BOB_N_UNARY, from);
	if (e) {
		e->op = (uint8_t)op;
		e->op_at = from;
		bob_fortran_adopt(e, level(r, op == BOB_OP_NOT	   ? 5 :
					      op == BOB_OP_DEFINED ? 11 :
								     9));
	}
	return e;
}

static struct bob_fortran_expr *level(struct bob_fortran_parser *r, int min)
{
	struct bob_fortran_expr *left;

	if (++r->depth > BOB_FORTRAN_DEPTH_MAX) {
		r->depth--;
		return bob_fortran_bad(r, r->p);
	}
	left = unary(r);
	while (left && !r->failed && bob_fortran_peek(r)) {
		struct bob_fortran_expr *e;
		enum bob_fortran_op op;
		uint32_t len, at = r->p;
		int b;

		op = bob_fortran_parse_op(r, &len);
		b = binding(op);
		if (!b || b < min || left->height >= BOB_FORTRAN_HEIGHT_MAX)
			break;
		r->p += len;
		e = bob_fortran_node(r, BOB_N_BINARY, left->from);
		if (!e)
			break;
		e->op = (uint8_t)op;
		e->op_at = at;
		bob_fortran_adopt(e, left);
		bob_fortran_adopt(e, level(r, op == BOB_OP_POWER ? b : b + 1));
		left = e;
	}
	r->depth--;
	return left;
}

struct bob_fortran_expr *bob_fortran_parse_expr(struct bob_fortran_parser *r)
{
	(void)bob_fortran_peek(r);
	return level(r, 1);
}
