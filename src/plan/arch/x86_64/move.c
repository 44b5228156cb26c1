/* SPDX-License-Identifier: BSD-3-Clause */
/* Relocates instructions. Most are position independent and are copied. The others are:
 *   - a RIP-relative operand: its displacement is recomputed;
 *   - jmp and jcc: widened to 32 bits; loop and jrcxz, which have no wide form, jump over a
 *     jump;
 *   - call: `call next; next: addq $(true return address - next),(%rsp); jmp callee`. The return
 *     address on the stack is the one in the image, so unwinding and exceptions are unaffected. The
 *     processor's return stack stays balanced, at the cost of one mispredicted return. No register
 *     changes; the flags do, which is permitted at a function's entry.
 * Any other position-dependent instruction is not relocated: BOB_SKIP_RELOCATE. */
#include "plan/arch/x86_64/move.h"

#include <Zydis/Zydis.h>
#include <string.h>

#include "archive/format.h"

static void put(struct bob_x86_body *b, const void *bytes, size_t n)
{
	memcpy(b->bytes + b->len, bytes, n);
	b->len += (unsigned)n;
}

static void put_byte(struct bob_x86_body *b, unsigned byte)
{
	b->bytes[b->len++] = (uint8_t)byte;
}

/* Record that the field at `at` must become target - (address of `base`). */
static void add_field(struct bob_x86_body *b, unsigned at, unsigned base, uint64_t target)
{
	b->field[b->fields] = (uint8_t)at;
	b->base[b->fields] = (uint8_t)base;
	b->target[b->fields++] = target;
}

/* Append a 32-bit displacement, relative to its own end. */
static void put_rel32(struct bob_x86_body *b, uint64_t target)
{
	memset(b->bytes + b->len, 0, 4);
	b->len += 4;
	add_field(b, b->len - 4, b->len, target);
}

static bool rip_relative(const ZydisDecodedInstruction *in)
{
	return (in->attributes & ZYDIS_ATTRIB_HAS_MODRM) && in->raw.modrm.mod == 0 &&
	       in->raw.modrm.rm == 5;
}

/* Copy, and adjust a RIP-relative displacement. */
static unsigned copy(struct bob_x86_body *b, const uint8_t *p, uint64_t end,
		     const ZydisDecodedInstruction *in)
{
	unsigned start = b->len;

	put(b, p, in->length);
	if (!rip_relative(in))
		return BOB_SKIP_NONE;
	if (in->raw.disp.size != 32 || in->address_width != 64)
		return BOB_SKIP_RELOCATE;
	add_field(b, start + in->raw.disp.offset, b->len, end + (uint64_t)in->raw.disp.value);
	return BOB_SKIP_NONE;
}

static unsigned move_branch(struct bob_x86_body *b, const uint8_t *p, uint64_t to,
			    const ZydisDecodedInstruction *in)
{
	switch (in->mnemonic) {
	case ZYDIS_MNEMONIC_JMP:
		put_byte(b, 0xe9);
		put_rel32(b, to);
		b->ends = true;
		return BOB_SKIP_NONE;
	case ZYDIS_MNEMONIC_JCXZ:
	case ZYDIS_MNEMONIC_JECXZ:
	case ZYDIS_MNEMONIC_JRCXZ:
	case ZYDIS_MNEMONIC_LOOP:
	case ZYDIS_MNEMONIC_LOOPE:
	case ZYDIS_MNEMONIC_LOOPNE:
		put(b, p, in->length - 1u);	/* prefix 67 selects the counter: keep it */
		put_byte(b, 2);
		put(b, (const uint8_t[]){ 0xeb, 5 }, 2);
		put_byte(b, 0xe9);
		put_rel32(b, to);
		return BOB_SKIP_NONE;
	default:
		if (in->meta.category != ZYDIS_CATEGORY_COND_BR ||
		    (in->opcode & 0xf0) != (in->opcode_map == ZYDIS_OPCODE_MAP_0F ? 0x80 : 0x70))
			return BOB_SKIP_RELOCATE;
		put_byte(b, 0x0f);
		put_byte(b, 0x80u | (in->opcode & 0x0fu));
		put_rel32(b, to);
		return BOB_SKIP_NONE;
	}
}

