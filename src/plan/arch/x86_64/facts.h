/* SPDX-License-Identifier: BSD-3-Clause */
/* What one x86-64 instruction does, as far as a memory tracer must know: which memory it accesses,
 * where control goes, which registers and flags it reads and overwrites, and of what register it
 * makes another one plus a constant. Pure; any thread.
 *
 * In doubt more registers are read and fewer are overwritten: both make a register unfit as
 * scratch. */
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

/* Sets of registers and flags: bit r for register r, then the flags that branches test. */
#define BOB_X86_ALL_REGS 0xffffu
#define BOB_X86_CF 0x010000u
#define BOB_X86_PF 0x020000u
#define BOB_X86_AF 0x040000u
#define BOB_X86_ZF 0x080000u
#define BOB_X86_SF 0x100000u
#define BOB_X86_OF 0x200000u
#define BOB_X86_ALL_FLAGS 0x3f0000u
/* What may be read by unknown code: AF has no reader but lahf and pushf. */
#define BOB_X86_TESTED_FLAGS (BOB_X86_ALL_FLAGS & ~BOB_X86_AF)

enum bob_x86_flow {
	BOB_X86_FALLS = 0,
	BOB_X86_BRANCHES,	/* jcc, loop, jrcxz: to `target` or on */
	BOB_X86_JUMPS,
	BOB_X86_JUMPS_TO,	/* indirect */
	BOB_X86_CALLS,
	BOB_X86_CALLS_TO,	/* indirect */
	BOB_X86_RETURNS,
	BOB_X86_STOPS		/* ud2, hlt */
};

struct bob_x86_access {
	int64_t disp;		/* without base and index: a link address, unless it is absolute */
	uint16_t size;
	uint8_t type;		/* enum bob_mem_type */
	uint8_t base, index;	/* registers as before the instruction, or BOB_X86_NO_REG */
	uint8_t scale;
	bool fs;		/* the thread pointer is added */
	bool absolute;		/* disp is the whole address, wherever the image is loaded */
	/* bob_x86_facts.lanes says what of it is accessed; `size` is that of one lane */
	bool laned;
};
#define BOB_X86_ACCESSES 4u

/* Where the mask is. Of vector registers the highest bits of the lanes count. */
enum bob_x86_mask {
	BOB_X86_MASK_K = 1,	/* in a mask register */
	BOB_X86_MASK_SIGNS4,	/* in a vector register (VEX): of 4 bytes */
	BOB_X86_MASK_SIGNS8,
	BOB_X86_MASK_BYTES,
	BOB_X86_MASK_BYTES_SSE, /* without VEX */
	BOB_X86_MASK_BYTES_MMX
};

/* Lanes are accessed in order, each as an access of its own. */
struct bob_x86_lanes {
	uint8_t count;		/* 0: the instruction accesses its operand as a whole */
	uint8_t size;		/* bytes of one */
	uint8_t mask, mask_reg; /* enum bob_x86_mask; number of the register */
	uint8_t bits;		/* of the mask that count, from bit 0 on; 1, 2, 4, ... */
	uint8_t vector_bytes;	/* of the mask or index; 16, 32, 64 */
	uint8_t index;		/* vector register with a signed index for each lane; BOB_X86_NO_REG: the lanes lie side by
				 * side */
	uint8_t index_bytes;	/* of one: 4 or 8 */
	bool packed;		/* not lane i if bit i is set, but if more than i bits are */
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
	uint32_t kills;		/* overwritten whatever they were */
	uint32_t changes;	/* written, perhaps in part or not at all */
	uint8_t len;
	uint8_t flow;		/* enum bob_x86_flow */
	uint8_t access_count;
	uint8_t sum_count;
	uint8_t added_to, added;	/* register += register, or BOB_X86_NO_REG */
	bool rep;		/* runs its accesses rcx times, fewer if it compares */
	bool nop;
	uint8_t masks_changed;	/* mask registers, bit k for k */
	struct bob_x86_lanes lanes;
	/* the direction flag is clear after it: 1, set: 2, either: 3; 0: as before */
	uint8_t direction;
	struct bob_x86_access access[BOB_X86_ACCESSES]; /* in order */
	struct bob_x86_sum sum[2];
};

/* Decodes what is at `p`, `avail` bytes at link address `addr`. BOB_MEM_TAKEN, or why not. */
unsigned bob_x86_facts(const uint8_t *p, size_t avail, uint64_t addr, struct bob_x86_facts *f);

#endif
