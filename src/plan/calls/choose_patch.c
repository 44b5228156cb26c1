/* SPDX-License-Identifier: BSD-3-Clause */
/* Selects how each function is hooked, and proves that the patch is safe. A patch is made only
 * if
 *   1. no overwritten byte except the first is a branch target, a label in a table or a pointer in
 *   data;
 *   2. the overwritten instructions can be relocated (arch/x86_64/move.c);
 *   3. overwritten bytes beyond the end of the function are padding that never runs;
 *   4. no other patch and no run time (rewritten_sites.c) uses the same bytes;
 *   5. call frame information within follows from the preceding instructions (frame_row.c).
 * There are two passes. The first patches functions with a plain jump. The second patches those
 * that need a padding hole (too short, a branch into the bytes, or a call among them); it must not
 * take the padding of a short function that needs it for its own plain jump. */
#include <string.h>

#include "base/search.h"
#include "plan/arch/x86_64/move.h"
#include "plan/image.h"

#define JMP_LEN 5u
#define SHORT_LEN 2u		/* of the jmp rel8 into a hole */
#define TRAMP_ALIGN 16u

/* Reach of the jmp rel8, relative to its own start. */
#define HOLE_BACK 126u
#define HOLE_AHEAD 129u

struct site {
	struct bob_plan_candidate *f;
	uint32_t index;
	const struct bob_plan_code *code;
	uint64_t at;		/* patch address */
	const uint8_t *bytes;
	uint64_t avail;		/* bytes of the function from `at` to its end */
};

static bool any_bit(const uint64_t *map, uint64_t from, uint64_t to)
{
	for (; from < to; from++)
		if (bob_plan_bit(map, from))
			return true;
	return false;
}

static bool is_free(const struct site *s, uint64_t at, unsigned len)
{
	uint64_t off = at - s->code->lo;

	return at >= s->code->lo && len <= s->code->hi - at &&
	       !any_bit(s->code->taken, off, off + len) && !any_bit(s->code->fixed, off, off + len);
}

static void take(const struct site *s, uint64_t at, unsigned len)
{
	for (unsigned i = 0; i < len; i++)
		bob_plan_set_bit(s->code->taken, at - s->code->lo + i);
}

/* Whether control may enter [at + 1, at + len) other than from the preceding instruction. */
static bool entered_inside(const struct site *s, uint64_t at, unsigned len)
{
	uint64_t off = at - s->code->lo;

	return any_bit(s->code->target, off + 1, off + len);
}

/* Index of the first hole that ends after `at`. */
static size_t hole_from(const struct bob_plan_image *img, uint64_t at)
{
	size_t lo;

	BOB_PARTITION_POINT(lo, img->holes.count, mid, img->holes.at[mid].hi <= at);
	return lo;
}

static bool in_hole(const struct bob_plan_image *img, uint64_t lo, uint64_t hi)
{
	size_t i = hole_from(img, lo);

	return i < img->holes.count && img->holes.at[i].lo <= lo && hi <= img->holes.at[i].hi;
}

/* Find five free bytes of padding within reach of a 2-byte jump at s->at; 0 if there are none. */
static uint64_t find_hole(const struct bob_plan_image *img, const struct site *s)
{
	uint64_t lo = s->at > HOLE_BACK ? s->at - HOLE_BACK : 0, hi = s->at + HOLE_AHEAD;

	for (size_t i = hole_from(img, lo); i < img->holes.count && img->holes.at[i].lo <= hi;
	     i++) {
		const struct bob_plan_hole *h = &img->holes.at[i];
		uint64_t at = h->lo > lo ? h->lo : lo;

		for (; at + JMP_LEN <= h->hi && at <= hi; at++)
			if (is_free(s, at, JMP_LEN) && !entered_inside(s, at - 1, JMP_LEN + 1))
				return at;
	}
	return 0;
}

static uint32_t pack_starts(const struct bob_x86_body *b)
{
	uint32_t moved = b->calls ? BOB_PLAN_MOVED_CALL : 0;

	for (unsigned k = 1; k < BOB_X86_BODY_STARTS; k++)
		moved |= (uint32_t)b->start[k] << BOB_PLAN_MOVED_BITS * (k - 1);
	return moved;
}

