/* SPDX-License-Identifier: BSD-3-Clause */
/* The values that one x86-64 instruction computes from registers, as needed to track pointers
 * through a function. Pure functions; any thread. If in doubt, a register is in `others`. */
#ifndef BOB_PLAN_VALUES_H
#define BOB_PLAN_VALUES_H

#include "plan/arch/x86_64/facts.h"

enum bob_x86_value_kind {
	BOB_X86_VALUE_NONE = 0,
	/* dest = source + second * scale + add; either register may be absent */
	BOB_X86_VALUE_SUM,
	BOB_X86_VALUE_LESS,	/* dest = dest - source */
	BOB_X86_VALUE_LOAD,	/* dest = the 8 bytes that the first access loads */
	BOB_X86_VALUE_ADD_LOAD, /* dest = dest + the 8 bytes that the first access loads */
	BOB_X86_VALUE_MASK,	/* dest = dest & a constant */
	BOB_X86_VALUE_EITHER,	/* dest = dest, or source */
	BOB_X86_VALUE_STATIC	/* dest = link address `add` */
};

struct bob_x86_value {
	int64_t add;
	uint8_t kind;		/* enum bob_x86_value_kind */
	uint8_t dest, source, second; /* or BOB_X86_NO_REG */
	uint8_t scale;
	/* source register of its only store, of 8 bytes, or BOB_X86_NO_REG */
	uint8_t stored;
	/* registers that get a value that is not an address: of 32 bits, a product, ... */
	uint32_t numbers;
	uint32_t others;	/* registers that get an unknown value */
};

/* Analyse the instruction at `p`; `f` is the result of bob_x86_facts for it. */
void bob_x86_value(const uint8_t *p, size_t avail, uint64_t addr, const struct bob_x86_facts *f,
		   struct bob_x86_value *v);

#endif
