/* SPDX-License-Identifier: BSD-3-Clause */
/* Length and branch kind of an x86-64 instruction: all that the scan of a whole image needs, ten
 * times faster than a full decoder. Pure functions; any thread. Tested against Zydis with every
 * instruction of the test images (tests/unit/plan/test_length.c). */
#ifndef BOB_PLAN_LENGTH_H
#define BOB_PLAN_LENGTH_H

#include <stdint.h>

/* Number of bytes that must be readable at the decoded address. */
#define BOB_X86_READ 32u
#define BOB_X86_MAX_LEN 15u

enum bob_x86_kind {
	BOB_X86_PLAIN = 0,
	BOB_X86_JCC,		/* up to XBEGIN: `rel` is relative to the end of the instruction */
	BOB_X86_LOOP,		/* loop, loope, loopne, jrcxz, jecxz */
	BOB_X86_JMP,
	BOB_X86_CALL,
	BOB_X86_XBEGIN,
	BOB_X86_LEA,		/* lea disp(%rip): `rel` as for branches */
	BOB_X86_IMM,		/* mov or push of a 32-bit immediate: `rel` is its value */
	BOB_X86_NOP,
	BOB_X86_INT3,
	BOB_X86_CALL_IND,
	BOB_X86_JMP_IND,	/* from here on, control does not reach the next instruction */
	BOB_X86_RET,
	BOB_X86_STOP		/* ud2, hlt */
};

struct bob_x86_insn {
	uint8_t len;
	uint8_t kind;		/* enum bob_x86_kind */
	int32_t rel;
};

/* Decode the instruction at `p`, which has BOB_X86_READ readable bytes. Returns its length, or 0 if
 * the bytes are not an instruction in 64-bit mode; *in is then undefined. */
unsigned bob_x86_decode(const uint8_t *p, struct bob_x86_insn *in);

/* Whether control never falls through to the next instruction. A call may or may not return. */
static inline int bob_x86_ends_flow(unsigned kind)
{
	return kind == BOB_X86_JMP || kind >= BOB_X86_JMP_IND;
}

#endif