static bob_status emit(struct bob_plan_image *img, const struct site *s,
		       const struct bob_x86_body *b)
{
	static const uint8_t head[15] = { 0x48, 0x89, 0x44, 0x24, 0xf0, 0xb8, 0, 0, 0, 0, 0xe8 };
	struct bob_plan_func *out = &s->f->out;
	size_t at = (img->blob.count + TRAMP_ALIGN - 1) & ~(size_t)(TRAMP_ALIGN - 1);
	size_t len = sizeof(head) + b->len + (b->ends ? 0 : JMP_LEN);
	uint8_t *p;
	int32_t rel;

	if (at + len > INT32_MAX / 2)
		return BOB_ERR_FULL;
	if (BOB_VEC_RESERVE(&img->blob, at - img->blob.count + len) != 0 ||
	    BOB_VEC_RESERVE(&img->relocs, b->fields + 1) != 0)
		return BOB_ERR_NOMEM;
	memset(img->blob.at + img->blob.count, 0xcc, at - img->blob.count);
	img->blob.count = at + len;
	p = img->blob.at + at;
	memcpy(p, head, sizeof(head));
	memcpy(p + BOB_PLAN_TRAMP_ID, &s->index, 4);
	rel = -(int32_t)(BOB_PLAN_HANDLER_BYTES + at + sizeof(head));
	memcpy(p + BOB_PLAN_TRAMP_CALL, &rel, 4);
	memcpy(p + sizeof(head), b->bytes, b->len);
	for (unsigned i = 0; i < b->fields; i++) {
		size_t body = at + sizeof(head);

		rel = (int32_t)(b->target[i] - (BOB_PLAN_HANDLER_BYTES + body + b->base[i]));
		memcpy(img->blob.at + body + b->field[i], &rel, 4);
		img->relocs.at[img->relocs.count++] = (uint32_t)(body + b->field[i]);
	}
	if (!b->ends) {
		p += len - JMP_LEN;
		*p = 0xe9;
		rel = (int32_t)(s->at + b->taken - (BOB_PLAN_HANDLER_BYTES + at + len));
		memcpy(p + 1, &rel, 4);
		img->relocs.at[img->relocs.count++] = (uint32_t)(at + len - 4);
	}
	out->tramp = (uint32_t)at;
	out->tramp_len = (uint32_t)len;
	out->body = sizeof(head);
	out->displaced_len = (uint8_t)b->taken;
	out->moved = pack_starts(b);
	img->stats.displaced_calls += b->calls;
	return BOB_OK;
}

static void expect(struct site *s, unsigned overwritten, unsigned taken)
{
	struct bob_plan_func *out = &s->f->out;
	unsigned len = taken > overwritten ? taken : overwritten;

	out->expect_len = (uint8_t)(len < sizeof(out->expect) ? len : sizeof(out->expect));
	memcpy(out->expect, s->bytes, out->expect_len);
}

static bob_status patch_jmp(struct bob_plan_image *img, struct site *s,
			    const struct bob_x86_body *b)
{
	s->f->out.kind = BOB_PATCH_JMP;
	s->f->skip = BOB_SKIP_NONE;
	expect(s, JMP_LEN, b->taken);
	take(s, s->at, JMP_LEN);
	return emit(img, s, b);
}

/* Check a plain jump. Returns BOB_SKIP_NONE and fills *b, or returns the reason against it. */
static unsigned try_jmp(const struct bob_plan_image *img, const struct site *s,
			struct bob_x86_body *b)
{
	unsigned skip = bob_x86_move(s->bytes, s->avail, s->at, JMP_LEN, b);

	if (skip != BOB_SKIP_NONE)
		return skip;
	if (JMP_LEN > s->code->hi - s->at)
		return BOB_SKIP_SHORT;
	if (any_bit(s->code->fixed, s->at - s->code->lo, s->at - s->code->lo + b->taken))
		return BOB_SKIP_SITE;
	if (entered_inside(s, s->at, JMP_LEN) || bob_plan_row_enters(img, s->code, s->at, JMP_LEN))
		return BOB_SKIP_BRANCH;
	if (b->taken < JMP_LEN && !in_hole(img, s->at + b->taken, s->at + JMP_LEN))
		return BOB_SKIP_SHORT;
	return is_free(s, s->at, JMP_LEN) ? BOB_SKIP_NONE : BOB_SKIP_SHORT;
}

