/* SPDX-License-Identifier: BSD-3-Clause */
/* Basic blocks of a unit and the edges between them. A *landing* is a block that may be reached
 * from outside the translated code: function entries, return addresses, entries of jump tables,
 * labels whose address is taken, targets of jumps from other code, landing pads of exceptions, and
 * blocks without a known predecessor. Missing a landing is not an error: the agent gets a trap
 * there and looks up the block by its address. */
#include <string.h>

#include "base/search.h"
#include "plan/mem/unit.h"

/* Marks of instructions while blocks are found. */
enum mark {
	LEADS = 1,		/* begins a block */
	LANDS = 2,
	AFTER_CALL = 4,
	ENTRY = 8
};

static bool ends_block(const struct bob_x86_facts *f)
{
	return f->flow != BOB_X86_FALLS;
}

static bool falls_on(const struct bob_x86_facts *f)
{
	return f->flow == BOB_X86_FALLS || f->flow == BOB_X86_BRANCHES;
}

static bool is_call(const struct bob_x86_facts *f)
{
	return f->flow == BOB_X86_CALLS || f->flow == BOB_X86_CALLS_TO;
}

/* An instruction after one that control does not fall through begins a block. If it is padding, the
 * first instruction after the padding also begins one. */
static void mark_fresh(const struct bob_mem_unit *u, uint8_t *mark, uint32_t i)
{
	uint32_t range = u->insns.at[i].range;

	mark[i] |= LEADS;
	while (i < u->insns.count && u->insns.at[i].f.nop && u->insns.at[i].range == range)
		i++;
	if (i < u->insns.count && u->insns.at[i].range == range)
		mark[i] |= LEADS;
}

/* A callee that enlarges the stack enters the caller not only at the return address of the call. */
static void mark_split(struct bob_mem_unit *u, uint8_t *mark, uint32_t call)
{
	uint32_t body = bob_mem_split_body(u, call);

	if (body == BOB_MEM_NONE)
		return;
	u->splits = true;
	mark[body] |= LEADS;
	u->insns.at[body].stays = bob_mem_split_is_read(u, body);
	mark[body + u->insns.at[body].stays] |= LEADS | LANDS;
}

static unsigned mark_branches(struct bob_mem_unit *u, uint8_t *mark)
{
	for (uint32_t i = 0; i < u->insns.count; i++) {
		const struct bob_mem_insn *in = &u->insns.at[i];
		const struct bob_x86_facts *f = &in->f;

		if (!ends_block(f))
			continue;
		if (i + 1 < u->insns.count) {
			mark_fresh(u, mark, i + 1);
			if (is_call(f) && u->insns.at[i + 1].range == in->range)
				mark[i + 1] |= LANDS | AFTER_CALL;
			if (is_call(f))
				mark_split(u, mark, i);
		}
		if ((f->flow == BOB_X86_BRANCHES || f->flow == BOB_X86_JUMPS) &&
		    bob_mem_inside(u, f->target)) {
			uint32_t to = bob_mem_insn_at(u, f->target);

			if (to == BOB_MEM_NONE) {
				u->at = in->addr;
				return BOB_MEM_INTO_INSN;
			}
			mark[to] |= LEADS;
		}
	}
	return BOB_MEM_TAKEN;
}

/* Entries into the range that the scan of the whole image found. A table, or a number that looks
 * like an address, may wrongly lead to the middle of an instruction; a direct jump does not. */
static unsigned mark_outside(struct bob_mem_unit *u, uint8_t *mark, const struct bob_mem_range *r)
{
	const struct bob_plan_code *c = bob_plan_code_at(u->img, r->lo);
	uint32_t i = r->insn;

	for (uint64_t at = r->lo; at < r->hi; at++) {
		bool starts = i < u->insns.count && u->insns.at[i].addr == at;

		if (bob_plan_bit(c->outside, at - c->lo)) {
			if (starts)
				mark[i] |= LEADS | LANDS;
			else if (u->strict || bob_plan_bit(c->jumped, at - c->lo)) {
				u->at = at;
				return BOB_MEM_INTO_INSN;
			}
		}
		i += starts;
	}
	return BOB_MEM_TAKEN;
}

static void mark_entries(const struct bob_mem_unit *u, uint8_t *mark)
{
	const struct bob_plan_candidates *fs = &u->img->funcs;

	for (size_t r = 0; r < u->ranges.count; r++) {
		uint64_t lo = u->ranges.at[r].lo, hi = u->ranges.at[r].hi;
		size_t a;

		BOB_PARTITION_POINT(a, fs->count, mid, fs->at[mid].addr < lo);
		for (; a < fs->count && fs->at[a].addr < hi; a++) {
			uint32_t i = bob_mem_insn_at(u, fs->at[a].addr);

			if (i != BOB_MEM_NONE)
				mark[i] |= LEADS | LANDS | ENTRY;
		}
	}
}

