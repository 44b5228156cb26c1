/* SPDX-License-Identifier: BSD-3-Clause */
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
	if (BOB_PLAN_RESERVE(c->bytes, n) != 0) {
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

/* REX, opcode, ModRM, SIB and displacement; always REX.W. */
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

void bob_x86_put_clear_byte(struct bob_x86_code *c, unsigned base, int32_t disp)
{
	put_op(c, 0xc6, 0, base, BOB_X86_NO_REG, 1, disp);
	put_byte(c, 0);
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

void bob_x86_put_flags_out(struct bob_x86_code *c)
{
	bob_x86_put(c, "\x9f\x0f\x90\xc0", 4);
}

/* al + 127 overflows if al is 1; sahf sets the others. */
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
