/* SPDX-License-Identifier: BSD-3-Clause */
/* One pass over every instruction of the image that finds where control can enter other than from
 * the preceding instruction: branches and calls anywhere (cold parts and hand-written code jump
 * into other functions), jump tables, labels and functions whose address is taken. The results are
 * bit maps of the sections, which patching uses. In doubt a byte counts as a target: that may cost
 * a patch, whereas the opposite error may crash the program. Padding between functions becomes the
 * list of holes.
 *
 * Known limitation: a label is missed if its address is only computed in a way not recognised here
 * (not a branch, not lea, not a 4-byte table after a lea of distances from itself or from a label,
 * not a pointer in data). No compiler creates such a label within the first bytes of a function. */
#include <string.h>

#include "plan/arch/x86_64/length.h"
#include "plan/image.h"

/* A range of known code: from call frame information or a sized symbol. */
struct range {
	uint64_t lo, hi;
	uint32_t frame;		/* or BOB_PLAN_NO_INDEX */
};
BOB_VEC_OF(ranges, struct range);

/* A branch from a cold part to the start of a function: a loop, if the function owns the part. */
struct cold_jump {
	uint32_t frame, func;
};
BOB_VEC_OF(cold_jumps, struct cold_jump);

struct scan {
	struct bob_plan_image *img;
	struct bob_plan_code *code;	/* current section */
	struct ranges ranges;
	struct cold_jumps cold_jumps;
	const struct range *range;	/* current range; NULL: between two ranges */
	size_t next_func;		/* first function that starts after the current position */
	uint32_t func;			/* current function, or BOB_PLAN_NO_INDEX */
	uint64_t func_lo, func_body;	/* its entry, and its address after an endbr64 */
	uint64_t last_table;
	struct bob_plan_u64s labels, tables; /* addresses that leas of the range refer to */
	unsigned last_kind;		/* kind of the preceding instruction */
	bob_status st;
};

static struct bob_plan_code *code_of(const struct scan *s, uint64_t addr)
{
	if (addr >= s->code->lo && addr < s->code->hi)
		return s->code;
	return bob_plan_code_at(s->img, addr);
}

static void mark(struct scan *s, uint64_t addr, bool called)
{
	struct bob_plan_code *c = code_of(s, addr);

	if (!c)
		return;
	bob_plan_set_bit(c->target, addr - c->lo);
	bob_plan_set_bit(c->outside, addr - c->lo);
	if (called)
		bob_plan_set_bit(c->called, addr - c->lo);
}

/* Frame information begins here: the preceding code might not continue into it. */
static void mark_start(struct scan *s, uint64_t addr)
{
	struct bob_plan_code *c = code_of(s, addr);

	bob_plan_set_bit(c->target, addr - c->lo);
}

static bool in_range(const struct scan *s, uint64_t addr)
{
	return s->range && addr - s->range->lo < s->range->hi - s->range->lo;
}

static void mark_jump(struct scan *s, uint64_t to)
{
	struct bob_plan_code *c = code_of(s, to);

	if (!c)
		return;
	bob_plan_set_bit(c->target, to - c->lo);
	if (in_range(s, to))
		return;
	bob_plan_set_bit(c->outside, to - c->lo);
	bob_plan_set_bit(c->jumped, to - c->lo);
}

static bool in_cold_part(const struct scan *s, uint64_t addr)
{
	uint32_t f = bob_plan_frame_at(s->img, addr);

	return f != BOB_PLAN_NO_INDEX && s->img->frames.at[f].cold;
}

/* Whether this can be an entry of a jump table of the current code. For cold parts and code without
 * call frame information the function is unknown, so any code is accepted. */
static bool is_label(const struct scan *s, uint64_t addr)
{
	if (in_range(s, addr))
		return true;
	if (!bob_plan_code_at(s->img, addr))
		return false;
	if (!s->range || s->range->frame == BOB_PLAN_NO_INDEX ||
	    s->img->frames.at[s->range->frame].cold)
		return true;
	return in_cold_part(s, addr);
}

/* Maximum number of consecutive entries that lead to code that is not known to be of this
 * function. */
#define FOREIGN_MAX 32u
#define CODE_ALIGN 16u /* alignment of functions and labels by compilers for x86-64 */

