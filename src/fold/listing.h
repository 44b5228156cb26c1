/* SPDX-License-Identifier: BSD-3-Clause */
/* Precomputes profiles (profiles.h) of a folded trace whose participants will all be read one by
 * one. Otherwise finding the value of one participant requires reading those of all before it. */
#ifndef BOB_FOLD_LISTING_H
#define BOB_FOLD_LISTING_H

#include "bobbin/fold.h"

/* Call before `f` is shared with other threads. Takes 8 bytes per participant and profile, up to 8
 * MB; further profiles are not precomputed. Errors: BOB_ERR_CORRUPT, BOB_ERR_NOMEM. */
bob_status bob_profiles_list(struct bob_folded *f);

#endif
