/* SPDX-License-Identifier: BSD-3-Clause */
/* Value sets of hooks, over all processes of a trace. Sets that ranks have united are in the
 * process of rank 0 and are visited once. */
#ifndef BOB_ARCHIVE_HOOK_SETS_H
#define BOB_ARCHIVE_HOOK_SETS_H

#include "archive/events/value_sets.h"
#include "bobbin/trace.h"

/* Calls `visit` for each set until it returns 1; its arguments are valid during the call.
 * BOB_ERR_CORRUPT: some sets were unreadable, the others were visited. BOB_ERR_NOMEM. */
bob_status bob_hook_sets_visit(const struct bob_trace *t,
			       int (*visit)(void *ctx, uint32_t process, const struct bob_set *s),
			       void *ctx);
/* The process's image with this key; BOB_SET_NO_IMAGE: none. */
#define BOB_SET_NO_IMAGE (~0u)
uint32_t bob_hook_image(const struct bob_trace *t, uint32_t process, uint64_t key);

#endif