/* Patch a 2-byte jump into padding, and the 5-byte jump there. BOB_NONE if that is impossible. */
static bob_status try_hole(struct bob_plan_image *img, struct site *s)
{
	struct bob_plan_func *out = &s->f->out;
	struct bob_x86_body b;
	uint64_t hole;

	if (bob_x86_move(s->bytes, s->avail, s->at, SHORT_LEN, &b) != BOB_SKIP_NONE || b.calls ||
	    s->code->hi - s->at < SHORT_LEN || entered_inside(s, s->at, SHORT_LEN) ||
	    (b.taken < SHORT_LEN && !in_hole(img, s->at + b.taken, s->at + SHORT_LEN)) ||
	    !is_free(s, s->at, SHORT_LEN) || bob_plan_row_enters(img, s->code, s->at, SHORT_LEN))
		return BOB_NONE;
	take(s, s->at, SHORT_LEN);
	hole = find_hole(img, s);
	if (hole == 0) {
		for (unsigned i = 0; i < SHORT_LEN; i++) {
			uint64_t bit = s->at - s->code->lo + i;

			s->code->taken[bit / 64] &= ~(1ull << bit % 64);
		}
		return BOB_NONE;
	}
	take(s, hole, JMP_LEN);
	out->kind = BOB_PATCH_HOLE;
	out->hole_delta = (int16_t)(hole - s->at);
	memcpy(out->expect_hole, s->code->bytes + (hole - s->code->lo), JMP_LEN);
	s->f->skip = BOB_SKIP_NONE;
	expect(s, SHORT_LEN, b.taken);
	img->stats.holes++;
	return emit(img, s, &b);
}

static struct site make_site(struct bob_plan_image *img, size_t i)
{
	struct bob_plan_candidate *f = &img->funcs.at[i];
	struct site s = {
		.f = f, .index = (uint32_t)i, .code = &img->codes.at[f->code], .at = f->addr
	};
	uint64_t end = f->end;

	if (end == f->addr) {
		end = s.code->hi;
		if (i + 1 < img->funcs.count && img->funcs.at[i + 1].addr < end)
			end = img->funcs.at[i + 1].addr;
	}
	s.at = bob_plan_body(s.code, f->addr, end);
	f->out.patch_delta = (uint8_t)(s.at - f->addr);
	s.bytes = s.code->bytes + (s.at - s.code->lo);
	s.avail = end - s.at;
	return s;
}

static bob_status first_pass(struct bob_plan_image *img, size_t i)
{
	struct bob_plan_candidate *f = &img->funcs.at[i];
	struct bob_x86_body b;
	struct site s;

	f->out.kind = BOB_PATCH_NONE;
	if (f->skip != BOB_SKIP_NONE)
		return BOB_OK;
	s = make_site(img, i);
	f->skip = (uint8_t)try_jmp(img, &s, &b);
	if (f->skip == BOB_SKIP_NONE && !b.calls)
		return patch_jmp(img, &s, &b);
	return BOB_OK;
}

static bob_status second_pass(struct bob_plan_image *img, size_t i)
{
	struct bob_plan_candidate *f = &img->funcs.at[i];
	struct bob_x86_body b;
	struct site s;
	bob_status st;

	if (f->out.kind != BOB_PATCH_NONE || f->skip == BOB_SKIP_SPECIAL ||
	    f->skip == BOB_SKIP_UNWIND || bob_plan_is_refused(f))
		return BOB_OK;
	s = make_site(img, i);
	st = try_hole(img, &s);
	if (st != BOB_NONE)
		return st;
	f->skip = (uint8_t)try_jmp(img, &s, &b);
	return f->skip == BOB_SKIP_NONE ? patch_jmp(img, &s, &b) : BOB_OK;
}

bob_status bob_plan_patch(struct bob_plan_image *img)
{
	bob_status st = BOB_OK;

	for (size_t i = 0; st == BOB_OK && i < img->funcs.count; i++)
		st = first_pass(img, i);
	for (size_t i = 0; st == BOB_OK && i < img->funcs.count; i++)
		st = second_pass(img, i);
	img->stats.candidates = (uint32_t)img->funcs.count;
	for (size_t i = 0; i < img->funcs.count; i++) {
		img->stats.by_skip[img->funcs.at[i].skip & 31]++;
		img->stats.patched += img->funcs.at[i].out.kind != BOB_PATCH_NONE;
	}
	return st;
}
