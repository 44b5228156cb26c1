/* SPDX-License-Identifier: BSD-3-Clause */
/* The effects of one x86-64 instruction that are relevant to a memory tracer: memory accesses,
 * control flow, registers and flags read and overwritten, and registers that become another one
 * plus a constant. Pure functions; any thread.
 *
 * If in doubt, more registers count as read and fewer as overwritten: both only exclude a register
 * as scratch. */
#ifndef BOB_PLAN_FACTS_H
#define BOB_PLAN_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "plan/mem/format.h"

#define BOB_X86_REGS 16u
#define BOB_X86_RAX 0u
#define BOB_X86_RCX 1u
#define BOB_X86_RBX 3u
#define BOB_X86_RSP 4u
#define BOB_X86_RBP 5u
#define BOB_X86_RSI 6u
#define BOB_X86_RDI 7u
#define BOB_X86_NO_REG 0xffu

/* Sets of registers and flags: bit r for register r, followed by the flags that branches test. */
#define BOB_X86_ALL_REGS 0xffffu
#define BOB_X86_CF 0x010000u
#define BOB_X86_PF 0x020000u
#define BOB_X86_AF 0x040000u
#define BOB_X86_ZF 0x080000u
#define BOB_X86_SF 0x100000u
#define BOB_X86_OF 0x200000u
#define BOB_X86_ALL_FLAGS 0x3f0000u
/* Flags that unknown code may read: AF is read only by lahf and pushf. */
#define BOB_X86_TESTED_FLAGS (BOB_X86_ALL_FLAGS & ~BOB_X86_AF)

enum bob_x86_flow {
	BOB_X86_FALLS = 0,
	BOB_X86_BRANCHES,	/* jcc, loop, jrcxz: to `target` or the next instruction */
	BOB_X86_JUMPS,
	BOB_X86_JUMPS_TO,	/* indirect */
	BOB_X86_CALLS,
	BOB_X86_CALLS_TO,	/* indirect */
	BOB_X86_RETURNS,
	BOB_X86_STOPS		/* ud2, hlt */
};

struct bob_x86_access {
	int64_t disp;		/* without base and index: a link address, unless `absolute` */
	uint16_t size;
	uint8_t type;		/* enum bob_mem_type */
	uint8_t base, index;	/* registers before the instruction, or BOB_X86_NO_REG */
	uint8_t scale;
	bool fs;		/* the thread pointer is added */
	bool absolute;		/* disp is the whole address, independent of the load address of the
				 * image */
	/* bob_x86_facts.lanes says which lanes are accessed; `size` is the size of a lane */
	bool laned;
};
#define BOB_X86_ACCESSES 4u

/* Location of the mask. In vector registers, the highest bit of each lane counts. */
enum bob_x86_mask {
	BOB_X86_MASK_K = 1,	/* in a mask register */
	BOB_X86_MASK_SIGNS4,	/* in a vector register (VEX) with lanes of 4 bytes */
	BOB_X86_MASK_SIGNS8,
	BOB_X86_MASK_BYTES,
	BOB_X86_MASK_BYTES_SSE, /* without VEX */
	BOB_X86_MASK_BYTES_MMX
};

/* Lanes are accessed in order; each is a separate access. */
struct bob_x86_lanes {
	uint8_t count;		/* 0: the instruction accesses its operand as a whole */
	uint8_t size;		/* bytes of a lane */
	uint8_t mask, mask_reg; /* enum bob_x86_mask; number of the register */
	uint8_t bits;		/* number of mask bits that count, starting at bit 0: 1, 2, 4,
				 * ... */
	uint8_t vector_bytes;	/* of the mask or index; 16, 32, 64 */
	uint8_t index;		/* vector register with a signed index for each lane;
				 * BOB_X86_NO_REG: adjacent lanes */
	uint8_t index_bytes;	/* bytes of an index: 4 or 8 */
	bool packed;		/* lane i is accessed if more than i bits are set, instead of if bit
				 * i is set */
	bool evex;		/* the index may be in registers 16 to 31 */
};

/* `dest` becomes `source` + `second` * `scale` + `add`. */
struct bob_x86_sum {
	uint8_t dest, source;
	uint8_t second;		/* or BOB_X86_NO_REG */
	uint8_t scale;
	int64_t add;
};

struct bob_x86_facts {
	uint64_t target;	/* of a direct branch, jump or call */
	uint32_t reads;		/* registers and flags */
	uint32_t kills;		/* overwritten regardless of their previous value */
	uint32_t changes;	/* written, perhaps partly or conditionally */
	uint8_t len;
	uint8_t flow;		/* enum bob_x86_flow */
	uint8_t access_count;
	uint8_t sum_count;
	uint8_t added_to, added;	/* register += register, or BOB_X86_NO_REG */
	bool rep;		/* repeats its accesses rcx times, or fewer if it compares */
	bool nop;
	uint8_t masks_changed;	/* mask registers written, bit k for k */
	struct bob_x86_lanes lanes;
	/* the direction flag after it. 1: clear, 2: set, 3: either, 0: unchanged */
	uint8_t direction;
	struct bob_x86_access access[BOB_X86_ACCESSES]; /* in order */
	struct bob_x86_sum sum[2];
};

/* Decode the instruction at `p`, `avail` bytes at link address `addr`. Returns BOB_MEM_TAKEN, or
 * the reason why it is declined. */
unsigned bob_x86_facts(const uint8_t *p, size_t avail, uint64_t addr, struct bob_x86_facts *f);

#endif
