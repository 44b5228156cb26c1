/* SPDX-License-Identifier: BSD-3-Clause */
/* A folded trace whose participants will all be read, one after the other: their differences
 * (profiles.h) are listed beforehand, because finding those of one participant otherwise means
 * reading those of all before it. */
#ifndef BOB_FOLD_LISTING_H
#define BOB_FOLD_LISTING_H

#include "bobbin/fold.h"

/* `f` is not shared yet. Takes 8 bytes for each participant and profile, up to 8 MB: what is beyond
 * is not listed. BOB_ERR_CORRUPT, BOB_ERR_NOMEM. */
bob_status bob_profiles_list(struct bob_folded *f);

#endif
