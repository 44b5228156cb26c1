/* SPDX-License-Identifier: BSD-3-Clause */
/* Derives facts about instructions from Zydis's operand lists. Stack accesses and string
 * instructions need additions, because the lists do not have them as plans need them. */
#include "plan/arch/x86_64/facts.h"

#include <Zydis/Zydis.h>
#include <string.h>

#include "mem/record.h"
#include "plan/arch/x86_64/forms.h"
#include "plan/arch/x86_64/lanes.h"

#define WORD 8

struct decoded {
	ZydisDecodedInstruction in;
	ZydisDecodedOperand op[ZYDIS_MAX_OPERAND_COUNT];
	uint64_t end;
};

static uint32_t flag_set(ZydisAccessedFlagsMask mask)
{
	return (mask & ZYDIS_CPUFLAG_CF ? BOB_X86_CF : 0) |
	       (mask & ZYDIS_CPUFLAG_PF ? BOB_X86_PF : 0) |
	       (mask & ZYDIS_CPUFLAG_AF ? BOB_X86_AF : 0) |
	       (mask & ZYDIS_CPUFLAG_ZF ? BOB_X86_ZF : 0) |
	       (mask & ZYDIS_CPUFLAG_SF ? BOB_X86_SF : 0) |
	       (mask & ZYDIS_CPUFLAG_OF ? BOB_X86_OF : 0);
}

static bool is_shift(ZydisMnemonic m)
{
	switch (m) {
	case ZYDIS_MNEMONIC_SHL:
	case ZYDIS_MNEMONIC_SHR:
	case ZYDIS_MNEMONIC_SAR:
	case ZYDIS_MNEMONIC_SHLD:
	case ZYDIS_MNEMONIC_SHRD:
	case ZYDIS_MNEMONIC_ROL:
	case ZYDIS_MNEMONIC_ROR:
	case ZYDIS_MNEMONIC_RCL:
	case ZYDIS_MNEMONIC_RCR:
		return true;
	default:
		return false;
	}
}

static bool repeats(const ZydisDecodedInstruction *in)
{
	return (in->attributes &
		(ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE)) != 0;
}

/* A shift by 0 preserves the flags. */
static bool may_shift_by_0(const struct decoded *d)
{
	const ZydisDecodedOperand *count;

	if (!is_shift(d->in.mnemonic) || d->in.operand_count_visible == 0)
		return false;
	count = &d->op[d->in.operand_count_visible - 1];
	return count->type != ZYDIS_OPERAND_TYPE_IMMEDIATE ||
	       (count->imm.value.u & (d->op[0].size == 64 ? 0x3f : 0x1f)) == 0;
}

/* So does a string instruction that repeats 0 times. Flags that become undefined do not count as
 * overwritten. */
static void note_flags(const struct decoded *d, struct bob_x86_facts *f)
{
	const ZydisAccessedFlags *c = d->in.cpu_flags;
	uint32_t written;

	if (!c)
		return;
	f->reads |= flag_set(c->tested);
	written = flag_set(c->modified | c->set_0 | c->set_1);
	f->changes |= written | flag_set(c->undefined);
	if (!may_shift_by_0(d) && !repeats(&d->in))
		f->kills |= written;
}

static bool writes_always(const ZydisDecodedOperand *op)
{
	return (op->actions & ZYDIS_OPERAND_ACTION_WRITE) != 0;
}

static void note_register(const struct decoded *d, const ZydisDecodedOperand *op,
			  struct bob_x86_facts *f)
{
	uint8_t r = bob_x86_register(op->reg.value);
	uint32_t bit;

	if (r == BOB_X86_NO_REG)
		return;
	bit = 1u << r;
	if (op->actions & ZYDIS_OPERAND_ACTION_MASK_READ)
		f->reads |= bit;
	if (!(op->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE))
		return;
	f->changes |= bit;
	/* a 32-bit write clears the upper half, an 8- or 16-bit write preserves the rest */
	if (writes_always(op) && op->size >= 32 && !repeats(&d->in))
		f->kills |= bit;
	else
		f->reads |= bit;
}

