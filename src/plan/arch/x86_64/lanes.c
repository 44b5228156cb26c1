/* SPDX-License-Identifier: BSD-3-Clause */
/* Gathers, scatters, masked moves, and other instructions with an AVX-512 mask. A lane that is
 * masked off is not accessed, so it cannot fault. tests/unit/plan/test_lanes.c checks every such
 * instruction on the processor. */
#include "plan/arch/x86_64/lanes.h"

#include <string.h>

static const ZydisDecodedOperand *memory_of(const ZydisDecodedInstruction *in,
					    const ZydisDecodedOperand *op)
{
	for (unsigned i = 0; i < in->operand_count; i++)
		if (op[i].type == ZYDIS_OPERAND_TYPE_MEMORY &&
		    op[i].mem.type != ZYDIS_MEMOP_TYPE_AGEN)
			return &op[i];
	return NULL;
}

static uint8_t number(ZydisRegister reg)
{
	return (uint8_t)ZydisRegisterGetId(reg);
}

/* --- gathers, scatters --- */

/* Bytes of an index << 4 | bytes of an element; 0: neither gather nor scatter, or a prefetch. */
static unsigned shape_of(ZydisMnemonic m)
{
	switch (m) {
	case ZYDIS_MNEMONIC_VGATHERDPS:
	case ZYDIS_MNEMONIC_VPGATHERDD:
	case ZYDIS_MNEMONIC_VSCATTERDPS:
	case ZYDIS_MNEMONIC_VPSCATTERDD:
		return 0x44;
	case ZYDIS_MNEMONIC_VGATHERDPD:
	case ZYDIS_MNEMONIC_VPGATHERDQ:
	case ZYDIS_MNEMONIC_VSCATTERDPD:
	case ZYDIS_MNEMONIC_VPSCATTERDQ:
		return 0x48;
	case ZYDIS_MNEMONIC_VGATHERQPS:
	case ZYDIS_MNEMONIC_VPGATHERQD:
	case ZYDIS_MNEMONIC_VSCATTERQPS:
	case ZYDIS_MNEMONIC_VPSCATTERQD:
		return 0x84;
	case ZYDIS_MNEMONIC_VGATHERQPD:
	case ZYDIS_MNEMONIC_VPGATHERQQ:
	case ZYDIS_MNEMONIC_VSCATTERQPD:
	case ZYDIS_MNEMONIC_VPSCATTERQQ:
		return 0x88;
	default:
		return 0;
	}
}

static unsigned find_gather(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *op,
			    const ZydisDecodedOperand *mem, struct bob_x86_lanes *l)
{
	unsigned shape = shape_of(in->mnemonic), index = shape >> 4, element = shape & 15;
	bool evex = in->encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX;

	if (!shape || (!evex && in->encoding != ZYDIS_INSTRUCTION_ENCODING_VEX))
		return BOB_MEM_GATHER;
	l->evex = evex;
	l->index = number(mem->mem.index);
	l->index_bytes = (uint8_t)index;
	l->vector_bytes = (uint8_t)(in->avx.vector_length / 8);
	l->size = (uint8_t)element;
	l->count = l->bits = (uint8_t)(l->vector_bytes / (index > element ? index : element));
	if (evex) {
		l->mask = BOB_X86_MASK_K;
		l->mask_reg = number(in->avx.mask.reg);
		return BOB_MEM_TAKEN;
	}
	l->mask = element == 4 ? BOB_X86_MASK_SIGNS4 : BOB_X86_MASK_SIGNS8;
	l->mask_reg = number(op[2].reg.value);
	return BOB_MEM_TAKEN;
}

/* --- masked moves before AVX-512 --- */

