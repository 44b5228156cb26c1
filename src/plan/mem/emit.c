/* SPDX-License-Identifier: BSD-3-Clause */
/* Emits the code of a unit: its blocks in order, each instruction unchanged except for
 * position-dependent parts, interleaved with the probes of the pieces (probes.c). */
#include "plan/mem/emit.h"

#include <string.h>

#include "plan/arch/x86_64/move.h"

/* --- fields and jumps --- */

/* The last four bytes become the distance to a link address of the image. */
static void field_to_image(struct bob_mem_emitter *e, uint32_t at, uint32_t base, uint64_t target)
{
	int32_t rel = (int32_t)(target - (BOB_PLAN_HANDLER_BYTES + (uint64_t)base));

	if (e->c.st != BOB_OK)
		return;
	memcpy(e->c.bytes->at + at, &rel, 4);
	bob_mem_note_field(e, &e->out->relocs, at);
}

static void jump_to_image(struct bob_mem_emitter *e, uint64_t target)
{
	bob_x86_put(&e->c, "\xe9\0\0\0", 5);
	field_to_image(e, bob_mem_here(e) - 4, bob_mem_here(e), target);
}

static void hop_to(struct bob_mem_emitter *e, uint32_t at, uint32_t block, bool back)
{
	struct bob_mem_hop *h = BOB_VEC_PUSH(&e->hops);

	if (!h)
		e->c.st = BOB_ERR_NOMEM;
	else
		*h = (struct bob_mem_hop){ at, block, back };
}

static void jump_to_block(struct bob_mem_emitter *e, uint32_t block)
{
	bob_x86_put(&e->c, "\xe9\0\0\0", 5);
	hop_to(e, bob_mem_here(e) - 4, block, false);
}

/* --- instructions --- */

static const uint8_t *bytes_at(const struct bob_mem_emitter *e, const struct bob_mem_insn *in)
{
	const struct bob_mem_range *r = &e->u->ranges.at[in->range];

	return r->bytes + (in->addr - r->lo);
}

static void put_moved(struct bob_mem_emitter *e, const struct bob_mem_insn *in, uint32_t to_block,
		      bool back)
{
	struct bob_x86_body body;
	uint32_t start = bob_mem_here(e);

	if (bob_x86_move(bytes_at(e, in), in->f.len, in->addr, 1, &body) != 0) {
		e->u->at = in->addr;
		e->why = BOB_MEM_FIXED_PLACE;
		return;
	}
	bob_x86_put(&e->c, body.bytes, body.len);
	for (unsigned i = 0; i < body.fields && e->c.st == BOB_OK; i++) {
		if (to_block != BOB_MEM_NONE)
			hop_to(e, start + body.field[i], to_block, back);
		else
			field_to_image(e, start + body.field[i], start + body.base[i],
				       body.target[i]);
	}
}

static void put_insn(struct bob_mem_emitter *e, const struct bob_mem_block *b, uint32_t index,
		     uint32_t i)
{
	const struct bob_mem_insn *in = &e->u->insns.at[i];

	if (in->f.nop)
		return;
	switch (in->f.flow) {
	case BOB_X86_BRANCHES:
		put_moved(e, in, b->next[1], b->next[1] == index && b->loop_code);
		break;
	case BOB_X86_JUMPS:
		if (b->next[1] == BOB_MEM_NONE)
			jump_to_image(e, in->f.target);
		else if (b->next[1] != index + 1)
			jump_to_block(e, b->next[1]);
		break;
	case BOB_X86_CALLS:
	case BOB_X86_CALLS_TO:
		if (b->call_moved)
			put_moved(e, in, BOB_MEM_NONE, false);
		else
			jump_to_image(e, in->addr);
		break;
	default:
		put_moved(e, in, BOB_MEM_NONE, false);
		break;
	}
}

/* Registers and flags live after the piece, if control falls out of it. */
static uint32_t live_after(const struct bob_mem_emitter *e, const struct bob_mem_block *b,
			   const struct bob_mem_piece *p)
{
	uint32_t end = p->first + p->count;

	if (end < b->first + b->count)
		return e->u->insns.at[end].live;
	return b->next[0] != BOB_MEM_NONE ? e->u->blocks.at[b->next[0]].live_in : b->live_out;
}

static uint64_t end_of(const struct bob_mem_emitter *e, const struct bob_mem_piece *p)
{
	const struct bob_mem_insn *last = &e->u->insns.at[p->first + p->count - 1];

	return last->addr + last->f.len;
}

/* Emit the code before a loop, and the target of its back edge. */
static void begin_loop(struct bob_mem_emitter *e, struct bob_mem_block *b,
		       const struct bob_mem_piece *p, uint8_t kept)
{
	uint32_t again = bob_mem_here(e), jump;

	bob_mem_map_insn(e, e->u->insns.at[p->first].addr);
	bob_mem_probe_before(e, p, p->first, kept);
	if (!p->payload) {
		/* the loop is the whole block, not a string instruction */
		if (p->count == b->count && !e->u->insns.at[p->first].f.rep)
			b->loop_code = bob_mem_here(e);
		bob_mem_map_loop(e, p, 0);
		return;
	}
	bob_x86_put(&e->c, "\xe9\0\0\0", 5);
	jump = b->loop_code = bob_mem_here(e);
	bob_mem_probe_iteration(e, p, kept, again);
	if (e->c.st == BOB_OK) {
		int32_t over = (int32_t)(bob_mem_here(e) - jump);

		memcpy(e->c.bytes->at + jump - 4, &over, 4);
	}
}

