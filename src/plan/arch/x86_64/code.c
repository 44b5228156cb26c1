/* SPDX-License-Identifier: BSD-3-Clause */
/* Encoder of the few x86-64 instructions that probes consist of (code.h). */
#include "plan/arch/x86_64/code.h"

#include <string.h>

#define REX_W 0x48u
#define REX_R 4u
#define REX_X 2u
#define REX_B 1u
#define NO_INDEX 4u		/* in a SIB byte */
#define NO_BASE 5u

void bob_x86_put(struct bob_x86_code *c, const void *bytes, size_t n)
{
	if (c->st != BOB_OK)
		return;
	if (BOB_VEC_RESERVE(c->bytes, n) != 0) {
		c->st = BOB_ERR_NOMEM;
		return;
	}
	memcpy(c->bytes->at + c->bytes->count, bytes, n);
	c->bytes->count += n;
}

static void put_byte(struct bob_x86_code *c, unsigned byte)
{
	uint8_t b = (uint8_t)byte;

	bob_x86_put(c, &b, 1);
}

static void put32(struct bob_x86_code *c, int32_t v)
{
	bob_x86_put(c, &v, sizeof(v));
}

/* REX, opcode, ModRM, SIB and displacement; always with REX.W. */
static void put_op(struct bob_x86_code *c, unsigned opcode, unsigned reg, unsigned base,
		   unsigned index, unsigned scale, int32_t disp)
{
	bool no_base = base == BOB_X86_NO_REG, no_index = index == BOB_X86_NO_REG;
	unsigned rex = REX_W | (reg & 8 ? REX_R : 0) | (!no_index && index & 8 ? REX_X : 0) |
		       (!no_base && base & 8 ? REX_B : 0);
	unsigned log = scale == 8 ? 3 : scale == 4 ? 2 : scale == 2 ? 1 : 0;
	bool small = disp == (int8_t)disp;
	unsigned mod = no_base ? 0 : small ? 1 : 2;

	put_byte(c, rex);
	put_byte(c, opcode);
	if (no_base || !no_index || (base & 7) == 4) {
		put_byte(c, mod << 6 | (reg & 7) << 3 | 4);
		put_byte(c, log << 6 | (no_index ? NO_INDEX : index & 7) << 3 |
				    (no_base ? NO_BASE : base & 7));
	} else {
		put_byte(c, mod << 6 | (reg & 7) << 3 | (base & 7));
	}
	if (mod == 1)
		put_byte(c, (uint8_t)(int8_t)disp);
	else
		put32(c, disp);
}

void bob_x86_put_store(struct bob_x86_code *c, unsigned base, int32_t disp, unsigned reg)
{
	put_op(c, 0x89, reg, base, BOB_X86_NO_REG, 1, disp);
}

void bob_x86_put_store_imm(struct bob_x86_code *c, unsigned base, int32_t disp, int32_t imm)
{
	put_op(c, 0xc7, 0, base, BOB_X86_NO_REG, 1, disp);
	put32(c, imm);
}

void bob_x86_put_byte(struct bob_x86_code *c, unsigned base, int32_t disp, unsigned value)
{
	put_op(c, 0xc6, 0, base, BOB_X86_NO_REG, 1, disp);
	put_byte(c, value);
}

static uint32_t put_fs(struct bob_x86_code *c, unsigned opcode, unsigned reg, int32_t disp)
{
	put_byte(c, 0x64);
	put_op(c, opcode, reg, BOB_X86_NO_REG, BOB_X86_NO_REG, 1, disp);
	return (uint32_t)(c->bytes->count - 4);
}

uint32_t bob_x86_put_load_fs(struct bob_x86_code *c, unsigned reg, int32_t disp)
{
	return put_fs(c, 0x8b, reg, disp);
}

uint32_t bob_x86_put_store_fs(struct bob_x86_code *c, unsigned reg, int32_t disp)
{
	return put_fs(c, 0x89, reg, disp);
}

uint32_t bob_x86_put_compare_fs(struct bob_x86_code *c, unsigned reg, int32_t disp)
{
	return put_fs(c, 0x3b, reg, disp);
}

void bob_x86_put_lea(struct bob_x86_code *c, unsigned reg, unsigned base, unsigned index,
		     unsigned scale, int32_t disp)
{
	put_op(c, 0x8d, reg, base, index, scale, disp);
}

/* --- vector and mask registers --- */

#define PP_66 1u
#define PP_F3 2u
#define PP_F2 3u
#define MAP_0F 1u
#define MAP_0F38 2u

/* Three-byte VEX prefix, opcode, ModRM of two registers. */
static void put_vex(struct bob_x86_code *c, unsigned map, unsigned pp, unsigned w, unsigned l,
		    unsigned opcode, unsigned reg, unsigned second, unsigned rm)
{
	put_byte(c, 0xc4);
	put_byte(c, (reg & 8 ? 0 : 0x80) | 0x40 | (rm & 8 ? 0 : 0x20) | map);
	put_byte(c, w << 7 | (~second & 15) << 3 | l << 2 | pp);
	put_byte(c, opcode);
	put_byte(c, 0xc0 | (reg & 7) << 3 | (rm & 7));
}