static bool find_masked(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *op,
			const ZydisDecodedOperand *mem, struct bob_x86_lanes *l)
{
	switch (in->mnemonic) {
	case ZYDIS_MNEMONIC_VMASKMOVPS:
	case ZYDIS_MNEMONIC_VPMASKMOVD:
		l->mask = BOB_X86_MASK_SIGNS4;
		l->size = 4;
		break;
	case ZYDIS_MNEMONIC_VMASKMOVPD:
	case ZYDIS_MNEMONIC_VPMASKMOVQ:
		l->mask = BOB_X86_MASK_SIGNS8;
		l->size = 8;
		break;
	case ZYDIS_MNEMONIC_VMASKMOVDQU:
		l->mask = BOB_X86_MASK_BYTES;
		l->size = 1;
		break;
	case ZYDIS_MNEMONIC_MASKMOVDQU:
		l->mask = BOB_X86_MASK_BYTES_SSE;
		l->size = 1;
		break;
	case ZYDIS_MNEMONIC_MASKMOVQ:
		l->mask = BOB_X86_MASK_BYTES_MMX;
		l->size = 1;
		break;
	default:
		return false;
	}
	l->mask_reg = number(op[1].reg.value);
	l->vector_bytes = (uint8_t)(mem->size / 8);
	l->count = l->bits = (uint8_t)(l->vector_bytes / l->size);
	return true;
}

/* --- AVX-512 --- */

/* Instructions without fault suppression access the whole operand, whatever the mask. The manual
 * does not say so for the first ones, but they do. */
static bool suppresses_faults(const ZydisDecodedInstruction *in)
{
	switch (in->mnemonic) {
	case ZYDIS_MNEMONIC_VCVTNE2PS2BF16:
	case ZYDIS_MNEMONIC_VDBPSADBW:
	case ZYDIS_MNEMONIC_VGF2P8AFFINEQB:
	case ZYDIS_MNEMONIC_VGF2P8AFFINEINVQB:
		return false;
	default:
		break;
	}
	switch (in->meta.exception_class) {
	case ZYDIS_EXCEPTION_CLASS_E1NF:
	case ZYDIS_EXCEPTION_CLASS_E2NF:
	case ZYDIS_EXCEPTION_CLASS_E3NF:
	case ZYDIS_EXCEPTION_CLASS_E4NF:
	case ZYDIS_EXCEPTION_CLASS_E5NF:
	case ZYDIS_EXCEPTION_CLASS_E6NF:
	case ZYDIS_EXCEPTION_CLASS_E9NF:
	case ZYDIS_EXCEPTION_CLASS_E10NF:
	case ZYDIS_EXCEPTION_CLASS_E11NF:
		return false;
	default:
		return true;
	}
}

/* Number of elements of an embedded broadcast; 0: not a broadcast. */
static unsigned broadcast_of(const ZydisDecodedInstruction *in)
{
	switch (in->avx.broadcast.mode) {
	case ZYDIS_BROADCAST_MODE_INVALID:
		return 0;
	case ZYDIS_BROADCAST_MODE_1_TO_2:
		return 2;
	case ZYDIS_BROADCAST_MODE_1_TO_4:
	case ZYDIS_BROADCAST_MODE_2_TO_4:
		return 4;
	case ZYDIS_BROADCAST_MODE_1_TO_8:
	case ZYDIS_BROADCAST_MODE_2_TO_8:
	case ZYDIS_BROADCAST_MODE_4_TO_8:
		return 8;
	case ZYDIS_BROADCAST_MODE_1_TO_16:
	case ZYDIS_BROADCAST_MODE_2_TO_16:
	case ZYDIS_BROADCAST_MODE_4_TO_16:
	case ZYDIS_BROADCAST_MODE_8_TO_16:
		return 16;
	case ZYDIS_BROADCAST_MODE_1_TO_32:
		return 32;
	default:
		return 64;
	}
}

static bool packs(ZydisMnemonic m)
{
	switch (m) {
	case ZYDIS_MNEMONIC_VCOMPRESSPS:
	case ZYDIS_MNEMONIC_VCOMPRESSPD:
	case ZYDIS_MNEMONIC_VPCOMPRESSB:
	case ZYDIS_MNEMONIC_VPCOMPRESSW:
	case ZYDIS_MNEMONIC_VPCOMPRESSD:
	case ZYDIS_MNEMONIC_VPCOMPRESSQ:
	case ZYDIS_MNEMONIC_VEXPANDPS:
	case ZYDIS_MNEMONIC_VEXPANDPD:
	case ZYDIS_MNEMONIC_VPEXPANDB:
	case ZYDIS_MNEMONIC_VPEXPANDW:
	case ZYDIS_MNEMONIC_VPEXPANDD:
	case ZYDIS_MNEMONIC_VPEXPANDQ:
		return true;
	default:
		return false;
	}
}

