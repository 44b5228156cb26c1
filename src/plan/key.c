/* SPDX-License-Identifier: BSD-3-Clause */
/* Hashes that identify the code of an image. Freestanding: the planner computes them from the file,
 * the agent from memory. If they differ, the plan is not used. */
#include <elf.h>
#include <string.h>

#include "base/hash.h"
#include "plan/format.h"

#define SAMPLE 64u		/* bytes */
#define SAMPLE_STEP 4096u
#define BUILD_ID_MAX 20u

const uint8_t *bob_plan_build_id(const void *notes, uint64_t len, uint64_t align, uint64_t *id_len)
{
	const uint64_t pad = align == 8 ? 7 : 3;
	const uint8_t *p = notes;
	uint64_t at = 0;

	while (at < len && len - at >= sizeof(Elf64_Nhdr)) {
		Elf64_Nhdr n;
		uint64_t desc;

		memcpy(&n, p + at, sizeof(n));
		desc = (at + sizeof(n) + n.n_namesz + pad) & ~pad;
		if (desc > len || n.n_descsz > len - desc)
			break;
		if (n.n_type == NT_GNU_BUILD_ID && n.n_namesz == 4 &&
		    !memcmp(p + at + sizeof(n), "GNU", 4)) {
			*id_len = n.n_descsz < BUILD_ID_MAX ? n.n_descsz : BUILD_ID_MAX;
			return p + desc;
		}
		at = (desc + n.n_descsz + pad) & ~pad;
	}
	*id_len = 0;
	return NULL;
}

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
