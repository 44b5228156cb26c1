/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the variable of an access from its address and from what the trace has of its instruction.
 * Answers are certain; where nothing certain is known, the result says so (docs/memory.md,
 * "Variables"). Texts live as long as the trace. */
#ifndef BOB_ANALYSIS_VARIABLES_H
#define BOB_ANALYSIS_VARIABLES_H

#include "bobbin/fold.h"
#include "bobbin/trace.h"

enum bob_variable_kind {
	BOB_VARIABLE_UNKNOWN,	/* no address, or no image's extent, is known */
	BOB_VARIABLE_OUTSIDE,	/* in no image and not on the stack: heap or mapping */
	BOB_VARIABLE_SECTION,	/* `name` of an image, no variable is known there, or several */
	BOB_VARIABLE_STACK,	/* no variable of the function's, or not known which */
	BOB_VARIABLE_STATIC,	/* from here on `name` is a variable */
	BOB_VARIABLE_LOCAL,
	BOB_VARIABLE_POINTER,	/* what it leads to */
	BOB_VARIABLE_THREAD
};

struct bob_variable {
	uint32_t kind;		/* enum bob_variable_kind */
	const char *name;	/* "" if none */
	const char *image;	/* the variable's, or the instruction's; "" if none */
	const char *function;	/* the instruction's, where the variable is known by it; else "" */
	uint64_t function_addr;
};

/* Addresses where a thread's stack certainly is: lo <= address < hi; empty if not known. */
struct bob_stack_range {
	uint64_t lo, hi;
};

struct bob_variable_access {
	uint32_t process, image;
	uint64_t pc;
	uint8_t type;		/* enum bob_access_type */
	uint8_t on_stack;	/* its address is the stack pointer and a constant */
	uint8_t in_variable;	/* of an indexed place: all addresses are within the variable */
	uint8_t placed;		/* lo and hi are known */
	uint64_t lo, hi;	/* all bytes: lo <= byte < hi */
	struct bob_stack_range stack;
};

void bob_variable_of(const struct bob_trace *t, const struct bob_variable_access *a,
		     struct bob_variable *out);

/* Of a thread with folded accesses. */
void bob_stack_range_of(const struct bob_trace *t, uint32_t thread, struct bob_stack_range *out);

/* The lowest and the highest value of a piece. */
void bob_piece_hull(const struct bob_piece *p, uint64_t *lo, uint64_t *hi);
/* How many values it has; 0: too many to count. */
uint64_t bob_piece_points(const struct bob_piece *p);

/* As people write it: "a[]", "(stack)", "(heap or mapping)", ... */
const char *bob_variable_text(const struct bob_variable *v);

#endif
