/* SPDX-License-Identifier: BSD-3-Clause */
/* Nests of loops that have one probe for all their accesses. nest.c finds them, lay.c unrolls short
 * loops, affine.c proves invariance and affinity, emit_nest.c generates the probe. Owner: the arena
 * of struct bob_weave. One thread. */
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
		*step; /* positions in the statement's text; step may be NULL */
};

struct bob_weave_nest_access {
	uint32_t statement;
	struct bob_fortran_use use;
	int kind;		/* enum bob_probe_kind */
	uint32_t loop;		/* construct: the DO whose iterations have the access */
	/* index in an iteration: in the first trips of the unrolled loops */
	uint32_t first;
};

/* An unrolled loop in the innermost one: its trips are constants of the text, and its accesses
 * belong to one iteration. */
struct bob_weave_nest_laid {
	uint32_t construct;
	const struct bob_fortran_symbol *counter;
	int64_t low, step;
	uint32_t trips, width;	/* number of accesses in one of them */
};

/* A variable, or a component of one, that the nest writes. */
struct bob_weave_nest_written {
	const struct bob_fortran_symbol *symbol;
	const struct bob_fortran_symbol *first,
		*last; /* of a component's path; NULL: not a component, or unknown */
	bool leads;		/* a pointer is on the path */
	uint32_t places, heads;	/* in the text; those that are a DO */
};

struct bob_weave_nest {
	struct bob_weave *w;
	uint32_t first, last;	/* statements, from the outermost DO on */
	struct bob_weave_nest_loop loop[BOB_PROBE_NEST_DEPTH_MAX]; /* outermost first */
	uint32_t depth;
	uint32_t innermost;	/* construct: the last of these loops */
	bool is_uneven;		/* bounds depend on outer loops */
	/* in text order */
	struct bob_weave_nest_access access[BOB_PROBE_NEST_ACCESSES_MAX];
	uint32_t count, dropped;
	struct bob_weave_nest_laid laid[BOB_WEAVE_NEST_LAID_MAX];
	uint32_t laid_count;
	/* all unrolled copies of an access have the same strides in all loops */
	bool is_alike;
	/* The accesses of an iteration in execution order: indices of `access`. */
	uint8_t reported[BOB_PROBE_NEST_LAID_MAX];
	uint32_t reported_count;
	/* in the nest, including counters */
	struct bob_weave_nest_written written[BOB_WEAVE_NEST_WRITTEN_MAX];
	uint32_t written_count;
};

/* --- nest.c --- */
/* Parses the DO. False: its counter is not a plain variable. */
bool bob_weave_read_loop(const struct bob_weave *w, uint32_t statement,
			 struct bob_weave_nest_loop *loop);

/* --- lay.c --- */
/* Determines the innermost loop, the unrolled ones, and the accesses of one iteration. False: they
 * do not fit in one row. */
bool bob_weave_lay_out(struct bob_weave_nest *n);
/* The unrolled loop directly in construct `in` that contains access k; NULL: the access is directly
 * in `in`. */
const struct bob_weave_nest_laid *bob_weave_laid_in(const struct bob_weave_nest *n, uint32_t in,
						    uint32_t k);
/* Is it the counter of an unrolled loop, within this loop? */
bool bob_weave_is_laid(const struct bob_weave_nest *n, uint32_t statement,
		       const struct bob_fortran_symbol *s);

/* --- affine.c --- */
/* The symbol of the first name of a reference; NULL: unknown. */
const struct bob_fortran_symbol *bob_weave_symbol(const struct bob_weave *w, uint32_t statement,
						  const struct bob_fortran_expr *ref);
/* Describes a reference to the symbol as a written place, with no occurrence yet. */
struct bob_weave_nest_written bob_weave_way_of(const struct bob_weave *w, uint32_t statement,
					       const struct bob_fortran_expr *ref,
					       const struct bob_fortran_symbol *symbol);
/* The number of places in the nest that may write it. */
uint32_t bob_weave_writes(const struct bob_weave_nest *n, const struct bob_fortran_symbol *s);
/* Is the expression an integer that is invariant in the nest and can be computed before it? */
bool bob_weave_is_same(const struct bob_weave_nest *n, uint32_t statement,
		       const struct bob_fortran_expr *e);
/* Is the expression affine in the counters of the first `depth` loops, with operands that can be
 * evaluated whether the loops run or not? */
bool bob_weave_is_safe(const struct bob_weave_nest *n, uint32_t statement,
		       const struct bob_fortran_expr *e, uint32_t depth);
/* Is the address of the reference affine in the counters? */
bool bob_weave_is_even(const struct bob_weave_nest *n, uint32_t statement,
		       const struct bob_fortran_expr *ref);
/* Does the expression contain this symbol? */
bool bob_weave_names(const struct bob_weave *w, uint32_t statement,
		     const struct bob_fortran_expr *e, const struct bob_fortran_symbol *symbol);

/* --- emit_nest.c --- */
/* Does the probe have separate counters, in a BLOCK? */
bool bob_weave_has_block(const struct bob_weave_nest *n);
/* Inserts the probe before byte `at`; nest number and sites have been assigned. */
void bob_weave_emit_nest(const struct bob_weave_nest *n, uint32_t at);
#define BOB_WEAVE_UNEVEN_MAX 4u /* maximal number of loops */
/* As above, for a nest that is_uneven. */
void bob_weave_emit_uneven(const struct bob_weave_nest *n, uint32_t at);

static inline const struct bob_fortran_construct *
bob_weave_construct(const struct bob_weave_nest *n, uint32_t i)
{
	return i < n->w->file->construct_count ? &n->w->file->constructs[i] : NULL;
}

#endif
