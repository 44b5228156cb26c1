/* SPDX-License-Identifier: BSD-3-Clause */
/* Two direct-mapped tables for the whole process, filled as call sites are met. A word is written
 * with one store and checks itself, so threads share them without a lock: the worst a race can do
 * is a miss.
 *
 *   sites   index = low 18 bits of the return address; word = return address << 16 | rule.
 *           Only for sites whose caller is hooked and whose frame rule is one addition: the caller's
 *           slot is entry rsp + 8 * rule, or rbp + 8 * (rule & 0x7fff) if bit 15 is set.
 *           Read by entry.S.
 *   steps   one unwinding step from any pc, hooked or not; read by frames.c. */
#include "agent/agent.h"
#include "agent/os.h"

bool sites_create(void)
{
	struct bob_process *p = &bob_process;

	p->sites = os_map(BOB_SITES * sizeof(uint64_t));
	p->steps = os_map(BOB_STEPS * sizeof(uint64_t));
	return p->sites && p->steps;
}

/* After an image went away: its addresses may come back as other code. */
void sites_forget(void)
{
	os_drop_pages(bob_process.sites, BOB_SITES * sizeof(uint64_t));
	os_drop_pages(bob_process.steps, BOB_STEPS * sizeof(uint64_t));
}
