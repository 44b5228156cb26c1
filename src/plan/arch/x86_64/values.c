/* SPDX-License-Identifier: BSD-3-Clause */
/* Values that instructions compute. A register written with 32 bits counts as a number, not an
 * address. Programs at fixed addresses may load addresses that way, but those accesses are
 * identified by their address anyway. */
#include "plan/arch/x86_64/values.h"

#include <Zydis/Zydis.h>
#include <string.h>

#include "mem/record.h"
#include "plan/arch/x86_64/forms.h"

/* rax, rcx, rdx, rsi, rdi, r8 to r11: a call may change them (ABI). */
#define CALLER_SAVED 0x0fc7u

static int is_load64(const ZydisDecodedOperand *op, const struct bob_x86_facts *f)
{
	return op->type == ZYDIS_OPERAND_TYPE_MEMORY && op->size == 64 && f->access_count &&
	       f->access[0].type == BOB_MEM_LOAD;
}

/* 64-bit results that are not addresses, whatever the operands. */
static int makes_number(ZydisMnemonic m)
{
	switch (m) {
	case ZYDIS_MNEMONIC_IMUL:
	case ZYDIS_MNEMONIC_MUL:
	case ZYDIS_MNEMONIC_DIV:
	case ZYDIS_MNEMONIC_IDIV:
	case ZYDIS_MNEMONIC_SHL:
	case ZYDIS_MNEMONIC_SHR:
	case ZYDIS_MNEMONIC_SAR:
	case ZYDIS_MNEMONIC_MOVSX:
	case ZYDIS_MNEMONIC_MOVSXD:
	case ZYDIS_MNEMONIC_MOVZX:
	case ZYDIS_MNEMONIC_CDQE:
	case ZYDIS_MNEMONIC_CQO:
	case ZYDIS_MNEMONIC_POPCNT:
	case ZYDIS_MNEMONIC_TZCNT:
	case ZYDIS_MNEMONIC_LZCNT:
	case ZYDIS_MNEMONIC_BSF:
	case ZYDIS_MNEMONIC_BSR:
		return 1;
	default:
		return 0;
	}
}

static void set(struct bob_x86_value *v, unsigned kind, uint8_t source, uint8_t second,
		uint8_t scale, int64_t add)
{
	v->kind = (uint8_t)kind;
	v->source = source;
	v->second = second;
	v->scale = scale;
	v->add = add;
}

static void set_lea(const ZydisDecodedInstruction *in, const ZydisDecodedOperandMem *m,
		    uint64_t addr, struct bob_x86_value *v)
{
	int64_t disp = m->disp.has_displacement ? m->disp.value : 0;

	if (m->base == ZYDIS_REGISTER_RIP) {
		set(v, BOB_X86_VALUE_STATIC, BOB_X86_NO_REG, BOB_X86_NO_REG, 1,
		    (int64_t)(addr + in->length + (uint64_t)disp));
		return;
	}
	set(v, BOB_X86_VALUE_SUM,
	    m->base == ZYDIS_REGISTER_NONE ? BOB_X86_NO_REG : bob_x86_register(m->base),
	    m->index == ZYDIS_REGISTER_NONE ? BOB_X86_NO_REG : bob_x86_register(m->index),
	    m->index == ZYDIS_REGISTER_NONE ? 1 : m->scale, disp);
}

/* The first operand is a written 64-bit register. */
static void set_value(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *op,
		      uint64_t addr, const struct bob_x86_facts *f, struct bob_x86_value *v)
{
	uint8_t second = bob_x86_is_register64(&op[1]) ? bob_x86_register(op[1].reg.value) :
							 BOB_X86_NO_REG;
	int is_constant = op[1].type == ZYDIS_OPERAND_TYPE_IMMEDIATE;

	switch (in->mnemonic) {
	case ZYDIS_MNEMONIC_MOV:
		if (second != BOB_X86_NO_REG)
			set(v, BOB_X86_VALUE_SUM, second, BOB_X86_NO_REG, 1, 0);
		else if (is_load64(&op[1], f))
			set(v, BOB_X86_VALUE_LOAD, BOB_X86_NO_REG, BOB_X86_NO_REG, 1, 0);
		break;
	case ZYDIS_MNEMONIC_LEA:
		if (op[1].type == ZYDIS_OPERAND_TYPE_MEMORY && in->address_width == 64)
			set_lea(in, &op[1].mem, addr, v);
		break;
	case ZYDIS_MNEMONIC_ADD:
		if (second != BOB_X86_NO_REG)
			set(v, BOB_X86_VALUE_SUM, v->dest, second, 1, 0);
		else if (is_constant)
			set(v, BOB_X86_VALUE_SUM, v->dest, BOB_X86_NO_REG, 1, op[1].imm.value.s);
		else if (is_load64(&op[1], f))
			set(v, BOB_X86_VALUE_ADD_LOAD, BOB_X86_NO_REG, BOB_X86_NO_REG, 1, 0);
		break;
	case ZYDIS_MNEMONIC_SUB:
		if (second != BOB_X86_NO_REG)
			set(v, BOB_X86_VALUE_LESS, second, BOB_X86_NO_REG, 1, 0);
		else if (is_constant)
			set(v, BOB_X86_VALUE_SUM, v->dest, BOB_X86_NO_REG, 1,
			    (int64_t)(0 - op[1].imm.value.u));
		break;
	case ZYDIS_MNEMONIC_INC:
		set(v, BOB_X86_VALUE_SUM, v->dest, BOB_X86_NO_REG, 1, 1);
		break;
	case ZYDIS_MNEMONIC_DEC:
		set(v, BOB_X86_VALUE_SUM, v->dest, BOB_X86_NO_REG, 1, -1);
		break;
	case ZYDIS_MNEMONIC_AND:
		if (is_constant)
			set(v, BOB_X86_VALUE_MASK, BOB_X86_NO_REG, BOB_X86_NO_REG, 1, 0);
		break;
	default:
		if (in->meta.category == ZYDIS_CATEGORY_CMOV && second != BOB_X86_NO_REG)
			set(v, BOB_X86_VALUE_EITHER, second, BOB_X86_NO_REG, 1, 0);
	}
}

