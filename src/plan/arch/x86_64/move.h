/* SPDX-License-Identifier: BSD-3-Clause */
/* Moving the first instructions of a function to another place so that they do there exactly what
 * they did here. Pure; any thread. docs/plan.md lists the forms and why each is right. */
#ifndef BOB_PLAN_MOVE_H
#define BOB_PLAN_MOVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BOB_X86_BODY_MAX 128u
#define BOB_X86_BODY_FIELDS 8u
#define BOB_X86_BODY_STARTS 5u	/* `need` is not more */

/* Moved instructions. `field[i]` is the offset of a 32-bit field that is to become
 * target[i] - (address of the byte after base[i]), both in bytes of the body. */
struct bob_x86_body {
	uint8_t bytes[BOB_X86_BODY_MAX];
	unsigned len;
	unsigned taken;		/* bytes of the original instructions */
	unsigned fields;
	uint8_t field[BOB_X86_BODY_FIELDS];
	uint8_t base[BOB_X86_BODY_FIELDS];
	uint64_t target[BOB_X86_BODY_FIELDS];
	bool ends;		/* leaves by itself; else it must be followed by a jump back */
	bool calls;		/* holds a call, done the balanced way */
	/* Where in the body is the instruction that began this far after the first; 0: none did.
	 * Two loop instructions of 2 bytes become 18: no start is more. */
	uint8_t start[BOB_X86_BODY_STARTS];
};

/* Move whole instructions from `p` (link address `addr`, `avail` bytes of code) until `need` <= 5
 * bytes or the end of the flow of control are reached. Returns 0, or the enum bob_skip that says
 * why not: BOB_SKIP_DECODE, BOB_SKIP_RELOCATE, BOB_SKIP_SHORT (`avail` ended first). On 0
 * body->taken may be less than `need` if body->ends. */
unsigned bob_x86_move(const uint8_t *p, size_t avail, uint64_t addr, unsigned need,
		      struct bob_x86_body *body);

#endif
