/* SPDX-License-Identifier: BSD-3-Clause */
/* Classifies instructions that are declined, or that are hints (forms.h). */
#include "plan/arch/x86_64/forms.h"

#include "plan/mem/format.h"

/* Mnemonics that are declined, whatever their operands. */
static unsigned declined_mnemonic(const ZydisDecodedInstruction *in)
{
	switch (in->mnemonic) {
	case ZYDIS_MNEMONIC_INT3:
	case ZYDIS_MNEMONIC_INT1:
		return BOB_MEM_BREAKPOINT;
	case ZYDIS_MNEMONIC_XBEGIN:
	case ZYDIS_MNEMONIC_XEND:
	case ZYDIS_MNEMONIC_XABORT:
		return BOB_MEM_TRANSACTION;
	case ZYDIS_MNEMONIC_WRFSBASE:
	case ZYDIS_MNEMONIC_WRGSBASE:
	case ZYDIS_MNEMONIC_SWAPGS:
		return BOB_MEM_SEGMENT;
	case ZYDIS_MNEMONIC_ENTER:
	case ZYDIS_MNEMONIC_XLAT:
	case ZYDIS_MNEMONIC_MOVDIR64B:
	case ZYDIS_MNEMONIC_ENQCMD:
	case ZYDIS_MNEMONIC_ENQCMDS:
		return BOB_MEM_ODD;
	default:
		return BOB_MEM_TAKEN;
	}
}

unsigned bob_x86_declined(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *op)
{
	switch (in->meta.category) {
	case ZYDIS_CATEGORY_XSAVE:
	case ZYDIS_CATEGORY_XSAVEOPT:
	case ZYDIS_CATEGORY_IO:
	case ZYDIS_CATEGORY_IOSTRINGOP:
	case ZYDIS_CATEGORY_SYSRET:
	case ZYDIS_CATEGORY_AMX_TILE:
		return BOB_MEM_SYSTEM;
	case ZYDIS_CATEGORY_BITBYTE:
		if (op[0].type == ZYDIS_OPERAND_TYPE_MEMORY &&
		    op[1].type == ZYDIS_OPERAND_TYPE_REGISTER)
			return BOB_MEM_BIT_ADDRESS;
		break;
	default:
		break;
	}
	return declined_mnemonic(in);
}

bool bob_x86_only_hints(const ZydisDecodedInstruction *in)
{
	switch (in->meta.category) {
	case ZYDIS_CATEGORY_NOP:
	case ZYDIS_CATEGORY_WIDENOP:
	case ZYDIS_CATEGORY_PREFETCH:
	case ZYDIS_CATEGORY_PREFETCHWT1:
	case ZYDIS_CATEGORY_CLFLUSHOPT:
	case ZYDIS_CATEGORY_CLWB:
		return true;
	default:
		return in->mnemonic == ZYDIS_MNEMONIC_CLFLUSH ||
		       in->mnemonic == ZYDIS_MNEMONIC_CLDEMOTE;
	}
}
