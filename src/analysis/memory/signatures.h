/* SPDX-License-Identifier: BSD-3-Clause */
/* The call-path signatures of memory accesses as one tree: who accesses memory how often, called
 * from where. Recursion is folded, as in the trace: a call from a place that is on the path already
 * leads back to it.
 *
 * Counted on the folded form; a thread with accesses that happen only sometimes, or in loops that
 * end without rule, is expanded. Owner: the caller; bob_signatures_destroy frees. Threads: one
 * object, one thread. */
#ifndef BOB_ANALYSIS_SIGNATURES_H
#define BOB_ANALYSIS_SIGNATURES_H

#include "analysis/analysis.h"

#define BOB_SIGNATURE_NONE 0xffffffffu

struct bob_signature {
	/* of the call: link address in `site_image`; outermost ones have none */
	uint64_t site;
	uint32_t site_image;	/* BOB_SIGNATURE_NONE: outermost */
	uint32_t image;		/* of the function called; ~0: none */
	uint32_t function;	/* id in the process, ~0: not known */
	uint32_t depth;		/* 0: outermost */
	uint64_t loads, stores, atomics; /* of this function, so called */
	uint64_t below;		/* accesses, own ones and of all it calls */
};

struct bob_signatures;

/* Of `count` threads, all of one process. BOB_ERR_NOMEM, BOB_ERR_CORRUPT. */
bob_status bob_signatures_create(const struct bob_trace *t, const uint32_t *threads, uint32_t count,
				 struct bob_signatures **out, struct bob_error *err);
void bob_signatures_destroy(struct bob_signatures *s); /* NULL is allowed */
/* As a tree is drawn: callers before what they call, most accesses below first. Borrowed. */
const struct bob_signature *bob_signatures_all(const struct bob_signatures *s, uint32_t *count);
/* Accesses that are not folded yet: they have no path, and are in no row. */
uint64_t bob_signatures_without(const struct bob_signatures *s);

#endif
