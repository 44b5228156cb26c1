/* SPDX-License-Identifier: BSD-3-Clause */
/* Plans all functions of an image, one after the other. Functions, and code outside of functions,
 * that are not translated are listed with the reason. */
#include "plan/mem/mem.h"

#include <string.h>

#include "plan/mem/unit.h"
#include "plan/plan.h"

#define UNCOVERED_MAX 1024u		/* bytes of code without frame information */

/* Lengths of all tables of the plan, so that a unit that is declined halfway can be rolled back. */
struct level {
	size_t blob, text, map, relocs, tls, ids, fixes, descs, accesses, steps, stops, patches;
	struct bob_mem_stats stats;
};

static struct level level_of(const struct bob_mem_plan *p)
{
	return (struct level){p->blob.count,  p->text.count,  p->map.count,      p->relocs.count,
			      p->tls.count,   p->ids.count,   p->fixes.count,    p->descs.count,
			      p->accesses.count, p->steps.count, p->stops.count, p->patches.count,
			      p->stats};
}

static void back_to(struct bob_mem_plan *p, const struct level *l)
{
	p->blob.count = l->blob;
	p->text.count = l->text;
	p->map.count = l->map;
	p->relocs.count = l->relocs;
	p->tls.count = l->tls;
	p->ids.count = l->ids;
	p->fixes.count = l->fixes;
	p->descs.count = l->descs;
	p->accesses.count = l->accesses;
	p->steps.count = l->steps;
	p->stops.count = l->stops;
	p->patches.count = l->patches;
	p->stats = l->stats;
}

static unsigned add_range(struct bob_mem_unit *u, uint64_t lo, uint64_t hi)
{
	const struct bob_plan_code *c = bob_plan_code_at(u->img, lo);
	struct bob_mem_range *r;

	if (!c || hi > c->hi)
		return BOB_MEM_UNDECODED;
	r = BOB_VEC_PUSH(&u->ranges);
	if (!r) {
		u->st = BOB_ERR_NOMEM;
		return BOB_MEM_TOO_LARGE;
	}
	*r = (struct bob_mem_range){ .lo = lo, .hi = hi, .bytes = c->bytes + (lo - c->lo) };
	return BOB_MEM_TAKEN;
}

/* Collect the ranges of a function; `next` chains the frames of one owner. */
static unsigned collect(struct bob_mem_unit *u, uint32_t frame, const uint32_t *next)
{
	unsigned why = BOB_MEM_TAKEN;

	for (; why == BOB_MEM_TAKEN && frame != BOB_MEM_NONE; frame = next[frame]) {
		const struct bob_plan_frame *f = &u->img->frames.at[frame];
		const struct bob_plan_code *c = bob_plan_code_at(u->img, f->lo);

		if (c && c->plt) /* a function that jumps to the PLT does not own it */
			continue;
		why = f->signal ? BOB_MEM_TRAMPOLINE : add_range(u, f->lo, f->hi);
	}
	return why == BOB_MEM_TAKEN && u->ranges.count == 0 ? BOB_MEM_NO_FRAME : why;
}

static void count_accesses(const struct bob_mem_unit *u, struct bob_mem_plan *out,
			   const struct level *before)
{
	struct bob_mem_stats *s = &out->stats;

	s->blocks += (uint32_t)u->blocks.count;
	s->pieces += (uint32_t)u->pieces.count;
	for (size_t i = before->descs; i < out->descs.count; i++) {
		s->accesses += out->descs.at[i].desc.access_count;
		s->words += 1u + out->descs.at[i].desc.words + out->descs.at[i].desc.payload;
	}
}

