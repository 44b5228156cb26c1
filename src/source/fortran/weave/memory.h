/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the memory of variables is, and when it comes and goes: units, ALLOCATE and its like, what
 * components lead to. Owner of all: struct bob_weave. One thread. */
#ifndef BOB_SOURCE_FORTRAN_WEAVE_MEMORY_H
#define BOB_SOURCE_FORTRAN_WEAVE_MEMORY_H

#include "source/fortran/weave/lines.h"

/* --- components.c --- */
/* Which variable's components, for which request, and the result: `near`: a component that may have
 * been meant; `why`: what cannot be traced; NULL. */
struct bob_weave_ask {
	const struct bob_request *request;
	const struct bob_fortran_symbols *names;
	const struct bob_fortran_symbol *symbol;
	const char *before, *after; /* in the names of all that it has: "m::", " in solve" */
	bool is_found;
	const struct bob_fortran_symbol *box; /* a component without such a part; NULL */
	const char *near, *why;
};
/* The components that `way` names ("%in%v"), and what follows; NULL: all. NULL: there are none that
 * lead anywhere. */
struct bob_weave_class *bob_weave_class(struct bob_weave *w, struct bob_weave_ask *ask,
					const char *way);
bool bob_weave_class_has_pointers(const struct bob_weave_class *c);
/* May a use of what may be the variable, which is_holder, touch what its components lead to? */
bool bob_weave_reaches(const struct bob_weave *w, uint32_t statement,
		       const struct bob_fortran_use *u, const struct bob_weave_variable *v);
/* May the component, or (NULL) some component, be one of the class? */
bool bob_weave_class_has(const struct bob_weave_class *c, const struct bob_fortran_symbol *s);
/* Before the file is woven: rows of its tables. */
void bob_weave_number_components(struct bob_weave *w);
/* How many subscripts the part of the variable itself has that is wanted. */
static inline uint32_t bob_weave_box_rank(const struct bob_weave_variable *v)
{
	return v->request->path ? 0 : v->request->rank;
}

/* --- component_moves.c --- */
/* What the statement does to components that may be traced. */
void bob_weave_put_component_moves(struct bob_weave *w, uint32_t statement,
				   const struct bob_fortran_uses *uses);
/* ... a component that a call is passed as a whole and may move. */
void bob_weave_put_component_passed(struct bob_weave *w, uint32_t statement,
				    const struct bob_fortran_use *u);
/* What the unit is passed and frees when it is entered: INTENT(OUT). */
void bob_weave_put_component_ends(struct bob_weave *w, uint32_t unit);
/* Interfaces of what these call, in a unit. */
void bob_weave_component_interfaces(struct bob_weave *w, uint32_t at, uint32_t unit);

/* --- declare.c --- */
/* Is it an allocatable variable that is assigned as a whole? That may move it: it is reported after
 * the statement. */
bool bob_weave_moves(const struct bob_weave *w, uint32_t statement,
		     const struct bob_fortran_use *u);
bob_status bob_weave_declare(struct bob_weave *w);
/* The line that declares the variable, which is called s here, or unregisters it. */
const char *bob_weave_declare_line(struct bob_weave *w, const struct bob_weave_variable *v,
				   const struct bob_fortran_symbol *s);
const char *bob_weave_forget_line(struct bob_weave *w, const struct bob_weave_variable *v,
				  const struct bob_fortran_symbol *s);
/* Where lines that run before the first statement of a unit or BLOCK go. False: that cannot be, and
 * was refused. */
bool bob_weave_before_first(struct bob_weave *w, uint32_t first, uint32_t *at);
/* "if (allocated(s)) ", or nothing. */
const char *bob_weave_guard(struct bob_weave *w, const struct bob_fortran_symbol *s);

/* --- moves.c --- */
/* Where lines before and after a statement go. */
struct bob_weave_places {
	uint32_t before, after;
	enum bob_weave_rank rank; /* of those before */
};
/* False: they cannot be inserted there, which is reported of `what`. */
bool bob_weave_places(struct bob_weave *w, uint32_t statement, bool in_body, bool needs_after,
		      const char *what, struct bob_weave_places *out);
/* What a statement that runs moves, brings to life or ends. */
bob_status bob_weave_put_moves(struct bob_weave *w, uint32_t statement);

/* A whole array or section is reported at once, too: of the site that was added last. */
void bob_weave_box(struct bob_weave *w, uint32_t statement, const struct bob_fortran_use *u);

#endif
