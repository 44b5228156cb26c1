/* SPDX-License-Identifier: BSD-3-Clause */
/* Inside facts.c's part: instructions whose memory operand is not accessed as a whole, but lane by
 * lane as a mask says. Pure; any thread. */
#ifndef BOB_PLAN_LANES_H
#define BOB_PLAN_LANES_H

#include <Zydis/Zydis.h>

#include "plan/arch/x86_64/facts.h"

/* BOB_MEM_TAKEN with l->count 0: the operand is accessed as a whole, or there is none. Else *l says
 * which lanes are; what we do not understand is BOB_MEM_GATHER or BOB_MEM_MASKED. */
unsigned bob_x86_find_lanes(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *op,
			    struct bob_x86_lanes *l);
/* Mask registers that the instruction writes, bit k for k. */
uint8_t bob_x86_changed_masks(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *op);

#endif
