/* SPDX-License-Identifier: BSD-3-Clause */
/* Emits probes: the code that stores the words of a piece.
 *
 * A probe uses one or two dead registers; if there are none, it saves registers in thread-local
 * storage. It uses no stack, because the function may use the red zone below rsp. After the last
 * word of the record it stores the header and advances the cursor. */
#include <string.h>

#include "plan/mem/emit.h"

#define HEADER_BYTES 8
#define RED_ZONE 128
#define SLOT_CURSOR offsetof(struct bob_mem_slots, cursor)
#define SLOT_LIMIT offsetof(struct bob_mem_slots, limit)
#define SLOT_LOOP offsetof(struct bob_mem_slots, loop)
#define SLOT_INDICES offsetof(struct bob_mem_slots, indices)
#define SLOT_SPILL(n) (offsetof(struct bob_mem_slots, spill) + 8 * (n))

/* A position at which words of a piece are stored. */
struct point {
	const struct bob_mem_piece *piece;
	uint32_t at;		/* instruction */
	uint32_t live;
	uint32_t used;		/* registers whose values are stored */
	bool first, last, needs_sum;
	bool payload;		/* stores payload of an iteration */
	unsigned from, to;	/* range of words that it may store */
	uint8_t cursor, sum;	/* registers */
};

void bob_mem_note_field(struct bob_mem_emitter *e, struct bob_plan_u32s *list, uint32_t at)
{
	uint32_t *p = BOB_VEC_PUSH(list);

	if (!p)
		e->c.st = BOB_ERR_NOMEM;
	else
		*p = at;
}

static const struct bob_mem_word *words_of(const struct bob_mem_emitter *e,
					   const struct bob_mem_piece *p)
{
	return e->u->words.at + p->word;
}

/* Whether the word is the empty sum, as for absolute addresses. */
static bool is_zero(const struct bob_mem_word *w)
{
	return !w->kind && !w->fs && w->base == BOB_X86_NO_REG && w->index == BOB_X86_NO_REG &&
	       w->third == BOB_X86_NO_REG;
}

static bool needs_sum(const struct bob_mem_word *w)
{
	return w->kind || w->fs || w->disp || w->index != BOB_X86_NO_REG ||
	       w->third != BOB_X86_NO_REG || is_zero(w);
}

static uint32_t registers_of(const struct bob_mem_word *w)
{
	return (w->base != BOB_X86_NO_REG ? 1u << w->base : 0) |
	       (w->index != BOB_X86_NO_REG ? 1u << w->index : 0) |
	       (w->third != BOB_X86_NO_REG ? 1u << w->third : 0);
}

/* Pick a register of `set`, preferably a dead one. */
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

static void load_slot(struct bob_mem_emitter *e, uint8_t reg, size_t slot)
{
	bob_mem_note_field(e, &e->out->tls, bob_x86_put_load_fs(&e->c, reg, (int32_t)slot));
}

static void store_slot(struct bob_mem_emitter *e, uint8_t reg, size_t slot)
{
	bob_mem_note_field(e, &e->out->tls, bob_x86_put_store_fs(&e->c, reg, (int32_t)slot));
}

/* Save a register while the probe uses it; the map records the slot. */
static void spill(struct bob_mem_emitter *e, uint8_t reg, unsigned slot)
{
	store_slot(e, reg, SLOT_SPILL(slot));
	bob_mem_map_spill(e, slot, reg);
}

static void unspill(struct bob_mem_emitter *e, uint8_t reg, unsigned slot)
{
	load_slot(e, reg, SLOT_SPILL(slot));
	bob_mem_map_spill(e, slot, BOB_X86_NO_REG);
}

static void jump_if_full(struct bob_mem_emitter *e, uint8_t cursor, uint64_t orig)
{
	struct bob_mem_full *f;

	bob_mem_note_field(e, &e->out->tls, bob_x86_put_compare_fs(&e->c, cursor, SLOT_LIMIT));
	bob_x86_put(&e->c, "\x0f\x83\0\0\0", 6);	/* jae */
	f = BOB_VEC_PUSH(&e->fulls);
	if (!f)
		e->c.st = BOB_ERR_NOMEM;
	else
		*f = (struct bob_mem_full){ .jump = bob_mem_here(e),
					    .cursor = cursor,
					    .orig = orig };
	for (unsigned i = 0; f && i < BOB_MEM_SPILLS; i++)
		f->spilled[i] = e->spilled[i];
}

