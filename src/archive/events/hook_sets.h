/* SPDX-License-Identifier: BSD-3-Clause */
/* Value sets of hooks, of all processes of a trace. Sets that ranks united are in the process of
 * rank 0, each once. */
#ifndef BOB_ARCHIVE_HOOK_SETS_H
#define BOB_ARCHIVE_HOOK_SETS_H

#include "archive/events/value_sets.h"
#include "bobbin/trace.h"

/* Until `visit` returns 1; what it gets is valid during the call. BOB_ERR_CORRUPT: some could not
 * be read; the others are given. BOB_ERR_NOMEM. */
bob_status bob_hook_sets_visit(const struct bob_trace *t,
			       int (*visit)(void *ctx, uint32_t process, const struct bob_set *s),
			       void *ctx);
/* The image of that key in the process; BOB_SET_NO_IMAGE: it has none. */
#define BOB_SET_NO_IMAGE (~0u)
uint32_t bob_hook_image(const struct bob_trace *t, uint32_t process, uint64_t key);

#endif
