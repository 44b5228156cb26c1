/* SPDX-License-Identifier: BSD-3-Clause */
/* Code around the probe of a reference, so that it runs for the same elements as the reference and
 * only if that is evaluated: loops of an implied DO or a FORALL, conditions of operands that .and.
 * and .or. guard, the mask of a WHERE.
 *
 * Indices have separate names, in a BLOCK: the program's variables do not change. Masks are
 * evaluated again, before the construct. A mask that depends on an assignment of the construct is
 * refused.
 *
 * Owner: the arena. Threads: one. */
#ifndef BOB_SOURCE_FORTRAN_WEAVE_FRAMES_H
#define BOB_SOURCE_FORTRAN_WEAVE_FRAMES_H

#include "source/fortran/weave/weave.h"

#define BOB_WEAVE_FRAMES_MAX 16u /* around one reference */

/* One frame. Frames with equal keys are the same, so neighbours can share one. */
struct bob_weave_frame {
	const void *key;
	const char *block;	/* declarations of a BLOCK around it; NULL: none */
	const char *open, *close;
	/* of a loop: its variable, and the index name in the frame; without a name: the text that
	 * replaces the reference `key`; else NULL */
	const char *name, *index;
	uint32_t name_len;
	/* NULL, or of an implied DO: written before each trip and after the last */
	const struct bob_fortran_expr *variable;
	bool is_condition;
	double trips;		/* of a loop; 0: not a loop; below 0: unknown */
};

struct bob_weave_frames {
	struct bob_weave_frame at[BOB_WEAVE_FRAMES_MAX];
	uint32_t count;
	const char *mask;	/* an array; NULL: all elements */
	const char *text;	/* of the reference, with the frames' index names */
};

/* The frames of a use of the statement. NULL, or the reason why it can have no probe: "" if it is
 * not an access. */
const char *bob_weave_frames(struct bob_weave *w, uint32_t statement,
			     const struct bob_fortran_use *u, struct bob_weave_frames *out);

/* Are all subscripts scalars or names of arrays of rank 1? Then a loop for each array reports the
 * elements. */
bool bob_weave_has_vectors(const struct bob_weave *w, uint32_t statement,
			   const struct bob_fortran_use *u);

/* --- masked.c --- */
/* The statement before which its probes go: the outermost WHERE or FORALL around it, or itself. */
uint32_t bob_weave_outermost(const struct bob_weave *w, uint32_t statement);
/* Adds the loops of FORALLs and the masks of WHEREs around a use that is BOB_USE_MASKED. */
const char *bob_weave_masked(struct bob_weave *w, uint32_t statement,
			     const struct bob_fortran_use *u, struct bob_weave_frames *out);

/* --- common helpers --- */
/* The text of an expression, with the frames' index names. */
const char *bob_weave_render(struct bob_weave *w, const struct bob_fortran_statement *s,
			     const struct bob_fortran_expr *e, const struct bob_weave_frames *f);
/* NULL, or a reason: too many frames. */
const char *bob_weave_add_frame(struct bob_weave_frames *f, const struct bob_weave_frame *one);
/* Adds `DO index = bounds`. `name` is the program's variable, which determines the kind. */
const char *bob_weave_add_loop(struct bob_weave *w, uint32_t statement, struct bob_weave_frames *f,
			       const void *key, uint32_t name_at, uint32_t name_len,
			       const struct bob_fortran_expr *bounds);
/* Does the expression call a non-intrinsic procedure? */
bool bob_weave_calls(const struct bob_weave *w, uint32_t statement,
		     const struct bob_fortran_expr *e);

#endif
