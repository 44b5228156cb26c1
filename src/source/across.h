/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests of a command's files in one language, as far as the files in the other language may
 * access the requested variables: docs/source.md, "Files in two languages". C's aliasing rules
 * apply to both languages: a pointer or dummy argument may refer to any object of its type, and
 * characters alias everything.
 *
 * Owner: the group of files whose requests these are. Threads: one at a time. */
#ifndef BOB_SOURCE_ACROSS_H
#define BOB_SOURCE_ACROSS_H

#include <stdbool.h>
#include <stdint.h>

/* Bit set of classes of scalars that may alias one another. The class of a struct is the union of
 * those of its members. */
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

/* All zero: the command has no files in that language. */
struct bob_source_across {
	bool is_there;
	/* an argument was requested by its name, and with it any object that it refers to */
	bool has_arguments;
	/* union of the classes of requested objects that pointers and dummy arguments may refer
	 * to */
	uint32_t classes;
	const char *const
		*names; /* linker names of the requested variables of static storage duration */
	uint32_t count;
	const char *const *functions; /* functions that these files define; C only */
	uint32_t function_count;
};

#endif
