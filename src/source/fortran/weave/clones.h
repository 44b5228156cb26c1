/* SPDX-License-Identifier: BSD-3-Clause */
/* The call graph of all files of a command, restricted to procedures that may get traced arguments
 * (trace_closure.c), and the planned copies (clones.c, source/copies.h).
 *
 * A copy is safe if the program cannot distinguish it from the procedure. Only calls with a certain
 * target may reach it, and it must keep no state between calls. Every call that may pass traced
 * arguments must be known. In case of doubt there is no copy, and the procedure has its probes in
 * place.
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
	uint64_t all;		/* dummies that may be traced, for any caller */
	const char *why;	/* reason why it can have no copies; NULL: it can */
	uint32_t first_clone;	/* in w->clones */
};

/* An argument that may be traced, by its symbol. */
struct bob_weave_pass {
	const struct bob_fortran_symbol *symbol;
	uint32_t flags;		/* of the use (BOB_USE_*) */
	bool is_always;		/* always counts as traced: its target is unknown */
	uint64_t dummies;	/* dummies that it becomes */
};

struct bob_weave_call {
	struct bob_weave *w;
	uint32_t unit, statement; /* of the call */
	uint32_t from, len;	/* the callee's name */
	struct bob_weave_procedure *to;
	size_t first_pass;
	uint32_t pass_count;
	size_t first_in_text;	/* index in text order */
};

/* A procedure of any file, by its name. */
struct bob_weave_named {
	const char *name;
	struct bob_weave *w;
	uint32_t unit;
	struct bob_weave_procedure *procedure; /* NULL: it gets no traced arguments */
};

struct bob_weave_calls {
	struct bob_arena arena;
	struct bob_weave *files;
	BOB_VEC(struct bob_weave_named)
	named; /* sorted by name; equal names in file order */
	/* in the order of the files and their units */
	BOB_VEC(struct bob_weave_procedure) procedures;
	BOB_VEC(struct bob_weave_call) calls; /* by file and calling unit */
	BOB_VEC(struct bob_weave_pass) passes;
	bool is_target;		/* pointers may refer to traced variables */
	bool is_visible;	/* a traced variable is in a module or COMMON block */
	const char *hidden;	/* kind of unknown calls, which exclude all copies; NULL: none */
	/* procedure of no file that may pass on traced variables; NULL: none */
	const char *foreign;
};

/* --- traced_calls.c --- */
/* Finds the procedures and calls; sets `hidden` and `foreign`. Frees everything on failure. Errors:
 * BOB_ERR_NOMEM. */
bob_status bob_weave_calls_read(struct bob_weave *files, struct bob_weave_calls *c);
void bob_weave_calls_free(struct bob_weave_calls *c);
/* The procedure of that name if it gets traced arguments; `unit` BOB_FORTRAN_NO: in any unit. */
struct bob_weave_procedure *bob_weave_find_procedure(const struct bob_weave_calls *c,
						     const struct bob_weave *w, uint32_t unit);
/* The procedures of that name, adjacent; NULL: there is none. */
const struct bob_weave_named *bob_weave_find_named(const struct bob_weave_calls *c,
						   const char *name, uint32_t len);
/* Excludes copies of the procedure; the first reason is kept. */
void bob_weave_rule_out(struct bob_weave_procedure *p, const char *why);

/* --- clonable.c --- */
/* Excludes procedures by their text and by all references to their names. */
bob_status bob_weave_clonable(struct bob_weave_calls *c);
/* Does the call certainly go to this procedure? */
bool bob_weave_is_sure(const struct bob_weave *w, uint32_t unit,
		       const struct bob_fortran_symbol *called,
		       const struct bob_weave_procedure *p);
/* The type of a function's result for a declaration; "" for a subroutine. NULL: the result is not a
 * scalar number or logical. */
const char *bob_weave_result_type(struct bob_weave *w, const struct bob_weave_procedure *p);

#endif
