/* SPDX-License-Identifier: BSD-3-Clause */
/* Data-flow analysis of the direction flag, for string instructions with `rep`. By the ABI the flag
 * is clear at function entries, returns of calls and exits; in between `std` may set it. A unit is
 * declined if an instruction could run in either direction, or if the flag may be set where control
 * leaves for code that assumes that it is clear. */
#include "plan/mem/unit.h"

#define FORTH 1u		/* states, as a bit set: the flag may be clear ... */
#define BACK 2u			/* ... it may be set */

static uint8_t after(uint8_t state, const struct bob_x86_facts *f)
{
	return f->direction ? f->direction : state;
}

/* Whether control goes to code where the flag must be clear. */
static bool leaves(const struct bob_mem_block *b, const struct bob_x86_facts *last)
{
	switch (last->flow) {
	case BOB_X86_BRANCHES:
		return b->next[0] == BOB_MEM_NONE || b->next[1] == BOB_MEM_NONE;
	case BOB_X86_JUMPS:
		return b->next[1] == BOB_MEM_NONE;
	case BOB_X86_FALLS:
		return b->next[0] == BOB_MEM_NONE;
	case BOB_X86_STOPS:
		return false;
	default:
		return true;
	}
}

static uint8_t state_after(const struct bob_mem_unit *u, const struct bob_mem_block *b)
{
	uint8_t state = b->direction;

	for (uint32_t i = 0; i < b->count; i++)
		state = after(state, &u->insns.at[b->first + i].f);
	return state;
}

static bool spread(struct bob_mem_unit *u)
{
	bool changed = false;

	for (size_t i = 0; i < u->blocks.count; i++) {
		const struct bob_mem_block *b = &u->blocks.at[i];
		uint8_t state = state_after(u, b);

		for (unsigned k = 0; k < 2; k++) {
			struct bob_mem_block *to;

			if (b->next[k] == BOB_MEM_NONE)
				continue;
			to = &u->blocks.at[b->next[k]];
			changed |= (state & ~to->direction) != 0;
			to->direction |= state;
		}
	}
	return changed;
}

static unsigned check(struct bob_mem_unit *u, const struct bob_mem_block *b)
{
	uint8_t state = b->direction;

	for (uint32_t i = b->first; i < b->first + b->count; i++) {
		struct bob_mem_insn *in = &u->insns.at[i];

		u->at = in->addr;
		in->backward = in->f.rep && state & BACK;
		if (in->backward && state & FORTH)
			return BOB_MEM_DIRECTION;
		state = after(state, &in->f);
	}
	return state & BACK && leaves(b, &u->insns.at[b->first + b->count - 1].f) ?
		       BOB_MEM_DIRECTION :
		       BOB_MEM_TAKEN;
}

unsigned bob_mem_find_direction(struct bob_mem_unit *u)
{
	unsigned why = BOB_MEM_TAKEN;
	bool any = false;

	for (size_t i = 0; i < u->insns.count; i++)
		/* popf alone is assumed to preserve it */
		any |= u->insns.at[i].f.direction == BACK;
	if (!any)
		return BOB_MEM_TAKEN;
	for (size_t i = 0; i < u->blocks.count; i++) {
		struct bob_mem_block *b = &u->blocks.at[i];

		b->direction = b->flags & BOB_MEM_LANDS || !b->preds ? FORTH : 0;
	}
	while (spread(u))
		;
	for (size_t i = 0; i < u->blocks.count && why == BOB_MEM_TAKEN; i++)
		why = check(u, &u->blocks.at[i]);
	if (why == BOB_MEM_TAKEN)
		u->at = 0;
	return why;
}
