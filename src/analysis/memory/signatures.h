/* SPDX-License-Identifier: BSD-3-Clause */
/* Call-path signatures of memory accesses as one tree: numbers of accesses by call path. Recursion
 * is folded as in the trace: a call from a place that is already on the path leads back to it.
 *
 * Counted on the folded form; a thread with conditional accesses, or with loops of irregular trip
 * counts, is expanded. Owner: the caller; bob_signatures_destroy frees. Threads: one object, one
 * thread. */
#ifndef BOB_ANALYSIS_SIGNATURES_H
#define BOB_ANALYSIS_SIGNATURES_H

#include "analysis/analysis.h"

#define BOB_SIGNATURE_NONE 0xffffffffu

struct bob_signature {
	/* link address of the call in `site_image`; unused for outermost functions */
	uint64_t site;
	uint32_t site_image;	/* BOB_SIGNATURE_NONE: outermost */
	uint32_t image;		/* of the called function; ~0: none */
	uint32_t function;	/* id in the process, ~0: unknown */
	uint32_t depth;		/* 0: outermost */
	uint64_t loads, stores, atomics; /* of this function on this path */
	uint64_t below;		/* accesses of the function and its callees */
};

struct bob_signatures;

/* All `count` threads must be of one process. Errors: BOB_ERR_NOMEM, BOB_ERR_CORRUPT. */
bob_status bob_signatures_create(const struct bob_trace *t, const uint32_t *threads, uint32_t count,
				 struct bob_signatures **out, struct bob_error *err);
void bob_signatures_destroy(struct bob_signatures *s); /* NULL is allowed */
/* In preorder: callers precede callees; siblings in descending order of `below`. Borrowed. */
const struct bob_signature *bob_signatures_all(const struct bob_signatures *s, uint32_t *count);
/* Number of accesses that are not folded, which have no path and are in no row. */
uint64_t bob_signatures_without(const struct bob_signatures *s);

#endif
