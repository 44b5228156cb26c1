/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads landing pads from exception tables: LSB 5 chapter 10.5, and the comments of GCC's
 * except.cc. */
#include <stdlib.h>

#include "base/order.h"
#include "plan/eh_bytes.h"
#include "plan/lsda.h"

#define TABLE_MAX (16u << 20)	/* bytes of one table */
#define TABLES_MIN (1u << 20)	/* ... of all tables, in a small file */

/* Bytes from `lsda` to the end of its segment; b->p is NULL if it is in no segment. */
static struct bytes open_table(const struct bob_plan_image *img, uint64_t lsda)
{
	struct bytes b = { .addr = lsda };

	for (size_t i = 0; i < img->segments.count; i++) {
		const struct bob_plan_segment *s = &img->segments.at[i];

		if (lsda - s->addr >= s->len)
			continue;
		b.base = b.p = s->bytes + (lsda - s->addr);
		b.end = s->bytes + s->len;
	}
	if (b.p && b.end - b.p > TABLE_MAX)
		b.end = b.p + TABLE_MAX;
	return b;
}

struct reading {
	struct bob_plan_image *img;
	uint64_t left;		/* remaining bytes: many frames may refer to the same table */
	bob_status st;
};

static void add_pad(struct reading *r, uint64_t addr, uint64_t lo, uint64_t len)
{
	uint64_t *slot = BOB_VEC_PUSH(&r->img->entries);
	struct bob_plan_guarded *guarded = BOB_VEC_PUSH(&r->img->guards);

	if (!slot || !guarded) {
		r->st = BOB_ERR_NOMEM;
		return;
	}
	*slot = addr;
	*guarded = (struct bob_plan_guarded){ .lo = lo, .hi = lo + len };
}

/* False: the table is invalid, or a pad is not in code. Previous pads are kept. */
static bool read_table(struct reading *r, uint64_t lsda, uint64_t start)
{
	struct bytes b = open_table(r->img, lsda);
	uint64_t len, pads = start;
	unsigned enc;

	if (!b.p)
		return false;
	enc = get_u8(&b);
	if (enc != DW_EH_PE_omit)
		pads = get_address(&b, enc);
	if (get_u8(&b) != DW_EH_PE_omit)
		get_uleb(&b);
	enc = get_u8(&b);
	len = get_uleb(&b);
	if (b.bad || len > (uint64_t)(b.end - b.p) || len > r->left)
		return false;
	r->left -= len;
	b.end = b.p + len;
	while (b.p < b.end && r->st == BOB_OK) {
		uint64_t lo = get_encoded(&b, enc), bytes = get_encoded(&b, enc);
		uint64_t at = get_encoded(&b, enc);

		get_uleb(&b);
		if (b.bad || (at && !bob_plan_code_at(r->img, pads + at)))
			return false;
		if (at)
			add_pad(r, pads + at, start + lo, bytes);
	}
	return true;
}

BOB_COMPARE(by_lo, struct bob_plan_guarded, BOB_UP(lo))

bob_status bob_plan_find_pads(struct bob_plan_image *img)
{
	struct reading r = { .img = img, .left = TABLES_MIN };

	for (size_t i = 0; i < img->segments.count; i++)
		r.left += img->segments.at[i].len;
	for (size_t i = 0; i < img->frames.count && r.st == BOB_OK; i++) {
		struct bob_plan_frame *f = &img->frames.at[i];

		if (f->lsda && !f->untold && !read_table(&r, f->lsda, f->lo))
			f->untold = true;
	}
	if (img->guards.count)
		qsort(img->guards.at, img->guards.count, sizeof(img->guards.at[0]), by_lo);
	return r.st;
}

/* A pad at the start of a range would have offset 0, which means that there is none. So compilers
 * emit a nop before it. */
void bob_plan_find_landing_frames(struct bob_plan_image *img)
{
	for (size_t i = 0; i < img->entries.count; i++) {
		const uint64_t pad = img->entries.at[i];
		uint32_t in = bob_plan_frame_at(img, pad);
		struct bob_plan_frame *f;
		const uint8_t *p;

		if (in == BOB_PLAN_NO_INDEX)
			continue;
		f = &img->frames.at[in];
		p = pad - f->lo <= 1 ? bob_plan_bytes_at(img, f->lo, 1) : NULL;
		if (p && (pad == f->lo || *p == 0x90))
			f->lands = true;
	}
}