static void end_loop(struct bob_mem_emitter *e, const struct bob_mem_block *b,
		     const struct bob_mem_piece *p)
{
	if (p->payload)
		bob_mem_map_after_payload(e, end_of(e, p));
	else
		bob_mem_probe_after_loop(e, p, live_after(e, b, p), end_of(e, p));
}

static void put_loop_insn(struct bob_mem_emitter *e, struct bob_mem_block *b, uint32_t index,
			  const struct bob_mem_piece *p, uint8_t kept, uint32_t i)
{
	const struct bob_x86_facts *f = &e->u->insns.at[i].f;

	if (p->payload)
		bob_mem_payload_before(e, p, i, kept);
	put_insn(e, b, index, i);
	if (!p->payload && !f->rep && f->changes >> p->counter & 1)
		bob_mem_map_loop(e, p, 1);
}

static void put_piece(struct bob_mem_emitter *e, struct bob_mem_block *b, uint32_t index,
		      const struct bob_mem_piece *p)
{
	uint32_t end = p->first + p->count;
	bool loop = bob_mem_is_loop_piece(e, p), recorded = p->desc != BOB_MEM_NONE;
	uint8_t kept = BOB_X86_NO_REG;

	if (recorded) {
		kept = bob_mem_cursor_throughout(e, p);
		e->out->stats.probes++;
		e->out->stats.loops += loop;
	}
	if (loop) {
		begin_loop(e, b, p, kept);
	} else if (recorded && p->count == 0) {
		bob_mem_map_insn(e, e->u->insns.at[p->first].addr);
		bob_mem_probe_before(e, p, p->first, kept);
	}
	for (uint32_t i = p->first; i < end && e->c.st == BOB_OK; i++) {
		bob_mem_map_insn(e, e->u->insns.at[i].addr);
		if (loop) {
			put_loop_insn(e, b, index, p, kept, i);
			continue;
		}
		if (recorded)
			bob_mem_probe_before(e, p, i, kept);
		put_insn(e, b, index, i);
	}
	if (loop)
		end_loop(e, b, p);
	else if (recorded)
		bob_mem_map_record(e, NULL, 0);
}

static void put_block(struct bob_mem_emitter *e, uint32_t index, size_t *piece)
{
	struct bob_mem_block *b = &e->u->blocks.at[index];
	const struct bob_mem_insn *last = &e->u->insns.at[b->first + b->count - 1];
	const struct bob_mem_pieces *ps = &e->u->pieces;

	b->landing_code = b->code = bob_mem_here(e);
	b->loop_code = 0;
	for (; *piece < ps->count && ps->at[*piece].first < b->first + b->count; ++*piece) {
		put_piece(e, b, index, &ps->at[*piece]);
		if (ps->at[*piece].count == 0)
			b->code = bob_mem_here(e);	/* code before this is only for callers */
	}
	if (last->f.flow != BOB_X86_FALLS && last->f.flow != BOB_X86_BRANCHES)
		return;
	if (b->next[0] != index + 1)
		bob_mem_map_insn(e, last->addr + last->f.len);
	if (b->next[0] == BOB_MEM_NONE)
		jump_to_image(e, last->addr + last->f.len);
	else if (b->next[0] != index + 1)
		jump_to_block(e, b->next[0]);
}

static void finish_hops(struct bob_mem_emitter *e)
{
	for (size_t i = 0; i < e->hops.count && e->c.st == BOB_OK; i++) {
		const struct bob_mem_hop *h = &e->hops.at[i];
		const struct bob_mem_block *b = &e->u->blocks.at[h->block];
		int32_t rel = (int32_t)((h->back ? b->loop_code : b->code) - (h->at + 4));

		memcpy(e->c.bytes->at + h->at, &rel, 4);
	}
}

static void note_stops(struct bob_mem_emitter *e)
{
	for (size_t i = 0; i < e->u->blocks.count; i++) {
		const struct bob_mem_block *b = &e->u->blocks.at[i];
		struct bob_mem_stop *s = BOB_VEC_PUSH(&e->out->stops);

		if (!s) {
			e->c.st = BOB_ERR_NOMEM;
			return;
		}
		*s = (struct bob_mem_stop){ e->u->insns.at[b->first].addr, b->landing_code,
					    (uint32_t)(e->out->funcs.count - 1) };
	}
}

unsigned bob_mem_emit(struct bob_mem_unit *u, struct bob_mem_plan *out)
{
	struct bob_mem_emitter e = { .u = u, .out = out, .c = { &out->blob, BOB_OK } };
	size_t piece = 0;

	e.map_code = bob_mem_emitted_func(&e)->code;
	e.map_orig = bob_mem_emitted_func(&e)->addr;
	memset(e.spilled, BOB_X86_NO_REG, sizeof(e.spilled));
	while (out->blob.count % 16 && e.c.st == BOB_OK)
		bob_x86_put(&e.c, "\xcc", 1);
	for (uint32_t i = 0; i < u->blocks.count && e.c.st == BOB_OK; i++)
		put_block(&e, i, &piece);
	bob_mem_put_fulls(&e);
	finish_hops(&e);
	note_stops(&e);
	free(e.hops.at);
	free(e.fulls.at);
	u->st = e.c.st;
	return e.why;
}
