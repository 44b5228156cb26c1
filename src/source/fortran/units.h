/* SPDX-License-Identifier: BSD-3-Clause */
/* Program units and constructs, their nesting, and the insertion points of units. Owner: the file's
 * arena. */
#ifndef BOB_SOURCE_FORTRAN_UNITS_H
#define BOB_SOURCE_FORTRAN_UNITS_H

#include "source/fortran/lines.h"

enum bob_fortran_unit_kind {
	BOB_UNIT_PROGRAM,	/* also one without a PROGRAM statement */
	BOB_UNIT_SUBROUTINE,
	BOB_UNIT_FUNCTION,
	BOB_UNIT_PROCEDURE,	/* MODULE PROCEDURE with a body, in a submodule */
	BOB_UNIT_MODULE,
	BOB_UNIT_SUBMODULE,
	BOB_UNIT_BLOCK_DATA
};

#define BOB_UNIT_PURE 1u
#define BOB_UNIT_ELEMENTAL 2u	/* pure, too, unless BOB_UNIT_IMPURE */
#define BOB_UNIT_IMPURE 4u
#define BOB_UNIT_RECURSIVE 8u
#define BOB_UNIT_MODULE_PREFIX 16u /* `module subroutine s` */
#define BOB_UNIT_IMPLICIT_NONE 32u
#define BOB_UNIT_INTERFACE 64u	/* a body in an INTERFACE: no insertions */
#define BOB_UNIT_UNENDED 128u	/* its END is missing */
#define BOB_UNIT_ENTRIES 256u	/* has ENTRY statements */
#define BOB_UNIT_BIND_C 512u

struct bob_fortran_symbols;

struct bob_fortran_unit {
	enum bob_fortran_unit_kind kind;
	uint32_t flags;
	const char *name;	/* lower case; "": none */
	uint32_t name_at;	/* its offset in the file; BOB_FORTRAN_NO: none */
	uint32_t parent;	/* enclosing unit; BOB_FORTRAN_NO: none */
	uint32_t first, last;	/* statements, including contained units */
	uint32_t contains;	/* its CONTAINS statement; BOB_FORTRAN_NO: none */
	/* Declarations may be inserted before this statement: after all specifications, before
	 * statement functions. BOB_FORTRAN_NO: not allowed (interface body). */
	uint32_t declare;
	/* Its first executable statement, or the #if around it; if it has none, its CONTAINS or
	 * END. BOB_FORTRAN_NO: no executable statement may be inserted (module, block data,
	 * interface body). */
	uint32_t execute;
	const char **dummies;	/* names; "*" is an alternate return */
	uint32_t dummy_count;
	const char *result;	/* a function's result variable; else NULL */
	/* First statements in other branches of an #if, with the same body: kind, name, dummies and
	 * result of each, `first` is its place. NULL: there are none. */
	struct bob_fortran_unit *other;
	struct bob_fortran_symbols
		*symbols; /* unit_tables.h; NULL before bob_fortran_symbols_read */
};

/* Kinds of constructs; one-line statements are not constructs. */
enum bob_fortran_construct_kind {
	BOB_CONSTRUCT_IF,
	/* all forms of DO; if labelled, its first statement has `target` */
	BOB_CONSTRUCT_DO,
	BOB_CONSTRUCT_SELECT,
	BOB_CONSTRUCT_WHERE,
	BOB_CONSTRUCT_FORALL,
	BOB_CONSTRUCT_ASSOCIATE,
	BOB_CONSTRUCT_BLOCK,
	BOB_CONSTRUCT_CRITICAL,
	BOB_CONSTRUCT_TEAM,
	BOB_CONSTRUCT_TYPE,	/* TYPE, STRUCTURE, UNION, MAP */
	BOB_CONSTRUCT_ENUM,
	BOB_CONSTRUCT_INTERFACE
};

struct bob_fortran_construct {
	enum bob_fortran_construct_kind kind;
	uint32_t parent;	/* enclosing construct in the same unit; BOB_FORTRAN_NO: none */
	uint32_t unit;
	uint32_t depth;		/* 0: outermost in its unit */
	uint32_t loop_depth;	/* number of enclosing DO constructs, including itself */
	/* statements; `last` is the END, or the terminal statement of a labelled DO */
	uint32_t first, last;
	const char *name;	/* of the construct; "" */
	bool shares_terminal;	/* labelled DO: others end with the same statement */
	bool is_ended;		/* false: its end is missing; `last` is that of the unit */
};

/* Determines the nesting of a split file: its units, its constructs, and the fields of statements
 * for them. Bad nesting (an unmatched END, both branches of an #if) is skipped and never fails.
 * Errors: BOB_ERR_NOMEM. */
bob_status bob_fortran_units(struct bob_fortran_file *f);

/* The innermost construct of the kind around a statement, in its unit, or BOB_FORTRAN_NO. */
uint32_t bob_fortran_inside(const struct bob_fortran_file *f, uint32_t statement,
			    enum bob_fortran_construct_kind kind);

/* Class of a preprocessor line: '+' #if and its variants, '|' #else and #elif, '-' #endif; 0:
 * another statement. */
char bob_fortran_conditional(const struct bob_fortran_statement *s);

/* Is the unit pure by its prefixes? Then only pure procedures may be called from it. */
bool bob_fortran_is_pure(const struct bob_fortran_unit *u);

#endif
