/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of a command in one language trace and those in the other language may access:
 * docs/source.md, "Files in two languages". C's rules of aliasing hold for both: a pointer or a
 * dummy argument leads to what it is of a type with, but characters may be anything.
 *
 * Owner: the group of files whose requests these are. Threads: one at a time. */
#ifndef BOB_SOURCE_ACROSS_H
#define BOB_SOURCE_ACROSS_H

#include <stdbool.h>
#include <stdint.h>

/* Classes of scalars that may alias one another, as bits; those of a struct are those of its
 * members. */
#define BOB_CLASS_CHAR 1u
#define BOB_CLASS_BOOL 2u
#define BOB_CLASS_SHORT 4u
#define BOB_CLASS_INT 8u
#define BOB_CLASS_LONG 16u
#define BOB_CLASS_LONG_LONG 32u
#define BOB_CLASS_FLOAT 64u
#define BOB_CLASS_DOUBLE 128u
#define BOB_CLASS_LONG_DOUBLE 256u
#define BOB_CLASS_POINTER 512u
#define BOB_CLASS_ALL 0xffffffffu

static inline bool bob_classes_meet(uint32_t a, uint32_t b)
{
	return a && b && (a & b || (a | b) & BOB_CLASS_CHAR);
}

/* All zero: there are no files in that language. */
struct bob_source_across {
	bool is_there;
	/* an argument was asked for by its name: whatever it leads to is meant */
	bool has_arguments;
	uint32_t classes;	/* of what pointers and dummy arguments may lead to of it */
	const char *const *
		names; /* of variables that live as long as the program, as the linker knows them */
	uint32_t count;
	const char *const *functions; /* that these files define; of C alone */
	uint32_t function_count;
};

#endif
