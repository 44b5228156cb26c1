/* SPDX-License-Identifier: BSD-3-Clause */
/* Exception tables (LSDA, section .gcc_except_table): where an unwinder enters code. The form of a
 * table is the personality routine's own business; routines of which it is known share one form.
 * The bytes come from a file: each is held against the bounds. One image, one thread. */
#ifndef BOB_PLAN_LSDA_H
#define BOB_PLAN_LSDA_H

#include "plan/image.h"

/* Has the table of a personality routine the known form? `at`: address of the routine, or, if
 * `indirect`, of a word that holds it or is relocated by its symbol. */
bool bob_plan_knows_personality(struct bob_plan_image *img, uint64_t at, bool indirect);

/* The landing pads of all frames into img->entries, and the code whose exceptions land in them into
 * img->guards. A frame whose table is broken is `untold`.
 * Before frames are put into order, for that drops some. BOB_ERR_NOMEM. */
bob_status bob_plan_find_pads(struct bob_plan_image *img);
/* Frames that begin with a landing pad: `lands`. After frames are in order. */
void bob_plan_find_landing_frames(struct bob_plan_image *img);

#endif
