/* SPDX-License-Identifier: BSD-3-Clause */
/* Decides what replaces the original bytes of a translated unit. Calls stay in place, so that
 * return addresses are those of the image. Landings get a jump to the translated code. All other
 * bytes are dead and become int3, so that executing them is always detected. A landing needs five
 * bytes:
 * - One with two to four bytes jumps to five dead bytes nearby.
 * - One with fewer bytes, or without dead bytes nearby, makes the following call move (at the cost
 *   of a mispredicted return).
 * - A landing of one byte may be a short jump whose distance is the following byte, if it leads to
 *   five dead bytes.
 * - Else it is a trap, unless the stack may be too small for its signal: then the unit is not
 *   translated. */
#include <string.h>

#include "plan/mem/unit.h"

#define JMP_LEN 5u
#define SHORT_LEN 2u
#define JMP_LONG 0xe9
#define JMP_SHORT 0xeb
#define SHORT_BACK 126u
#define SHORT_FORTH 129u

enum use {
	DEAD = 0,
	KEPT,			/* a call, or bytes that others read */
	TAKEN
};

struct placer {
	struct bob_mem_unit *u;
	/* for each byte of text, the block of the call that begins there, or BOB_MEM_NONE */
	uint32_t *call_at;
};

static uint8_t *use_at(const struct placer *p, const struct bob_mem_range *r, uint64_t addr)
{
	return p->u->used.at + r->text + (addr - r->lo);
}

static void set_use(const struct placer *p, const struct bob_mem_range *r, uint64_t addr,
		    unsigned len, enum use use)
{
	memset(use_at(p, r, addr), (int)use, len);
}

static const struct bob_mem_range *range_of(const struct bob_mem_unit *u, uint64_t addr)
{
	const struct bob_mem_range *r = u->ranges.at;

	while (addr < r->lo || addr >= r->padded)
		r++;
	return r;
}

/* Whether the call can be moved. A moved call computes the return address, which changes flags, and
 * it cannot call through the stack pointer. */
static bool can_move(const struct bob_mem_unit *u, const struct bob_mem_insn *call)
{
	return !u->flags_pass && (call->f.flow == BOB_X86_CALLS || call->f.access_count < 2 ||
				  call->f.access[0].base != BOB_X86_RSP);
}

static const struct bob_mem_insn *last_insn(const struct bob_mem_unit *u,
					    const struct bob_mem_block *b)
{
	return &u->insns.at[b->first + b->count - 1];
}

static void keep_first(struct placer *p, const struct bob_mem_block *b)
{
	const struct bob_mem_insn *in = &p->u->insns.at[b->first];

	set_use(p, &p->u->ranges.at[in->range], in->addr, in->f.len, KEPT);
}

static void keep_calls(struct placer *p)
{
	struct bob_mem_unit *u = p->u;

	for (uint32_t i = 0; i < u->blocks.count; i++) {
		const struct bob_mem_insn *call = last_insn(u, &u->blocks.at[i]);
		const struct bob_mem_range *r = &u->ranges.at[call->range];

		u->blocks.at[i].call_moved = false;
		if (u->insns.at[u->blocks.at[i].first].stays)
			keep_first(p, &u->blocks.at[i]);
		if (call->f.flow != BOB_X86_CALLS && call->f.flow != BOB_X86_CALLS_TO)
			continue;
		set_use(p, r, call->addr, call->f.len, KEPT);
		p->call_at[r->text + (call->addr - r->lo)] = i;
	}
}

/* Number of unused bytes from landing `l` on. Landings are in order. */
static unsigned bytes_free(const struct placer *p, size_t l)
{
	const struct bob_mem_landings *ls = &p->u->landings;
	uint64_t at = ls->at[l].addr;
	const struct bob_mem_range *r = range_of(p->u, at);
	uint64_t end = l + 1 < ls->count && ls->at[l + 1].addr < r->padded ? ls->at[l + 1].addr :
									     r->padded;
	unsigned n = 0;

	while (n < JMP_LEN && at + n < end && *use_at(p, r, at + n) == DEAD)
		n++;
	return n;
}

