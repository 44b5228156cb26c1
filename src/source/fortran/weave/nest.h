/* SPDX-License-Identifier: BSD-3-Clause */
/* Loop nests that have one probe for all their accesses: nest.c finds them, lay.c lays short loops
 * out, affine.c proves what has to be even, emit_nest.c writes the probe. Owner: the arena of
 * struct bob_weave. One thread. */
#ifndef BOB_SOURCE_FORTRAN_WEAVE_NEST_H
#define BOB_SOURCE_FORTRAN_WEAVE_NEST_H

#include "bobbin/probe.h"
#include "source/fortran/weave/weave.h"

#define BOB_WEAVE_NEST_WRITTEN_MAX 64u
#define BOB_WEAVE_NEST_LAID_MAX 16u

struct bob_weave_nest_loop {
	uint32_t statement;	/* the DO */
	const struct bob_fortran_symbol *counter;
	const struct bob_fortran_expr *low, *high,
		*step; /* in the statement's text; step may be NULL */
};

struct bob_weave_nest_access {
	uint32_t statement;
	struct bob_fortran_use use;
	int kind;		/* enum bob_probe_kind */
	uint32_t loop;		/* construct: the DO at whose trips it happens */
	/* of an iteration it is this access: in the first trips of what is laid out */
	uint32_t first;
};

/* A DO within the innermost loop whose trips are constants of the text: what happens in all of them
 * is part of one iteration. */
struct bob_weave_nest_laid {
	uint32_t construct;
	const struct bob_fortran_symbol *counter;
	int64_t low, step;
	uint32_t trips, width;	/* accesses in one of them */
};

/* Something that a nest writes, or a component of it. */
struct bob_weave_nest_written {
	const struct bob_fortran_symbol *symbol;
	const struct bob_fortran_symbol *first,
		*last; /* of a component's path; NULL: not a component, or not known */
	bool leads;		/* by a pointer on it */
	uint32_t places, heads;	/* in the text; of these, DO */
};

struct bob_weave_nest {
	struct bob_weave *w;
	uint32_t first, last;	/* statements, from the outermost DO on */
	struct bob_weave_nest_loop loop[BOB_PROBE_NEST_DEPTH_MAX]; /* outermost first */
	uint32_t depth;
	uint32_t innermost;	/* construct: of the last of these */
	bool is_uneven;		/* bounds change with the loops around */
	/* in the order of the text */
	struct bob_weave_nest_access access[BOB_PROBE_NEST_ACCESSES_MAX];
	uint32_t count, dropped;
	struct bob_weave_nest_laid laid[BOB_WEAVE_NEST_LAID_MAX];
	uint32_t laid_count;
	/* all that is laid out of an access moves alike: each has the same steps in all loops */
	bool is_alike;
	/* An iteration, in the order of its happening: of `access`. */
	uint8_t reported[BOB_PROBE_NEST_LAID_MAX];
	uint32_t reported_count;
	/* in it, counters among them */
	struct bob_weave_nest_written written[BOB_WEAVE_NEST_WRITTEN_MAX];
	uint32_t written_count;
};

/* --- nest.c --- */
/* Reads the DO. False: it has no counter that is a plain variable. */
bool bob_weave_read_loop(const struct bob_weave *w, uint32_t statement,
			 struct bob_weave_nest_loop *loop);

/* --- lay.c --- */
/* The innermost loop, what of it is laid out, and what happens in one of its iterations. False: its
 * accesses cannot be reported in one row. */
bool bob_weave_lay_out(struct bob_weave_nest *n);
/* The loop right in construct `in` that is laid out and has access k; NULL: the access happens
 * right there. */
const struct bob_weave_nest_laid *bob_weave_laid_in(const struct bob_weave_nest *n, uint32_t in,
						    uint32_t k);
/* Is it the counter of a loop that is laid out, in this loop? */
bool bob_weave_is_laid(const struct bob_weave_nest *n, uint32_t statement,
		       const struct bob_fortran_symbol *s);

/* --- affine.c --- */
/* What the name at the beginning of a reference stands for; NULL: nothing that is known. */
const struct bob_fortran_symbol *bob_weave_symbol(const struct bob_weave *w, uint32_t statement,
						  const struct bob_fortran_expr *ref);
/* A reference of what begins with the symbol as something that is written, at no place yet. */
struct bob_weave_nest_written bob_weave_way_of(const struct bob_weave *w, uint32_t statement,
					       const struct bob_fortran_expr *ref,
					       const struct bob_fortran_symbol *symbol);
/* At how many places of the nest may this be written? */
uint32_t bob_weave_writes(const struct bob_weave_nest *n, const struct bob_fortran_symbol *s);
/* An integer that is the same as long as the nest runs, and may be computed before it. */
bool bob_weave_is_same(const struct bob_weave_nest *n, uint32_t statement,
		       const struct bob_fortran_expr *e);
/* An affine function of the counters of the first `depth` loops, and of names that can be looked at
 * whether the loops run or not. */
bool bob_weave_is_safe(const struct bob_weave_nest *n, uint32_t statement,
		       const struct bob_fortran_expr *e, uint32_t depth);
/* Is the address of the reference an affine function of the counters? */
bool bob_weave_is_even(const struct bob_weave_nest *n, uint32_t statement,
		       const struct bob_fortran_expr *ref);
/* Does the expression name this symbol? */
bool bob_weave_names(const struct bob_weave *w, uint32_t statement,
		     const struct bob_fortran_expr *e, const struct bob_fortran_symbol *symbol);

/* --- emit_nest.c --- */
/* Does the probe count in variables of its own? */
bool bob_weave_has_block(const struct bob_weave_nest *n);
/* The probe, before byte `at`; nest number and sites are taken. */
void bob_weave_emit_nest(const struct bob_weave_nest *n, uint32_t at);
#define BOB_WEAVE_UNEVEN_MAX 4u /* loops */
/* As above; is_uneven. */
void bob_weave_emit_uneven(const struct bob_weave_nest *n, uint32_t at);

static inline const struct bob_fortran_construct *
bob_weave_construct(const struct bob_weave_nest *n, uint32_t i)
{
	return i < n->w->file->construct_count ? &n->w->file->constructs[i] : NULL;
}

#endif
