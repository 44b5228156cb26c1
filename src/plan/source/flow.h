/* SPDX-License-Identifier: BSD-3-Clause */
/* Internal to flow.c and its helpers: the instructions of a function, and the values of registers
 * before each of them. */
#ifndef BOB_PLAN_SOURCE_FLOW_H
#define BOB_PLAN_SOURCE_FLOW_H

#include "plan/arch/x86_64/values.h"
#include "plan/source/source.h"

#define BOB_FLOW_INSNS_MAX 60000u	/* of a function; 1 KB each */

#define BOB_FLOW_REGS BOB_X86_REGS
_Static_assert(BOB_X86_RSP == BOB_X86_FRAME_REGISTER && BOB_X86_RBP == BOB_X86_FRAME_POINTER &&
		       BOB_X86_NO_REG == BOB_X86_NO_REGISTER,
	       "");

struct bob_flow_insn {
	uint64_t pc;
	struct bob_x86_facts facts;
	struct bob_x86_value makes;
	struct bob_source_value before[BOB_FLOW_REGS];
	struct bob_source_value given[BOB_FLOW_REGS];	/* from DWARF; NOTHING_YET: no
							 * information */
	uint32_t given_depth[BOB_FLOW_REGS];
	uint8_t reached, outside, dead;
};

/* 8 bytes of the frame that are not in a variable: a compiler temporary. The values of all stores
 * in the function are merged, so their order does not matter. */
struct bob_flow_temporary {
	int64_t off;		/* relative to the canonical frame address */
	struct bob_source_value held;
};
BOB_VEC_OF(bob_flow_temporaries, struct bob_flow_temporary);

struct bob_flow {
	struct bob_source_function *f;
	struct bob_flow_insn *insn;	/* sorted by pc */
	size_t count;
	int changed;
	int incomplete;	/* some code could not be decoded: the analysis has no result */
	int use_temporaries;
	/* the lowest frame address that escaped into a register: other code may write at or above
	 * it */
	int64_t borrowed;
	struct bob_flow_temporaries temporaries;
};

/* The instruction at `pc`, or NULL. */
struct bob_flow_insn *bob_flow_at(const struct bob_flow *w, uint64_t pc);
/* The values of registers before it, merged with the facts of DWARF. */
void bob_flow_before(const struct bob_flow_insn *in, struct bob_source_value *regs);
/* The value of a register; a number if it is not an address. */
struct bob_source_value bob_flow_register(const struct bob_source_value *regs, uint8_t reg);
struct bob_source_value bob_flow_address(const struct bob_flow *w,
					 const struct bob_source_value *regs,
					 const struct bob_x86_access *a);
/* Find the innermost variable of the frame at CFA + off at `pc`. `near`: also an array that begins
 * at most that many bytes after it. The `frame` of the slot is then relative to the canonical frame
 * address. Returns 0 if there is none. */
int bob_flow_slot(const struct bob_flow *w, const struct bob_source_value *regs, uint64_t pc,
		  int64_t off, int64_t near, struct bob_source_slot *slot);

/* function_code.c: decode the function's code; find where control enters from elsewhere, and the
 * facts of DWARF and call frame information about registers. */
void bob_flow_read(struct bob_flow *w);

/* places.c: set the places that the accesses of an instruction refer to, in its row. */
void bob_flow_note(const struct bob_flow *w, const struct bob_flow_insn *in,
		   struct bob_source_row *row);

#endif
