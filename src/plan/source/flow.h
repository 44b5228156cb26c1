/* SPDX-License-Identifier: BSD-3-Clause */
/* Inside flow.c and its helpers: the instructions of a function, and what is in the registers
 * before each. */
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
	struct bob_source_value given[BOB_FLOW_REGS];	/* by DWARF; NOTHING_YET: it says nothing */
	uint32_t given_depth[BOB_FLOW_REGS];
	uint8_t reached, outside, dead;
};

/* 8 bytes of the frame that are no variable: what the compiler keeps there. Whatever is stored
 * there anywhere in the function is joined, so the order does not matter. */
struct bob_flow_temporary {
	int64_t off;		/* from the canonical frame address */
	struct bob_source_value held;
};
BOB_VEC_OF(bob_flow_temporaries, struct bob_flow_temporary);

struct bob_flow {
	struct bob_source_function *f;
	struct bob_flow_insn *insn;	/* by pc */
	size_t count;
	int changed;
	int incomplete;	/* some code could not be read: nothing is said of the rest either */
	int use_temporaries;
	/* lowest frame address that was put into a register: others may write from there on */
	int64_t borrowed;
	struct bob_flow_temporaries temporaries;
};

/* Its instruction at `pc`, or NULL. */
struct bob_flow_insn *bob_flow_at(const struct bob_flow *w, uint64_t pc);
/* What the registers hold before it, with what DWARF says. */
void bob_flow_before(const struct bob_flow_insn *in, struct bob_source_value *regs);
/* What a register holds; a number if it is not an address. */
struct bob_source_value bob_flow_register(const struct bob_source_value *regs, uint8_t reg);
struct bob_source_value bob_flow_address(const struct bob_flow *w,
					 const struct bob_source_value *regs,
					 const struct bob_x86_access *a);
/* The innermost variable of the frame that holds CFA + off at `pc`; `near`: or an array that begins
 * so many bytes after. The slot's `frame` is then from the canonical frame address. 0: there is
 * no such variable. */
int bob_flow_slot(const struct bob_flow *w, const struct bob_source_value *regs, uint64_t pc,
		  int64_t off, int64_t near, struct bob_source_slot *slot);

/* code.c: decodes the function's code, and notes where control comes in from elsewhere and what
 * DWARF and the call frame information say of registers. */
void bob_flow_read(struct bob_flow *w);

/* places.c: through what the accesses of an instruction go, into its row. */
void bob_flow_note(const struct bob_flow *w, const struct bob_flow_insn *in,
		   struct bob_source_row *row);

#endif
