/* SPDX-License-Identifier: BSD-3-Clause */
/* Synchronisation marks by object: which mutexes, barriers, conditions, ... threads use, how often,
 * and from where. Counted on the folded form; a thread is expanded if its records are raw (then
 * call sites are unknown), or if the objects of its marks are irregular. Threads: one object, one
 * thread. Texts live as long as the trace. */
#ifndef BOB_ANALYSIS_SYNCS_H
#define BOB_ANALYSIS_SYNCS_H

#include "analysis/analysis.h"

enum bob_sync_where {
	BOB_SYNC_VARIABLE,	/* `name`: a static variable, or a named critical section */
	BOB_SYNC_SECTION,	/* `name`: a section of the image, where no variable is known */
	BOB_SYNC_STACK,		/* on a thread's stack */
	BOB_SYNC_ELSEWHERE,	/* in no image and on no stack: heap or mapping */
	/* without an address: threads, teams, the unnamed critical section */
	BOB_SYNC_NOWHERE
};

/* One operation on objects of one variable, from one line of a function, or from one call site if
 * the line is unknown. */
struct bob_sync_row {
	uint32_t kind;		/* bob_sync_name */
	const char *what;	/* "mutex", "barrier", ... */
	uint32_t where;		/* enum bob_sync_where */
	const char *name;	/* "" if none */
	const char *image;	/* image of the variable; "" if none */
	uint32_t process,
		/* place of the site in the first process that has it; image ~0: unknown */
		site_image;
	uint64_t site;		/* link address of one of its calls */
	uint64_t count;
	uint64_t objects;	/* number of distinct objects; processes have separate ones */
	uint64_t threads;
	uint64_t total;		/* number of marks on objects of this variable */
};

struct bob_sync_table;

/* In descending order of a variable's total; operations on a variable are adjacent. The caller owns
 * *out (bob_sync_table_destroy). Errors: BOB_ERR_NOMEM, BOB_ERR_CORRUPT. */
bob_status bob_sync_table_create(const struct bob_trace *t, const uint32_t *threads, uint32_t count,
				 struct bob_sync_table **out, struct bob_error *err);
void bob_sync_table_destroy(struct bob_sync_table *s); /* NULL is allowed */
const struct bob_sync_row *bob_sync_table_rows(const struct bob_sync_table *s, size_t *count);

#endif