/* Move the call that limits the size of a landing. False: there is none, or it cannot move. */
static bool move_call_after(struct placer *p, uint64_t at, unsigned n)
{
	const struct bob_mem_range *r = range_of(p->u, at);
	const struct bob_mem_insn *call;
	uint32_t block;

	if (at + n >= r->hi)
		return false;
	block = p->call_at[r->text + (at + n - r->lo)];
	if (block == BOB_MEM_NONE || p->u->blocks.at[block].call_moved)
		return false;
	call = last_insn(p->u, &p->u->blocks.at[block]);
	if (!can_move(p->u, call))
		return false;
	p->u->blocks.at[block].call_moved = true;
	set_use(p, r, call->addr, call->f.len, DEAD);
	return true;
}

/* Find five dead bytes within reach of a two-byte jump at `at`. */
static bool find_chain(const struct placer *p, struct bob_mem_landing *l)
{
	const struct bob_mem_range *r = range_of(p->u, l->addr);
	uint64_t lo = l->addr - r->lo > SHORT_BACK ? l->addr - SHORT_BACK : r->lo;
	uint64_t hi = r->padded - l->addr > SHORT_FORTH ? l->addr + SHORT_FORTH : r->padded;
	unsigned run = 0;

	for (uint64_t at = lo; at < hi + JMP_LEN && at < r->padded; at++) {
		run = *use_at(p, r, at) == DEAD ? run + 1 : 0;
		if (run < JMP_LEN)
			continue;
		l->chain = at + 1 - JMP_LEN;
		if (l->chain > hi)
			return false;
		l->kind = BOB_MEM_LAND_SHORT;
		set_use(p, r, l->chain, JMP_LEN, TAKEN);
		return true;
	}
	return false;
}

static bool place_long(struct placer *p, size_t i)
{
	struct bob_mem_landing *l = &p->u->landings.at[i];

	if (bytes_free(p, i) < JMP_LEN)
		return false;
	l->kind = BOB_MEM_LAND_JUMP;
	set_use(p, range_of(p->u, l->addr), l->addr, JMP_LEN, TAKEN);
	return true;
}

static void find_landings(struct placer *p)
{
	struct bob_mem_unit *u = p->u;

	u->landings.count = 0;
	for (uint32_t i = 0; i < u->blocks.count; i++) {
		struct bob_mem_landing *l;

		if (!(u->blocks.at[i].flags & BOB_MEM_LANDS))
			continue;
		l = BOB_VEC_PUSH(&u->landings);
		if (!l) {
			u->st = BOB_ERR_NOMEM;
			return;
		}
		l->addr = u->insns.at[u->blocks.at[i].first].addr;
		l->block = i;
		l->kind = BOB_MEM_LAND_TRAP;
		l->chain = 0;
		l->prefix = 0;
	}
}

static void trap(struct placer *p, struct bob_mem_landing *l)
{
	l->kind = BOB_MEM_LAND_TRAP;
	set_use(p, range_of(p->u, l->addr), l->addr, 1, TAKEN);
}

/* Allocate the bytes of the landing itself. */
static unsigned place_first(struct placer *p, size_t i)
{
	struct bob_mem_landing *l = &p->u->landings.at[i];
	unsigned n = bytes_free(p, i);

	while (n < SHORT_LEN && move_call_after(p, l->addr, n))
		n = bytes_free(p, i);
	p->u->at = l->addr;
	if (n == 0)
		return BOB_MEM_FIXED_PLACE; /* a call that must stay would run unrecorded */
	if (place_long(p, i))
		return BOB_MEM_TAKEN;
	if (n < SHORT_LEN) {
		trap(p, l);
		return BOB_MEM_TAKEN;
	}
	l->kind = BOB_MEM_LAND_SHORT;
	set_use(p, range_of(p->u, l->addr), l->addr, SHORT_LEN, TAKEN);
	return BOB_MEM_TAKEN;
}

static void place_second(struct placer *p, size_t i)
{
	struct bob_mem_landing *l = &p->u->landings.at[i];

	if (find_chain(p, l))
		return;
	set_use(p, range_of(p->u, l->addr), l->addr, SHORT_LEN, DEAD);
	while (bytes_free(p, i) < JMP_LEN && move_call_after(p, l->addr, bytes_free(p, i)))
		;
	if (!place_long(p, i))
		trap(p, l);
}

static bool is_dead(const struct placer *p, const struct bob_mem_range *r, uint64_t at,
		    unsigned len)
{
	if (at < r->lo || at + len > r->padded)
		return false;
	for (unsigned n = 0; n < len; n++)
		if (*use_at(p, r, at + n) != DEAD)
			return false;
	return true;
}

