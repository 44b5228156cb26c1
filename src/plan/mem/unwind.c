/* SPDX-License-Identifier: BSD-3-Clause */
/* Registers that an unwinder reads while an instruction runs. A fault, a signal or an asynchronous
 * cancellation may start an unwinder at any instruction. It finds the frame through the register
 * that call frame information names, and it passes callee-saved registers to a landing pad of the
 * same function (-fnon-call-exceptions). The program itself may never read these values again, so
 * liveness by control flow alone would treat the registers as dead. */
#include "base/search.h"
#include "plan/mem/unit.h"

#define CALLEE_SAVED (1u << BOB_X86_RBX | 1u << BOB_X86_RBP | 0xf000u) /* r12 to r15 */

static uint32_t frame_register(const struct bob_plan_row *r)
{
	switch (r->cfa_kind) {
	case BOB_CFA_RBP:
	case BOB_CFA_RBP_DEREF:
		return 1u << BOB_X86_RBP;
	case BOB_CFA_RBX:
		return 1u << BOB_X86_RBX;
	default:
		return 0;
	}
}

static void mark_frames(struct bob_mem_unit *u)
{
	const struct bob_plan_image *img = u->img;
	const struct bob_plan_frame *f = NULL;
	const struct bob_plan_row *r = NULL, *end = NULL;

	for (size_t i = 0; i < u->insns.count; i++) {
		struct bob_mem_insn *in = &u->insns.at[i];

		in->unwinds = 0;
		if (!f || in->addr < f->lo || in->addr >= f->hi) {
			uint32_t at = bob_plan_frame_at(img, in->addr);

			f = at == BOB_PLAN_NO_INDEX ? NULL : &img->frames.at[at];
			if (!f)
				continue;
			r = &img->rows.at[f->row];
			end = r + f->row_count;
		}
		while (r + 1 < end && r[1].start <= in->addr - f->lo)
			r++;
		if (r < end)
			in->unwinds = frame_register(r);
	}
}

static size_t first_guard(const struct bob_plan_guards *g, uint64_t addr)
{
	size_t lo;

	BOB_PARTITION_POINT(lo, g->count, mid, g->at[mid].lo < addr);
	return lo;
}

static void mark_guarded(struct bob_mem_unit *u)
{
	const struct bob_plan_guards *g = &u->img->guards;

	for (size_t k = 0; k < u->ranges.count; k++) {
		const struct bob_mem_range *r = &u->ranges.at[k];

		for (size_t n = first_guard(g, r->lo); n < g->count && g->at[n].lo < r->hi; n++) {
			size_t i = bob_mem_insn_from(u, g->at[n].lo);

			for (; i < u->insns.count && u->insns.at[i].addr < g->at[n].hi; i++)
				u->insns.at[i].unwinds |= CALLEE_SAVED;
		}
	}
}

void bob_mem_find_unwinds(struct bob_mem_unit *u)
{
	mark_frames(u);
	mark_guarded(u);
}
