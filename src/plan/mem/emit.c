/* SPDX-License-Identifier: BSD-3-Clause */
/* Code of a unit: its blocks in their order, each instruction as it was but for what depends on its
 * place, with the probes of the pieces in between.
 *
 * A probe takes one or two registers that nobody will read any more, else it saves one in thread-local
 * storage. It uses no stack: what lies below rsp may be the function's. When the last word of the record is
 * stored its header follows, and the cursor moves. */
#include <string.h>

#include "base/varint.h"
#include "plan/arch/x86_64/code.h"
#include "plan/arch/x86_64/move.h"
#include "plan/mem/unit.h"

#define HEADER_BYTES 8
#define RED_ZONE 128
#define SLOT_CURSOR offsetof(struct bob_mem_slots, cursor)
#define SLOT_LIMIT offsetof(struct bob_mem_slots, limit)
#define SLOT_SPILL(n) (offsetof(struct bob_mem_slots, spill) + 8 * (n))

/* A 32-bit field in the blob that leads to a block of the unit. */
struct hop {
	uint32_t at, block;
	bool back;		/* of a loop, past the probe before it */
};
BOB_PLAN_VEC(hops, struct hop);

/* What to do when the buffer is full, behind the blocks. */
struct full {
	uint32_t jump;		/* offset behind the jump's field */
	uint8_t cursor;
	uint64_t orig;		/* instruction behind the probe */
};
BOB_PLAN_VEC(fulls, struct full);

struct emitter {
	struct bob_mem_unit *u;
	struct bob_mem_plan *out;
	struct bob_x86_code c;
	struct hops hops;
	struct fulls fulls;
	uint32_t map_code;	/* where the newest pair of the map holds from */
	uint64_t map_orig;
	unsigned why;
};

/* Words of a piece that are taken at one place. */
struct point {
	const struct bob_mem_piece *piece;
	uint32_t at;		/* instruction */
	uint32_t live;
	uint32_t used;		/* registers whose values are taken */
	bool first, last, needs_sum;
	uint8_t cursor, sum;	/* registers */
};

static uint32_t here(const struct emitter *e)
{
	return (uint32_t)e->c.bytes->count;
}

static void note(struct emitter *e, struct bob_plan_u32s *list, uint32_t at)
{
	uint32_t *p = BOB_PLAN_PUSH(list);

	if (!p)
		e->c.st = BOB_ERR_NOMEM;
	else
		*p = at;
}

/* --- the map --- */

static const struct bob_mem_func *this_func(const struct emitter *e)
{
	return &e->out->funcs.at[e->out->funcs.count - 1];
}

static bool is_loop(const struct emitter *e, const struct bob_mem_piece *p)
{
	return p->desc != BOB_MEM_NONE && e->out->descs.at[p->desc].desc.kind == BOB_MEM_LOOP;
}

static void map(struct emitter *e, enum bob_mem_map_kind kind, uint64_t value)
{
	struct bob_plan_bytes *m = &e->out->map;

	if (e->c.st != BOB_OK)
		return;
	if (BOB_PLAN_RESERVE(m, 2 * BOB_VARINT_MAX) != 0) {
		e->c.st = BOB_ERR_NOMEM;
		return;
	}
	m->count += bob_varint_put(m->at + m->count, (uint64_t)(here(e) - e->map_code) << 2 | kind);
	m->count += bob_varint_put(m->at + m->count, value);
	e->map_code = here(e);
}

static void map_insn(struct emitter *e, uint64_t orig)
{
	if (orig == e->map_orig)
		return;
	map(e, BOB_MEM_MAP_INSN, bob_zigzag((int64_t)(orig - e->map_orig)));
	e->map_orig = orig;
}

/* `behind`: words that are still to be added. */
static void map_cursor(struct emitter *e, uint8_t reg, unsigned behind)
{
	map(e, BOB_MEM_MAP_CURSOR, reg == BOB_X86_NO_REG ? 0 : (reg + 1u) | (uint64_t)behind << 5);
}

/* A piece is under way; `complete`: its record is. NULL: none is. */
static void map_record(struct emitter *e, const struct bob_mem_piece *p, unsigned complete)
{
	uint64_t desc = p ? p->desc - this_func(e)->desc + 1 : 0;

	map(e, BOB_MEM_MAP_RECORD, desc << 1 | (p ? complete : 0));
}