static unsigned translate(struct bob_mem_unit *u, struct bob_mem_plan *out, bool *passes)
{
	unsigned why = bob_mem_restarts(u);

	if (why == BOB_MEM_TAKEN)
		why = bob_mem_read(u);
	if (why == BOB_MEM_TAKEN && u->st == BOB_OK)
		why = bob_mem_find_blocks(u);
	if (why == BOB_MEM_TAKEN && u->st == BOB_OK)
		why = bob_mem_find_direction(u);
	if (why != BOB_MEM_TAKEN || u->st != BOB_OK)
		return why;
	bob_mem_find_unwinds(u);
	bob_mem_find_live(u, passes);
	bob_mem_find_pieces(u, out);
	if (u->st == BOB_OK)
		why = bob_mem_place(u);
	if (u->st == BOB_OK && why == BOB_MEM_TAKEN)
		why = bob_mem_emit(u, out);
	if (u->st == BOB_OK && why == BOB_MEM_TAKEN)
		bob_mem_text(u, out);
	return why;
}

/* `why`: unless BOB_MEM_TAKEN, the unit is declined without translating it; its ranges are
 * known. */
static bob_status add_unit(struct bob_mem_unit *u, struct bob_mem_plan *out, uint64_t addr,
			   unsigned why, bool *passes)
{
	struct level before = level_of(out);
	struct bob_mem_func *f = BOB_VEC_PUSH(&out->funcs);

	if (!f)
		return BOB_ERR_NOMEM;
	f->addr = addr;
	f->func = u->func;
	f->code = (uint32_t)before.blob;
	f->desc = (uint32_t)before.descs;
	f->map = (uint32_t)before.map;
	u->at = 0;
	for (size_t i = 0; i < u->ranges.count; i++)
		f->bytes += u->ranges.at[i].hi - u->ranges.at[i].lo;
	if (why == BOB_MEM_TAKEN && u->st == BOB_OK)
		why = translate(u, out, passes);
	if (u->st != BOB_OK)
		return u->st;
	f->decline = why;
	if (why != BOB_MEM_TAKEN) {
		f->decline_at = u->at ? u->at : addr;
		back_to(out, &before);
	} else {
		count_accesses(u, out, &before);
	}
	out->stats.by_decline[why]++;
	out->stats.bytes_by_decline[why] += f->bytes;
	f->code_len = (uint32_t)(out->blob.count - before.blob);
	f->descs = (uint32_t)(out->descs.count - before.descs);
	f->map_len = (uint32_t)(out->map.count - before.map);
	return out->blob.count < INT32_MAX / 2 ? BOB_OK : BOB_ERR_FULL;
}

/* Chain the frames of each function, in order; first[count] is the chain of unowned ones. */
static void chain_frames(const struct bob_plan_image *img, uint32_t *first, uint32_t *next)
{
	for (size_t i = 0; i <= img->funcs.count; i++)
		first[i] = BOB_MEM_NONE;
	for (size_t i = img->frames.count; i-- > 0;) {
		uint32_t owner = img->frames.at[i].owner;

		if (owner > img->funcs.count)
			owner = (uint32_t)img->funcs.count;
		next[i] = first[owner];
		first[owner] = (uint32_t)i;
	}
}

static bob_status function_units(struct bob_mem_unit *u, struct bob_mem_plan *out,
				 const uint32_t *first, const uint32_t *next, bool *passes)
{
	const struct bob_plan_image *img = u->img;
	bob_status st = BOB_OK;

	for (uint32_t i = 0; st == BOB_OK && i < img->funcs.count; i++) {
		const struct bob_plan_candidate *c = &img->funcs.at[i];
		unsigned why;

		/* part of another function, or of code without frame information */
		if (first[i] == BOB_MEM_NONE)
			continue;
		u->func = i;
		u->ranges.count = 0;
		why = collect(u, first[i], next);
		st = add_unit(u, out, c->addr, bob_plan_is_refused(c) ? BOB_MEM_RUN_TIME : why,
			      passes);
	}
	return st;
}

/* Whether the range consists only of padding, and zeros between functions of assembly. */
static bool is_padding(const struct bob_plan_code *c, uint64_t lo, uint64_t hi)
{
	while (lo < hi) {
		struct bob_x86_facts f;
		const uint8_t *p = c->bytes + (lo - c->lo);

		if (*p == 0 || *p == 0xcc) {
			lo++;
			continue;
		}
		if (bob_x86_facts(p, hi - lo, lo, &f) != BOB_MEM_TAKEN || !f.nop)
			return false;
		lo += f.len;
	}
	return true;
}

