/* SPDX-License-Identifier: BSD-3-Clause */
/* What the memory accesses of a trace amount to, by function or by instruction. Counted on the folded form: nothing is
 * expanded, unless a thread has records that are not folded, or accesses that happen only sometimes. */
#ifndef BOB_ANALYSIS_MEMORY_H
#define BOB_ANALYSIS_MEMORY_H

#include "analysis/analysis.h"

enum bob_memory_by { BOB_MEMORY_FUNCTION, BOB_MEMORY_INSTRUCTION };

struct bob_memory_row {
	const char *image;	/* "" if in none; lives as long as the trace, as the next one */
	const char *function;	/* "" if not known */
	uint64_t addr;		/* link address of the function, or of the instruction */
	uint64_t offset;	/* of the instruction in the function; 0 if rows are functions */
	uint64_t loads, stores, atomics;
	uint64_t bytes;		/* moved */
	uint64_t
		span; /* bytes of the address space: from the lowest to the highest address of each affine
				 * row of addresses, what several cover once */
	uint64_t irregular;	/* accesses whose addresses are not affine; not in `span` */
	int expanded;		/* some of it was expanded: span and irregular do not know of that */
};

struct bob_memory;

/* Of these threads. Rows are sorted by accesses, the most first. BOB_ERR_NOMEM, BOB_ERR_CORRUPT. */
bob_status bob_memory_create(const struct bob_trace *t, const uint32_t *threads, uint32_t count,
			     enum bob_memory_by by, struct bob_memory **out, struct bob_error *err);
void bob_memory_destroy(struct bob_memory *m);
const struct bob_memory_row *bob_memory_rows(const struct bob_memory *m, size_t *count);

#endif
