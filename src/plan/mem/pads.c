/* SPDX-License-Identifier: BSD-3-Clause */
/* Landing pads, from the exception table of a stretch of code (LSB 5 chapter 10.5, and the comments of GCC's
 * except.cc; the table is the language's own business, but all use this form). What is wrong ends the reading:
 * a pad that was missed is met as a trap. */
#include "plan/eh_bytes.h"
#include "plan/mem/unit.h"

#define TABLE_MAX (16u << 20)	/* of bytes from its start on */

void bob_mem_pads(const struct bob_plan_image *img, const struct bob_mem_range *r,
		  void (*pad)(void *ctx, uint64_t addr), void *ctx)
{
	struct bytes b = { .addr = r->lsda };
	uint64_t start = r->lo, len;
	unsigned enc;

	if (!r->lsda)
		return;
	for (size_t i = 0; i < img->segments.count; i++) {
		const struct bob_plan_segment *s = &img->segments.at[i];

		if (r->lsda - s->addr >= s->len)
			continue;
		b.base = b.p = s->bytes + (r->lsda - s->addr);
		b.end = s->bytes + s->len;
	}
	if (!b.p)
		return;
	if (b.end - b.p > TABLE_MAX)
		b.end = b.p + TABLE_MAX;
	enc = get_u8(&b);
	if (enc != DW_EH_PE_omit)
		start = get_address(&b, enc);
	if (get_u8(&b) != DW_EH_PE_omit)
		get_uleb(&b);
	enc = get_u8(&b);
	len = get_uleb(&b);
	if (b.bad || len > (uint64_t)(b.end - b.p))
		return;
	b.end = b.p + len;
	while (b.p < b.end) {
		uint64_t at;

		get_encoded(&b, enc);	/* the calls: where, and how many bytes */
		get_encoded(&b, enc);
		at = get_encoded(&b, enc);
		get_uleb(&b);
		if (b.bad)
			return;
		if (at)
			pad(ctx, start + at);
	}
}
