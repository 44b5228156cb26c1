/* SPDX-License-Identifier: BSD-3-Clause */
/* What must surround the probe of a reference so that it runs for the elements that the reference
 * has, and only when it is evaluated: loops of an implied DO or a FORALL, conditions of what .and.
 * guards, the mask of a WHERE.
 *
 * Indices get names of their own, in a BLOCK: the program's variables are not touched. Masks are
 * evaluated again, before the construct; what depends on something that the construct itself
 * assigns before is refused.
 *
 * Owner: the arena. Threads: one. */
#ifndef BOB_SOURCE_FORTRAN_WEAVE_FRAMES_H
#define BOB_SOURCE_FORTRAN_WEAVE_FRAMES_H

#include "source/fortran/weave/weave.h"

#define BOB_WEAVE_FRAMES_MAX 16u /* around one reference */

/* One of them. Equal keys: the same one, so that neighbours can share it. */
struct bob_weave_frame {
	const void *key;
	const char *block;	/* declarations of a BLOCK around it; NULL: none */
	const char *open, *close;
	const char *name,
		*index; /* of a loop: its variable, and what it is called here; without a name: what the reference that is the key is called; else NULL */
	uint32_t name_len;
	const struct bob_fortran_expr
		/* NULL, or of an implied DO: it is written for each trip, and after the last */
		*variable;
	bool is_condition;
	double trips;		/* of a loop; 0: not a loop; below 0: not known */
};

struct bob_weave_frames {
	struct bob_weave_frame at[BOB_WEAVE_FRAMES_MAX];
	uint32_t count;
	const char *mask;	/* an array; NULL: every element */
	const char *text;	/* of the reference, with the names that indices have here */
};

/* What surrounds the use of a statement. NULL, or why it can have no probe: "" if it is not an
 * access. */
const char *bob_weave_frames(struct bob_weave *w, uint32_t statement,
			     const struct bob_fortran_use *u, struct bob_weave_frames *out);

/* Are the subscripts that are arrays names of arrays with one dimension, and the others scalars, so
 * that a loop for each reports the elements? */
bool bob_weave_has_vectors(const struct bob_weave *w, uint32_t statement,
			   const struct bob_fortran_use *u);

/* --- masked.c --- */
/* The statement that its probes precede: the outermost WHERE or FORALL around it, or itself. */
uint32_t bob_weave_outermost(const struct bob_weave *w, uint32_t statement);
/* The loops of FORALLs and the masks of WHEREs around a use that is BOB_USE_MASKED: frames are
 * added, the mask is set. */
const char *bob_weave_masked(struct bob_weave *w, uint32_t statement,
			     const struct bob_fortran_use *u, struct bob_weave_frames *out);

/* --- for both --- */
/* The text of an expression, names of indices replaced. */
const char *bob_weave_render(struct bob_weave *w, const struct bob_fortran_statement *s,
			     const struct bob_fortran_expr *e, const struct bob_weave_frames *f);
/* NULL, or why: there are too many around it. */
const char *bob_weave_add_frame(struct bob_weave_frames *f, const struct bob_weave_frame *one);
/* DO index = bounds. `name` is the program's variable, whose kind it has. */
const char *bob_weave_add_loop(struct bob_weave *w, uint32_t statement, struct bob_weave_frames *f,
			       const void *key, uint32_t name_at, uint32_t name_len,
			       const struct bob_fortran_expr *bounds);
/* Does the expression call something that is not intrinsic? */
bool bob_weave_calls(const struct bob_weave *w, uint32_t statement,
		     const struct bob_fortran_expr *e);

#endif
