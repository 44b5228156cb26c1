/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums of the memory accesses of a trace by function, instruction, source line or variable; and
 * what did not fold. Counted on the folded form. Accesses are expanded only if a thread has raw
 * records, conditional accesses, or (by variable) irregular addresses that determine the
 * variable. */
#ifndef BOB_ANALYSIS_MEMORY_H
#define BOB_ANALYSIS_MEMORY_H

#include "analysis/analysis.h"
#include "analysis/memory/variables.h"

enum bob_memory_by {
	BOB_MEMORY_FUNCTION,
	BOB_MEMORY_INSTRUCTION,
	BOB_MEMORY_LINE,
	BOB_MEMORY_VARIABLE
};

#define BOB_MEMORY_STRIDES 4u

/* Distance in bytes from one access of an instruction to its next. */
struct bob_memory_stride {
	int64_t bytes;
	uint64_t accesses;
};

struct bob_memory_row {
	const char *image;	/* "" if none; lives as long as the trace, like all texts here */
	const char *function;	/* "" if unknown; of a variable only if it is local to the
				 * function */
	const char *file;	/* LINE: "" if unknown */
	uint32_t line;		/* LINE: 0 if unknown; the row then has the rest of the function */
	struct bob_variable variable; /* VARIABLE */
	/* link address of the function or instruction; otherwise 0 */
	uint64_t addr;
	/* of the instruction in the function; otherwise 0 */
	uint64_t offset;
	uint64_t loads, stores, atomics;
	uint64_t bytes;		/* transferred */
	uint64_t footprint;	/* distinct bytes of affine accesses: lower bound */
	uint64_t footprint_most; /* upper bound */
	/* accesses with irregular addresses; not included in footprint and strides */
	uint64_t irregular;
	/* expanded accesses; not included in footprint and irregular */
	uint64_t unknown;
	/* the most frequent ones; accesses 0: no more */
	struct bob_memory_stride stride[BOB_MEMORY_STRIDES];
};

static inline uint64_t bob_memory_accesses(const struct bob_memory_row *r)
{
	return r->loads + r->stores + r->atomics;
}

/* Code that did not fold, and the reason. */
enum bob_memory_reason {
	BOB_MEMORY_ADDRESSES,	/* irregular addresses */
	BOB_MEMORY_PIECES,	/* addresses are regular only for short times: many pieces */
	BOB_MEMORY_TRIPS,	/* irregular trip counts */
	BOB_MEMORY_ORDER	/* the order of events does not repeat */
};

struct bob_memory_unfolded {
	enum bob_memory_reason reason;
	uint32_t process, image;
	/* of the instruction; of the first one of the loop or item */
	uint64_t pc;
	uint8_t type;		/* of the access */
	uint64_t values;	/* number of values stored individually, or of pieces */
	uint64_t all;		/* total number of values */
};

struct bob_memory;

/* Rows are in descending order of accesses. Errors: BOB_ERR_NOMEM, BOB_ERR_CORRUPT. */
bob_status bob_memory_create(const struct bob_trace *t, const uint32_t *threads, uint32_t count,
			     enum bob_memory_by by, struct bob_memory **out, struct bob_error *err);
void bob_memory_destroy(struct bob_memory *m);
const struct bob_memory_row *bob_memory_rows(const struct bob_memory *m, size_t *count);
/* Number of synchronisation marks of these threads (details: syncs.h). */
uint64_t bob_memory_syncs(const struct bob_memory *m);
/* In descending order of values; one entry per instruction, loop or function, over all threads. */
const struct bob_memory_unfolded *bob_memory_unfolded(const struct bob_memory *m, size_t *count);

#endif