/* Code without call frame information, between two ranges that have it: code that the C run time
 * adds to every program (_init, frame_dummy, ...), and assembly. It is translated only if it is
 * short and provably nothing but code. */
static bob_status uncovered_unit(struct bob_mem_unit *u, struct bob_mem_plan *out,
				 const struct bob_plan_code *c, uint64_t lo, uint64_t hi,
				 bool *passes)
{
	unsigned why;
	bob_status st;

	lo = bob_mem_padding_after(u->img, lo); /* this padding belongs to the preceding function */
	if (lo >= hi || is_padding(c, lo, hi))
		return BOB_OK;
	u->ranges.count = 0;
	why = add_range(u, lo, hi);
	if (why == BOB_MEM_TAKEN && hi - lo > UNCOVERED_MAX)
		why = BOB_MEM_NO_FRAME;
	u->strict = true;
	st = add_unit(u, out, lo, why, passes);
	u->strict = false;
	if (st == BOB_OK && out->funcs.at[out->funcs.count - 1].decline &&
	    out->funcs.at[out->funcs.count - 1].decline != BOB_MEM_RESTART) {
		struct bob_mem_func *f = &out->funcs.at[out->funcs.count - 1];

		out->stats.by_decline[f->decline]--;
		out->stats.bytes_by_decline[f->decline] -= f->bytes;
		f->decline = BOB_MEM_NO_FRAME;
		out->stats.by_decline[f->decline]++;
		out->stats.bytes_by_decline[f->decline] += f->bytes;
	}
	return st;
}

static bob_status uncovered_units(struct bob_mem_unit *u, struct bob_mem_plan *out, bool *passes)
{
	const struct bob_plan_image *img = u->img;
	size_t k = 0;
	bob_status st = BOB_OK;

	u->func = BOB_PLAN_NO_INDEX;
	for (size_t i = 0; st == BOB_OK && i < img->codes.count; i++) {
		const struct bob_plan_code *c = &img->codes.at[i];
		uint64_t at = c->lo;

		for (; k < img->frames.count && img->frames.at[k].lo < c->hi; k++) {
			const struct bob_plan_frame *f = &img->frames.at[k];

			if (st == BOB_OK && !c->plt && f->lo > at)
				st = uncovered_unit(u, out, c, at, f->lo, passes);
			if (f->hi > at)
				at = f->hi;
		}
		if (st == BOB_OK && !c->plt && at < c->hi)
			st = uncovered_unit(u, out, c, at, c->hi, passes);
	}
	return st;
}

/* Code that no function owns, in a run time all of whose bytes are fixed. */
static bool stays(const struct bob_plan_code *c, uint64_t addr)
{
	return c && bob_plan_bit(c->fixed, addr - c->lo);
}

/* Each section of linker-made stubs is a unit. Code that no function owns (_start, unowned cold
 * parts) is a unit of its own, and all its entries are landings. */
static bob_status other_units(struct bob_mem_unit *u, struct bob_mem_plan *out, uint32_t frame,
			      const uint32_t *next, bool *passes)
{
	const struct bob_plan_image *img = u->img;
	bob_status st = BOB_OK;

	u->func = BOB_PLAN_NO_INDEX;
	for (size_t i = 0; st == BOB_OK && i < img->codes.count; i++) {
		const struct bob_plan_code *c = &img->codes.at[i];

		u->ranges.count = 0;
		if (c->plt)
			st = add_unit(u, out, c->lo,
				      stays(c, c->lo) ? BOB_MEM_RUN_TIME :
							add_range(u, c->lo, c->hi),
				      passes);
	}
	for (; st == BOB_OK && frame != BOB_MEM_NONE; frame = next[frame]) {
		const struct bob_plan_frame *f = &img->frames.at[frame];
		const struct bob_plan_code *c = bob_plan_code_at(img, f->lo);

		unsigned why;

		u->ranges.count = 0;
		if (c && c->plt)
			continue;
		why = add_range(u, f->lo, f->hi);
		if (f->signal || stays(c, f->lo))
			why = f->signal ? BOB_MEM_TRAMPOLINE : BOB_MEM_RUN_TIME;
		st = add_unit(u, out, f->lo, why, passes);
	}
	return st;
}

