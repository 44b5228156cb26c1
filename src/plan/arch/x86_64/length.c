/* SPDX-License-Identifier: BSD-3-Clause */
/* The length decoder. A table for each opcode map has the fields that follow the opcode; a switch
 * handles exceptions. It does not check operands, so it accepts some encodings that a processor
 * rejects, but for an instruction that runs its length is always that of the processor. Budget: 15
 * ns per instruction (tests/unit/plan/test_length.c prints it). */
#include "plan/arch/x86_64/length.h"

#include <stddef.h>
#include <string.h>

enum {
	N = 0x00,		/* opcode only */
	M = 0x01,		/* ModRM, SIB, displacement */
	B = 0x02,		/* immediate of 1 byte */
	Z = 0x04,		/* immediate of 2 bytes with prefix 66 and no REX.W, else of 4 */
	W = 0x08,		/* immediate of 2 bytes */
	S = 0x10,		/* special: see special_1, special_2 */
	P = 0x40,		/* prefix */
	X = 0x80		/* not an instruction */
};

static const uint8_t map1[256] = {
	/* 00 */ M, M, M, M, B, Z, X, X, M, M, M, M, B, Z, X, S,
	/* 10 */ M, M, M, M, B, Z, X, X, M, M, M, M, B, Z, X, X,
	/* 20 */ M, M, M, M, B, Z, P, X, M, M, M, M, B, Z, P, X,
	/* 30 */ M, M, M, M, B, Z, P, X, M, M, M, M, B, Z, P, X,
	/* 40 */ P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P,
	/* 50 */ N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N,
	/* 60 */ X, X, S, M, P, P, P, P, S, M | Z, B, M | B, N, N, N, N,
	/* 70 */ S, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S,
	/* 80 */ M | B, M | Z, X, M | B, M, M, M, M, M, M, M, M, M, S, M, S,
	/* 90 */ S, N, N, N, N, N, N, N, N, N, X, N, N, N, N, N,
	/* a0 */ S, S, S, S, N, N, N, N, B, Z, N, N, N, N, N, N,
	/* b0 */ B, B, B, B, B, B, B, B, S, S, S, S, S, S, S, S,
	/* c0 */ M | B, M | B, S, S, S, S, M | B, S, W | B, N, W, N, S, B, X, N,
	/* d0 */ M, M, M, M, X, X, X, N, M, M, M, M, M, M, M, M,
	/* e0 */ S, S, S, S, B, B, B, B, S, S, X, S, N, N, N, N,
	/* f0 */ P, N, P, P, S, N, S, S, N, N, N, N, N, N, M, S
};

static const uint8_t map2[256] = {
	/* 00 */ M, M, M, M, X, N, N, N, N, N, X, S, X, M, N, M | B,
	/* 10 */ M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, S,
	/* 20 */ S, S, S, S, X, X, X, X, M, M, M, M, M, M, M, M,
	/* 30 */ N, N, N, N, N, N, X, N, S, X, S, X, X, X, X, X,
	/* 40 */ M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M,
	/* 50 */ M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M,
	/* 60 */ M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M,
	/* 70 */ M | B, M | B, M | B, M | B, M, M, M, N, S, M, X, X, M, M, M, M,
	/* 80 */ S, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S,
	/* 90 */ M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M,
	/* a0 */ N, N, N, M, M | B, M, M, M, N, N, N, M, M | B, M, M, M,
	/* b0 */ M, M, M, M, M, M, M, M, M, M, M | B, M, M, M, M, M,
	/* c0 */ M, M, M | B, M, M | B, M | B, M | B, M, N, N, N, N, N, N, N, N,
	/* d0 */ M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M,
	/* e0 */ M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M,
	/* f0 */ M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M
};

enum {
	PREFIX_66 = 1,
	PREFIX_67 = 2,
	PREFIX_F2 = 4,
	PREFIX_F3 = 8,
	REX_B = 0x10,		/* REX bits of the prefix, shifted left by 4 */
	REX_W = 0x80
};

