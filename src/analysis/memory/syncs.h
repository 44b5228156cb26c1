/* SPDX-License-Identifier: BSD-3-Clause */
/* Marks of synchronisation by what they are about: which mutexes, barriers, conditions, ... threads
 * use, how often, from where. Counted on the folded form; a thread is expanded if its records are
 * raw (call sites are not known then), or if the objects of its marks follow no rule. Threads: one
 * object, one thread. Texts live as long as the trace. */
#ifndef BOB_ANALYSIS_SYNCS_H
#define BOB_ANALYSIS_SYNCS_H

#include "analysis/analysis.h"

enum bob_sync_where {
	BOB_SYNC_VARIABLE,	/* `name` is a static variable's, or a named critical section's */
	BOB_SYNC_SECTION,	/* ... a section's, where no variable is known */
	BOB_SYNC_STACK,		/* on a thread's stack */
	BOB_SYNC_ELSEWHERE,	/* in no image and on no stack: heap or mapping */
	/* it has no address: threads, teams, the critical section without a name */
	BOB_SYNC_NOWHERE
};

/* One operation on objects of one variable, from one line of a function, or one call site if no
 * line is known. */
struct bob_sync_row {
	uint32_t kind;		/* bob_sync_name */
	const char *what;	/* "mutex", "barrier", ... */
	uint32_t where;		/* enum bob_sync_where */
	const char *name;	/* "" if none */
	const char *image;	/* the variable's; "" if none */
	uint32_t process,
		/* where the site is, of the first process that has it; image ~0: it is not known */
		site_image;
	uint64_t site;		/* link address of a call there */
	uint64_t count;
	uint64_t objects;	/* different ones; each process has its own */
	uint64_t threads;
	uint64_t total;		/* marks on objects of this variable */
};

struct bob_sync_table;

/* Of these threads. The most used variables first, their operations together. BOB_ERR_NOMEM,
 * BOB_ERR_CORRUPT. *out is the caller's (bob_sync_table_destroy). */
bob_status bob_sync_table_create(const struct bob_trace *t, const uint32_t *threads, uint32_t count,
				 struct bob_sync_table **out, struct bob_error *err);
void bob_sync_table_destroy(struct bob_sync_table *s); /* NULL is allowed */
const struct bob_sync_row *bob_sync_table_rows(const struct bob_sync_table *s, size_t *count);

#endif
