/* SPDX-License-Identifier: BSD-3-Clause */
/* Traps in translated functions. All original bytes that are neither a call nor the jump of a
 * landing are traps. A landing that is too short for a jump is a trap on purpose; any other trap
 * reveals an entry that the planner did not know. */
#include "agent/mem/mem.h"

static const struct bob_mem_patch *patch_at(const struct bob_mem_plan_head *plan, uint64_t addr)
{
	const struct bob_mem_patch *p = mem_section(plan, &plan->patches);
	uint64_t lo = 0, hi = plan->patches.len / sizeof(*p);

	while (lo < hi) { /* binary search for the last one that begins at or before it */
		uint64_t mid = lo + (hi - lo) / 2;

		if (p[mid].addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo && addr - p[lo - 1].addr < p[lo - 1].len ? &p[lo - 1] : NULL;
}

static const struct bob_mem_stop *stop_at(const struct bob_mem_plan_head *plan, uint64_t addr)
{
	const struct bob_mem_stop *s = mem_section(plan, &plan->stops);
	uint64_t lo = 0, hi = plan->stops.len / sizeof(*s);

	while (lo < hi) {
		uint64_t mid = lo + (hi - lo) / 2;

		if (s[mid].orig < addr)
			lo = mid + 1;
		else
			hi = mid;
	}
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