static int32_t read_s32(const uint8_t *p)
{
	int32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/* Length of ModRM, SIB and displacement. Prefix 67 does not change it in 64-bit mode. */
static inline unsigned modrm_len(const uint8_t *p)
{
	static const uint8_t extra[32] = {
		1, 1, 1, 1, 2, 5, 1, 1, 2, 2, 2, 2, 3, 2, 2, 2,
		5, 5, 5, 5, 6, 5, 5, 5, 1, 1, 1, 1, 1, 1, 1, 1
	};
	unsigned modrm = *p;
	unsigned len = extra[(modrm >> 3 & 0x18) | (modrm & 7)];

	if ((modrm & 0xc7) == 0x04 && (p[1] & 7) == 5)
		len += 4;
	return len;
}

static inline unsigned imm_len(unsigned what, unsigned flags)
{
	unsigned len = 0;

	if (what & B)
		len += 1;
	if (what & W)
		len += 2;
	if (what & Z)
		len += (flags & (PREFIX_66 | REX_W)) == PREFIX_66 ? 2 : 4;
	return len;
}

static const uint8_t *branch8(const uint8_t *p, struct bob_x86_insn *in, unsigned kind)
{
	in->kind = (uint8_t)kind;
	in->rel = (int8_t)*p;
	return p + 1;
}

/* Near branches have 4-byte displacements whatever the prefixes, as on Intel processors. Compilers
 * emit a 66 prefix only for the call of __tls_get_addr, with REX.W, so it means the same on AMD. */
static const uint8_t *branch32(const uint8_t *p, struct bob_x86_insn *in, unsigned kind)
{
	in->kind = (uint8_t)kind;
	in->rel = read_s32(p);
	return p + 4;
}

/* The vector opcode maps after VEX (c5, c4), EVEX (62) and XOP (8f): `p` is at the opcode. */
static const uint8_t *vector_map(const uint8_t *p, unsigned map, int vex)
{
	unsigned op = *p++;

	switch (map) {
	case 1:
		if (vex && op == 0x77)
			return p;
		p += modrm_len(p);
		return p + ((op >= 0x70 && op <= 0x73) || op == 0xc2 || (op >= 0xc4 && op <= 0xc6));
	case 2:
	case 5:
	case 6:
	case 9:
		return p + modrm_len(p);
	case 3:
	case 8:
		return p + modrm_len(p) + 1;
	case 10:
		return p + modrm_len(p) + 4;
	default:
		return NULL;
	}
}

/* 0f xx with S in the table. `p` is after the opcode. */
static const uint8_t *special_2(const uint8_t *p, unsigned op, unsigned flags,
				struct bob_x86_insn *in)
{
	switch (op) {
	case 0x0b:
		in->kind = BOB_X86_STOP;
		return p;
	case 0x1f:
		in->kind = BOB_X86_NOP;
		return p + modrm_len(p);
	case 0x20 ... 0x23:	/* mov of control and debug registers: the operand is always a
				 * register */
		return p + 1;
	case 0x38:
		return p + 1 + modrm_len(p + 1);
	case 0x3a:
		return p + 1 + modrm_len(p + 1) + 1;
	case 0x78:		/* vmread, or extrq and insertq with a prefix */
		return p + modrm_len(p) + (flags & (PREFIX_66 | PREFIX_F2) ? 2 : 0);
	default:		/* 80 ... 8f */
		return branch32(p, in, BOB_X86_JCC);
	}
}

static const uint8_t *group_f6_c7_ff(const uint8_t *p, unsigned op, unsigned flags,
				     struct bob_x86_insn *in)
{
	unsigned reg = *p >> 3 & 7;
	unsigned modrm = *p;

	if (op == 0xc7 && modrm == 0xf8)
		return branch32(p + 1, in, BOB_X86_XBEGIN);
	p += modrm_len(p);
	switch (op) {
	case 0xc7:
		if (!(flags & PREFIX_66)) {
			in->kind = BOB_X86_IMM;
			in->rel = read_s32(p);
		}
		return p + imm_len(Z, flags);
	case 0xf6:
		return p + (reg < 2 ? 1 : 0);
	case 0xf7:
		return p + (reg < 2 ? imm_len(Z, flags) : 0);
	default:
		if (reg == 7)
			return NULL;
		if (reg == 2 || reg == 3)
			in->kind = BOB_X86_CALL_IND;
		else if (reg == 4 || reg == 5)
			in->kind = BOB_X86_JMP_IND;
		return p;
	}
}

static const uint8_t *mov_imm(const uint8_t *p, unsigned flags, struct bob_x86_insn *in)
{
	if (flags & REX_W)
		return p + 8;
	if (flags & PREFIX_66)
		return p + 2;
	in->kind = BOB_X86_IMM;
	in->rel = read_s32(p);
	return p + 4;
}

/* An opcode of the first map with S in the table. `p` is after the opcode. */
static const uint8_t *special_1(const uint8_t *p, unsigned op, unsigned flags,
				struct bob_x86_insn *in)
{
	switch (op) {
	case 0x0f:
		if (map2[*p] & S)
			return special_2(p + 1, *p, flags, in);
		if (map2[*p] & X)
			return NULL;
		return p + 1 + (map2[*p] & M ? modrm_len(p + 1) : 0) + imm_len(map2[*p], flags);
	case 0x62:
		return vector_map(p + 3, p[0] & 7, 0);
	case 0xc4:
		return vector_map(p + 2, p[0] & 31, 1);
	case 0xc5:
		return vector_map(p + 1, 1, 1);
	case 0x8f:
		if ((*p & 0x38) == 0)
			return p + modrm_len(p);
		return (p[0] & 31) >= 8 ? vector_map(p + 2, p[0] & 31, 0) : NULL;
	case 0x68:
		if (!(flags & PREFIX_66)) {
			in->kind = BOB_X86_IMM;
			in->rel = read_s32(p);
		}
		return p + imm_len(Z, flags);
	case 0x70 ... 0x7f:
		return branch8(p, in, BOB_X86_JCC);
	case 0x8d:
		if ((*p & 0xc7) == 0x05) {
			in->kind = BOB_X86_LEA;
			in->rel = read_s32(p + 1);
		}
		return p + modrm_len(p);
	case 0x90:
		if (!(flags & (PREFIX_F3 | REX_B)))
			in->kind = BOB_X86_NOP;
		return p;
	case 0xa0 ... 0xa3:
		return p + (flags & PREFIX_67 ? 4 : 8);
	case 0xb8 ... 0xbf:
		return mov_imm(p, flags, in);
	case 0xc2:
		in->kind = BOB_X86_RET;
		return p + 2;
	case 0xc3:
		in->kind = BOB_X86_RET;
		return p;
	case 0xcc:
		in->kind = BOB_X86_INT3;
		return p;
	case 0xe0 ... 0xe3:
		return branch8(p, in, BOB_X86_LOOP);
	case 0xe8:
		return branch32(p, in, BOB_X86_CALL);
	case 0xe9:
		return branch32(p, in, BOB_X86_JMP);
	case 0xeb:
		return branch8(p, in, BOB_X86_JMP);
	case 0xf4:
		in->kind = BOB_X86_STOP;
		return p;
	default:		/* c7, f6, f7, ff */
		return group_f6_c7_ff(p, op, flags, in);
	}
}

static inline unsigned prefix_flags(unsigned op, unsigned flags)
{
	if ((op & 0xf0) == 0x40)
		return (flags & 0x0f) | (op & 0x0f) << 4;
	flags &= 0x0f;		/* a REX before another prefix is ignored */
	switch (op) {
	case 0x66:
		return flags | PREFIX_66;
	case 0x67:
		return flags | PREFIX_67;
	case 0xf2:
		return flags | PREFIX_F2;
	case 0xf3:
		return flags | PREFIX_F3;
	default:
		return flags;
	}
}

unsigned bob_x86_decode(const uint8_t *start, struct bob_x86_insn *in)
{
	const uint8_t *p = start;
	unsigned flags = 0;
	unsigned op = *p++;
	unsigned what = map1[op];

	in->kind = BOB_X86_PLAIN;
	while (what & P) {
		if (p - start >= (ptrdiff_t)BOB_X86_MAX_LEN)
			return 0;
		flags = prefix_flags(op, flags);
		op = *p++;
		what = map1[op];
	}
	if (what & S) {
		p = special_1(p, op, flags, in);
		if (!p)
			return 0;
	} else if (what & X) {
		return 0;
	} else {
		if (what & M)
			p += modrm_len(p);
		p += imm_len(what, flags);
	}
	if (p - start > (ptrdiff_t)BOB_X86_MAX_LEN)
		return 0;
	in->len = (uint8_t)(p - start);
	return in->len;
}
