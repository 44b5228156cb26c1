/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads .eh_frame: its entries, and for each of them the rows that locate the caller's frame
 * (cfi.h). The bytes are untrusted: an invalid entry ends the reading, previous ones are kept. LSB
 * 5 chapter 10.6. */
#define _GNU_SOURCE
#include <dwarf.h>
#include <string.h>

#include "base/order.h"
#include "plan/cfi.h"
#include "plan/image.h"
#include "plan/lsda.h"

#define CIE_SLOTS 16

static void read_personality(struct bytes *b, struct cie *c)
{
	unsigned enc = get_u8(b);

	c->personality = get_address(b, enc & ~(unsigned)DW_EH_PE_indirect);
	c->indirect = enc & DW_EH_PE_indirect;
	c->has_personality = true;
}

static void read_augmentation(struct bytes *b, struct cie *c, const char *s)
{
	uint64_t len = get_uleb(b);
	struct bytes data = *b;

	skip(b, len);
	if (b->bad)
		return;
	data.end = b->p;
	for (; *s; s++) {
		switch (*s) {
		case 'R':
			c->encoding = get_u8(&data);
			break;
		case 'P':
			read_personality(&data, c);
			break;
		case 'L':
			c->lsda_encoding = get_u8(&data);
			break;
		case 'S':
			c->signal = true;
			break;
		case 'B':
			break;
		default:
			c->valid = false;
		}
	}
	if (data.bad)
		c->valid = false;
}

/* `b` is the contents of the CIE after its id. */
static void read_cie(struct bytes *b, struct cie *c)
{
	const char *aug;
	unsigned version = get_u8(b);

	memset(c, 0, sizeof(*c));
	c->valid = true;
	c->lsda_encoding = DW_EH_PE_omit;
	aug = (const char *)b->p;
	while (get_u8(b) != 0)
		;
	if (version == 4)
		skip(b, 2);
	c->code_align = get_uleb(b);
	c->data_align = get_sleb(b);
	c->ra = version == 1 ? get_u8(b) : get_uleb(b);
	if (b->bad || (version != 1 && version != 3 && version != 4)) {
		c->valid = false;
		return;
	}
	if (*aug == 'z') {
		c->augmented = true;
		read_augmentation(b, c, aug + 1);
	} else if (*aug) {
		c->valid = false;
	}
	if (b->bad)
		c->valid = false;
	c->init = *b;
}

/* Read the augmentation data of an FDE. Returns the address of its exception table; 0: none.
 * *untold: the address of the table cannot be read. Without a personality routine, tables are not
 * used. */
static uint64_t read_lsda(struct bytes *b, const struct cie *c, bool *untold)
{
	uint64_t len = get_uleb(b);
	struct bytes data = *b, raw;
	uint64_t at;

	skip(b, len);
	if (b->bad || c->lsda_encoding == DW_EH_PE_omit || !c->has_personality)
		return 0;
	data.end = b->p;
	raw = data;
	if (get_encoded(&raw, c->lsda_encoding) == 0 && !raw.bad)
		return 0;
	at = get_address(&data, c->lsda_encoding);
	*untold = data.bad;
	return data.bad ? 0 : at;
}