static void map_loop(struct emitter *e, const struct bob_mem_piece *p, unsigned stepped)
{
	map(e, BOB_MEM_MAP_LOOP, (uint64_t)p->counter << 1 | stepped);
}

/* --- fields and jumps --- */

/* The last four bytes become the way to a link address of the image. */
static void field_to_image(struct emitter *e, uint32_t at, uint32_t base, uint64_t target)
{
	int32_t rel = (int32_t)(target - (BOB_PLAN_HANDLER_BYTES + (uint64_t)base));

	if (e->c.st != BOB_OK)
		return;
	memcpy(e->c.bytes->at + at, &rel, 4);
	note(e, &e->out->relocs, at);
}

static void jump_to_image(struct emitter *e, uint64_t target)
{
	bob_x86_put(&e->c, "\xe9\0\0\0", 5);
	field_to_image(e, here(e) - 4, here(e), target);
}

static void hop_to(struct emitter *e, uint32_t at, uint32_t block, bool back)
{
	struct hop *h = BOB_PLAN_PUSH(&e->hops);

	if (!h)
		e->c.st = BOB_ERR_NOMEM;
	else
		*h = (struct hop){ at, block, back };
}

static void jump_to_block(struct emitter *e, uint32_t block)
{
	bob_x86_put(&e->c, "\xe9\0\0\0", 5);
	hop_to(e, here(e) - 4, block, false);
}

/* --- probes --- */

static const struct bob_mem_word *words_of(const struct emitter *e, const struct bob_mem_piece *p)
{
	return e->u->words.at + p->word;
}

static bool needs_sum(const struct bob_mem_word *w)
{
	return w->fs || w->index != BOB_X86_NO_REG;
}

static uint32_t registers_of(const struct bob_mem_word *w)
{
	return (w->base != BOB_X86_NO_REG ? 1u << w->base : 0) |
	       (w->index != BOB_X86_NO_REG ? 1u << w->index : 0);
}

/* A register of `set`; those that nobody reads any more first. */
static uint8_t pick(uint32_t set, uint32_t live)
{
	set &= BOB_X86_ALL_REGS & ~(1u << BOB_X86_RSP);
	if (set & ~live)
		set &= ~live;
	return set ? (uint8_t)__builtin_ctz(set) : BOB_X86_NO_REG;
}

static bool dead(const struct point *p, uint8_t reg)
{
	return !(p->live >> reg & 1);
}

static void load_slot(struct emitter *e, uint8_t reg, size_t slot)
{
	note(e, &e->out->tls, bob_x86_put_load_fs(&e->c, reg, (int32_t)slot));
}

static void store_slot(struct emitter *e, uint8_t reg, size_t slot)
{
	note(e, &e->out->tls, bob_x86_put_store_fs(&e->c, reg, (int32_t)slot));
}

static void jump_if_full(struct emitter *e, uint8_t cursor, uint64_t orig)
{
	struct full *f;

	note(e, &e->out->tls, bob_x86_put_compare_fs(&e->c, cursor, SLOT_LIMIT));
	bob_x86_put(&e->c, "\x0f\x83\0\0\0", 6);	/* jae */
	f = BOB_PLAN_PUSH(&e->fulls);
	if (!f)
		e->c.st = BOB_ERR_NOMEM;
	else
		*f = (struct full){ here(e), cursor, orig };
}

static void put_check(struct emitter *e, const struct point *p)
{
	bool spill = p->piece->save_flags && !dead(p, BOB_X86_RAX);
	uint64_t orig = e->u->insns.at[p->at].addr;

	if (!p->piece->save_flags) {
		jump_if_full(e, p->cursor, orig);
		return;
	}
	if (spill)
		store_slot(e, BOB_X86_RAX, SLOT_SPILL(2));
	bob_x86_put_flags_out(&e->c);
	jump_if_full(e, p->cursor, orig);
	bob_x86_put_flags_in(&e->c);
	if (spill)
		load_slot(e, BOB_X86_RAX, SLOT_SPILL(2));
	e->out->stats.saved_flags++;
}

