/* SPDX-License-Identifier: BSD-3-Clause */
/* Internal to the memory analysis: rows to which accesses are added. */
#ifndef BOB_ANALYSIS_MEMORY_ROWS_H
#define BOB_ANALYSIS_MEMORY_ROWS_H

#include "analysis/memory/footprint.h"
#include "analysis/memory/memory.h"
#include "base/host/map.h"

#define BOB_MEMORY_PIECES_MAX 4096u /* per column; further ones are irregular */
#define BOB_MEMORY_PIECES_FEW 64u /* up to this number pieces are not reported */

struct bob_memory_entry {
	struct bob_memory_row pub;
	struct bob_footprint footprint;
};

struct bob_memory {
	BOB_MAP(struct bob_memory_entry) rows;
	struct bob_memory_row *sorted;
	BOB_VEC(struct bob_memory_unfolded) unfolded;
	const struct bob_trace *trace;
	enum bob_memory_by by;
	uint32_t process;	/* of the current thread */
	struct bob_stack_range stack; /* of the current thread */
	uint64_t syncs;		/* number of synchronisation marks */
	int failed;
};

/* The row of an access; sets process and stack in `a`. NULL: no memory. Valid until the next
 * call. */
struct bob_memory_entry *bob_memory_row_of(struct bob_memory *m, struct bob_variable_access *a);
void bob_memory_count(struct bob_memory_row *r, unsigned type, uint64_t times, unsigned size);
/* Adds `times` accesses at the piece's values plus `offset`. */
void bob_memory_add_piece(struct bob_memory *m, struct bob_memory_entry *r,
			  const struct bob_piece *p, int64_t offset, unsigned size, uint64_t times);
/* Entries with the same reason and place are combined at the end. */
void bob_memory_add_unfolded(struct bob_memory *m, const struct bob_memory_unfolded *u);
bob_status bob_memory_finish(struct bob_memory *m);

/* leaves.c: adds the folded accesses of a thread, each leaf once. BOB_NONE: the thread must be
 * expanded, and nothing was added. `skip`: set of instructions that will be expanded and are not
 * added here; it may grow. */
struct bob_memory_pc {
	uint64_t pc;
	uint32_t image;
};
struct bob_memory_skipped {
	BOB_VEC(struct bob_memory_pc);
};
bob_status bob_memory_add_folded(struct bob_memory *m, uint32_t thread,
				 struct bob_memory_skipped *skip);

/* order.c: adds loops with irregular trip counts, and frequent items of the spine. `shape` and
 * `loop`: counts of the part. */
void bob_memory_look_at_order(struct bob_memory *m, uint32_t thread, uint32_t part,
			      const uint64_t *shape, const uint64_t *loop);

#endif
