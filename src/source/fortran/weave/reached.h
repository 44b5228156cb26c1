/* SPDX-License-Identifier: BSD-3-Clause */
/* References that may reach requested variables: through arguments, shared storage, other files and
 * languages. Owner: struct bob_weave. One thread. */
#ifndef BOB_SOURCE_FORTRAN_WEAVE_REACHED_H
#define BOB_SOURCE_FORTRAN_WEAVE_REACHED_H

#include "source/fortran/weave/weave.h"

/* --- unknown.c --- */
/* Explains why the size of the symbol is unknown, and what may help. */
const char *bob_weave_unknown_size(struct bob_weave *w, const struct bob_fortran_symbols *names,
				   const struct bob_fortran_symbol *s);
/* The line of an INCLUDE that was not found, in the unit or its hosts; 0: none. */
uint32_t bob_weave_lacks_include(const struct bob_weave *w, uint32_t unit);

/* --- trace_closure.c --- */
/* After all files have chosen their variables: finds what each file sees of the others' variables,
 * and which dummies may be traced. */
bob_status bob_weave_close(struct bob_weave *files);
/* The last part of it: propagates from traced dummies to those that get them as arguments. */
bob_status bob_weave_follow(struct bob_weave *files);
/* May the use be passed on as a traced argument? */
bool bob_weave_may_pass(const struct bob_weave *w, uint32_t statement,
			const struct bob_fortran_use *u);
/* The procedure of this file that a name refers to, or BOB_FORTRAN_NO. */
uint32_t bob_weave_procedure(const struct bob_weave *w, const char *name, uint32_t len);
/* Has the unit an ENTRY of that name, or another first statement (units.h)? */
bool bob_weave_has_entry(const struct bob_weave *w, uint32_t unit, const char *name, uint32_t len);
/* Is it the name of a procedure with ENTRYs, or of an ENTRY, in some file? */
bool bob_weave_has_entries(const struct bob_weave *w, const char *name, uint32_t len);
/* May a reference that begins with the symbol access the variable? The flags are those of the use
 * (BOB_USE_COMPONENT: a component may point to it). Is the symbol the variable? May pointers refer
 * to it? */
bool bob_weave_may_be(const struct bob_weave *w, const struct bob_fortran_symbol *s,
		      uint32_t use_flags, const struct bob_weave_variable *v);
bool bob_weave_is(const struct bob_fortran_symbol *s, const struct bob_weave_variable *v);
bool bob_weave_is_target(const struct bob_weave_variable *v);
/* The unit's symbol for the variable, if it becomes visible there and must be registered; NULL: it
 * need not be. */
const struct bob_fortran_symbol *bob_weave_seen(const struct bob_weave *w,
						const struct bob_weave_variable *v, uint32_t unit);

/* May it be any of the variables? */
bool bob_weave_may_be_any(const struct bob_weave *w, const struct bob_fortran_symbol *s,
			  uint32_t use_flags);
/* State of the d-th dummy of a unit: may it be traced? */
uint8_t *bob_weave_dummy(const struct bob_weave *w, uint32_t unit, uint32_t d);

/* --- foreign.c --- */
/* After bob_weave_close: warns about variables that may be passed to procedures of no file. */
bob_status bob_weave_say_foreign(struct bob_weave *files);
/* "a, b, c and 3 more". */
const char *bob_weave_list(struct bob_weave *w, const char *const *names, size_t count);

/* --- across.c --- */
/* What C files may access of the requested variables. The caller frees *names; its texts are in the
 * arena. */
bob_status bob_weave_across(struct bob_weave *files, struct bob_source_across *out,
			    const char ***names);
/* Does a C file define the procedure: by its BIND(C) in an interface, or under gfortran's name? */
bool bob_weave_is_in_c(const struct bob_weave *files, const char *name);
/* May it be a requested C variable: by its C name, or by its type if it is a pointer? */
bool bob_weave_may_be_of_c(const struct bob_weave *w, const struct bob_fortran_symbol *s);
/* After bob_weave_find_bound: marks dummies that C may pass, and adds C's variables to those of
 * other files. */
bob_status bob_weave_join_c(struct bob_weave *files, bool *is_new);

/* Marks the dummy of the unit that gets the argument at that position, or all dummies. True: it was
 * not marked before. */
bool bob_weave_mark(struct bob_weave *w, uint32_t unit, uint32_t position, bool is_any);

/* --- bound.c --- */
/* First step: finds procedures that calls may reach under other names. */
bob_status bob_weave_find_bound(struct bob_weave *files, bool *is_new);
/* Marks the argument's dummy in all these procedures. */
bool bob_weave_mark_bound(struct bob_weave *files, uint32_t position, bool is_any);
/* Does the called name not determine the procedure? */
bool bob_weave_is_indirect(const struct bob_fortran_symbol *s);
/* Propagates arguments of calls of type-bound procedures in this statement. */
bool bob_weave_follow_bound(struct bob_weave *w, uint32_t statement,
			    const struct bob_fortran_uses *uses);

#endif
