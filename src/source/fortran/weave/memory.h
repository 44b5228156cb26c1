/* SPDX-License-Identifier: BSD-3-Clause */
/* Registration of variables: lifetimes of units and blocks, ALLOCATE and similar statements,
 * targets of components. Owner: struct bob_weave. One thread. */
#ifndef BOB_SOURCE_FORTRAN_WEAVE_MEMORY_H
#define BOB_SOURCE_FORTRAN_WEAVE_MEMORY_H

#include "source/fortran/weave/lines.h"

/* --- components.c --- */
/* A request for components of a variable, and the result. `near`: a similar component, for a
 * suggestion; `why`: the reason why it cannot be traced; NULL: none. */
struct bob_weave_ask {
	const struct bob_request *request;
	const struct bob_fortran_symbols *names;
	const struct bob_fortran_symbol *symbol;
	const char *before, *after; /* around the names of all its components: "m::", " in solve" */
	bool is_found;
	/* a component without the requested part; NULL: none */
	const struct bob_fortran_symbol *box;
	const char *near, *why;
};
/* The components that the path `way` names ("%in%v"), and those below; NULL: all. Returns NULL if
 * none of them is allocatable or a pointer. */
struct bob_weave_class *bob_weave_class(struct bob_weave *w, struct bob_weave_ask *ask,
					const char *way);
bool bob_weave_class_has_pointers(const struct bob_weave_class *c);
/* May a use of the variable (is_holder) touch a target of its components? */
bool bob_weave_reaches(const struct bob_weave *w, uint32_t statement,
		       const struct bob_fortran_use *u, const struct bob_weave_variable *v);
/* May the component, or (NULL) some component, belong to the class? */
bool bob_weave_class_has(const struct bob_weave_class *c, const struct bob_fortran_symbol *s);
/* Assigns rows of the tables, before the file is woven. */
void bob_weave_number_components(struct bob_weave *w);
/* The number of requested subscripts of the variable itself. */
static inline uint32_t bob_weave_box_rank(const struct bob_weave_variable *v)
{
	return v->request->path ? 0 : v->request->rank;
}

/* --- component_moves.c --- */
/* Inserts the probes of component changes by the statement. */
void bob_weave_put_component_moves(struct bob_weave *w, uint32_t statement,
				   const struct bob_fortran_uses *uses);
/* ... of a component that a call gets as a whole and may move. */
void bob_weave_put_component_passed(struct bob_weave *w, uint32_t statement,
				    const struct bob_fortran_use *u);
/* ... of arguments that the unit frees on entry: INTENT(OUT). */
void bob_weave_put_component_ends(struct bob_weave *w, uint32_t unit);
/* Interfaces of the procedures that these call, in a unit. */
void bob_weave_component_interfaces(struct bob_weave *w, uint32_t at, uint32_t unit);

/* --- declare.c --- */
/* Is it a whole assignment to an allocatable variable? It may move the variable, so it is reported
 * after the statement. */
bool bob_weave_moves(const struct bob_weave *w, uint32_t statement,
		     const struct bob_fortran_use *u);
bob_status bob_weave_declare(struct bob_weave *w);
/* The line that registers the variable, named s here, or unregisters it. */
const char *bob_weave_declare_line(struct bob_weave *w, const struct bob_weave_variable *v,
				   const struct bob_fortran_symbol *s);
const char *bob_weave_forget_line(struct bob_weave *w, const struct bob_weave_variable *v,
				  const struct bob_fortran_symbol *s);
/* Finds the place for lines before the first statement of a unit or BLOCK. False: impossible, and
 * refused. */
bool bob_weave_before_first(struct bob_weave *w, uint32_t first, uint32_t *at);
/* "if (allocated(s)) ", or "". */
const char *bob_weave_guard(struct bob_weave *w, const struct bob_fortran_symbol *s);

/* --- moves.c --- */
/* Places of lines before and after a statement. */
struct bob_weave_places {
	uint32_t before, after;
	enum bob_weave_rank rank; /* of the lines before */
};
/* False: impossible, and reported for `what`. */
bool bob_weave_places(struct bob_weave *w, uint32_t statement, bool in_body, bool needs_after,
		      const char *what, struct bob_weave_places *out);
/* Inserts the probes of registrations, ends and moves by an executable statement. */
bob_status bob_weave_put_moves(struct bob_weave *w, uint32_t statement);

/* Reports a whole array or section as one nest: for the last added site. */
void bob_weave_box(struct bob_weave *w, uint32_t statement, const struct bob_fortran_use *u);

#endif