/* The header comes last: with it the record is there. One store: bit 31 is set and spreads upwards. */
static void put_end(struct emitter *e, const struct bob_mem_piece *p, uint8_t cursor, int32_t bytes)
{
	bob_x86_put_store_imm(&e->c, cursor, 0, (int32_t)(p->desc | ~BOB_MEM_NUMBER));
	note(e, &e->out->ids, here(e) - 4);
	map_record(e, is_loop(e, p) ? NULL : p, 1);
	map_cursor(e, cursor, (unsigned)bytes / 8);
	bob_x86_put_lea(&e->c, cursor, cursor, BOB_X86_NO_REG, 1, bytes);
	map_cursor(e, cursor, 0);
	store_slot(e, cursor, SLOT_CURSOR);
	map_cursor(e, BOB_X86_NO_REG, 0);
}

static void put_word(struct emitter *e, const struct point *p, const struct bob_mem_word *w,
		     unsigned number)
{
	int32_t at = (int32_t)(HEADER_BYTES + 8 * number);
	uint8_t base = w->base;

	if (!needs_sum(w)) {
		bob_x86_put_store(&e->c, p->cursor, at, base);
		return;
	}
	if (w->fs) {
		bob_x86_put_load_fs(&e->c, p->sum, 0);	/* the ABI keeps the thread pointer there */
		if (base != BOB_X86_NO_REG)
			bob_x86_put_lea(&e->c, p->sum, p->sum, base, 1, 0);
		base = p->sum;
	}
	if (w->index != BOB_X86_NO_REG)
		bob_x86_put_lea(&e->c, p->sum, base, w->index, w->scale, 0);
	bob_x86_put_store(&e->c, p->cursor, at, p->sum);
}

static bool choose_registers(struct point *p, uint8_t kept)
{
	uint32_t free = ~p->used;

	if (p->first && p->piece->save_flags)
		free &= ~(1u << BOB_X86_RAX);
	p->cursor = kept != BOB_X86_NO_REG ? kept : pick(free, p->live);
	if (p->cursor == BOB_X86_NO_REG)
		return false;
	p->sum = p->needs_sum ? pick(free & ~(1u << p->cursor), p->live) : BOB_X86_NO_REG;
	if (p->needs_sum && p->sum == BOB_X86_NO_REG)
		return false;
	return true;
}

/* `kept`: a register that holds the cursor from the first point on, if there is one. */
static void put_point(struct emitter *e, struct point *p, uint8_t kept)
{
	const struct bob_mem_word *w = words_of(e, p->piece);
	bool spill_cursor, spill_sum;

	if (!choose_registers(p, kept)) {
		e->u->at = e->u->insns.at[p->at].addr;
		e->why = BOB_MEM_REGISTERS;
		return;
	}
	spill_cursor = kept == BOB_X86_NO_REG && !dead(p, p->cursor);
	spill_sum = p->needs_sum && !dead(p, p->sum);
	e->out->stats.spills += spill_cursor + spill_sum;
	if (spill_cursor)
		store_slot(e, p->cursor, SLOT_SPILL(0));
	if (p->first || kept == BOB_X86_NO_REG) {
		load_slot(e, p->cursor, SLOT_CURSOR);
		map_cursor(e, p->cursor, 0);
	}
	if (p->first) {
		map_record(e, p->piece, 0);
		put_check(e, p);
	}
	if (spill_sum)
		store_slot(e, p->sum, SLOT_SPILL(1));
	for (unsigned i = 0; i < p->piece->words; i++)
		if (w[i].at == p->at)
			put_word(e, p, &w[i], i);
	if (spill_sum)
		load_slot(e, p->sum, SLOT_SPILL(1));
	if (p->last)
		put_end(e, p->piece, p->cursor, (int32_t)(HEADER_BYTES + 8 * p->piece->words));
	if (spill_cursor)
		load_slot(e, p->cursor, SLOT_SPILL(0));
	if (!p->last && kept == BOB_X86_NO_REG)
		map_cursor(e, BOB_X86_NO_REG, 0);
}

static uint32_t last_point(const struct emitter *e, const struct bob_mem_piece *p)
{
	const struct bob_mem_word *w = words_of(e, p);
	uint32_t last = p->start;

	for (unsigned i = 0; i < p->words; i++)
		if (w[i].at > last)
			last = w[i].at;
	return last;
}

