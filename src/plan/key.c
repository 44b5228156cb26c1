/* SPDX-License-Identifier: BSD-3-Clause */
/* The identity of an image's code. Freestanding: the planner computes it from the file, the agent
 * from memory, and the two must agree or the plan is not used. */
#include "base/hash.h"
#include "plan/format.h"

#define SAMPLE 64u		/* bytes */
#define SAMPLE_STEP 4096u

uint64_t bob_plan_key_begin(const uint8_t *build_id, uint64_t len)
{
	return bob_hash64(BOB_PLAN_VERSION, build_id, len);
}

uint64_t bob_plan_key_sample(uint64_t key, uint64_t vaddr, const void *bytes, uint64_t len, int all)
{
	const uint8_t *p = bytes;

	key = bob_hash64(key ^ bob_hash_mix(vaddr), &len, sizeof(len));
	for (uint64_t at = 0; at < len; at += all ? SAMPLE : SAMPLE_STEP)
		key = bob_hash64(key, p + at, len - at < SAMPLE ? len - at : SAMPLE);
	return key;
}

uint64_t bob_plan_key_segment(uint64_t key, uint64_t vaddr, const void *bytes, uint64_t len)
{
	return bob_hash64(key ^ bob_hash_mix(vaddr), bytes, len);
}
