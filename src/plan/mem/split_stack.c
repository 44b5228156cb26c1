/* SPDX-License-Identifier: BSD-3-Clause */
/* Split stacks (gcc -fsplit-stack, LLVM's segmented stacks). A function whose frame may not fit
 * begins with
 *
 *	call __morestack
 *	ret
 *   body:	lea 24(%rbp), %r11	only if arguments are variadic
 *
 * __morestack calls its return address + 1, on a new stack, and returns to the `ret` when the body
 * has ended. So both are landings. Linkers may replace it by __morestack_non_split, which compares
 * the four bytes of the `lea` with the code at `body`: they stay in place, and the landing is after
 * them.
 *
 * Such a callee is recognised by its frame information, also in stripped images: the caller's
 * return address is its own, so the CFA at its first byte is rsp + 16. The large code model calls
 * through r11. */
#include <string.h>

#include "plan/mem/unit.h"

#define RET 0xc3

static const uint8_t variadic[] = { 0x4c, 0x8d, 0x5d, 0x18 };
static const uint8_t large_model[] = { 0x41, 0xff, 0xd3 }; /* call *%r11 */

static const uint8_t *bytes_of(const struct bob_mem_unit *u, const struct bob_mem_insn *in)
{
	const struct bob_mem_range *r = &u->ranges.at[in->range];

	return r->bytes + (in->addr - r->lo);
}

static bool skips_return(const struct bob_plan_image *img, uint64_t callee)
{
	uint32_t i = bob_plan_frame_at(img, callee);
	const struct bob_plan_frame *f = i < img->frames.count ? &img->frames.at[i] : NULL;
	const struct bob_plan_row *row = NULL;

	for (uint32_t k = 0; f && k < f->row_count; k++)
		if (img->rows.at[f->row + k].start <= callee - f->lo)
			row = &img->rows.at[f->row + k];
	return row && row->cfa_kind == BOB_CFA_RSP && row->cfa_off == 16;
}

uint32_t bob_mem_split_body(const struct bob_mem_unit *u, uint32_t call)
{
	const struct bob_mem_insn *in = &u->insns.at[call];
	bool splits;

	if (call + 2 >= u->insns.count || in[1].range != in->range || in[2].range != in->range ||
	    in[1].f.len != 1 || *bytes_of(u, &in[1]) != RET)
		return BOB_MEM_NONE;
	if (in->f.flow == BOB_X86_CALLS)
		splits = skips_return(u->img, in->f.target);
	else
		splits = in->f.flow == BOB_X86_CALLS_TO && in->f.len == sizeof(large_model) &&
			 !memcmp(bytes_of(u, in), large_model, sizeof(large_model));
	return splits ? call + 2 : BOB_MEM_NONE;
}

bool bob_mem_split_is_read(const struct bob_mem_unit *u, uint32_t body)
{
	const struct bob_mem_insn *in = &u->insns.at[body];

	return in->f.len == sizeof(variadic) && !memcmp(bytes_of(u, in), variadic, in->f.len) &&
	       body + 1 < u->insns.count && in[1].range == in->range;
}
