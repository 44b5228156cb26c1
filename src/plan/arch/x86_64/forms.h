/* SPDX-License-Identifier: BSD-3-Clause */
/* Instructions that are handled regardless of their operands: declined ones, by category or
 * mnemonic, and hints. Uses Zydis's types; for facts.c. Pure functions; any thread. */
#ifndef BOB_PLAN_X86_FORMS_H
#define BOB_PLAN_X86_FORMS_H

#include <Zydis/Zydis.h>
#include <stdbool.h>

/* BOB_MEM_TAKEN, or the reason why it is declined regardless of its operands. */
unsigned bob_x86_declined(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *op);
/* Whether it has a memory operand without accessing it as data. */
bool bob_x86_only_hints(const ZydisDecodedInstruction *in);

#endif
