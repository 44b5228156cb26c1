/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums of simulated caches by function, instruction, source line or variable, over the processes of
 * a trace.
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
	BOB_CACHE_BY_ANY	/* functions if the trace names one, else instructions */
};

struct bob_cache_row {
	uint32_t number;	/* function, if it is known */
	int known;
	const char *image;	/* short name, "" if none */
	uint64_t pc;		/* 0 where rows are not instructions */
	const char *file;	/* LINE: "" if not known */
	uint32_t line;
	struct bob_variable variable; /* VARIABLE */
	struct bob_cache_site c;
};

/* All zero but the first three at first. */
struct bob_cache_rows {
	const struct bob_trace *trace;
	const struct bob_cache_config *config;
	enum bob_cache_by by;	/* no longer ANY after _finish */
	struct bob_cache_row *row;
	size_t count, cap;
	struct bob_cache_site total;
};

/* Adds the sites of one process. BOB_ERR_NOMEM. */
bob_status bob_cache_rows_add(struct bob_cache_rows *r, const struct bob_cache_replay *replay,
			      uint32_t process);
/* After the last process: equal places become one row. */
void bob_cache_rows_finish(struct bob_cache_rows *r);
void bob_cache_rows_fini(struct bob_cache_rows *r);

/* Misses of a level, whatever the cause. */
uint64_t bob_cache_misses(const struct bob_cache_counts *c);

#endif
