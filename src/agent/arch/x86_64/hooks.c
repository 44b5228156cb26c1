/* SPDX-License-Identifier: BSD-3-Clause */
/* Selects how hooks save vector registers (FXSAVE, XSAVE, XSAVEC) and the size of the save area,
 * from CPUID leaf 0xd. */
#include "agent/arch/x86_64/hooks.h"

#include <cpuid.h>
#include <string.h>

#include "agent/agent.h"

#define FXSAVE_BYTES 512u
#define XSAVE_BYTES 576u	/* including its header */
#define XSTATE_BV 512u
#define SSE 2u
#define XMM0 160u
/* Excludes PKRU, which callbacks do not change, and AMX tiles. */
#define NOT_KEPT (1u << 9 | 1u << 17 | 1u << 18)

/* hooks.S */
enum how { BY_FXSAVE, BY_XSAVE, BY_XSAVEC };
extern uint32_t bob_hook_state_how, bob_hook_state_mask, bob_hook_state_bytes;
uint32_t bob_hook_state_how, bob_hook_state_mask, bob_hook_state_bytes = FXSAVE_BYTES;

static uint32_t enabled_state(void)
{
	uint32_t low, high;

	__asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
	return low;
}

/* End of the last component in the standard format; the compacted format is not longer. */
static uint32_t bytes_of(uint32_t mask)
{
	uint32_t most = XSAVE_BYTES, size, at, c, d;

	for (uint32_t i = 2; i < 32; i++) {
		if (!(mask >> i & 1))
			continue;
		__cpuid_count(0xd, i, size, at, c, d);
		if (at + size > most)
			most = at + size;
	}
	return (most + 127) & ~63u; /* components of the compacted format may be aligned */
}

bool hooks_state_begin(void)
{
	uint32_t a, b, c, d;

	if (shadow_stack())
		return false;
	if (!__get_cpuid(1, &a, &b, &c, &d))
		return false;
	if (!(c & bit_OSXSAVE))
		return true;
	bob_hook_state_mask = enabled_state() & ~NOT_KEPT;
	bob_hook_state_bytes = bytes_of(bob_hook_state_mask);
	__cpuid_count(0xd, 1, a, b, c, d);
	bob_hook_state_how = a & 2 ? BY_XSAVEC : BY_XSAVE;
	return true;
}

const void *hooks_vectors(void *state)
{
	uint8_t *p = state;
	uint64_t there;

	memcpy(&there, p + XSTATE_BV, sizeof(there));
	/* in its initial state: not stored, all zero */
	if (bob_hook_state_how != BY_FXSAVE && !(there & SSE))
		memset(p + XMM0, 0, 128);
	return p + XMM0;
}
