/* SPDX-License-Identifier: BSD-3-Clause */
/* Private to folding and merging: leaves out what occurs in few threads (docs/fold.md, Loss). */
#ifndef BOB_ARCHIVE_DROP_H
#define BOB_ARCHIVE_DROP_H

#include "archive/merge/merging.h"
#include "mem/fold.h"

/* Leaves out of *f the events whose key occurs in fewer than `below` of its participants, on
 * whatever call paths, or in fewer than all, if there are not so many. *f is replaced if there are
 * such. `find` gives descriptors by the numbers in keys. BOB_ERR_NOMEM, BOB_ERR_CORRUPT: *f is as
 * it was. */
bob_status bob_drop_rare(struct bob_folded **f, uint32_t below, bob_mem_desc_fn find, void *ctx);
/* The same of *f under the numbers of the trace; descriptors that no record names any more leave
 * u->descs. */
bob_status bob_drop_unified(struct bob_folded **f, uint32_t below, const struct bob_trace *t,
			    struct bob_unified *u);

#endif
