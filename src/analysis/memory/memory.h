/* SPDX-License-Identifier: BSD-3-Clause */
/* What the memory accesses of a trace amount to: by function, instruction, source line or variable;
 * and what did not fold. Counted on the folded form: nothing is expanded, unless a thread has
 * records that are not folded, accesses that happen only sometimes, or -- by variable -- addresses
 * without rule, where the variable depends on the address. */
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

/* From one access of an instruction to its next, in bytes. */
struct bob_memory_stride {
	int64_t bytes;
	uint64_t accesses;
};

struct bob_memory_row {
	const char *image;	/* "" if in none; lives as long as the trace, as all texts here */
	const char *function;	/* "" if not known; of a variable only if it is the function's */
	const char *file;	/* LINE: "" if not known */
	uint32_t line;		/* LINE: 0 if not known: the row is then the rest of its function */
	struct bob_variable variable; /* VARIABLE */
	/* link address of the function, or of the instruction; 0 for others */
	uint64_t addr;
	/* of the instruction in the function; 0 if rows are something else */
	uint64_t offset;
	uint64_t loads, stores, atomics;
	uint64_t bytes;		/* moved */
	uint64_t footprint;	/* different bytes, of what is affine: at least ... */
	uint64_t footprint_most; /* ... and at most so many */
	/* accesses whose addresses follow no rule; not in the footprint, without strides */
	uint64_t irregular;
	/* accesses that were expanded: neither footprint nor irregular know of them */
	uint64_t unknown;
	/* the most frequent ones; accesses 0: no more */
	struct bob_memory_stride stride[BOB_MEMORY_STRIDES];
};

static inline uint64_t bob_memory_accesses(const struct bob_memory_row *r)
{
	return r->loads + r->stores + r->atomics;
}

/* What did not fold, and why. */
enum bob_memory_reason {
	BOB_MEMORY_ADDRESSES,	/* addresses follow no rule */
	BOB_MEMORY_PIECES,	/* addresses follow a rule for a short while only: many pieces */
	BOB_MEMORY_TRIPS,	/* trip counts follow no rule */
	BOB_MEMORY_ORDER	/* the order of what happens does not repeat */
};

struct bob_memory_unfolded {
	enum bob_memory_reason reason;
	uint32_t process, image;
	/* of the instruction; of the first one of the loop, or of the single access */
	uint64_t pc;
	uint8_t type;		/* of the access */
	uint64_t values;	/* kept one by one, or pieces */
	uint64_t all;		/* of so many */
};

struct bob_memory;

/* Of these threads. Rows are sorted by accesses, the most first. BOB_ERR_NOMEM, BOB_ERR_CORRUPT. */
bob_status bob_memory_create(const struct bob_trace *t, const uint32_t *threads, uint32_t count,
			     enum bob_memory_by by, struct bob_memory **out, struct bob_error *err);
void bob_memory_destroy(struct bob_memory *m);
const struct bob_memory_row *bob_memory_rows(const struct bob_memory *m, size_t *count);
/* Marks of synchronisation of these threads (syncs.h says by what). */
uint64_t bob_memory_syncs(const struct bob_memory *m);
/* The most values first; each instruction, loop or function once, all threads together. */
const struct bob_memory_unfolded *bob_memory_unfolded(const struct bob_memory *m, size_t *count);

#endif