/* xor and sub of a register with itself read no register. */
static void note_zeroing(const struct decoded *d, struct bob_x86_facts *f)
{
	const ZydisDecodedOperand *op = d->op;

	if ((d->in.mnemonic == ZYDIS_MNEMONIC_XOR || d->in.mnemonic == ZYDIS_MNEMONIC_SUB) &&
	    op[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
	    op[1].type == ZYDIS_OPERAND_TYPE_REGISTER && op[0].reg.value == op[1].reg.value &&
	    op[0].size >= 32)
		f->reads &= ~(1u << bob_x86_register(op[0].reg.value));
}

static void add_access(struct bob_x86_facts *f, const struct bob_x86_access *a, unsigned type)
{
	if (f->access_count == BOB_X86_ACCESSES)
		return;
	f->access[f->access_count] = *a;
	f->access[f->access_count++].type = (uint8_t)type;
}

/* Set address and size in *a from a memory operand. */
static unsigned address_of(const struct decoded *d, const ZydisDecodedOperand *op,
			   struct bob_x86_access *a)
{
	const ZydisDecodedOperandMem *m = &op->mem;

	if (m->type != ZYDIS_MEMOP_TYPE_MEM && m->type != ZYDIS_MEMOP_TYPE_VSIB)
		return BOB_MEM_ODD;
	if (d->in.address_width != 64)
		return BOB_MEM_ADDRESS32;
	if (m->segment == ZYDIS_REGISTER_GS)
		return BOB_MEM_SEGMENT;
	if (op->size == 0 || op->size % 8 != 0)
		return BOB_MEM_SYSTEM;
	memset(a, 0, sizeof(*a));
	a->fs = m->segment == ZYDIS_REGISTER_FS;
	a->disp = m->disp.has_displacement ? m->disp.value : 0;
	a->size = (uint16_t)(op->size / 8);
	a->base = a->index = BOB_X86_NO_REG;
	a->scale = 1;
	a->absolute = m->type == ZYDIS_MEMOP_TYPE_MEM && m->base == ZYDIS_REGISTER_NONE &&
		      m->index == ZYDIS_REGISTER_NONE && !a->fs;
	if (m->base == ZYDIS_REGISTER_RIP)
		a->disp = (int64_t)(d->end + (uint64_t)a->disp);
	else if (m->base != ZYDIS_REGISTER_NONE)
		a->base = bob_x86_register(m->base);
	if (m->type == ZYDIS_MEMOP_TYPE_VSIB) {
		a->scale = m->scale;
	} else if (m->index != ZYDIS_REGISTER_NONE) {
		a->index = bob_x86_register(m->index);
		a->scale = m->scale;
	}
	if (a->fs && (m->base == ZYDIS_REGISTER_RIP || m->type == ZYDIS_MEMOP_TYPE_VSIB))
		return BOB_MEM_SEGMENT;
	return BOB_MEM_TAKEN;
}

/* Stack accesses are added by note_stack. */
static bool is_stack_operand(const struct decoded *d, const ZydisDecodedOperand *op)
{
	return op->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN &&
	       (op->mem.base == ZYDIS_REGISTER_RSP || d->in.mnemonic == ZYDIS_MNEMONIC_LEAVE);
}

static unsigned note_memory(const struct decoded *d, const ZydisDecodedOperand *op, unsigned pass,
			    struct bob_x86_facts *f)
{
	bool reads = (op->actions & ZYDIS_OPERAND_ACTION_MASK_READ) != 0;
	bool writes = (op->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0;
	bool atomic = reads && writes &&
		      ((d->in.attributes & ZYDIS_ATTRIB_HAS_LOCK) ||
		       d->in.mnemonic == ZYDIS_MNEMONIC_XCHG);
	struct bob_x86_access a;
	unsigned why = address_of(d, op, &a);

	if (why != BOB_MEM_TAKEN)
		return why;
	if (a.base != BOB_X86_NO_REG)
		f->reads |= 1u << a.base;
	if (a.index != BOB_X86_NO_REG)
		f->reads |= 1u << a.index;
	if (f->lanes.count) {
		a.laned = true;
		a.size = f->lanes.size;
		if (pass == 0)
			add_access(f, &a, writes ? BOB_MEM_STORE : BOB_MEM_LOAD);
	} else if (pass == 0 && atomic)
		add_access(f, &a, BOB_MEM_ATOMIC);
	else if (pass == 0 && reads)
		add_access(f, &a, BOB_MEM_LOAD);
	else if (pass == 1 && writes && !atomic)
		add_access(f, &a, BOB_MEM_STORE);
	return BOB_MEM_TAKEN;
}

/* All loads of an instruction precede its stores. */
static unsigned note_operands(const struct decoded *d, struct bob_x86_facts *f)
{
	for (unsigned pass = 0; pass < 2; pass++) {
		for (unsigned i = 0; i < d->in.operand_count; i++) {
			const ZydisDecodedOperand *op = &d->op[i];
			unsigned why = BOB_MEM_TAKEN;

			if (op->type == ZYDIS_OPERAND_TYPE_REGISTER && pass == 0) {
				note_register(d, op, f);
			} else if (op->type == ZYDIS_OPERAND_TYPE_MEMORY &&
				   op->mem.type == ZYDIS_MEMOP_TYPE_AGEN) {
				if (op->mem.base != ZYDIS_REGISTER_NONE &&
				    op->mem.base != ZYDIS_REGISTER_RIP)
					f->reads |= 1u << (bob_x86_register(op->mem.base) & 15);
				if (op->mem.index != ZYDIS_REGISTER_NONE)
					f->reads |= 1u << (bob_x86_register(op->mem.index) & 15);
			} else if (op->type == ZYDIS_OPERAND_TYPE_MEMORY &&
				   !is_stack_operand(d, op)) {
				why = note_memory(d, op, pass, f);
			}
			if (why != BOB_MEM_TAKEN)
				return why;
		}
	}
	return BOB_MEM_TAKEN;
}

static void stack_access(struct bob_x86_facts *f, unsigned reg, int64_t disp, unsigned type)
{
	struct bob_x86_access a = {.disp = disp, .size = WORD, .base = (uint8_t)reg,
				   .index = BOB_X86_NO_REG, .scale = 1};

	add_access(f, &a, type);
}

static void add_sum(struct bob_x86_facts *f, unsigned dest, unsigned source, int64_t add)
{
	f->sum[f->sum_count++] = (struct bob_x86_sum){ (uint8_t)dest, (uint8_t)source,
						       BOB_X86_NO_REG, 1, add };
}

static unsigned note_push(const struct decoded *d, struct bob_x86_facts *f)
{
	if (d->in.operand_width != 64)
		return BOB_MEM_ODD;
	stack_access(f, BOB_X86_RSP, -WORD, BOB_MEM_STORE);
	add_sum(f, BOB_X86_RSP, BOB_X86_RSP, -WORD);
	return BOB_MEM_TAKEN;
}

/* The load comes first; a destination in memory is addressed after rsp was increased. */
static unsigned note_pop(const struct decoded *d, struct bob_x86_facts *f)
{
	if (d->in.operand_width != 64)
		return BOB_MEM_ODD;
	if (f->access_count == 1) {
		struct bob_x86_access store = f->access[0];

		if (store.base == BOB_X86_RSP)
			store.disp += WORD;
		f->access_count = 0;
		stack_access(f, BOB_X86_RSP, 0, BOB_MEM_LOAD);
		add_access(f, &store, BOB_MEM_STORE);
	} else {
		stack_access(f, BOB_X86_RSP, 0, BOB_MEM_LOAD);
	}
	if (d->in.mnemonic == ZYDIS_MNEMONIC_POP && d->op[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
	    bob_x86_register(d->op[0].reg.value) == BOB_X86_RSP)
		return BOB_MEM_TAKEN;
	add_sum(f, BOB_X86_RSP, BOB_X86_RSP, WORD);
	return BOB_MEM_TAKEN;
}

static unsigned note_stack(const struct decoded *d, struct bob_x86_facts *f)
{
	switch (d->in.mnemonic) {
	case ZYDIS_MNEMONIC_PUSH:
	case ZYDIS_MNEMONIC_PUSHFQ:
		return note_push(d, f);
	case ZYDIS_MNEMONIC_POP:
	case ZYDIS_MNEMONIC_POPFQ:
		return note_pop(d, f);
	case ZYDIS_MNEMONIC_CALL:
		stack_access(f, BOB_X86_RSP, -WORD, BOB_MEM_STORE);
		return BOB_MEM_TAKEN;	/* its return undoes its effect on rsp */
	case ZYDIS_MNEMONIC_RET:
		stack_access(f, BOB_X86_RSP, 0, BOB_MEM_LOAD);
		return BOB_MEM_TAKEN;
	case ZYDIS_MNEMONIC_LEAVE:
		if (d->in.operand_width != 64)
			return BOB_MEM_ODD;
		stack_access(f, BOB_X86_RBP, 0, BOB_MEM_LOAD);
		add_sum(f, BOB_X86_RSP, BOB_X86_RBP, WORD);
		return BOB_MEM_TAKEN;
	default:
		return BOB_MEM_TAKEN;
	}
}

static void note_sum(const struct decoded *d, struct bob_x86_facts *f)
{
	const ZydisDecodedOperand *op = d->op;
	unsigned dest;

	if (d->in.operand_count < 1 || !bob_x86_is_register64(&op[0]))
		return;
	dest = bob_x86_register(op[0].reg.value);
	switch (d->in.mnemonic) {
	case ZYDIS_MNEMONIC_MOV:
		if (bob_x86_is_register64(&op[1]))
			add_sum(f, dest, bob_x86_register(op[1].reg.value), 0);
		break;
	case ZYDIS_MNEMONIC_ADD:
		if (op[1].type == ZYDIS_OPERAND_TYPE_IMMEDIATE)
			add_sum(f, dest, dest, op[1].imm.value.s);
		else if (bob_x86_is_register64(&op[1])) {
			f->added_to = (uint8_t)dest;
			f->added = bob_x86_register(op[1].reg.value);
		}
		break;
	case ZYDIS_MNEMONIC_SUB:
		if (op[1].type == ZYDIS_OPERAND_TYPE_IMMEDIATE)
			add_sum(f, dest, dest, -op[1].imm.value.s);
		break;
	case ZYDIS_MNEMONIC_INC:
		add_sum(f, dest, dest, 1);
		break;
	case ZYDIS_MNEMONIC_DEC:
		add_sum(f, dest, dest, -1);
		break;
	case ZYDIS_MNEMONIC_LEA:
		if (d->in.address_width != 64 || op[1].mem.base == ZYDIS_REGISTER_NONE ||
		    op[1].mem.base == ZYDIS_REGISTER_RIP)
			break;
		add_sum(f, dest, bob_x86_register(op[1].mem.base),
			op[1].mem.disp.has_displacement ? op[1].mem.disp.value : 0);
		if (op[1].mem.index != ZYDIS_REGISTER_NONE) {
			struct bob_x86_sum *s = &f->sum[f->sum_count - 1];

			s->second = (uint8_t)bob_x86_register(op[1].mem.index);
			s->scale = op[1].mem.scale;
		}
		break;
	default:
		break;
	}
}

static unsigned note_flow(const struct decoded *d, struct bob_x86_facts *f)
{
	const ZydisDecodedInstruction *in = &d->in;
	bool direct = in->raw.imm[0].is_relative;

	if (in->meta.branch_type == ZYDIS_BRANCH_TYPE_FAR)
		return BOB_MEM_FAR;
	if (direct)
		f->target = d->end + (uint64_t)in->raw.imm[0].value.s;
	switch (in->meta.category) {
	case ZYDIS_CATEGORY_COND_BR:
		f->flow = BOB_X86_BRANCHES;
		break;
	case ZYDIS_CATEGORY_UNCOND_BR:
		f->flow = direct ? BOB_X86_JUMPS : BOB_X86_JUMPS_TO;
		break;
	case ZYDIS_CATEGORY_CALL:
		f->flow = direct ? BOB_X86_CALLS : BOB_X86_CALLS_TO;
		break;
	case ZYDIS_CATEGORY_RET:
		f->flow = BOB_X86_RETURNS;
		break;
	default:
		if (in->mnemonic == ZYDIS_MNEMONIC_UD2 || in->mnemonic == ZYDIS_MNEMONIC_HLT)
			f->flow = BOB_X86_STOPS;
		break;
	}
	return BOB_MEM_TAKEN;
}

static uint8_t direction_after(const ZydisDecodedInstruction *in)
{
	switch (in->mnemonic) {
	case ZYDIS_MNEMONIC_CLD:
		return 1;
	case ZYDIS_MNEMONIC_STD:
		return 2;
	case ZYDIS_MNEMONIC_POPFQ:
		return 3;
	default:
		return 0;
	}
}

/* The kernel accesses all registers. */
static void note_kernel(const ZydisDecodedInstruction *in, struct bob_x86_facts *f)
{
	if (in->meta.category == ZYDIS_CATEGORY_SYSCALL ||
	    in->meta.category == ZYDIS_CATEGORY_INTERRUPT) {
		f->reads |= BOB_X86_ALL_REGS;
		f->kills = 0;
		f->changes |= BOB_X86_ALL_REGS;
	}
}

static void note_hint_registers(const struct decoded *d, struct bob_x86_facts *f)
{
	for (unsigned i = 0; i < d->in.operand_count; i++) {
		uint8_t r;

		if (d->op[i].type != ZYDIS_OPERAND_TYPE_MEMORY)
			continue;
		r = bob_x86_register(d->op[i].mem.base);
		if (r != BOB_X86_NO_REG)
			f->reads |= 1u << r;
		r = bob_x86_register(d->op[i].mem.index);
		if (r != BOB_X86_NO_REG)
			f->reads |= 1u << r;
	}
}

unsigned bob_x86_facts(const uint8_t *p, size_t avail, uint64_t addr, struct bob_x86_facts *f)
{
	ZydisDecoder decoder;
	struct decoded d;
	unsigned why;

	memset(f, 0, sizeof(*f));
	f->added_to = f->added = BOB_X86_NO_REG;
	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, p, avail, &d.in, d.op)))
		return BOB_MEM_UNDECODED;
	d.end = addr + d.in.length;
	f->len = d.in.length;
	f->nop = d.in.meta.category == ZYDIS_CATEGORY_NOP ||
		 d.in.meta.category == ZYDIS_CATEGORY_WIDENOP;
	if (bob_x86_only_hints(&d.in)) {
		if (!f->nop)
			note_hint_registers(&d, f);
		return BOB_MEM_TAKEN;
	}
	why = bob_x86_declined(&d.in, d.op);
	if (why == BOB_MEM_TAKEN)
		why = bob_x86_find_lanes(&d.in, d.op, &f->lanes);
	if (why == BOB_MEM_TAKEN)
		why = note_operands(&d, f);
	if (why == BOB_MEM_TAKEN)
		why = note_flow(&d, f);
	if (why == BOB_MEM_TAKEN)
		why = note_stack(&d, f);
	if (why != BOB_MEM_TAKEN)
		return why;
	f->rep = repeats(&d.in);
	f->direction = direction_after(&d.in);
	f->masks_changed = bob_x86_changed_masks(&d.in, d.op);
	note_flags(&d, f);
	note_zeroing(&d, f);
	note_kernel(&d.in, f);
	note_sum(&d, f);
	return BOB_MEM_TAKEN;
}
