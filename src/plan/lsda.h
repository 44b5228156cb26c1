/* SPDX-License-Identifier: BSD-3-Clause */
/* Exception tables (LSDA, section .gcc_except_table): addresses at which an unwinder enters code.
 * The personality routine defines the form of its table; the known routines share one form. The
 * bytes are untrusted, and reading is bounds-checked. Threads: one per image. */
#ifndef BOB_PLAN_LSDA_H
#define BOB_PLAN_LSDA_H

#include "plan/image.h"

/* Whether the personality routine uses the known form. `at`: address of the routine or, if
 * `indirect`, of a word that contains it or that its symbol relocates. */
bool bob_plan_knows_personality(struct bob_plan_image *img, uint64_t at, bool indirect);

/* Add the landing pads of all frames to img->entries, and the code whose exceptions land in them to
 * img->guards. A frame with an invalid table becomes `untold`. To be called before the frames are
 * sorted, because that drops some. Errors: BOB_ERR_NOMEM. */
bob_status bob_plan_find_pads(struct bob_plan_image *img);
/* Set `lands` of frames that begin with a landing pad. To be called after the frames are sorted. */
void bob_plan_find_landing_frames(struct bob_plan_image *img);

#endif