/* A register that no instruction between the points of the piece touches and nobody reads afterwards. */
static uint8_t cursor_throughout(const struct emitter *e, const struct bob_mem_piece *p)
{
	const struct bob_mem_word *w = words_of(e, p);
	uint32_t last = last_point(e, p), busy = e->u->insns.at[p->start].live;

	if (last == p->start)
		return BOB_X86_NO_REG;
	for (uint32_t i = p->start; i < last; i++)
		busy |= e->u->insns.at[i].f.reads | e->u->insns.at[i].f.changes;
	for (unsigned i = 0; i < p->words; i++)
		busy |= registers_of(&w[i]);
	if (p->save_flags)
		busy |= 1u << BOB_X86_RAX;
	busy |= 1u << BOB_X86_RSP;
	busy = ~busy & BOB_X86_ALL_REGS;
	return busy ? (uint8_t)__builtin_ctz(busy) : BOB_X86_NO_REG;
}

/* The probe code before instruction `at`, if there is any. */
static void probe_before(struct emitter *e, const struct bob_mem_piece *piece, uint32_t at,
			 uint8_t kept)
{
	const struct bob_mem_word *w = words_of(e, piece);
	struct point p = {.piece = piece, .at = at, .live = e->u->insns.at[at].live,
			  .first = at == piece->start, .last = at == last_point(e, piece)};
	bool any = p.first;

	for (unsigned i = 0; i < piece->words; i++) {
		if (w[i].at != at)
			continue;
		any = true;
		p.used |= registers_of(&w[i]);
		p.needs_sum |= needs_sum(&w[i]);
	}
	if (!any)
		return;
	if (e->out->descs.at[piece->desc].desc.kind == BOB_MEM_LOOP)
		p.last = false;
	put_point(e, &p, kept);
}

/* Behind a loop: where its counter ended. */
static void probe_behind_loop(struct emitter *e, const struct bob_mem_piece *piece, uint32_t live,
			      uint64_t orig)
{
	int32_t at = (int32_t)(HEADER_BYTES + 8 * piece->words);
	uint8_t cursor = pick(~(1u << piece->counter), live);
	bool spill = live >> cursor & 1;

	map_insn(e, orig);
	map_loop(e, piece, 1);
	if (spill)
		store_slot(e, cursor, SLOT_SPILL(0));
	load_slot(e, cursor, SLOT_CURSOR);
	map_cursor(e, cursor, 0);
	bob_x86_put_store(&e->c, cursor, at, piece->counter);
	put_end(e, piece, cursor, at + 8);
	if (spill)
		load_slot(e, cursor, SLOT_SPILL(0));
}

/* Slow, far away: room is made by the agent, which keeps all registers. */
static void put_fulls(struct emitter *e)
{
	for (size_t i = 0; i < e->fulls.count && e->c.st == BOB_OK; i++) {
		const struct full *f = &e->fulls.at[i];
		int32_t rel = (int32_t)(here(e) - f->jump);

		memcpy(e->c.bytes->at + f->jump - 4, &rel, 4);
		map_insn(e, f->orig);
		map_cursor(e, BOB_X86_NO_REG, 0);
		bob_x86_put_lea(&e->c, BOB_X86_RSP, BOB_X86_RSP, BOB_X86_NO_REG, 1, -RED_ZONE);
		bob_x86_put(&e->c, "\xe8\0\0\0", 5);
		bob_x86_put_here_to(&e->c, 0u - BOB_PLAN_HANDLER_BYTES);
		bob_x86_put_lea(&e->c, BOB_X86_RSP, BOB_X86_RSP, BOB_X86_NO_REG, 1, RED_ZONE);
		load_slot(e, f->cursor, SLOT_CURSOR);
		map_cursor(e, f->cursor, 0);
		bob_x86_put(&e->c, "\xe9\0\0\0", 5);
		bob_x86_put_here_to(&e->c, f->jump);
	}
}

/* --- instructions --- */

static const uint8_t *bytes_at(const struct emitter *e, const struct bob_mem_insn *in)
{
	const struct bob_mem_range *r = &e->u->ranges.at[in->range];

	return r->bytes + (in->addr - r->lo);
}

