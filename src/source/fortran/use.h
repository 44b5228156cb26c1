/* SPDX-License-Identifier: BSD-3-Clause */
/* The references of a statement with their accesses: the items of expr.h, resolved by the symbols.
 * Owner: the arena. */
#ifndef BOB_SOURCE_FORTRAN_USE_H
#define BOB_SOURCE_FORTRAN_USE_H

#include "source/fortran/unit_tables.h"

#define BOB_USE_CONDITIONAL 1u	/* right operand of .and. or .or.: may not be evaluated */
#define BOB_USE_IMPLIED_DO 2u	/* in an implied DO: `loop` */
#define BOB_USE_SUBSCRIPT 4u	/* in a subscript of another reference */
#define BOB_USE_WHOLE 8u	/* an array without subscripts */
#define BOB_USE_SECTION 0x10u	/* a subscript is a range */
#define BOB_USE_VECTOR 0x20u	/* a subscript is an array */
#define BOB_USE_CALLS                                                                              \
	0x40u /* its subscripts call a non-intrinsic function: a second evaluation may differ */
#define BOB_USE_SUBSTRING 0x80u
#define BOB_USE_COMPONENT 0x100u /* a(i)%b */
#define BOB_USE_BODY 0x200u	/* in the body of a one-line IF, WHERE, FORALL */
#define BOB_USE_ARGUMENT 0x400u	/* within an actual argument of a non-intrinsic procedure */
#define BOB_USE_LIST 0x800u	/* of the data list of a READ, WRITE, PRINT */
#define BOB_USE_MASKED 0x1000u	/* under a WHERE or FORALL */
#define BOB_USE_COARRAY 0x2000u	/* of another image */
#define BOB_USE_UNSURE 0x8000u	/* x%f(...) of an unknown type: may be a function */
#define BOB_USE_ELEMENT 0x4000u	/* all subscripts are scalars, as far as the text shows */

struct bob_fortran_use {
	const struct bob_fortran_expr *ref; /* a REFERENCE */
	const struct bob_fortran_symbol
		*symbol; /* of its first part; never NULL: see BOB_NAME_UNKNOWN */
	enum bob_fortran_role role;
	uint32_t flags;
	const struct bob_fortran_expr *loop; /* innermost IMPLIED_DO around it; else NULL */
	uint32_t from, to; /* position of the reference in the statement's text, with subscripts */
	uint32_t keyword, keyword_len; /* of the item (`iostat=`), or of an actual argument */
};

struct bob_fortran_uses {
	const struct bob_fortran_use *at;
	uint32_t count;
	uint32_t bad_count;	/* BAD nodes of the statement: parts that could not be parsed */
};

/* Reads before writes: the right side from left to right, subscripts before their array, then the
 * subscripts of the left side, then the left side. Names of functions and constants are included
 * only with role CALL. Errors: BOB_ERR_NOMEM. */
bob_status bob_fortran_uses(struct bob_arena *arena, const struct bob_fortran_file *f,
			    uint32_t statement, struct bob_fortran_uses *out);

#endif