/* Make the landing a short jump, if its distance leads to five dead bytes. */
static bool place_overlapped(struct placer *p, struct bob_mem_landing *l, uint8_t distance)
{
	const struct bob_mem_range *r = range_of(p->u, l->addr);
	const uint64_t to = l->addr + SHORT_LEN + (uint64_t)(int64_t)(int8_t)distance;

	if (!is_dead(p, r, to, JMP_LEN))
		return false;
	l->kind = BOB_MEM_LAND_SHORT;
	l->chain = to;
	set_use(p, r, to, JMP_LEN, TAKEN);
	return true;
}

/* Prepend a prefix that jumps ignore to the following landing, so that it serves as distance. */
static bool place_prefixed(struct placer *p, struct bob_mem_landing *l,
			   struct bob_mem_landing *next)
{
	static const uint8_t ignored[] = { 0xf2, 0xf3, 0x26, 0x2e, 0x36, 0x3e };
	const struct bob_mem_range *r = range_of(p->u, l->addr);
	const unsigned len = next->kind == BOB_MEM_LAND_JUMP ? JMP_LEN : SHORT_LEN;
	const int64_t distance = (int64_t)(next->chain - (next->addr + 1 + SHORT_LEN));

	if (!is_dead(p, r, next->addr + len, 1) ||
	    (len == SHORT_LEN && distance != (int64_t)(int8_t)distance))
		return false;
	set_use(p, r, next->addr + len, 1, TAKEN);
	for (size_t i = 0; i < sizeof(ignored); i++) {
		if (place_overlapped(p, l, ignored[i])) {
			next->prefix = ignored[i];
			return true;
		}
	}
	set_use(p, r, next->addr + len, 1, DEAD);
	return false;
}

/* A landing of one byte becomes `eb`, and the following byte is its distance: the first byte of a
 * call that stays, or of the next landing's jump (`eb e9` jumps 21 bytes back). */
static void share_byte(struct placer *p, size_t i)
{
	const struct bob_mem_landings *ls = &p->u->landings;
	struct bob_mem_landing *l = &ls->at[i];
	struct bob_mem_landing *next = i + 1 < ls->count ? &ls->at[i + 1] : NULL;
	const struct bob_mem_range *r = range_of(p->u, l->addr);
	const uint64_t at = l->addr + 1;

	if (at < r->hi && *use_at(p, r, at) == KEPT) {
		place_overlapped(p, l, r->bytes[at - r->lo]);
		return;
	}
	if (!next || next->addr != at || next->kind == BOB_MEM_LAND_TRAP)
		return;
	if (!place_overlapped(p, l, next->kind == BOB_MEM_LAND_JUMP ? JMP_LONG : JMP_SHORT))
		place_prefixed(p, l, next);
}

/* All landings allocate their own bytes before any of them allocates bytes elsewhere. */
static unsigned place_all(struct placer *p)
{
	size_t count = p->u->landings.count;
	unsigned why = BOB_MEM_TAKEN;

	for (size_t i = 0; why == BOB_MEM_TAKEN && i < count; i++)
		why = place_first(p, i);
	for (size_t i = 0; why == BOB_MEM_TAKEN && i < count; i++)
		if (p->u->landings.at[i].kind == BOB_MEM_LAND_SHORT)
			place_second(p, i);
	for (size_t i = 0; why == BOB_MEM_TAKEN && i < count; i++)
		if (p->u->landings.at[i].kind == BOB_MEM_LAND_TRAP)
			share_byte(p, i);
	return why;
}

unsigned bob_mem_place(struct bob_mem_unit *u)
{
	struct placer p = { .u = u };
	unsigned why = BOB_MEM_TAKEN;
	uint32_t total = 0;

	for (size_t i = 0; i < u->ranges.count; i++) {
		u->ranges.at[i].text = total;
		total += (uint32_t)(u->ranges.at[i].padded - u->ranges.at[i].lo);
	}
	u->used.count = 0;
	p.call_at = malloc((total + 1) * sizeof(*p.call_at));
	if (!p.call_at || BOB_VEC_RESERVE(&u->used, total) != 0) {
		u->st = BOB_ERR_NOMEM;
		goto done;
	}
	memset(u->used.at, DEAD, total);
	memset(p.call_at, 0xff, (total + 1) * sizeof(*p.call_at));
	u->used.count = total;
	keep_calls(&p);
	find_landings(&p);
	if (u->st == BOB_OK)
		why = place_all(&p);
done:
	free(p.call_at);
	return why;
}
