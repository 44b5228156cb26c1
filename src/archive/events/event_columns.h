/* SPDX-License-Identifier: BSD-3-Clause */
/* Space that each word of events takes in a trace, from the folded form: with a rule, or without.
 *
 * Threads: any, each with a visit of its own. */
#ifndef BOB_ARCHIVE_EVENT_COLUMNS_H
#define BOB_ARCHIVE_EVENT_COLUMNS_H

#include "bobbin/trace.h"
#include "fold/usage.h"

/* Valid until the visitor returns. */
struct bob_event_column {
	uint32_t process;	/* the first that has it */
	const uint8_t
		*key; /* NULL: how often a loop goes round; the rest but `usage` says nothing */
	size_t key_len;
	uint32_t words, vectors; /* of the event */
	int open;		/* it never completed */
	uint32_t word;		/* of it; or of an element */
	uint32_t vector;	/* whose element; ~0: none */
	const uint64_t *place;	/* of the calls, outermost first */
	uint32_t depth;
	struct bob_fold_usage usage;
};

/* `visit` returns 0 to go on. What is not folded yet -- of a process that runs, or was killed -- is
 * left out, and flat recordings are. *values, which is added to: bytes of values that follow no
 * rule. BOB_ERR_NOMEM, BOB_ERR_CORRUPT. */
bob_status bob_event_columns(const struct bob_trace *t,
			     int (*visit)(void *ctx, const struct bob_event_column *c), void *ctx,
			     uint64_t *values);

#endif
