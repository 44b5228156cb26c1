/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers variables for sites of the cache simulation: an instruction has one site per variable
 * that it accesses. Owner: the caller, who frees with _free. Threads: one object, one thread. */
#ifndef BOB_ANALYSIS_CACHE_VARIABLES_H
#define BOB_ANALYSIS_CACHE_VARIABLES_H

#include "analysis/memory/variables.h"
#include "base/host/vec.h"

#define BOB_CACHE_NO_VARIABLE 0xffffffffu
#define BOB_CACHE_ACCESS_BYTES 65535u /* maximal size of an access; larger ones are split */

struct bob_cache_variables {
	const struct bob_trace *trace;
	uint32_t process;
	BOB_VEC(struct bob_variable);
	struct bob_cache_memo *memo;
	int failed;
};

/* Returns 0, or -1 if memory is exhausted. */
int bob_cache_variables_init(struct bob_cache_variables *s, const struct bob_trace *t,
			     uint32_t process);
void bob_cache_variables_free(struct bob_cache_variables *s);
/* Number of the variable that an access to the bytes [lo, hi) is to; BOB_CACHE_NO_VARIABLE: it
 * differs within the range. */
uint32_t bob_cache_variable(struct bob_cache_variables *s, uint32_t image, uint64_t pc,
			    uint8_t type, const struct bob_stack_range *stack, uint64_t lo,
			    uint64_t hi);

#endif