/* Whether the whole register is written by a 32-bit write. */
static int is_narrow(const ZydisDecodedOperand *op)
{
	return op->type == ZYDIS_OPERAND_TYPE_REGISTER && op->size == 32 &&
	       op->actions & ZYDIS_OPERAND_ACTION_WRITE;
}

static void note_writes(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *op,
			struct bob_x86_value *v)
{
	for (unsigned i = 0; i < in->operand_count; i++) {
		uint8_t r;

		if (op[i].type != ZYDIS_OPERAND_TYPE_REGISTER ||
		    !(op[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE))
			continue;
		r = bob_x86_register(op[i].reg.value);
		if (r == BOB_X86_NO_REG)
			continue;
		if (is_narrow(&op[i]) || (op[i].size == 64 && makes_number(in->mnemonic)))
			v->numbers |= 1u << r;
		else
			v->others |= 1u << r;
	}
	v->others &= ~v->numbers;
}

/* Effects of push, pop and leave on rsp, and of calls. */
static void note_stack(const ZydisDecodedInstruction *in, const struct bob_x86_facts *f,
		       struct bob_x86_value *v)
{
	if (f->flow == BOB_X86_CALLS || f->flow == BOB_X86_CALLS_TO) {
		v->others |= CALLER_SAVED;
		v->others &= ~(1u << BOB_X86_RSP);
		return;
	}
	for (unsigned i = 0; i < f->sum_count; i++) {
		const struct bob_x86_sum *s = &f->sum[i];

		if (s->dest != BOB_X86_RSP || s->second != BOB_X86_NO_REG)
			continue;
		v->dest = BOB_X86_RSP;
		set(v, BOB_X86_VALUE_SUM, s->source, BOB_X86_NO_REG, 1, s->add);
		v->others &= ~(1u << BOB_X86_RSP);
	}
	if (in->meta.category == ZYDIS_CATEGORY_SYSCALL)
		v->others |= BOB_X86_ALL_REGS & ~(1u << BOB_X86_RSP);
}

static void note_store(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *op,
		       struct bob_x86_value *v)
{
	if (in->mnemonic == ZYDIS_MNEMONIC_MOV && op[0].type == ZYDIS_OPERAND_TYPE_MEMORY &&
	    bob_x86_is_register64(&op[1]))
		v->stored = bob_x86_register(op[1].reg.value);
	else if (in->mnemonic == ZYDIS_MNEMONIC_PUSH && bob_x86_is_register64(&op[0]))
		v->stored = bob_x86_register(op[0].reg.value);
}

void bob_x86_value(const uint8_t *p, size_t avail, uint64_t addr, const struct bob_x86_facts *f,
		   struct bob_x86_value *v)
{
	ZydisDecodedOperand op[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction in;
	ZydisDecoder decoder;

	memset(v, 0, sizeof(*v));
	v->dest = v->source = v->second = v->stored = BOB_X86_NO_REG;
	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	memset(op, 0, sizeof(op));
	if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, p, avail, &in, op))) {
		v->others = BOB_X86_ALL_REGS;
		return;
	}
	note_writes(&in, op, v);
	if (in.operand_count && bob_x86_is_register64(&op[0]) &&
	    op[0].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE &&
	    !(v->numbers >> bob_x86_register(op[0].reg.value) & 1)) {
		v->dest = bob_x86_register(op[0].reg.value);
		set_value(&in, op, addr, f, v);
		if (v->kind)
			v->others &= ~(1u << v->dest);
	}
	note_stack(&in, f, v);
	note_store(&in, op, v);
}
