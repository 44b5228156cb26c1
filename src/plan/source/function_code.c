/* SPDX-License-Identifier: BSD-3-Clause */
/* Decodes the instructions of a function for flow.c, with the facts that DWARF and call frame
 * information have about registers. */
#include <string.h>

#include "base/order.h"
#include "plan/arch/x86_64/length.h"
#include "plan/mem/unit.h"
#include "plan/source/flow.h"

typedef struct bob_source_value value;

static int read_insn(struct bob_flow *w, uint64_t pc, uint64_t hi)
{
	const uint8_t *p = bob_plan_bytes_at(w->f->m->img, pc, 1);
	struct bob_flow_insn *in = &w->insn[w->count];
	struct bob_x86_insn len;

	if (!p || w->count == BOB_FLOW_INSNS_MAX)
		return 0;
	memset(in, 0, sizeof(*in));
	in->pc = pc;
	if (bob_x86_facts(p, hi - pc, pc, &in->facts) == BOB_MEM_TAKEN) {
		bob_x86_value(p, hi - pc, pc, &in->facts, &in->makes);
	} else {
		if (!bob_x86_decode(p, &len) || len.len > hi - pc)
			return 0;
		memset(&in->facts, 0, sizeof(in->facts));
		in->facts.len = len.len;
		in->makes = (struct bob_x86_value){ .others = BOB_X86_ALL_REGS };
	}
	w->count++;
	return in->facts.len;
}

BOB_COMPARE(by_lo, struct bob_source_range, BOB_UP(lo))

static void read_code(struct bob_flow *w)
{
	struct bob_source_ranges *r = &w->f->ranges;
	uint64_t pc = 0;

	qsort(r->at, r->count, sizeof(*r->at), by_lo);
	for (size_t i = 0; i < r->count; i++) {
		if (pc < r->at[i].lo)
			pc = r->at[i].lo;
		while (pc < r->at[i].hi) {
			int len = read_insn(w, pc, r->at[i].hi);

			if (!len) {
				w->incomplete = 1;
				break;
			}
			pc += (uint64_t)len;
		}
	}
}

static void mark_outside(struct bob_flow *w)
{
	const struct bob_plan_image *img = w->f->m->img;

	for (size_t i = 0; i < w->count; i++) {
		const struct bob_plan_code *c = bob_plan_code_at(img, w->insn[i].pc);

		if (c && bob_plan_bit(c->outside, w->insn[i].pc - c->lo))
			w->insn[i].outside = 1;
	}
}

/* If several variables are in one register, the innermost one wins; of these the first; a pointer
 * is preferred to a number. */
static void paint(struct bob_flow *w, const struct bob_source_fact *fact)
{
	for (size_t i = 0; i < w->count; i++) {
		struct bob_flow_insn *in = &w->insn[i];
		value *g = &in->given[fact->reg];

		if (in->pc < fact->lo || in->pc >= fact->hi)
			continue;
		if (g->kind == BOB_SOURCE_NOTHING_YET ||
		    (g->kind == BOB_SOURCE_NUMBER && fact->value.kind == BOB_SOURCE_TERM) ||
		    (g->kind == fact->value.kind && in->given_depth[fact->reg] < fact->depth)) {
			*g = fact->value;
			in->given_depth[fact->reg] = fact->depth;
		}
	}
}

/* Set the stack or frame pointer from call frame information. */
static void paint_frame(struct bob_flow *w, struct bob_flow_insn *in)
{
	const struct bob_plan_image *img = w->f->m->img;
	uint32_t number = bob_plan_frame_at(img, in->pc);
	const struct bob_plan_frame *f = number == BOB_PLAN_NO_INDEX ? NULL :
								       &img->frames.at[number];
	const struct bob_plan_row *row = NULL;

	for (uint32_t i = 0; f && i < f->row_count; i++)
		if (img->rows.at[f->row + i].start <= in->pc - f->lo)
			row = &img->rows.at[f->row + i];
	if (row && row->cfa_kind == BOB_CFA_RSP)
		in->given[BOB_X86_RSP] = (value){ .kind = BOB_SOURCE_FRAME, .off = -row->cfa_off };
	if (row && row->cfa_kind == BOB_CFA_RBP)
		in->given[BOB_X86_RBP] = (value){ .kind = BOB_SOURCE_FRAME, .off = -row->cfa_off };
}

void bob_flow_read(struct bob_flow *w)
{
	read_code(w);
	mark_outside(w);
	for (size_t i = 0; i < w->f->facts.count; i++)
		paint(w, &w->f->facts.at[i]);
	for (size_t i = 0; i < w->count; i++)
		paint_frame(w, &w->insn[i]);
}
