/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks rows of call frame information near an entry. Each row must follow from the previous one
 * and from the instructions in between: the stack grew by what was pushed. If it does not, control
 * enters there from elsewhere, and the address is treated as a branch target. */
#include "plan/arch/x86_64/length.h"
#include "plan/arch/x86_64/stack.h"
#include "plan/image.h"

/* Stack effects of the instructions since the previous row. */
struct walk {
	const uint8_t *bytes;
	uint64_t at;
	int64_t grown;		/* growth of the stack since the previous row */
	bool frame_set;		/* the last instruction set the frame pointer */
};

/* Advance to `to`. False: `to` is within an instruction, or an instruction cannot be decoded. */
static bool walk_to(struct walk *w, uint64_t to)
{
	while (w->at < to) {
		struct bob_x86_insn in;

		if (!bob_x86_decode(w->bytes, &in))
			return false;
		w->grown += bob_x86_stack_grows(w->bytes, in.len);
		w->frame_set = bob_x86_sets_frame(w->bytes, in.len);
		w->bytes += in.len;
		w->at += in.len;
	}
	return w->at == to;
}

static bool follows(const struct bob_plan_row *r, const struct bob_plan_row *before,
		    const struct walk *w)
{
	if (r->cfa_kind == before->cfa_kind && r->cfa_off == before->cfa_off &&
	    r->cfa_kind != BOB_CFA_RSP)
		return true;
	if (before->cfa_kind != BOB_CFA_RSP)
		return false;
	if (r->cfa_kind == BOB_CFA_UNKNOWN) /* vfork pops its return address */
		return before->cfa_off + w->grown == 0;
	if (before->cfa_off + w->grown != r->cfa_off)
		return false;
	return r->cfa_kind == BOB_CFA_RSP || (r->cfa_kind == BOB_CFA_RBP && w->frame_set);
}

bool bob_plan_row_enters(const struct bob_plan_image *img, const struct bob_plan_code *c,
			 uint64_t at, unsigned len)
{
	struct walk w = { .bytes = c->bytes + (at - c->lo), .at = at };
	uint32_t in = bob_plan_frame_at(img, at);
	const struct bob_plan_row *r, *end;
	const struct bob_plan_frame *f;

	if (in == BOB_PLAN_NO_INDEX)
		return false;
	f = &img->frames.at[in];
	r = &img->rows.at[f->row];
	end = r + f->row_count;
	while (r + 1 < end && r[1].start <= at - f->lo)
		r++;
	for (; r + 1 < end && r[1].start < at - f->lo + len; r++) {
		if (!walk_to(&w, f->lo + r[1].start) || !follows(&r[1], r, &w))
			return true;
		w.grown = 0;
	}
	return false;
}
