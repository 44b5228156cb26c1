/* SPDX-License-Identifier: BSD-3-Clause */
/* Instructions that are handled regardless of their operands: declined ones, by category or
 * mnemonic, and hints. Uses Zydis's types; for facts.c. Pure functions; any thread. */
#ifndef BOB_PLAN_X86_FORMS_H
#define BOB_PLAN_X86_FORMS_H

#include <Zydis/Zydis.h>
#include <stdbool.h>

#include "plan/arch/x86_64/facts.h"

/* BOB_MEM_TAKEN, or the reason why it is declined regardless of its operands. */
unsigned bob_x86_declined(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *op);
/* Whether it has a memory operand without accessing it as data. */
bool bob_x86_only_hints(const ZydisDecodedInstruction *in);

/* The 64-bit register that contains `reg`; BOB_X86_NO_REG: another kind of register. */
static inline uint8_t bob_x86_register(ZydisRegister reg)
{
	ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);

	if (whole < ZYDIS_REGISTER_RAX || whole > ZYDIS_REGISTER_R15)
		return BOB_X86_NO_REG;
	return (uint8_t)(whole - ZYDIS_REGISTER_RAX);
}

static inline bool bob_x86_is_register64(const ZydisDecodedOperand *op)
{
	return op->type == ZYDIS_OPERAND_TYPE_REGISTER && op->size == 64 &&
	       bob_x86_register(op->reg.value) != BOB_X86_NO_REG;
}

#endif
