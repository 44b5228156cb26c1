/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables that reduce the caller-frame rule to a look-up. Two belong to the process and are filled
 * when call sites are first used. A word is written with one store and contains its own tag, so
 * threads share them without a lock: a race can only cause a miss.
 *
 *   sites   index = low 18 bits of the return address; word = return address << 16 | rule.
 *           Only for sites whose caller is hooked and whose frame rule is one addition: the
 *           caller's slot is entry rsp + 8 * rule, or rbp + 8 * (rule & 0x7fff) if bit 15 is
 *           set. Rule 0xffff: the caller is not hooked, see walks. Read by entry.S.
 *   steps   one unwinding step from any pc, hooked or not; read by frames.c.
 *
 * The third belongs to a thread:
 *
 *   walks   index = return address + rsp / 16. A walk over unrecorded frames (callbacks from a
 *           library, all callers under --filter) reads a dozen words of the stack. While these
 *           and the rest of struct bob_walk are unchanged, so is the frame that the walk finds.
 *           Written by frames.c, compared word by word by entry.S. */
#include "agent/agent.h"
#include "agent/os.h"

bool sites_create(void)
{
	struct bob_process *p = &bob_process;

	p->sites = os_map(BOB_SITES * sizeof(uint64_t));
	p->steps = os_map(BOB_STEPS * sizeof(uint64_t));
	p->generation = 1;
	return p->sites && p->steps;
}

/* To be called after an image was unloaded: other code may be loaded at its addresses. */
void sites_forget(void)
{
	os_drop_pages(bob_process.sites, BOB_SITES * sizeof(uint64_t));
	os_drop_pages(bob_process.steps, BOB_STEPS * sizeof(uint64_t));
	__atomic_add_fetch(&bob_process.generation, 1, __ATOMIC_SEQ_CST);
}

struct bob_walk *walk_begin(const struct bob_thread *t, uint64_t rsp, uint64_t ret, uint64_t rbp)
{
	const struct bob_stack *s = stack_now(t);
	struct bob_walk *k = thread_hot(t)->walks;

	k += (ret + (rsp >> 4)) & (BOB_WALKS - 1);
	k->rsp = 0;
	compiler_barrier(); /* a handler may leave by a jump at any time */
	k->generation = bob_process.generation;
	k->lo = s->lo;
	k->size = s->size;
	k->rbp = rbp;
	k->rbp_mask = 0;
	k->count = 0;
	walk_add(k, rsp, ret);
	return k;
}

bool walk_add(struct bob_walk *k, uint64_t addr, uint64_t value)
{
	if (k->count == BOB_WALK_WORDS - 1)
		return false;
	k->word[k->count].addr = addr;
	k->word[k->count++].value = value;
	return true;
}

void walk_end(struct bob_walk *k, uint64_t rsp, uint64_t slot)
{
	k->word[k->count].addr = 0;
	k->slot = slot;
	compiler_barrier();
	k->rsp = rsp;
}