static bob_status make_blocks(struct bob_mem_unit *u, const uint8_t *mark)
{
	u->blocks.count = 0;
	for (uint32_t i = 0; i < u->insns.count;) {
		struct bob_mem_block *b = BOB_VEC_PUSH(&u->blocks);

		if (!b)
			return BOB_ERR_NOMEM;
		b->first = i;
		b->next[0] = b->next[1] = BOB_MEM_NONE;
		b->flags = (uint8_t)((mark[i] & LANDS ? BOB_MEM_LANDS : 0) |
				     (mark[i] & AFTER_CALL ? BOB_MEM_AFTER_CALL : 0) |
				     (mark[i] & ENTRY ? BOB_MEM_IS_ENTRY : 0));
		do
			i++;
		while (i < u->insns.count && !(mark[i] & LEADS) &&
		       u->insns.at[i].range == u->insns.at[b->first].range);
		b->count = i - b->first;
	}
	return BOB_OK;
}

static void add_edge(struct bob_mem_unit *u, struct bob_mem_block *from, unsigned which,
		     uint64_t to)
{
	uint32_t b = bob_mem_block_at(u, to);

	from->next[which] = b;
	if (b != BOB_MEM_NONE)
		u->blocks.at[b].preds++;
}

static bool only_padding(const struct bob_mem_unit *u, const struct bob_mem_block *b)
{
	for (uint32_t i = 0; i < b->count; i++)
		if (!u->insns.at[b->first + i].f.nop)
			return false;
	return true;
}

static void make_edges(struct bob_mem_unit *u)
{
	for (size_t i = 0; i < u->blocks.count; i++) {
		struct bob_mem_block *b = &u->blocks.at[i];
		const struct bob_mem_insn *last = &u->insns.at[b->first + b->count - 1];

		if (falls_on(&last->f))
			add_edge(u, b, 0, last->addr + last->f.len);
		if (last->f.flow == BOB_X86_BRANCHES || last->f.flow == BOB_X86_JUMPS)
			add_edge(u, b, 1, last->f.target);
	}
	for (size_t i = 0; i < u->blocks.count && !u->strict; i++) {
		struct bob_mem_block *b = &u->blocks.at[i];

		if (b->preds == 0 && !only_padding(u, b) && !u->insns.at[b->first].stays)
			b->flags |= BOB_MEM_LANDS;
	}
}

static void reach(struct bob_mem_unit *u, uint8_t *seen, uint32_t *todo, size_t *n, uint32_t block)
{
	if (block >= u->blocks.count || seen[block])
		return;
	seen[block] = 1;
	todo[(*n)++] = block;
}

/* Whether all blocks except padding are reachable from known entries, and control does not pass the
 * end: then the range is code. `seen` and `todo` have an element for each block. */
static bool all_reached(struct bob_mem_unit *u, uint8_t *seen, uint32_t *todo)
{
	size_t n = 0;

	for (uint32_t i = 0; i < u->blocks.count; i++)
		if ((u->blocks.at[i].flags & (BOB_MEM_LANDS | BOB_MEM_AFTER_CALL)) == BOB_MEM_LANDS)
			reach(u, seen, todo, &n, i);
	while (n > 0) {
		uint32_t i = todo[--n];
		const struct bob_mem_block *b = &u->blocks.at[i];
		const struct bob_mem_insn *last = &u->insns.at[b->first + b->count - 1];

		if (falls_on(&last->f) && b->next[0] == BOB_MEM_NONE)
			return false;
		for (unsigned k = 0; k < 2; k++)
			reach(u, seen, todo, &n, b->next[k]);
		if (is_call(&last->f))
			reach(u, seen, todo, &n, i + 1);
	}
	for (uint32_t i = 0; i < u->blocks.count; i++)
		if (!seen[i] && !only_padding(u, &u->blocks.at[i]))
			return false;
	return true;
}

static unsigned check_strictly(struct bob_mem_unit *u)
{
	uint8_t *seen = calloc(u->blocks.count + 1, 1);
	uint32_t *todo = malloc((u->blocks.count + 1) * sizeof(*todo));
	bool ok = seen && todo && all_reached(u, seen, todo);

	if (!seen || !todo)
		u->st = BOB_ERR_NOMEM;
	free(seen);
	free(todo);
	return ok ? BOB_MEM_TAKEN : BOB_MEM_NO_FRAME;
}

uint32_t bob_mem_block_at(const struct bob_mem_unit *u, uint64_t addr)
{
	size_t lo;

	BOB_PARTITION_POINT(lo, u->blocks.count, mid,
			    u->insns.at[u->blocks.at[mid].first].addr < addr);
	if (lo == u->blocks.count || u->insns.at[u->blocks.at[lo].first].addr != addr)
		return BOB_MEM_NONE;
	return (uint32_t)lo;
}

unsigned bob_mem_find_blocks(struct bob_mem_unit *u)
{
	uint8_t *mark = calloc(u->insns.count + 1, 1);
	unsigned why;

	if (!mark) {
		u->st = BOB_ERR_NOMEM;
		return BOB_MEM_TOO_LARGE;
	}
	mark[0] |= LEADS;
	why = mark_branches(u, mark);
	for (size_t r = 0; why == BOB_MEM_TAKEN && r < u->ranges.count; r++)
		why = mark_outside(u, mark, &u->ranges.at[r]);
	mark_entries(u, mark);
	if (why == BOB_MEM_TAKEN) {
		u->st = make_blocks(u, mark);
		if (u->st == BOB_OK)
			make_edges(u);
		if (u->st == BOB_OK && u->strict)
			why = check_strictly(u);
	}
	free(mark);
	return why;
}
