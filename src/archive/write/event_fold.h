/* SPDX-License-Identifier: BSD-3-Clause */
/* Events with values (event_write.h) into a folder. Freestanding. */
#ifndef BOB_ARCHIVE_EVENT_FOLD_H
#define BOB_ARCHIVE_EVENT_FOLD_H

#include "archive/write/event_write.h"

/* Shapes of an event and of its vectors' elements. BOB_ERR_FULL: bob_folder_again, and again.
 * `open`: it never completed; it has vectors if these were there already. */
bob_status bob_event_shapes(struct bob_folder *f, const struct bob_event_def *def, int open,
			    uint32_t shape[1 + BOB_EVENT_VECTORS_MAX]);
/* An event whose values are `word`, complete as the layout says. */
void bob_event_fold(struct bob_folder *f, const struct bob_event_layout *l, const uint32_t *shape,
		    const uint64_t *word);

#endif