static void put_moved(struct emitter *e, const struct bob_mem_insn *in, uint32_t to_block,
		      bool back)
{
	struct bob_x86_body body;
	uint32_t start = here(e);

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

static void put_insn(struct emitter *e, const struct bob_mem_block *b, uint32_t index, uint32_t i)
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

/* Read behind the piece, if control falls out of it. */
static uint32_t live_behind(const struct emitter *e, const struct bob_mem_block *b,
			    const struct bob_mem_piece *p)
{
	uint32_t end = p->first + p->count;

	if (end < b->first + b->count)
		return e->u->insns.at[end].live;
	return b->next[0] != BOB_MEM_NONE ? e->u->blocks.at[b->next[0]].live_in : b->live_out;
}

static uint64_t behind(const struct emitter *e, const struct bob_mem_piece *p)
{
	const struct bob_mem_insn *last = &e->u->insns.at[p->first + p->count - 1];

	return last->addr + last->f.len;
}

static void put_piece(struct emitter *e, struct bob_mem_block *b, uint32_t index,
		      const struct bob_mem_piece *p)
{
	uint32_t end = p->first + p->count;
	bool loop = is_loop(e, p);
	uint8_t kept = BOB_X86_NO_REG;

	if (p->desc != BOB_MEM_NONE) {
		kept = cursor_throughout(e, p);
		e->out->stats.probes++;
		e->out->stats.loops += loop;
	}
	if (p->desc != BOB_MEM_NONE && (loop || p->count == 0)) {
		map_insn(e, e->u->insns.at[p->first].addr);
		probe_before(e, p, p->first, kept);
		if (loop && p->count == b->count && !e->u->insns.at[p->first].f.rep)
			b->loop_code = here(e); /* the block as a whole, not a string instruction */
		if (loop)
			map_loop(e, p, 0);
	}
	for (uint32_t i = p->first; i < end && e->c.st == BOB_OK; i++) {
		map_insn(e, e->u->insns.at[i].addr);
		if (p->desc != BOB_MEM_NONE && !loop)
			probe_before(e, p, i, kept);
		put_insn(e, b, index, i);
		if (loop && !e->u->insns.at[i].f.rep &&
		    e->u->insns.at[i].f.changes >> p->counter & 1)
			map_loop(e, p, 1);
	}
	if (loop)
		probe_behind_loop(e, p, live_behind(e, b, p), behind(e, p));
	else if (p->desc != BOB_MEM_NONE)
		map_record(e, NULL, 0);
}

static void put_block(struct emitter *e, uint32_t index, size_t *piece)
{
	struct bob_mem_block *b = &e->u->blocks.at[index];
	const struct bob_mem_insn *last = &e->u->insns.at[b->first + b->count - 1];
	const struct bob_mem_pieces *ps = &e->u->pieces;

	b->landing_code = b->code = here(e);
	b->loop_code = 0;
	for (; *piece < ps->count && ps->at[*piece].first < b->first + b->count; ++*piece) {
		put_piece(e, b, index, &ps->at[*piece]);
		if (ps->at[*piece].count == 0)
			b->code = here(e);	/* what comes before is for callers */
	}
	if (last->f.flow != BOB_X86_FALLS && last->f.flow != BOB_X86_BRANCHES)
		return;
	if (b->next[0] != index + 1)
		map_insn(e, last->addr + last->f.len);
	if (b->next[0] == BOB_MEM_NONE)
		jump_to_image(e, last->addr + last->f.len);
	else if (b->next[0] != index + 1)
		jump_to_block(e, b->next[0]);
}

static void finish_hops(struct emitter *e)
{
	for (size_t i = 0; i < e->hops.count && e->c.st == BOB_OK; i++) {
		const struct hop *h = &e->hops.at[i];
		const struct bob_mem_block *b = &e->u->blocks.at[h->block];
		int32_t rel = (int32_t)((h->back ? b->loop_code : b->code) - (h->at + 4));

		memcpy(e->c.bytes->at + h->at, &rel, 4);
	}
}

static void note_stops(struct emitter *e)
{
	for (size_t i = 0; i < e->u->blocks.count; i++) {
		const struct bob_mem_block *b = &e->u->blocks.at[i];
		struct bob_mem_stop *s = BOB_PLAN_PUSH(&e->out->stops);

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
	struct emitter e = { .u = u, .out = out, .c = { &out->blob, BOB_OK } };
	size_t piece = 0;

	e.map_code = this_func(&e)->code;
	e.map_orig = this_func(&e)->addr;

	while (out->blob.count % 16 && e.c.st == BOB_OK)
		bob_x86_put(&e.c, "\xcc", 1);
	for (uint32_t i = 0; i < u->blocks.count && e.c.st == BOB_OK; i++)
		put_block(&e, i, &piece);
	put_fulls(&e);
	finish_hops(&e);
	note_stops(&e);
	free(e.hops.at);
	free(e.fulls.at);
	u->st = e.c.st;
	return e.why;
}