static void put_check(struct bob_mem_emitter *e, const struct point *p)
{
	bool save_rax = p->piece->save_flags && !dead(p, BOB_X86_RAX);
	uint64_t orig = e->u->insns.at[p->at].addr;

	if (!p->piece->save_flags) {
		jump_if_full(e, p->cursor, orig);
		return;
	}
	if (save_rax)
		spill(e, BOB_X86_RAX, 2);
	bob_x86_put_flags_out(&e->c);
	jump_if_full(e, p->cursor, orig);
	bob_x86_put_flags_in(&e->c);
	if (save_rax)
		unspill(e, BOB_X86_RAX, 2);
	e->out->stats.saved_flags++;
}

/* Commit what was stored: advance the cursor. */
static void put_advance(struct bob_mem_emitter *e, uint8_t cursor, int32_t bytes)
{
	bob_mem_map_cursor(e, cursor, (unsigned)bytes / 8);
	bob_x86_put_lea(&e->c, cursor, cursor, BOB_X86_NO_REG, 1, bytes);
	bob_mem_map_cursor(e, cursor, 0);
	store_slot(e, cursor, SLOT_CURSOR);
}

/* Store the header last, because it makes the record valid. A single store: bit 31 is set and is
 * sign-extended. */
static void put_end(struct bob_mem_emitter *e, const struct bob_mem_piece *p, uint8_t cursor,
		    int32_t bytes)
{
	if (p->payload)
		store_slot(e, cursor, SLOT_LOOP);
	bob_x86_put_store_imm(&e->c, cursor, 0, (int32_t)(p->desc | ~BOB_MEM_NUMBER));
	bob_mem_note_field(e, &e->out->ids, bob_mem_here(e) - 4);
	if (p->payload)
		bob_mem_map_iterates(e, 0);
	else
		bob_mem_map_record(e, bob_mem_is_loop_piece(e, p) ? NULL : p, 1);
	put_advance(e, cursor, bytes);
}

static const struct bob_x86_lanes *lanes_of(const struct bob_mem_emitter *e,
					    const struct bob_mem_word *w)
{
	return &e->u->insns.at[w->insn].f.lanes;
}

static void put_lane(struct bob_mem_emitter *e, const struct point *p, const struct bob_mem_word *w)
{
	const struct bob_x86_lanes *l = lanes_of(e, w);
	int32_t slot = (int32_t)(SLOT_INDICES + (unsigned)w->lane * l->index_bytes);

	bob_mem_note_field(e, &e->out->tls,
			   bob_x86_put_load_index(&e->c, p->sum, l->index_bytes, slot));
	bob_x86_put_lea(&e->c, p->sum, w->base, p->sum, w->scale, w->disp);
}

/* Store the indices of a gather, so that they can be loaded one by one. */
static void put_indices(struct bob_mem_emitter *e, const struct point *p)
{
	const struct bob_mem_word *w = words_of(e, p->piece);

	for (unsigned i = p->from; i < p->to; i++) {
		if (w[i].at != p->at || w[i].kind != BOB_MEM_LANE)
			continue;
		bob_mem_note_field(e, &e->out->tls,
				   bob_x86_put_store_indices(&e->c, lanes_of(e, &w[i]),
							     SLOT_INDICES));
		return;
	}
}

/* Returns the register with the value of the word, which may be p->sum. */
static uint8_t put_sum(struct bob_mem_emitter *e, const struct point *p,
		       const struct bob_mem_word *w)
{
	uint8_t base = w->base;
	int32_t disp = w->disp;

	if (!needs_sum(w))
		return base;
	if (w->kind != BOB_MEM_SUM) {
		if (w->kind == BOB_MEM_LANE)
			put_lane(e, p, w);
		else
			bob_x86_put_mask(&e->c, p->sum, lanes_of(e, w));
		return p->sum;
	}
	if (w->fs) {
		/* by the ABI, %fs:0 is the thread pointer */
		bob_x86_put_load_fs(&e->c, p->sum, 0);
		if (base != BOB_X86_NO_REG)
			bob_x86_put_lea(&e->c, p->sum, p->sum, base, 1, 0);
		base = p->sum;
	}
	if (w->index != BOB_X86_NO_REG) {
		bob_x86_put_lea(&e->c, p->sum, base, w->index, w->scale, disp);
		base = p->sum;
		disp = 0;
	}
	if (w->third != BOB_X86_NO_REG)
		bob_x86_put_lea(&e->c, p->sum, base, w->third, w->third_scale, disp);
	else if (disp || is_zero(w))
		bob_x86_put_lea(&e->c, p->sum, base, BOB_X86_NO_REG, 1, disp);
	return p->sum;
}

