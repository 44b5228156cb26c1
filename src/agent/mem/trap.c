/* SPDX-License-Identifier: BSD-3-Clause */
/* Traps in translated functions. All original bytes that are neither a call nor the jump of a
 * landing are traps. A landing that is too short for a jump is a trap on purpose; any other trap
 * reveals an entry that the planner did not know. */
#include "agent/mem/mem.h"
#include "base/search.h"

static const struct bob_mem_patch *patch_at(const struct bob_mem_plan_head *plan, uint64_t addr)
{
	const struct bob_mem_patch *p = bob_plan_section(plan, &plan->patches);
	size_t lo;

	/* the last one that begins at or before it */
	BOB_PARTITION_POINT(lo, plan->patches.len / sizeof(*p), mid, p[mid].addr <= addr);
	return lo && addr - p[lo - 1].addr < p[lo - 1].len ? &p[lo - 1] : NULL;
}

static const struct bob_mem_stop *stop_at(const struct bob_mem_plan_head *plan, uint64_t addr)
{
	const struct bob_mem_stop *s = bob_plan_section(plan, &plan->stops);
	size_t lo;

	BOB_PARTITION_POINT(lo, plan->stops.len / sizeof(*s), mid, s[mid].orig < addr);
	return lo < plan->stops.len / sizeof(*s) && s[lo].orig == addr ? &s[lo] : NULL;
}

bool mem_trapped(uint64_t *rip)
{
	uint64_t at = *rip - 1;
	struct bob_image *im = image_at(at);
	const struct bob_mem_image *m = im ? im->mem : NULL;
	const struct bob_mem_patch *p;
	const struct bob_mem_stop *s;
	bool done;

	if (!m || at - im->lo >= im->hi - im->lo)
		return false;
	p = patch_at(m->plan, at - im->bias);
	if (!p)
		return false;
	*rip = at;
	/* restored meanwhile: execute it again. The program's own traps are forwarded */
	if (m->out[p->func])
		return m->text[p->text + (at - im->bias - p->addr)] != BOB_MEM_INT3;
	s = stop_at(m->plan, at - im->bias);
	if (s) {
		*rip = m->arena + BOB_PLAN_HANDLER_BYTES + s->code;
		return true;
	}
	lock_process();
	done = mem_restore(im, p->func);
	unlock_process();
	return done; /* if not restored, the program ends by this trap */
}
