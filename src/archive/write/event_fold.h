/* SPDX-License-Identifier: BSD-3-Clause */
/* Puts events with values (event_write.h) into a folder. Freestanding. */
#ifndef BOB_ARCHIVE_EVENT_FOLD_H
#define BOB_ARCHIVE_EVENT_FOLD_H

#include "archive/write/event_write.h"

/* Creates the shapes of an event and of its vectors' elements. BOB_ERR_FULL: call bob_folder_again
 * and retry. `open`: it never completed; its vectors may be missing. */
bob_status bob_event_shapes(struct bob_folder *f, const struct bob_event_def *def, int open,
			    uint32_t shape[1 + BOB_EVENT_VECTORS_MAX]);
/* Puts an event with the values `word`, complete as the layout requires. */
void bob_event_fold(struct bob_folder *f, const struct bob_event_layout *l, const uint32_t *shape,
		    const uint64_t *word);

#endif