static bob_status read_fde(struct bob_plan_image *img, struct bytes *b, const struct cie *c)
{
	const size_t first_row = img->rows.count;
	struct bob_plan_frame *f;
	const struct bob_plan_row *first;
	uint64_t lo, hi, lsda = 0;
	bool no_caller, untold = false;
	bob_status st;

	lo = get_address(b, c->encoding);
	hi = lo + get_encoded(b, c->encoding & 0x0f);
	if (c->augmented)
		lsda = read_lsda(b, c, &untold);
	if (b->bad || hi <= lo || hi - lo > UINT32_MAX || !bob_plan_code_at(img, lo) ||
	    bob_plan_code_at(img, lo)->hi < hi) {
		img->frames_broken |= b->bad || lsda || untold;
		return BOB_OK;
	}
	st = bob_plan_cfi_rows(&img->rows, c, lo, hi, *b, &no_caller);
	if (st != BOB_OK || img->rows.count == first_row) {
		/* an invalid DW_CFA_set_loc may precede the first row */
		img->frames_broken = true;
		return st;
	}
	f = BOB_VEC_PUSH(&img->frames);
	if (!f || img->rows.count > UINT32_MAX)
		return BOB_ERR_NOMEM;
	first = &img->rows.at[first_row];
	f->lo = lo;
	f->hi = hi;
	f->row = (uint32_t)first_row;
	f->row_count = (uint32_t)(img->rows.count - first_row);
	f->owner = f->jumped_by = BOB_PLAN_NO_INDEX;
	f->signal = c->signal;
	f->cold = !(first->cfa_kind == BOB_CFA_RSP && first->cfa_off == 8);
	f->no_caller = no_caller;
	f->lsda = lsda;
	f->untold = untold ||
		    (lsda && !bob_plan_knows_personality(img, c->personality, c->indirect));
	return BOB_OK;
}

BOB_COMPARE(by_start, struct bob_plan_frame, BOB_UP(lo))

/* Sort the frames. Where two overlap, the earlier one is cut off at the start of the later one. */
static bob_status order_frames(struct bob_plan_image *img)
{
	struct bob_plan_frames *fs = &img->frames;
	struct bob_plan_rows sorted = { 0 };
	size_t n = 0;

	if (fs->count == 0)
		return BOB_OK;
	qsort(fs->at, fs->count, sizeof(fs->at[0]), by_start);
	if (BOB_VEC_RESERVE(&sorted, img->rows.count) != 0)
		return BOB_ERR_NOMEM;
	for (size_t i = 0; i < fs->count; i++) {
		struct bob_plan_frame *f = &fs->at[i];
		uint32_t row = (uint32_t)sorted.count;

		if (i + 1 < fs->count && fs->at[i + 1].lo == f->lo) {
			fs->at[i + 1].untold |= f->untold;
			continue;
		}
		if (i + 1 < fs->count && fs->at[i + 1].lo < f->hi)
			f->hi = fs->at[i + 1].lo;
		for (uint32_t r = 0; r < f->row_count; r++) {
			if (img->rows.at[f->row + r].start >= f->hi - f->lo)
				break;
			sorted.at[sorted.count++] = img->rows.at[f->row + r];
		}
		f->row = row;
		f->row_count = (uint32_t)sorted.count - row;
		fs->at[n++] = *f;
	}
	fs->count = n;
	free(img->rows.at);
	img->rows = sorted;
	return BOB_OK;
}

/* --- signal returns without call frame information --- */

/* mov $15,%rax or %eax; syscall: a signal restorer as in musl and Go. Unwinders recognise it by
 * these bytes, too. */
#define RESTORER_LEN 7u
static const char restorers[][10] = {
	"\x48\xc7\xc0\x0f\0\0\0\x0f\x05",
	"\xb8\x0f\0\0\0\x0f\x05",
};

static bob_status find_restorers(const struct bob_plan_image *img, const char *bytes, size_t len,
				 struct bob_plan_u64s *found)
{
	for (size_t i = 0; i < img->codes.count; i++) {
		const struct bob_plan_code *c = &img->codes.at[i];
		const uint8_t *end = c->bytes + (c->hi - c->lo), *at = c->bytes;

		while ((at = memmem(at, (size_t)(end - at), bytes, len))) {
			const uint64_t addr = c->lo + (uint64_t)(at++ - c->bytes);
			uint64_t *to;

			if (bob_plan_frame_at(img, addr) != BOB_PLAN_NO_INDEX)
				continue;
			to = BOB_VEC_PUSH(found);
			if (!to)
				return BOB_ERR_NOMEM;
			*to = addr;
		}
	}
	return BOB_OK;
}