/* A lea of a possible table of 4-byte offsets from itself. Its entries decide: text or numbers,
 * added to the table's address, do not lead to code. Cold parts are not always recognised, so
 * entries that lead to other code are skipped instead of ending the table. */
static void follow_table(struct scan *s, uint64_t table)
{
	const uint8_t *p;
	uint64_t limit = s->img->stats.code_bytes;
	unsigned foreign = 0;

	if (table == s->last_table)
		return;
	s->last_table = table;
	for (uint64_t at = table; (p = bob_plan_bytes_at(s->img, at, 4)) != NULL; at += 4) {
		int32_t off;

		memcpy(&off, p, 4);
		if (off == 0 || !bob_plan_code_at(s->img, table + (uint64_t)(int64_t)off))
			return;
		if (!is_label(s, table + (uint64_t)(int64_t)off)) {
			if (++foreign > FOREIGN_MAX)
				return;
			continue;
		}
		foreign = 0;
		if (s->img->stats.jump_table_targets >= limit) {
			s->st = BOB_ERR_FULL;	/* a hostile file */
			return;
		}
		mark(s, table + (uint64_t)(int64_t)off, false);
		s->img->stats.jump_table_targets++;
	}
}

/* A jump from the current range to `to`, outside of it. */
static void leave_range(struct scan *s, uint64_t to, unsigned kind)
{
	struct bob_plan_image *img = s->img;
	struct bob_plan_frame *from = NULL;

	if (s->range->frame != BOB_PLAN_NO_INDEX)
		from = &img->frames.at[s->range->frame];
	if (from && from->cold) {
		uint32_t func = bob_plan_func_at(img, to);
		struct cold_jump *j;

		if (func == BOB_PLAN_NO_INDEX)
			return;
		j = BOB_VEC_PUSH(&s->cold_jumps);
		if (!j) {
			s->st = BOB_ERR_NOMEM;
			return;
		}
		j->frame = s->range->frame;
		j->func = func;
	} else if (s->func != BOB_PLAN_NO_INDEX) {
		uint32_t f = bob_plan_frame_at(img, to);

		if (f == BOB_PLAN_NO_INDEX)
			return;
		if (img->frames.at[f].cold && img->frames.at[f].owner == BOB_PLAN_NO_INDEX)
			img->frames.at[f].owner = s->func;
		else if (img->frames.at[f].lands)
			img->frames.at[f].jumped_by = s->func;
		else if (kind == BOB_X86_JCC && to == img->frames.at[f].lo)
			img->frames.at[f].jumped_by = s->func;
	}
}

static void note_jump(struct scan *s, uint64_t to, unsigned kind)
{
	mark_jump(s, to);
	if (s->func != BOB_PLAN_NO_INDEX && (to == s->func_lo || to == s->func_body))
		s->img->funcs.at[s->func].flags |= BOB_FUNC_LOOP_HEAD;
	if (s->range && !in_range(s, to))
		leave_range(s, to, kind);
}

#define MOVABS_LEN 10u

/* Code of the large model finds its global offset table by `L: lea L(%rip), %reg` and a movabs of
 * the distance from L. The address is only a number; no code jumps to L. */
static bool is_own_address(const struct scan *s, uint64_t end, const struct bob_x86_insn *in)
{
	const uint8_t *next = bob_plan_bytes_at(s->img, end, MOVABS_LEN);

	return in->rel == -(int32_t)in->len && next && (next[0] & 0xfe) == 0x48 &&
	       (next[1] & 0xf8) == 0xb8;
}

static void push(struct scan *s, struct bob_plan_u64s *list, uint64_t addr)
{
	uint64_t *p = BOB_VEC_PUSH(list);

	if (p)
		*p = addr;
	else
		s->st = BOB_ERR_NOMEM;
}

static void note_lea(struct scan *s, uint64_t to)
{
	if (in_range(s, to) && to != s->func_lo && to != s->range->lo)
		push(s, &s->labels, to); /* the start of a function is not a label */
	else if (s->range && !bob_plan_code_at(s->img, to))
		push(s, &s->tables, to);
	if (bob_plan_code_at(s->img, to))
		mark(s, to, true);
	follow_table(s, to);
}

