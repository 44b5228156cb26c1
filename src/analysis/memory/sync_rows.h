/* SPDX-License-Identifier: BSD-3-Clause */
/* Inside the analysis of synchronisation: rows that marks are added to, and the objects of each. */
#ifndef BOB_ANALYSIS_SYNC_ROWS_H
#define BOB_ANALYSIS_SYNC_ROWS_H

#include "analysis/memory/syncs.h"
#include "analysis/memory/variables.h"
#include "base/host/map.h"

struct bob_sync_entry {
	struct bob_sync_row pub;
	/* The call site, as it is written: its image, and function and line; or, where no line is
	 * known, the address. */
	const char *site_name, *file;
	uint64_t address;
	uint32_t line;
	uint32_t thread;	/* the newest one that has it, + 1 */
};

/* An object of a row: a key as a whole. */
struct bob_sync_object {
	uint64_t address;
	uint32_t process, row;
};

struct bob_sync_table {
	const struct bob_trace *trace;
	struct bob_stack_range *stack; /* of all threads of the trace */
	BOB_MAP(struct bob_sync_entry) rows;
	BOB_MAP(struct bob_sync_object) objects;
	struct bob_sync_row *sorted;
	int failed;		/* no memory */
};

/* So many marks more of a thread, on an object; `e` says of which row they are. */
void bob_sync_table_add(struct bob_sync_table *s, const struct bob_sync_entry *e, uint32_t thread,
			uint64_t object, uint64_t times);
/* Makes s->sorted. BOB_ERR_NOMEM. */
bob_status bob_sync_table_finish(struct bob_sync_table *s);

#endif