/* Payload must not look like a header: an address with bit 63 set (its access will fault) loses its
 * highest byte. */
static void put_word(struct bob_mem_emitter *e, const struct point *p, const struct bob_mem_word *w,
		     unsigned number)
{
	int32_t at = (int32_t)(8 * (number - p->from)) + (p->payload ? 0 : HEADER_BYTES);

	bob_x86_put_store(&e->c, p->cursor, at, put_sum(e, p, w));
	if (p->payload)
		bob_x86_put_byte(&e->c, p->cursor, at + 7, w->tagged ? BOB_MEM_TAG : 0);
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

/* `kept`: a register that has the cursor since the first point; or none. */
static void put_point(struct bob_mem_emitter *e, struct point *p, uint8_t kept)
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
		spill(e, p->cursor, 0);
	if (p->first || kept == BOB_X86_NO_REG) {
		load_slot(e, p->cursor, SLOT_CURSOR);
		bob_mem_map_cursor(e, p->cursor, 0);
	}
	if (p->first) {
		bob_mem_map_record(e, p->piece, 0);
		put_check(e, p);
	}
	if (spill_sum)
		spill(e, p->sum, 1);
	put_indices(e, p);
	for (unsigned i = p->from; i < p->to; i++)
		if (w[i].at == p->at)
			put_word(e, p, &w[i], i);
	if (spill_sum)
		unspill(e, p->sum, 1);
	if (p->last && p->payload) {
		bob_mem_map_iterates(e, 1);
		put_advance(e, p->cursor, 8 * p->piece->payload);
	} else if (p->last) {
		put_end(e, p->piece, p->cursor, (int32_t)(HEADER_BYTES + 8 * p->to));
	}
	if (p->last && !p->piece->payload)
		bob_mem_map_cursor(e, BOB_X86_NO_REG, 0);
	if (spill_cursor)
		unspill(e, p->cursor, 0);
	if ((!p->last || p->piece->payload) && kept == BOB_X86_NO_REG)
		bob_mem_map_cursor(e, BOB_X86_NO_REG, 0);
}

/* The position at which the last of the words from `from` on is stored. */
static uint32_t last_point(const struct bob_mem_emitter *e, const struct bob_mem_piece *p,
			   unsigned from)
{
	const struct bob_mem_word *w = words_of(e, p);
	uint32_t last = p->start;

	for (unsigned i = from; i < p->words; i++)
		if (w[i].at > last)
			last = w[i].at;
	return last;
}

/* Find a register that no instruction between the points of the piece uses and that is dead after
 * them. In a loop with payload, the points of all iterations count. */