static bob_status add_restorer(struct bob_plan_image *img, uint64_t lo)
{
	const uint32_t row = (uint32_t)img->rows.count;
	struct bob_plan_row *r = BOB_VEC_PUSH(&img->rows);
	struct bob_plan_frame *f = BOB_VEC_PUSH(&img->frames);

	if (!r || !f)
		return BOB_ERR_NOMEM;
	r->cfa_kind = BOB_CFA_UNKNOWN; /* the kernel made the frame: no row is needed */
	*f = (struct bob_plan_frame){ .lo = lo, .hi = lo + RESTORER_LEN, .row = row, .row_count = 1,
				      .owner = BOB_PLAN_NO_INDEX, .signal = true,
				      .jumped_by = BOB_PLAN_NO_INDEX };
	return BOB_OK;
}

static bob_status add_restorers(struct bob_plan_image *img)
{
	struct bob_plan_u64s found = { 0 };
	bob_status st = find_restorers(img, restorers[0], RESTORER_LEN + 2, &found);

	if (st == BOB_OK)
		st = find_restorers(img, restorers[1], RESTORER_LEN, &found);
	for (size_t i = 0; i < found.count && st == BOB_OK; i++)
		st = add_restorer(img, found.at[i]);
	if (found.count && st == BOB_OK)
		st = order_frames(img);
	free(found.at);
	return st;
}

/* The CIE at `at`, cached in a few slots. NULL if it is not usable. */
static const struct cie *find_cie(struct cie *slots, const struct bytes *all, const uint8_t *at)
{
	struct cie *c = &slots[((uintptr_t)at >> 3) % CIE_SLOTS];
	struct bytes b = *all;
	uint64_t len;

	if (c->at == at)
		return c->valid ? c : NULL;
	b.p = at;
	len = get_fixed(&b, 4);
	if (b.bad || len == UINT32_MAX || len < 4 || len > (uint64_t)(b.end - b.p))
		return NULL;
	b.end = b.p + len;
	if (get_fixed(&b, 4) != 0)
		return NULL;
	read_cie(&b, c);
	c->at = at;
	return c->valid ? c : NULL;
}

static bob_status read_eh_frame(struct bob_plan_image *img)
{
	struct cie slots[CIE_SLOTS] = { 0 };
	struct bytes all = { .addr = img->frame_addr };
	bob_status st = BOB_OK;

	all.base = all.p = bob_plan_bytes_at(img, img->frame_addr, img->frame_len);
	if (!all.base) {
		img->frames_broken = img->frame_len != 0;
		return BOB_OK;
	}
	all.end = all.base + img->frame_len;
	while (st == BOB_OK && all.end - all.p > 8) {
		struct bytes b;
		uint64_t len = get_fixed(&all, 4), id;
		const uint8_t *id_at = all.p;

		/* no toolchain emits the 64-bit form in .eh_frame */
		if (len == UINT32_MAX || len > (uint64_t)(all.end - all.p))
			break;
		if (len < 4)
			continue;
		b = all;
		b.end = b.p + len;
		all.p = b.end;
		id = get_fixed(&b, 4);
		if (id != 0 && id <= (uint64_t)(id_at - all.base)) {
			struct bytes whole = all;
			const struct cie *c;

			whole.p = all.base;
			c = find_cie(slots, &whole, id_at - id);
			if (c)
				st = read_fde(img, &b, c);
			else
				img->frames_broken = true;
		}
	}
	img->frames_broken |= st == BOB_OK && all.end - all.p > 8;
	if (st == BOB_OK)
		st = bob_plan_find_pads(img);
	if (st == BOB_OK)
		st = order_frames(img);
	if (st == BOB_OK)
		bob_plan_find_landing_frames(img);
	return st;
}

bob_status bob_plan_read_frames(struct bob_plan_image *img)
{
	bob_status st = read_eh_frame(img);

	return st == BOB_OK ? add_restorers(img) : st;
}
