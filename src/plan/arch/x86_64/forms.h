/* SPDX-License-Identifier: BSD-3-Clause */
/* Instructions that are not taken as their operands say: declined ones, by category or name, and
 * hints. Zydis's terms; for facts.c.
 *
 * No memory, no state; any thread. */
#ifndef BOB_PLAN_X86_FORMS_H
#define BOB_PLAN_X86_FORMS_H

#include <Zydis/Zydis.h>
#include <stdbool.h>

/* BOB_MEM_TAKEN, or why it is not translated whatever its operands are. */
unsigned bob_x86_declined(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *op);
/* It names memory without accessing it as data. */
bool bob_x86_only_hints(const ZydisDecodedInstruction *in);

#endif
