/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the variable of an access from its address and the trace's information on its instruction.
 * Results are certain; otherwise the result is an unknown or coarser kind (docs/memory.md,
 * "Variables"). Texts live as long as the trace. */
#ifndef BOB_ANALYSIS_VARIABLES_H
#define BOB_ANALYSIS_VARIABLES_H

#include "bobbin/fold.h"
#include "bobbin/trace.h"

enum bob_variable_kind {
	BOB_VARIABLE_UNKNOWN,	/* the address, or the extent of the images, is unknown */
	BOB_VARIABLE_OUTSIDE,	/* in no image and not on the stack: heap or mapping */
	BOB_VARIABLE_SECTION,	/* `name`: section of an image, without a known or unambiguous
				 * variable */
	BOB_VARIABLE_STACK,	/* not a variable of the function, or unknown which one */
	BOB_VARIABLE_STATIC,	/* for this and the following kinds `name` is a variable */
	BOB_VARIABLE_LOCAL,
	BOB_VARIABLE_POINTER,	/* the memory to which it points */
	BOB_VARIABLE_THREAD
};

struct bob_variable {
	uint32_t kind;		/* enum bob_variable_kind */
	const char *name;	/* "" if none */
	const char *image;	/* image of the variable or of the instruction; "" if none */
	const char *function;	/* the instruction's, if it identifies the variable; otherwise "" */
	uint64_t function_addr;
};

/* Addresses that are certainly in a thread's stack: lo <= address < hi; empty if unknown. */
struct bob_stack_range {
	uint64_t lo, hi;
};

struct bob_variable_access {
	uint32_t process, image;
	uint64_t pc;
	uint8_t type;		/* enum bob_access_type */
	uint8_t on_stack;	/* its address is the stack pointer plus a constant */
	uint8_t in_variable;	/* indexed place: all addresses are within the variable */
	uint8_t placed;		/* lo and hi are known */
	uint64_t lo, hi;	/* accessed bytes: lo <= byte < hi */
	struct bob_stack_range stack;
};

void bob_variable_of(const struct bob_trace *t, const struct bob_variable_access *a,
		     struct bob_variable *out);

/* Computes the stack range of a thread with folded accesses. */
void bob_stack_range_of(const struct bob_trace *t, uint32_t thread, struct bob_stack_range *out);

/* The lowest and the highest value of a piece. */
void bob_piece_hull(const struct bob_piece *p, uint64_t *lo, uint64_t *hi);
/* Number of values; 0: too many to count. */
uint64_t bob_piece_points(const struct bob_piece *p);

/* Readable text: "a[]", "(stack)", "(heap or mapping)", ... */
const char *bob_variable_text(const struct bob_variable *v);

#endif