/* `end` is the true return address. This ends the body, because the callee returns into the
 * image. */
static unsigned move_call(struct bob_x86_body *b, const uint8_t *p, uint64_t end,
			  const ZydisDecodedInstruction *in)
{
	unsigned next, modrm;

	if (in->meta.branch_type == ZYDIS_BRANCH_TYPE_FAR)
		return BOB_SKIP_RELOCATE;
	put(b, (const uint8_t[]){ 0xe8, 0, 0, 0, 0 }, 5);
	next = b->len;
	put(b, (const uint8_t[]){ 0x48, 0x81, 0x04, 0x24, 0, 0, 0, 0 }, 8);
	add_field(b, b->len - 4, next, end);
	b->ends = b->calls = true;
	if (in->raw.imm[0].is_relative) {
		put_byte(b, 0xe9);
		put_rel32(b, end + (uint64_t)in->raw.imm[0].value.s);
		return BOB_SKIP_NONE;
	}
	/* call *operand becomes jmp *operand: ff /2 to ff /4. The stack has then grown by the
	 * return address. */
	if (in->raw.modrm.mod != 3 && in->raw.modrm.rm == 4 && in->raw.sib.base == 4 &&
	    !in->raw.rex.B)
		return BOB_SKIP_RELOCATE;
	if (in->raw.modrm.mod == 3 && in->raw.modrm.rm == 4 && !in->raw.rex.B)
		return BOB_SKIP_RELOCATE;
	modrm = b->len + in->raw.modrm.offset;
	if (copy(b, p, end, in) != BOB_SKIP_NONE)
		return BOB_SKIP_RELOCATE;
	b->bytes[modrm] = (uint8_t)((b->bytes[modrm] & ~0x38) | 4 << 3);
	return BOB_SKIP_NONE;
}

static unsigned move_one(struct bob_x86_body *b, const uint8_t *p, uint64_t addr,
			 const ZydisDecodedInstruction *in)
{
	uint64_t end = addr + in->length;

	if (in->meta.category == ZYDIS_CATEGORY_CALL)
		return move_call(b, p, end, in);
	if (in->mnemonic == ZYDIS_MNEMONIC_XBEGIN || in->mnemonic == ZYDIS_MNEMONIC_INT3)
		return BOB_SKIP_RELOCATE;
	if (in->raw.imm[0].is_relative)
		return move_branch(b, p, end + (uint64_t)in->raw.imm[0].value.s, in);
	if (in->mnemonic == ZYDIS_MNEMONIC_JMP || in->meta.category == ZYDIS_CATEGORY_RET ||
	    in->mnemonic == ZYDIS_MNEMONIC_UD2 || in->mnemonic == ZYDIS_MNEMONIC_HLT)
		b->ends = true;
	return copy(b, p, end, in);
}

unsigned bob_x86_move(const uint8_t *p, size_t avail, uint64_t addr, unsigned need,
		      struct bob_x86_body *b)
{
	ZydisDecoder decoder;

	b->len = b->taken = b->fields = 0;
	memset(b->start, 0, sizeof(b->start));
	b->ends = b->calls = false;
	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	while (b->taken < need && !b->ends) {
		ZydisDecodedInstruction in;
		unsigned skip;

		if (b->taken >= avail)
			return BOB_SKIP_SHORT;
		if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder, NULL, p + b->taken,
								avail - b->taken, &in)))
			return BOB_SKIP_DECODE;
		b->start[b->taken] = (uint8_t)b->len;
		skip = move_one(b, p + b->taken, addr + b->taken, &in);
		if (skip != BOB_SKIP_NONE)
			return skip;
		b->taken += in.length;
		if (b->calls && b->taken < need)
			return BOB_SKIP_RELOCATE;	/* the call would return into the jump */
	}
	return BOB_SKIP_NONE;
}
