/* SPDX-License-Identifier: BSD-3-Clause */
/* Space that each word of events takes in a folded trace, in pieces and as values without a rule.
 *
 * Threads: any, each with its own visit. */
#ifndef BOB_ARCHIVE_EVENT_COLUMNS_H
#define BOB_ARCHIVE_EVENT_COLUMNS_H

#include "bobbin/trace.h"
#include "fold/usage.h"

/* Valid until the visitor returns. */
struct bob_event_column {
	uint32_t process;	/* the first process that has it */
	const uint8_t *key; /* NULL: trip counts of a loop; then only `usage` is valid */
	size_t key_len;
	uint32_t words, vectors; /* of the event */
	int open;		/* the events never completed */
	uint32_t word;		/* index in the event, or in an element */
	uint32_t vector;	/* vector of the element; ~0: a word of the event */
	const uint64_t *place;	/* addresses of the calls, outermost first */
	uint32_t depth;
	struct bob_fold_usage usage;
};

/* Calls `visit` for each column until it returns nonzero. Events that are not folded yet (of a
 * running or killed process) and flat recordings are omitted. *values is increased by the bytes of
 * all value streams. Errors: BOB_ERR_NOMEM, BOB_ERR_CORRUPT. */
bob_status bob_event_columns(const struct bob_trace *t,
			     int (*visit)(void *ctx, const struct bob_event_column *c), void *ctx,
			     uint64_t *values);

#endif
