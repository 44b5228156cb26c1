/* SPDX-License-Identifier: BSD-3-Clause */
/* Who calls whom, and which procedures may have copies: what clones.c has planned
 * (source/copies.h). In all files of a command; of procedures that get something that is traced, by
 * closure.c.
 *
 * A copy is safe if the program cannot distinguish it from the procedure. It must be reached only
 * by calls whose target is certain, and keep nothing from one call to the next. Every call that may
 * pass something traced must be known. In case of doubt, there is no copy, and the procedure has
 * its probes in place.
 *
 * Owner: the arena of struct bob_weave_calls. Threads: one. */
#ifndef BOB_SOURCE_FORTRAN_WEAVE_CLONES_H
#define BOB_SOURCE_FORTRAN_WEAVE_CLONES_H

#include "source/copies.h"
#include "source/fortran/weave/weave.h"

#define BOB_WEAVE_CLONE_DUMMIES_MAX BOB_COPIES_ARGUMENTS_MAX

struct bob_weave_procedure {
	struct bob_weave *w;
	uint32_t unit;
	uint64_t all;		/* dummies that may be traced, whatever the caller */
	const char *why;	/* it can have no copies; NULL: it can */
	uint32_t first_clone;	/* in w->clones */
};

/* An argument that may be traced, by its symbol. */
struct bob_weave_pass {
	const struct bob_fortran_symbol *symbol;
	uint32_t flags;		/* of the use */
	bool is_always;		/* whatever it is: nothing is known of where it leads */
	uint64_t dummies;	/* that it becomes */
};

struct bob_weave_call {
	struct bob_weave *w;
	uint32_t unit, statement; /* that call */
	uint32_t from, len;	/* the name */
	struct bob_weave_procedure *to;
	size_t first_pass;
	uint32_t pass_count;
	size_t first_in_text;	/* in the order in which they were found */
};

/* A procedure of any file, by its name. */
struct bob_weave_named {
	const char *name;
	struct bob_weave *w;
	uint32_t unit;
	struct bob_weave_procedure *procedure; /* NULL: it gets nothing that is traced */
};

struct bob_weave_calls {
	struct bob_arena arena;
	struct bob_weave *files;
	BOB_VEC(struct bob_weave_named)
	named; /* by names; of equal ones in the order of the files */
	/* in the order of the files, and of their units */
	BOB_VEC(struct bob_weave_procedure) procedures;
	BOB_VEC(struct bob_weave_call) calls; /* by files and units that call */
	BOB_VEC(struct bob_weave_pass) passes;
	bool is_target;		/* pointers may lead to something that is traced */
	bool is_visible;	/* something that is traced is in a module or COMMON */
	const char *hidden;	/* unknown calls: no copies at all; NULL: there are none */
	const char *foreign;	/* a procedure of no file may pass on what is traced; NULL: none */
};

/* --- calls.c --- */
/* Procedures and calls; `hidden` and `foreign`. Frees what it has on failure. Errors:
 * BOB_ERR_NOMEM. */
bob_status bob_weave_calls_read(struct bob_weave *files, struct bob_weave_calls *c);
void bob_weave_calls_free(struct bob_weave_calls *c);
/* The procedure of that name, if it is one that gets something traced; `unit` BOB_FORTRAN_NO: in
 * any unit. */
struct bob_weave_procedure *bob_weave_find_procedure(const struct bob_weave_calls *c,
						     const struct bob_weave *w, uint32_t unit);
/* The procedures of that name, adjacent; NULL: there is none. */
const struct bob_weave_named *bob_weave_find_named(const struct bob_weave_calls *c,
						   const char *name, uint32_t len);
/* It can have no copies; the first reason stays. */
void bob_weave_rule_out(struct bob_weave_procedure *p, const char *why);

/* --- clonable.c --- */
/* Checks the text of the procedures, and all places that name them. */
bob_status bob_weave_clonable(struct bob_weave_calls *c);
/* Is the call surely one of this procedure? */
bool bob_weave_is_sure(const struct bob_weave *w, uint32_t unit,
		       const struct bob_fortran_symbol *called,
		       const struct bob_weave_procedure *p);
/* The type of a function's result as a declaration has it; NULL: it is no plain number or truth
 * value. "" of a subroutine. */
const char *bob_weave_result_type(struct bob_weave *w, const struct bob_weave_procedure *p);

#endif
