/* SPDX-License-Identifier: BSD-3-Clause */
/* Liveness analysis of registers and flags: whether the program, or an unwinder (unwind.c), may
 * read them later. All registers are live where control leaves the unit, because calling
 * conventions are not always followed (-fipa-ra, hand-written code). Flags are assumed dead at
 * calls, returns and jumps to other functions. If any function of the image reads flags that it has
 * not set, they are live there in the whole image. */
#include "plan/mem/unit.h"

static uint32_t at_boundary(const struct bob_mem_unit *u)
{
	return BOB_X86_ALL_REGS | (u->flags_pass ? BOB_X86_TESTED_FLAGS : 0);
}

/* Live at a jump out of the unit: to a function, or to a place within other code. */
static uint32_t live_outside(const struct bob_mem_unit *u, uint64_t to)
{
	const struct bob_plan_code *c = bob_plan_code_at(u->img, to);

	if (!c || c->plt || bob_plan_func_at(u->img, to) != BOB_PLAN_NO_INDEX)
		return at_boundary(u);
	return BOB_X86_ALL_REGS | BOB_X86_TESTED_FLAGS;
}

/* Flags that an instruction of the unit reads, as opposed to those that unknown code might read. */
#define SEEN(set) (((set)&BOB_X86_TESTED_FLAGS) << 6)

static uint32_t through(uint32_t live, const struct bob_mem_insn *in)
{
	const struct bob_x86_facts *f = &in->f;

	return (live & ~(f->kills | SEEN(f->kills))) | f->reads | SEEN(f->reads) | in->unwinds;
}

static uint32_t live_in(const struct bob_mem_unit *u, const struct bob_mem_block *b)
{
	uint32_t live = b->live_out;

	for (uint32_t i = b->first + b->count; i-- > b->first;)
		live = through(live, &u->insns.at[i]);
	return live;
}

/* `landing`: the union of what is live at the landings, for jumps that may go to any of them. */
static uint32_t live_out(const struct bob_mem_unit *u, const struct bob_mem_block *b,
			 uint32_t landing)
{
	const struct bob_mem_insn *last = &u->insns.at[b->first + b->count - 1];
	uint64_t end = last->addr + last->f.len;
	uint32_t live = 0;

	switch (last->f.flow) {
	case BOB_X86_CALLS:
	case BOB_X86_CALLS_TO:
	case BOB_X86_RETURNS:
	case BOB_X86_STOPS:
		return at_boundary(u);
	case BOB_X86_JUMPS_TO:
		return at_boundary(u) | landing;
	default:
		break;
	}
	if (last->f.flow != BOB_X86_JUMPS)
		live |= b->next[0] != BOB_MEM_NONE ? u->blocks.at[b->next[0]].live_in :
						     live_outside(u, end);
	if (last->f.flow == BOB_X86_BRANCHES || last->f.flow == BOB_X86_JUMPS)
		live |= b->next[1] != BOB_MEM_NONE ? u->blocks.at[b->next[1]].live_in :
						     live_outside(u, last->f.target);
	return live;
}

static bool sweep(struct bob_mem_unit *u, uint32_t *landing)
{
	bool changed = false;

	for (size_t i = u->blocks.count; i-- > 0;) {
		struct bob_mem_block *b = &u->blocks.at[i];
		uint32_t in;

		b->live_out = live_out(u, b, *landing);
		in = live_in(u, b);
		if (in != b->live_in)
			changed = true;
		b->live_in = in;
		if (b->flags & BOB_MEM_LANDS)
			*landing |= in;
	}
	return changed;
}

/* A block after a call that is also jumped to, or reached through padding, follows a call that does
 * not return. */
static bool reads_foreign_flags(const struct bob_mem_unit *u, const struct bob_mem_block *b)
{
	if (!(b->live_in & SEEN(BOB_X86_ALL_FLAGS)))
		return false;
	return (b->flags & BOB_MEM_IS_ENTRY) ||
	       ((b->flags & BOB_MEM_AFTER_CALL) && b->preds == 0 && !u->insns.at[b->first].f.nop);
}

void bob_mem_find_live(struct bob_mem_unit *u, bool *passes)
{
	uint32_t landing = 0, before;

	for (size_t i = 0; i < u->blocks.count; i++)
		u->blocks.at[i].live_in = 0;
	do
		before = landing;
	while (sweep(u, &landing) || landing != before);
	for (size_t i = 0; i < u->blocks.count; i++) {
		struct bob_mem_block *b = &u->blocks.at[i];
		uint32_t live = b->live_out;

		for (uint32_t k = b->first + b->count; k-- > b->first;)
			u->insns.at[k].live = live = through(live, &u->insns.at[k]);
		if (reads_foreign_flags(u, b))
			*passes = true;
	}
}
