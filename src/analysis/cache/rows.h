/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts of simulated caches, summed by function, instruction, source line or variable over the
 * processes of a trace.
 *
 * Owner: the caller; bob_cache_rows_fini frees. Texts live as long as the trace. Threads: one. */
#ifndef BOB_ANALYSIS_CACHE_ROWS_H
#define BOB_ANALYSIS_CACHE_ROWS_H

#include "analysis/cache/replay.h"

enum bob_cache_by {
	BOB_CACHE_BY_FUNCTION,
	BOB_CACHE_BY_INSTRUCTION,
	BOB_CACHE_BY_LINE,
	BOB_CACHE_BY_VARIABLE,
	BOB_CACHE_BY_ANY	/* functions if the trace has any names, otherwise instructions */
};

struct bob_cache_row {
	uint32_t number;	/* of the function, if `known` */
	int known;
	const char *image;	/* short name, "" if none */
	uint64_t pc;		/* instructions; otherwise 0 */
	const char *file;	/* LINE: "" if unknown */
	uint32_t line;
	struct bob_variable variable; /* VARIABLE */
	struct bob_cache_site c;
};

/* The caller sets the first three members and zeroes the others. */
struct bob_cache_rows {
	const struct bob_trace *trace;
	const struct bob_cache_config *config;
	enum bob_cache_by by;	/* _finish replaces ANY */
	struct bob_cache_row *row;
	size_t count, cap;
	struct bob_cache_site total;
};

/* Adds the sites of one process. Errors: BOB_ERR_NOMEM. */
bob_status bob_cache_rows_add(struct bob_cache_rows *r, const struct bob_cache_replay *replay,
			      uint32_t process);
/* Call after the last process: combines rows of equal places. */
void bob_cache_rows_finish(struct bob_cache_rows *r);
void bob_cache_rows_fini(struct bob_cache_rows *r);

/* Misses of a level for any cause. */
uint64_t bob_cache_misses(const struct bob_cache_counts *c);

#endif
