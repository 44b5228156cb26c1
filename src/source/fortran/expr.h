/* SPDX-License-Identifier: BSD-3-Clause */
/* Expression trees of a statement, and its items with their roles. This is syntax only: name(...)
 * may be an array or a function; use.h resolves it by the symbols. Positions are characters of the
 * statement's `text`; statement->at[] maps them to the file. Owner: the arena. Threads: those of
 * the file. Depth is bounded: text that nests deeper than BOB_FORTRAN_DEPTH_MAX, or is no
 * expression, becomes a BAD node. */
#ifndef BOB_SOURCE_FORTRAN_EXPR_H
#define BOB_SOURCE_FORTRAN_EXPR_H

#include "source/fortran/lines.h"

#define BOB_FORTRAN_DEPTH_MAX 200 /* of parentheses and right operands */
#define BOB_FORTRAN_HEIGHT_MAX 4000 /* of a tree: bounds the recursion of its users */

enum bob_fortran_node {
	BOB_N_BAD,
	/* an omitted bound in `a(:n)`, or argument in `f(,x)` */
	BOB_N_NOTHING,
	BOB_N_INTEGER,		/* literals, with their kind (`1_8`) */
	BOB_N_REAL,
	BOB_N_LOGICAL,
	BOB_N_STRING,		/* also Hollerith */
	BOB_N_BOZ,
	BOB_N_COMPLEX,		/* children: the two parts */
	BOB_N_REFERENCE,	/* children: its PARTs, `a(i)%b` has two */
	/* `name_len` characters at `from`; children: ARGUMENTS and IMAGE in textual order */
	BOB_N_PART,
	BOB_N_ARGUMENTS,	/* ( ... ): subscripts, actual arguments or a substring */
	BOB_N_IMAGE,		/* [ ... ] of a coarray */
	BOB_N_RANGE,		/* children: lower, upper, and the stride if present */
	BOB_N_KEYWORD,		/* `name_len` characters at `from`, then =; child: the value */
	BOB_N_STAR,
	BOB_N_LABEL,		/* *10 or &10: an alternate return */
	BOB_N_UNARY,		/* `op` at `op_at`; child */
	BOB_N_BINARY,		/* `op` at `op_at`; two children */
	BOB_N_PAREN,
	BOB_N_CONSTRUCTOR,	/* (/ ... /) or [ ... ]; children: items */
	BOB_N_TYPE_SPEC,	/* of a constructor: `integer ::` */
	BOB_N_IMPLIED_DO,	/* children: items, the last one a CONTROL */
	BOB_N_CONTROL		/* i = 1, n, 2; children: the variable as REFERENCE, bounds, step */
};

enum bob_fortran_op {
	BOB_OP_NONE,
	BOB_OP_POWER,
	BOB_OP_TIMES,
	BOB_OP_DIVIDE,
	BOB_OP_PLUS,
	BOB_OP_MINUS,
	BOB_OP_CONCAT,
	BOB_OP_EQ,
	BOB_OP_NE,
	BOB_OP_LT,
	BOB_OP_LE,
	BOB_OP_GT,
	BOB_OP_GE,
	BOB_OP_NOT,
	BOB_OP_AND,
	BOB_OP_OR,
	BOB_OP_EQV,
	BOB_OP_NEQV,
	BOB_OP_DEFINED		/* .name. */
};

struct bob_fortran_expr {
	uint8_t node, op;
	uint16_t height;	/* 1: no children */
	uint32_t from, to;
	uint32_t name_len, op_at;
	struct bob_fortran_expr *child, *next;
};

/* What a statement does with an item. */
enum bob_fortran_role {
	BOB_ROLE_READ,
	BOB_ROLE_WRITE,
	/* an argument of a procedure that is not intrinsic: access unknown here */
	BOB_ROLE_PASS,
	BOB_ROLE_LOOP, /* variable of a DO: written before each iteration and after the last */
	BOB_ROLE_ALLOCATE,	/* memory is allocated */
	BOB_ROLE_RELEASE,	/* memory is released: DEALLOCATE, NULLIFY */
	BOB_ROLE_POINT,		/* left side of => */
	BOB_ROLE_TARGET,	/* right side of =>; selector of an ASSOCIATE that is a variable */
	BOB_ROLE_INQUIRE,	/* of an inquiry: SIZE(a), ALLOCATED(a): no access */
	BOB_ROLE_CALL,		/* procedure of a call */
	/* only a name: of a construct, a namelist group, an associate name */
	BOB_ROLE_NAME
};

struct bob_fortran_item {
	const struct bob_fortran_expr *expr;
	struct bob_fortran_item *next;
	enum bob_fortran_role role;
	uint32_t keyword, keyword_len; /* position of `iostat=`, `stat=` in the text; len 0: none */
	bool in_body;		/* part of the body of a one-line IF, WHERE, FORALL */
	bool is_list;		/* of the data list of a READ, WRITE, PRINT */
};

/* The items of a statement in the reported order: reads before writes. Statements that are not
 * executable have none. BOB_OK also if parts are BAD (*bad_count of them); bad_count may be NULL.
 * Errors: BOB_ERR_NOMEM. */
bob_status bob_fortran_items(struct bob_arena *arena, const struct bob_fortran_statement *s,
			     const struct bob_fortran_item **out, uint32_t *bad_count);

/* Parses the expression that begins at text[from] and ends before `to`. *end is the position after
 * it. NULL: no memory. */
const struct bob_fortran_expr *bob_fortran_expression(struct bob_arena *arena,
						      const struct bob_fortran_statement *s,
						      uint32_t from, uint32_t to, uint32_t *end);

/* The bytes [*first, *last) of the file that contain text[from, to) of the statement, including
 * comments and continuation marks between lines. */
void bob_fortran_bytes(const struct bob_fortran_statement *s, uint32_t from, uint32_t to,
		       uint32_t *first, uint32_t *last);

static inline bool bob_fortran_is_within(const struct bob_fortran_expr *e,
					 const struct bob_fortran_expr *ref)
{
	return e->from <= ref->from && ref->to <= e->to;
}

#endif