uint8_t bob_mem_cursor_throughout(const struct bob_mem_emitter *e, const struct bob_mem_piece *p)
{
	const struct bob_mem_word *w = words_of(e, p);
	uint32_t last = p->payload ? p->first + p->count : last_point(e, p, 0);
	uint32_t busy = e->u->insns.at[p->start].live;

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

/* Find the registers that the point needs; false: it stores nothing. */
static bool find_used(const struct bob_mem_emitter *e, struct point *p)
{
	const struct bob_mem_word *w = words_of(e, p->piece);
	bool any = false;

	for (unsigned i = p->from; i < p->to; i++) {
		if (w[i].at != p->at)
			continue;
		any = true;
		p->used |= registers_of(&w[i]);
		p->needs_sum |= needs_sum(&w[i]);
	}
	return any;
}

void bob_mem_probe_before(struct bob_mem_emitter *e, const struct bob_mem_piece *piece, uint32_t at,
			  uint8_t kept)
{
	bool loop = bob_mem_is_loop_piece(e, piece);
	struct point p = {.piece = piece, .at = at, .live = e->u->insns.at[at].live,
			  .first = at == piece->start, .last = at == last_point(e, piece, 0),
			  .to = piece->words};

	if (loop) {	/* the beginning of the loop */
		p.to -= piece->payload;
		p.last = piece->payload;
	}
	if (find_used(e, &p) || p.first)
		put_point(e, &p, kept);
}

void bob_mem_probe_after_loop(struct bob_mem_emitter *e, const struct bob_mem_piece *piece,
			      uint32_t live, uint64_t orig)
{
	int32_t at = (int32_t)(HEADER_BYTES + 8 * piece->words);
	uint8_t cursor = pick(~(1u << piece->counter), live);
	bool save = live >> cursor & 1;

	bob_mem_map_insn(e, orig);
	bob_mem_map_loop(e, piece, 1);
	if (save)
		spill(e, cursor, 0);
	load_slot(e, cursor, SLOT_CURSOR);
	bob_mem_map_cursor(e, cursor, 0);
	bob_x86_put_store(&e->c, cursor, at, piece->counter);
	put_end(e, piece, cursor, at + 8);
	bob_mem_map_cursor(e, BOB_X86_NO_REG, 0);
	if (save)
		unspill(e, cursor, 0);
}

/* --- loops with payload --- */

void bob_mem_payload_before(struct bob_mem_emitter *e, const struct bob_mem_piece *piece,
			    uint32_t at, uint8_t kept)
{
	unsigned from = piece->words - piece->payload;
	struct point p = {.piece = piece, .at = at, .live = e->u->insns.at[at].live,
			  .payload = true, .last = at == last_point(e, piece, from), .from = from,
			  .to = piece->words};

	if (find_used(e, &p))
		put_point(e, &p, kept);
}

void bob_mem_probe_iteration(struct bob_mem_emitter *e, const struct bob_mem_piece *piece,
			     uint8_t kept, uint32_t again)
{
	const struct bob_mem_insn *in = &e->u->insns.at[piece->first];
	uint8_t cursor = kept != BOB_X86_NO_REG ? kept : pick(BOB_X86_ALL_REGS, in->live);
	bool save = kept == BOB_X86_NO_REG && in->live >> cursor & 1;
	struct bob_mem_full *f;

	if (save)
		spill(e, cursor, 0);
	if (kept == BOB_X86_NO_REG) {
		load_slot(e, cursor, SLOT_CURSOR);
		bob_mem_map_cursor(e, cursor, 0);
	}
	jump_if_full(e, cursor, in->addr);
	if (e->c.st != BOB_OK)
		return;
	f = &e->fulls.at[e->fulls.count - 1];
	f->again = true;
	f->again_at = again;
	if (save)
		unspill(e, cursor, 0);
	if (kept == BOB_X86_NO_REG)
		bob_mem_map_cursor(e, BOB_X86_NO_REG, 0);
}

void bob_mem_map_after_payload(struct bob_mem_emitter *e, uint64_t orig)
{
	bob_mem_map_insn(e, orig);
	bob_mem_map_record(e, NULL, 0);
	bob_mem_map_cursor(e, BOB_X86_NO_REG, 0);
}

/* --- full buffers --- */

/* The slow path, out of line: the agent provides the next buffer and preserves all registers. */
void bob_mem_put_fulls(struct bob_mem_emitter *e)
{
	for (size_t i = 0; i < e->fulls.count && e->c.st == BOB_OK; i++) {
		const struct bob_mem_full *f = &e->fulls.at[i];
		int32_t rel = (int32_t)(bob_mem_here(e) - f->jump);

		memcpy(e->c.bytes->at + f->jump - 4, &rel, 4);
		bob_mem_map_insn(e, f->orig);
		bob_mem_map_cursor(e, BOB_X86_NO_REG, 0);
		for (unsigned k = 0; k < BOB_MEM_SPILLS; k++)
			bob_mem_map_spill(e, k, f->spilled[k]);
		bob_x86_put_lea(&e->c, BOB_X86_RSP, BOB_X86_RSP, BOB_X86_NO_REG, 1, -RED_ZONE);
		bob_x86_put(&e->c, "\xe8\0\0\0", 5);
		bob_x86_put_here_to(&e->c, 0u - BOB_PLAN_HANDLER_BYTES);
		bob_x86_put_lea(&e->c, BOB_X86_RSP, BOB_X86_RSP, BOB_X86_NO_REG, 1, RED_ZONE);
		if (f->again && f->spilled[0] != BOB_X86_NO_REG) {
			unspill(e, f->cursor, 0);
		} else if (!f->again) {
			load_slot(e, f->cursor, SLOT_CURSOR);
			bob_mem_map_cursor(e, f->cursor, 0);
		}
		bob_x86_put(&e->c, "\xe9\0\0\0", 5);
		bob_x86_put_here_to(&e->c, f->again ? f->again_at : f->jump);
	}
}
