/* SPDX-License-Identifier: BSD-3-Clause */
/* Conditions on the parameters of an event, as users write them:
 * "count > 1000 && (dest == 0 || name != \"x\")".
 *
 *     or:         and || and ...
 *     and:        not && not ...
 *     not:        ! not, ( or ), comparison
 *     comparison: operand, or operand < <= > >= == != operand
 *     operand:    name, integer, number, "text"
 *
 * A single operand is true if it is neither 0 nor empty. Two integers are compared as integers,
 * other numbers as doubles; a text and a number are unequal. If an event lacks a parameter, the
 * whole condition is false.
 *
 * Threads: any; a parsed condition is constant. */
#ifndef BOB_ARCHIVE_PREDICATE_H
#define BOB_ARCHIVE_PREDICATE_H

#include <stddef.h>
#include <stdint.h>

#include "bobbin/status.h"

#define BOB_PREDICATE_NODES 32u
#define BOB_PREDICATE_TEXT 512u	/* maximal length of a condition */

enum bob_predicate_type { BOB_PREDICATE_INT, BOB_PREDICATE_DOUBLE, BOB_PREDICATE_TEXT_TYPE };

struct bob_predicate_value {
	uint32_t type;		/* enum bob_predicate_type */
	uint32_t len;		/* of a text */
	union {
		int64_t i;
		double d;
		const char *s;
	};
};

struct bob_predicate_node {
	uint8_t op;
	uint8_t left, right;
	struct bob_predicate_value value; /* of an operand; a name is a text */
};

struct bob_predicate {
	struct bob_predicate_node node[BOB_PREDICATE_NODES];
	uint32_t count;		/* the last node is the root */
	char text[BOB_PREDICATE_TEXT + 1];
};

/* Parses a copy of `text`. BOB_ERR_INVAL: *at is the position of the error, *expected what was
 * expected there. */
bob_status bob_predicate_parse(const char *text, struct bob_predicate *p, size_t *at,
			       const char **expected);
/* The i-th parameter name, borrowed from the condition; NULL: no more. */
const char *bob_predicate_name(const struct bob_predicate *p, uint32_t i, size_t *len);
/* Evaluates the condition. `find` returns the parameter of a name, or 0. */
int bob_predicate_holds(const struct bob_predicate *p,
			int (*find)(void *ctx, const char *name, size_t len,
				    struct bob_predicate_value *v),
			void *ctx);

#endif
