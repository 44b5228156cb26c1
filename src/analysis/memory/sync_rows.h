/* SPDX-License-Identifier: BSD-3-Clause */
/* Internal to the analysis of synchronisation: rows to which marks are added, and the objects of
 * each row. */
#ifndef BOB_ANALYSIS_SYNC_ROWS_H
#define BOB_ANALYSIS_SYNC_ROWS_H

#include "analysis/memory/syncs.h"
#include "analysis/memory/variables.h"
#include "base/host/map.h"

struct bob_sync_entry {
	struct bob_sync_row pub;
	/* The call site: image, function and line; or the address if the line is unknown. */
	const char *site_name, *file;
	uint64_t address;
	uint32_t line;
	uint32_t thread;	/* latest thread that has it, + 1 */
};

/* An object of a row; the whole struct is the key. */
struct bob_sync_object {
	uint64_t address;
	uint32_t process, row;
};

struct bob_sync_table {
	const struct bob_trace *trace;
	struct bob_stack_range *stack; /* by thread of the trace */
	BOB_MAP(struct bob_sync_entry) rows;
	BOB_MAP(struct bob_sync_object) objects;
	struct bob_sync_row *sorted;
	int failed;		/* no memory */
};

/* Adds `times` marks of a thread on an object; `e` identifies the row. */
void bob_sync_table_add(struct bob_sync_table *s, const struct bob_sync_entry *e, uint32_t thread,
			uint64_t object, uint64_t times);
/* Makes s->sorted. Errors: BOB_ERR_NOMEM. */
bob_status bob_sync_table_finish(struct bob_sync_table *s);

#endif