/* Instructions of discontinued processors (Knights Mill). */
static bool is_foreign(ZydisMnemonic m)
{
	switch (m) {
	case ZYDIS_MNEMONIC_V4FMADDPS:
	case ZYDIS_MNEMONIC_V4FMADDSS:
	case ZYDIS_MNEMONIC_V4FNMADDPS:
	case ZYDIS_MNEMONIC_V4FNMADDSS:
	case ZYDIS_MNEMONIC_VP4DPWSSD:
	case ZYDIS_MNEMONIC_VP4DPWSSDS:
		return true;
	default:
		return false;
	}
}

/* The number of lanes is that of the narrower operand: conversions, products of pairs. */
static unsigned count_lanes(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *op,
			    const ZydisDecodedOperand *mem)
{
	unsigned lanes = mem->element_count;

	if (in->mnemonic == ZYDIS_MNEMONIC_VPSHUFBITQMB)
		return mem->size / 8;
	for (unsigned i = 0; i < in->operand_count_visible; i++)
		if (op[i].type == ZYDIS_OPERAND_TYPE_REGISTER && op[i].size >= 128 &&
		    op[i].element_count < lanes)
			lanes = op[i].element_count;
	return lanes;
}

static unsigned find_evex(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *op,
			  const ZydisDecodedOperand *mem, struct bob_x86_lanes *l)
{
	unsigned bytes = mem->size / 8, lanes = count_lanes(in, op, mem);
	unsigned broadcast = broadcast_of(in);

	if (!suppresses_faults(in))
		return BOB_MEM_TAKEN;
	if (is_foreign(in->mnemonic))
		return BOB_MEM_MASKED;
	l->mask = BOB_X86_MASK_K;
	l->mask_reg = number(in->avx.mask.reg);
	if (broadcast) {	/* a single access, if any lane is selected */
		l->packed = true;
		l->bits = (uint8_t)broadcast;
		l->count = 1;
		l->size = (uint8_t)bytes;
		return BOB_MEM_TAKEN;
	}
	if (!lanes || bytes % lanes || lanes > 64 || (lanes & (lanes - 1)))
		return BOB_MEM_MASKED;
	l->packed = packs(in->mnemonic);
	l->count = l->bits = (uint8_t)lanes;
	l->size = (uint8_t)(bytes / lanes);
	return BOB_MEM_TAKEN;
}

unsigned bob_x86_find_lanes(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *op,
			    struct bob_x86_lanes *l)
{
	const ZydisDecodedOperand *mem = memory_of(in, op);

	memset(l, 0, sizeof(*l));
	l->index = BOB_X86_NO_REG;
	switch (in->meta.category) {
	case ZYDIS_CATEGORY_AVX2GATHER:
	case ZYDIS_CATEGORY_GATHER:
	case ZYDIS_CATEGORY_SCATTER:
		return mem ? find_gather(in, op, mem, l) : BOB_MEM_GATHER;
	default:
		break;
	}
	if (!mem || find_masked(in, op, mem, l))
		return BOB_MEM_TAKEN;
	if (in->encoding != ZYDIS_INSTRUCTION_ENCODING_EVEX ||
	    in->avx.mask.reg == ZYDIS_REGISTER_NONE || in->avx.mask.reg == ZYDIS_REGISTER_K0)
		return BOB_MEM_TAKEN;
	return find_evex(in, op, mem, l);
}

uint8_t bob_x86_changed_masks(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *op)
{
	unsigned changed = 0;

	for (unsigned i = 0; i < in->operand_count; i++) {
		bool mask = op[i].type == ZYDIS_OPERAND_TYPE_REGISTER &&
			    ZydisRegisterGetClass(op[i].reg.value) == ZYDIS_REGCLASS_MASK;

		if (mask && (op[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE))
			changed |= 1u << number(op[i].reg.value);
	}
	if (in->encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX &&
	    (in->meta.category == ZYDIS_CATEGORY_GATHER ||
	     in->meta.category == ZYDIS_CATEGORY_SCATTER)) /* completed lanes are removed from the
							    * mask */
		changed |= 1u << number(in->avx.mask.reg);
	if (in->mnemonic == ZYDIS_MNEMONIC_VP2INTERSECTD ||
	    in->mnemonic == ZYDIS_MNEMONIC_VP2INTERSECTQ) /* it writes a pair of mask registers */
		changed |= (changed & 0x55) << 1 | (changed & 0xaa) >> 1;
	return (uint8_t)changed;
}