/* [66] REX 0f d7: pmovmskb */
static void put_movmskb(struct bob_x86_code *c, unsigned reg, unsigned rm, bool mmx)
{
	if (!mmx)
		put_byte(c, 0x66);
	put_byte(c, 0x40 | (reg & 8 ? REX_R : 0) | (rm & 8 ? REX_B : 0));
	put_byte(c, 0x0f);
	put_byte(c, 0xd7);
	put_byte(c, 0xc0 | (reg & 7) << 3 | (rm & 7));
}

/* kmov to a general register, with the width of the mask. */
static void put_kmov(struct bob_x86_code *c, unsigned reg, unsigned k, unsigned bits)
{
	put_vex(c, MAP_0F, bits > 16 ? PP_F2 : 0, bits > 32, 0, 0x93, reg, 0, k);
}

/* As many low-order ones as there are ones in the first bits of the mask. */
static void put_packed(struct bob_x86_code *c, unsigned reg, unsigned bits)
{
	/* shift the irrelevant bits out at the top of the byte */
	for (unsigned n = bits; n < 8; n++)
		bob_x86_put_lea(c, reg, reg, reg, 1, 0);
	if (bits <= 8) {	/* movzbl */
		put_byte(c, 0x40 | (reg & 8 ? REX_R | REX_B : 0));
		put_byte(c, 0x0f);
		put_byte(c, 0xb6);
		put_byte(c, 0xc0 | (reg & 7) << 3 | (reg & 7));
	}
	put_vex(c, MAP_0F38, PP_F3, 1, 0, 0xf5, reg, reg, reg); /* pext */
}

void bob_x86_put_mask(struct bob_x86_code *c, unsigned reg, const struct bob_x86_lanes *l)
{
	unsigned wide = l->vector_bytes == 32;

	switch (l->mask) {
	case BOB_X86_MASK_K:
		put_kmov(c, reg, l->mask_reg, l->bits);
		break;
	case BOB_X86_MASK_SIGNS4:
		put_vex(c, MAP_0F, 0, 0, wide, 0x50, reg, 0, l->mask_reg);
		break;
	case BOB_X86_MASK_SIGNS8:
		put_vex(c, MAP_0F, PP_66, 0, wide, 0x50, reg, 0, l->mask_reg);
		break;
	case BOB_X86_MASK_BYTES:
		put_vex(c, MAP_0F, PP_66, 0, 0, 0xd7, reg, 0, l->mask_reg);
		break;
	default:
		put_movmskb(c, reg, l->mask_reg, l->mask == BOB_X86_MASK_BYTES_MMX);
		break;
	}
	if (l->packed)
		put_packed(c, reg, l->bits);
}

/* vmovdqu or vmovdqu64, with the encoding and length of the instruction itself, which the processor
 * supports. */
uint32_t bob_x86_put_store_indices(struct bob_x86_code *c, const struct bob_x86_lanes *l,
				   int32_t disp)
{
	unsigned reg = l->index, length = l->vector_bytes == 64 ? 2 : l->vector_bytes == 32;

	put_byte(c, 0x64);
	if (l->evex) {
		put_byte(c, 0x62);
		put_byte(c, (reg & 8 ? 0 : 0x80) | 0x60 | (reg & 16 ? 0 : 0x10) | MAP_0F);
		put_byte(c, 0xfc | PP_F3);
		put_byte(c, length << 5 | 8);
	} else {
		put_byte(c, 0xc4);
		put_byte(c, (reg & 8 ? 0 : 0x80) | 0x60 | MAP_0F);
		put_byte(c, 15u << 3 | length << 2 | PP_F3);
	}
	put_byte(c, 0x7f);
	put_byte(c, (reg & 7) << 3 | 4);
	put_byte(c, NO_INDEX << 3 | NO_BASE);
	put32(c, disp);
	return (uint32_t)(c->bytes->count - 4);
}

uint32_t bob_x86_put_load_index(struct bob_x86_code *c, unsigned reg, unsigned bytes, int32_t disp)
{
	return put_fs(c, bytes == 4 ? 0x63 : 0x8b, reg, disp);
}

void bob_x86_put_flags_out(struct bob_x86_code *c)
{
	bob_x86_put(c, "\x9f\x0f\x90\xc0", 4);
}

/* al + 127 overflows if al is 1; sahf sets the other flags. */
void bob_x86_put_flags_in(struct bob_x86_code *c)
{
	bob_x86_put(c, "\x04\x7f\x9e", 3);
}

void bob_x86_put_here_to(struct bob_x86_code *c, uint32_t to)
{
	int32_t rel = (int32_t)(to - (uint32_t)c->bytes->count);

	if (c->st == BOB_OK)
		memcpy(c->bytes->at + c->bytes->count - 4, &rel, 4);
}
