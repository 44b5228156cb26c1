/* SPDX-License-Identifier: BSD-3-Clause */
/* Internal to folding and merging: omits events that occur in few threads (docs/fold.md, Loss). */
#ifndef BOB_ARCHIVE_DROP_H
#define BOB_ARCHIVE_DROP_H

#include "archive/merge/merging.h"
#include "mem/fold.h"

/* Omits from *f the events whose key occurs in fewer than `below` participants, on any call path;
 * if there are fewer participants, in fewer than all. *f is replaced if anything is omitted. `find`
 * maps the numbers in keys to descriptors. On BOB_ERR_NOMEM and BOB_ERR_CORRUPT, *f is
 * unchanged. */
bob_status bob_drop_rare(struct bob_folded **f, uint32_t below, bob_mem_desc_fn find, void *ctx);
/* The same for *f with the numbers of the trace. Descriptors without records are removed from
 * u->descs. */
bob_status bob_drop_unified(struct bob_folded **f, uint32_t below, const struct bob_trace *t,
			    struct bob_unified *u);

#endif
