/* SPDX-License-Identifier: BSD-3-Clause */
/* Variables as numbers, for sites of the cache simulation: the same instruction is one site for
 * each variable that it accesses. Owner: the caller, who frees with _free. Threads: one object, one
 * thread. */
#ifndef BOB_ANALYSIS_CACHE_VARIABLES_H
#define BOB_ANALYSIS_CACHE_VARIABLES_H

#include "analysis/memory/variables.h"
#include "base/host/vec.h"

#define BOB_CACHE_NO_VARIABLE 0xffffffffu
#define BOB_CACHE_ACCESS_BYTES 65535u /* of one access; more is a row of accesses */

struct bob_cache_variables {
	const struct bob_trace *trace;
	uint32_t process;
	BOB_VEC(struct bob_variable);
	struct bob_cache_memo *memo;
	int failed;
};

/* 0, or -1: no memory. */
int bob_cache_variables_init(struct bob_cache_variables *s, const struct bob_trace *t,
			     uint32_t process);
void bob_cache_variables_free(struct bob_cache_variables *s);
/* Number of the variable of an access of bytes `lo` to before `hi`. BOB_CACHE_NO_VARIABLE: in parts
 * of the range it is another one. */
uint32_t bob_cache_variable(struct bob_cache_variables *s, uint32_t image, uint64_t pc,
			    uint8_t type, const struct bob_stack_range *stack, uint64_t lo,
			    uint64_t hi);

#endif
