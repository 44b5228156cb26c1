/* SPDX-License-Identifier: BSD-3-Clause */
/* Relocates the first instructions of a function so that they have the same effect at another
 * address. Pure functions; any thread. docs/plan.md lists the forms, with a proof of each. */
#ifndef BOB_PLAN_MOVE_H
#define BOB_PLAN_MOVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BOB_X86_BODY_MAX 128u
#define BOB_X86_BODY_FIELDS 8u
#define BOB_X86_BODY_STARTS 5u	/* maximum of `need` */

/* Relocated instructions. `field[i]` is the offset of a 32-bit field that must become target[i] -
 * (address of the byte after base[i]), both offsets in the body. */
struct bob_x86_body {
	uint8_t bytes[BOB_X86_BODY_MAX];
	unsigned len;
	unsigned taken;		/* bytes of the original instructions */
	unsigned fields;
	uint8_t field[BOB_X86_BODY_FIELDS];
	uint8_t base[BOB_X86_BODY_FIELDS];
	uint64_t target[BOB_X86_BODY_FIELDS];
	bool ends;		/* control never reaches its end; else it needs a jump back */
	bool calls;		/* contains a call, relocated in the balanced way */
	/* Offset in the body of the instruction that began this far after the first one; 0: none
	 * began there. The maximum is 18, from two loop instructions of 2 bytes. */
	uint8_t start[BOB_X86_BODY_STARTS];
};

/* Relocate whole instructions from `p` (link address `addr`, `avail` bytes of code) until `need` <=
 * 5 bytes are covered or control flow ends. Returns 0, or the reason (enum bob_skip):
 * BOB_SKIP_DECODE, BOB_SKIP_RELOCATE, BOB_SKIP_SHORT (`avail` was too small). On 0 body->taken may
 * be less than `need` if body->ends. */
unsigned bob_x86_move(const uint8_t *p, size_t avail, uint64_t addr, unsigned need,
		      struct bob_x86_body *body);

#endif
