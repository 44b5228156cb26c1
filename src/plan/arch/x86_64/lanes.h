/* SPDX-License-Identifier: BSD-3-Clause */
/* Internal to facts.c: instructions that access their memory operand lane by lane, under a mask,
 * instead of as a whole. Pure functions; any thread. */
#ifndef BOB_PLAN_LANES_H
#define BOB_PLAN_LANES_H

#include <Zydis/Zydis.h>

#include "plan/arch/x86_64/facts.h"

/* Returns BOB_MEM_TAKEN and the accessed lanes in *l; l->count is 0 if the operand is accessed as a
 * whole, or there is none. Unknown forms are BOB_MEM_GATHER or BOB_MEM_MASKED. */
unsigned bob_x86_find_lanes(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *op,
			    struct bob_x86_lanes *l);
/* The mask registers that the instruction writes, bit k for k. */
uint8_t bob_x86_changed_masks(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *op);

#endif