static void note_insn(struct scan *s, uint64_t end, const struct bob_x86_insn *in)
{
	uint64_t to = end + (uint64_t)(int64_t)in->rel;

	switch (in->kind) {
	case BOB_X86_JCC:
	case BOB_X86_LOOP:
	case BOB_X86_JMP:
	case BOB_X86_XBEGIN:
		note_jump(s, to, in->kind);
		break;
	case BOB_X86_CALL:
		mark(s, to, true);
		break;
	case BOB_X86_LEA:
		if (!is_own_address(s, end, in))
			note_lea(s, to);
		break;
	case BOB_X86_IMM:
		if (s->img->fixed)
			mark(s, (uint32_t)in->rel, true);
		break;
	default:
		break;
	}
}

static void enter_function(struct scan *s, uint64_t at)
{
	struct bob_plan_candidates *fs = &s->img->funcs;

	while (s->next_func < fs->count && fs->at[s->next_func].addr <= at) {
		s->func = (uint32_t)s->next_func++;
		s->func_lo = s->func_body = fs->at[s->func].addr;
		if (s->func_lo >= s->code->lo)
			s->func_body = bob_plan_body(s->code, s->func_lo, s->code->hi);
	}
}

static uint64_t next_start(const struct scan *s, uint64_t limit)
{
	const struct bob_plan_candidates *fs = &s->img->funcs;

	if (s->next_func < fs->count && fs->at[s->next_func].addr < limit)
		return fs->at[s->next_func].addr;
	return limit;
}

/* Sweep known code [lo, hi); an instruction begins at every function start in it. */
static void sweep_instructions(struct scan *s, uint64_t lo, uint64_t hi)
{
	while (lo < hi && s->st == BOB_OK) {
		const uint8_t *p = s->code->bytes + (lo - s->code->lo);
		uint64_t end;

		enter_function(s, lo);
		end = next_start(s, hi);
		while (lo < end && s->st == BOB_OK) {
			struct bob_x86_insn in;
			unsigned len = bob_x86_decode(p, &in);

			if (len == 0 || len > end - lo) {
				len = 1;
				in.kind = BOB_X86_PLAIN;
			}
			p += len;
			lo += len;
			s->last_kind = in.kind;
			if (in.kind != BOB_X86_PLAIN)
				note_insn(s, lo, &in);
		}
	}
}

static void sweep_code(struct scan *s, uint64_t lo, uint64_t hi)
{
	s->labels.count = s->tables.count = 0;
	sweep_instructions(s, lo, hi);
	if (s->st == BOB_OK)
		s->st = bob_plan_label_tables(s->img, s->code, lo, hi, &s->labels, &s->tables);
}

/* Sweep [lo, hi) between known code: padding, hand-written code without frame information, data. A
 * hole is padding that fills it, or that fills it up to an alignment boundary of code. Zero bytes
 * are skipped one by one, because decoding the linker's zero fill would consume the code after
 * it. */
static void sweep_range(struct scan *s, uint64_t lo, uint64_t hi)
{
	uint64_t start = lo, padded = lo;
	bool padding = true, safe = bob_x86_ends_flow(s->last_kind);
	unsigned first_kind = BOB_X86_INT3;
	struct bob_plan_hole *h;

	while (lo < hi && s->st == BOB_OK) {
		const uint8_t *p = s->code->bytes + (lo - s->code->lo);
		struct bob_x86_insn in;
		unsigned len = bob_x86_decode(p, &in);

		enter_function(s, lo);
		if (*p == 0 || len == 0 || len > next_start(s, hi) - lo) {
			len = 1;
			in.kind = BOB_X86_PLAIN;
		}
		if (lo == start)
			first_kind = in.kind;
		if (in.kind != BOB_X86_NOP && in.kind != BOB_X86_INT3)
			padding = false;
		lo += len;
		if (padding)
			padded = lo;
		if (in.kind != BOB_X86_PLAIN)
			note_insn(s, lo, &in);
	}
	if (start >= padded || (!padding && padded % CODE_ALIGN) ||
	    (!safe && first_kind != BOB_X86_INT3))
		return;
	h = BOB_VEC_PUSH(&s->img->holes);
	if (!h) {
		s->st = BOB_ERR_NOMEM;
		return;
	}
	h->lo = start;
	h->hi = padded;
}