static bob_status all_units(struct bob_mem_unit *u, struct bob_mem_plan *out, const uint32_t *first,
			    const uint32_t *next, bool *passes)
{
	bob_status st = function_units(u, out, first, next, passes);

	if (st == BOB_OK)
		st = uncovered_units(u, out, passes);
	return st == BOB_OK ? other_units(u, out, first[u->img->funcs.count], next, passes) : st;
}

static void free_unit(struct bob_mem_unit *u)
{
	free(u->ranges.at);
	free(u->insns.at);
	free(u->blocks.at);
	free(u->pieces.at);
	free(u->words.at);
	free(u->landings.at);
	free(u->used.at);
}

bob_status bob_mem_plan_make(const struct bob_plan_image *img, struct bob_mem_plan *out)
{
	uint32_t *first = malloc((img->funcs.count + 1) * sizeof(*first));
	uint32_t *next = malloc((img->frames.count + 1) * sizeof(*next));
	struct bob_mem_unit u = { .img = img };
	bool passes = false;
	bob_status st = BOB_ERR_NOMEM;

	memset(out, 0, sizeof(*out));
	if (!first || !next)
		goto done;
	chain_frames(img, first, next);
	st = all_units(&u, out, first, next, &passes);
	if (st == BOB_OK && passes) {
		/* repeat, with flags live at calls and returns */
		bob_mem_plan_free(out);
		u.flags_pass = out->stats.flags_pass = true;
		st = all_units(&u, out, first, next, &passes);
	}
	out->split_stacks = u.splits;
done:
	free_unit(&u);
	free(first);
	free(next);
	return st;
}

void bob_mem_plan_free(struct bob_mem_plan *p)
{
	free(p->blob.at);
	free(p->text.at);
	free(p->map.at);
	free(p->relocs.at);
	free(p->tls.at);
	free(p->ids.at);
	free(p->fixes.at);
	free(p->descs.at);
	free(p->accesses.at);
	free(p->steps.at);
	free(p->stops.at);
	free(p->patches.at);
	free(p->funcs.at);
	memset(p, 0, sizeof(*p));
}

const char *bob_mem_decline_text(unsigned why)
{
	static const char *const text[BOB_MEM_DECLINES] = {
		[BOB_MEM_TAKEN] = "translated",
		[BOB_MEM_NO_FRAME] = "no call frame information",
		[BOB_MEM_TRAMPOLINE] = "signal trampoline",
		[BOB_MEM_UNDECODED] = "undecodable instruction",
		[BOB_MEM_INTO_INSN] = "jump into an instruction",
		[BOB_MEM_GATHER] = "gather or scatter",
		[BOB_MEM_MASKED] = "masked move",
		[BOB_MEM_SEGMENT] = "segment register",
		[BOB_MEM_ADDRESS32] = "32-bit address",
		[BOB_MEM_BIT_ADDRESS] = "bit string in memory",
		[BOB_MEM_SYSTEM] = "system instruction",
		[BOB_MEM_TRANSACTION] = "transaction",
		[BOB_MEM_DIRECTION] = "direction flag",
		[BOB_MEM_BREAKPOINT] = "breakpoint instruction",
		[BOB_MEM_FIXED_PLACE] = "instruction that cannot be relocated",
		[BOB_MEM_FAR] = "far jump, call or return",
		[BOB_MEM_ODD] = "rare instruction",
		[BOB_MEM_REGISTERS] = "no free register",
		[BOB_MEM_TOO_LARGE] = "too large",
		[BOB_MEM_HOOKED] = "reserved by the agent",
		[BOB_MEM_RESTORED] = "entered at an unknown address",
		[BOB_MEM_RESTART] = "restartable sequence",
		[BOB_MEM_RUN_TIME] = "Go, or run time of a sanitizer",
		[BOB_MEM_SMALL_STACK] = "split stack too small for a signal",
	};

	return why < BOB_MEM_DECLINES && text[why] ? text[why] : "unknown";
}
