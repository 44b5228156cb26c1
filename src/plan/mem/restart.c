/* SPDX-License-Identifier: BSD-3-Clause */
/* Restartable sequences (rseq(2)): if a thread migrates to another processor, or gets a signal,
 * while its program counter is in a range that the program has announced, the kernel resumes it at
 * the abort address of the range. Translated code is outside of the range and would not be aborted,
 * so functions with code in such a range, or at an abort address (the kernel checks a signature of
 * four bytes before it), are not translated.
 *
 * Programs have descriptors of these ranges in a section __rseq_cs (librseq, tcmalloc); descriptors
 * elsewhere are not recognised. */
#include <string.h>

#include "plan/mem/unit.h"

#define SIGNATURE_BYTES 4

/* As in the kernel; 32-byte aligned. */
struct descriptor {
	uint32_t version, flags;
	uint64_t start, len, abort;
};
BOB_STATIC_ASSERT(sizeof(struct descriptor) == 32, "struct rseq_cs");

/* Whether [lo, lo + len) overlaps the unit; free of overflow. */
static bool touches(struct bob_mem_unit *u, uint64_t lo, uint64_t len)
{
	for (size_t i = 0; i < u->ranges.count; i++) {
		const struct bob_mem_range *r = &u->ranges.at[i];

		if (lo < r->lo ? r->lo - lo < len : lo < r->hi && len) {
			u->at = lo < r->lo ? r->lo : lo;
			return true;
		}
	}
	return false;
}

unsigned bob_mem_restarts(struct bob_mem_unit *u)
{
	const uint8_t *p = bob_plan_bytes_at(u->img, u->img->rseq_addr, u->img->rseq_len);
	uint64_t at = -u->img->rseq_addr & (sizeof(struct descriptor) - 1);

	for (; p && at <= u->img->rseq_len && u->img->rseq_len - at >= sizeof(struct descriptor);
	     at += sizeof(struct descriptor)) {
		struct descriptor d;

		memcpy(&d, p + at, sizeof(d));
		if (touches(u, d.start, d.len) ||
		    touches(u, d.abort - SIGNATURE_BYTES, SIGNATURE_BYTES + 1))
			return BOB_MEM_RESTART;
	}
	return BOB_MEM_TAKEN;
}