static void sweep_section(struct scan *s, size_t *next_range)
{
	uint64_t at = s->code->lo;

	s->last_kind = BOB_X86_PLAIN;
	s->func = BOB_PLAN_NO_INDEX;
	while (at < s->code->hi && s->st == BOB_OK) {
		const struct range *r = &s->ranges.at[*next_range];
		uint64_t end = s->code->hi;

		if (*next_range < s->ranges.count && r->lo <= at) {
			++*next_range;
			if (r->hi <= at)
				continue;
			s->range = r;
			if (r->hi < end)
				end = r->hi;
			sweep_code(s, at, end);
		} else {
			if (*next_range < s->ranges.count && r->lo < end)
				end = r->lo;
			s->range = NULL;
			sweep_range(s, at, end);
		}
		at = end;
	}
}

static bob_status add_range(struct ranges *rs, uint64_t lo, uint64_t hi, uint32_t frame)
{
	struct range *r;

	if (rs->count > 0 && lo < rs->at[rs->count - 1].hi)
		lo = rs->at[rs->count - 1].hi;
	if (lo >= hi)
		return BOB_OK;
	r = BOB_VEC_PUSH(rs);
	if (!r)
		return BOB_ERR_NOMEM;
	*r = (struct range){ lo, hi, frame };
	return BOB_OK;
}

/* Make ranges from frames, and from sized functions without a frame. */
static bob_status make_ranges(struct scan *s)
{
	const struct bob_plan_frames *frames = &s->img->frames;
	const struct bob_plan_candidates *funcs = &s->img->funcs;
	size_t k = 0;
	bob_status st = BOB_OK;

	for (size_t i = 0; st == BOB_OK && i <= frames->count; i++) {
		uint64_t lo = i < frames->count ? frames->at[i].lo : UINT64_MAX;

		for (; st == BOB_OK && k < funcs->count && funcs->at[k].addr < lo; k++) {
			uint64_t end = funcs->at[k].end;

			st = add_range(&s->ranges, funcs->at[k].addr, end < lo ? end : lo,
				       BOB_PLAN_NO_INDEX);
		}
		if (st == BOB_OK && i < frames->count)
			st = add_range(&s->ranges, lo, frames->at[i].hi, (uint32_t)i);
	}
	return st;
}

static void finish_loops(struct scan *s)
{
	for (size_t i = 0; i < s->cold_jumps.count; i++) {
		const struct cold_jump *j = &s->cold_jumps.at[i];

		if (s->img->frames.at[j->frame].owner == j->func)
			s->img->funcs.at[j->func].flags |= BOB_FUNC_LOOP_HEAD;
	}
}

bob_status bob_plan_scan(struct bob_plan_image *img)
{
	struct scan s = { .img = img, .func = BOB_PLAN_NO_INDEX, .last_table = UINT64_MAX };
	size_t next_range = 0;

	s.code = &img->codes.at[0];
	s.st = make_ranges(&s);
	if (s.st == BOB_OK && !BOB_VEC_PUSH(&s.ranges))
		s.st = BOB_ERR_NOMEM;
	else if (s.st == BOB_OK)
		s.ranges.count--;	/* one spare element after the last range */
	for (size_t i = 0; i < img->pointers.count; i++)
		mark(&s, img->pointers.at[i], true);
	for (size_t i = 0; i < img->symbols.count; i++)
		mark(&s, img->symbols.at[i].addr, false);
	for (size_t i = 0; i < img->entries.count; i++)
		mark(&s, img->entries.at[i], false);
	for (size_t i = 0; i < img->frames.count; i++)
		mark_start(&s, img->frames.at[i].lo);
	mark(&s, img->entry, true);
	for (size_t i = 0; i < img->codes.count && s.st == BOB_OK; i++) {
		s.code = &img->codes.at[i];
		if (!s.code->plt)
			sweep_section(&s, &next_range);
	}
	if (s.st == BOB_OK) {
		bob_plan_find_owners(img);
		finish_loops(&s);
		s.st = bob_plan_drop_cold(img);
	}
	if (s.st == BOB_OK)
		bob_plan_refuse_untold(img);
	free(s.ranges.at);
	free(s.cold_jumps.at);
	free(s.labels.at);
	free(s.tables.at);
	return s.st;
}
