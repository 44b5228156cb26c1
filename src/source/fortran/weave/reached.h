/* SPDX-License-Identifier: BSD-3-Clause */
/* What what was asked for may be reached by: arguments, storage that is shared, other files and
 * languages. Owner of all: struct bob_weave. One thread. */
#ifndef BOB_SOURCE_FORTRAN_WEAVE_REACHED_H
#define BOB_SOURCE_FORTRAN_WEAVE_REACHED_H

#include "source/fortran/weave/weave.h"

/* --- unknown.c --- */
/* Why the size of the symbol, as these names say it, is not known, and what may help. */
const char *bob_weave_unknown_size(struct bob_weave *w, const struct bob_fortran_symbols *names,
				   const struct bob_fortran_symbol *s);
/* The line of an INCLUDE that was not found, in the unit or those around it; 0: there is none. */
uint32_t bob_weave_lacks_include(const struct bob_weave *w, uint32_t unit);

/* --- closure.c --- */
/* When all files have chosen: what each sees of the others' variables, and which dummies may be
 * something that is traced. */
bob_status bob_weave_close(struct bob_weave *files);
/* Its last part: from dummies that are known to those that get what these are. */
bob_status bob_weave_follow(struct bob_weave *files);
/* May an argument that has the use be something that is traced? */
bool bob_weave_may_pass(const struct bob_weave *w, uint32_t statement,
			const struct bob_fortran_use *u);
/* The procedure of this file that a name calls, or BOB_FORTRAN_NO. */
uint32_t bob_weave_procedure(const struct bob_weave *w, const char *name, uint32_t len);
/* Has the unit an ENTRY of that name, or another header (units.h)? */
bool bob_weave_has_entry(const struct bob_weave *w, uint32_t unit, const char *name, uint32_t len);
/* Is it a procedure with ENTRYs, or one of these, of some file? */
bool bob_weave_has_entries(const struct bob_weave *w, const char *name, uint32_t len);
/* May what begins with the symbol, as a unit of the file sees it, be the variable, in a use with
 * these flags (BOB_USE_COMPONENT: a component may point to it)? Is the symbol it? May pointers lead
 * to it? */
bool bob_weave_may_be(const struct bob_weave *w, const struct bob_fortran_symbol *s,
		      uint32_t use_flags, const struct bob_weave_variable *v);
bool bob_weave_is(const struct bob_fortran_symbol *s, const struct bob_weave_variable *v);
bool bob_weave_is_target(const struct bob_weave_variable *v);
/* What the unit calls the variable, if it becomes visible there, so that it has to be declared;
 * NULL: it does not. */
const struct bob_fortran_symbol *bob_weave_seen(const struct bob_weave *w,
						const struct bob_weave_variable *v, uint32_t unit);

/* May it be any variable? */
bool bob_weave_may_be_any(const struct bob_weave *w, const struct bob_fortran_symbol *s,
			  uint32_t use_flags);
/* Is the d-th dummy of a unit something that may be traced? */
uint8_t *bob_weave_dummy(const struct bob_weave *w, uint32_t unit, uint32_t d);

/* --- foreign.c --- */
/* After bob_weave_close: what may be passed to procedures that no file has is remarked. */
bob_status bob_weave_say_foreign(struct bob_weave *files);
/* "a, b, c and 3 more". */
const char *bob_weave_list(struct bob_weave *w, const char *const *names, size_t count);

/* --- across.c --- */
/* What C files may touch of what was chosen. *names is the caller's to free, what it points at the
 * arena's. */
bob_status bob_weave_across(struct bob_weave *files, struct bob_source_across *out,
			    const char ***names);
/* Does a C file define the procedure of this name: by its BIND(C) in an interface, or as gfortran
 * calls it? */
bool bob_weave_is_in_c(const struct bob_weave *files, const char *name);
/* May it be something of C's: by its name there, or by its type if it is a pointer? */
bool bob_weave_may_be_of_c(const struct bob_weave *w, const struct bob_fortran_symbol *s);
/* After bob_weave_find_bound: marks what C may pass to procedures, and adds C's variables to those
 * from other files. */
bob_status bob_weave_join_c(struct bob_weave *files, bool *is_new);

/* What is given as the argument there, or as any one, becomes a dummy of the unit. True: that was
 * not known. */
bool bob_weave_mark(struct bob_weave *w, uint32_t unit, uint32_t position, bool is_any);

/* --- bound.c --- */
/* First of all: which procedures may be called by other names than theirs. */
bob_status bob_weave_find_bound(struct bob_weave *files, bool *is_new);
/* All these get the argument. */
bool bob_weave_mark_bound(struct bob_weave *files, uint32_t position, bool is_any);
/* Does the name that is called say nothing of what that is? */
bool bob_weave_is_indirect(const struct bob_fortran_symbol *s);
/* What the calls of type-bound procedures in this statement may pass on. */
bool bob_weave_follow_bound(struct bob_weave *w, uint32_t statement,
			    const struct bob_fortran_uses *uses);

#endif
