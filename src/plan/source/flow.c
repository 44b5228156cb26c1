/* SPDX-License-Identifier: BSD-3-Clause */
/* Data-flow analysis of the values of registers before each instruction of a function. Values
 * propagate forward from the entry, and from the places where DWARF assigns a variable to a
 * register, to a fixed point. Where control may enter from elsewhere (jump tables, landing pads),
 * all values are unknown. A pointer plus numbers remains the same pointer, because the language
 * does not let it leave its object. Sums of two addresses and unknown indices are not tracked.
 *
 * A scaled index counts as a number, because addresses are not scaled. */
#include <string.h>

#include "base/search.h"
#include "mem/record.h"
#include "plan/source/flow.h"

#define PASSES_MAX 64u
#define TEMPORARIES_MAX 512u

typedef struct bob_source_value value;

static value of_kind(unsigned kind)
{
	return (value){ .kind = kind };
}

static int same(const value *a, const value *b)
{
	return a->kind == b->kind && a->term == b->term && a->off == b->off;
}

/* The same object at an unknown offset. */
static value inside(value v)
{
	switch (v.kind) {
	case BOB_SOURCE_FRAME:
	case BOB_SOURCE_IN_FRAME:
		return of_kind(BOB_SOURCE_IN_FRAME);
	case BOB_SOURCE_TERM:
	case BOB_SOURCE_IN_TERM:
		return (value){ .kind = BOB_SOURCE_IN_TERM, .term = v.term };
	case BOB_SOURCE_THREAD:
	case BOB_SOURCE_IN_THREAD:
		return of_kind(BOB_SOURCE_IN_THREAD);
	case BOB_SOURCE_NUMBER:
		return v;
	default:
		return of_kind(BOB_SOURCE_ANYTHING);
	}
}

static value join(value a, value b)
{
	if (same(&a, &b))
		return a;
	if (a.kind == BOB_SOURCE_NOTHING_YET)
		return b;
	if (b.kind == BOB_SOURCE_NOTHING_YET)
		return a;
	if (a.kind == BOB_SOURCE_NUMBER || b.kind == BOB_SOURCE_NUMBER)
		return of_kind(BOB_SOURCE_ANYTHING);
	a = inside(a);
	b = inside(b);
	return same(&a, &b) ? a : of_kind(BOB_SOURCE_ANYTHING);
}

/* --- sums --- */

value bob_flow_register(const value *regs, uint8_t reg)
{
	return reg == BOB_X86_NO_REG ? of_kind(BOB_SOURCE_NUMBER) : regs[reg];
}

static value plus(value a, value b)
{
	if (b.kind == BOB_SOURCE_DISTANCE) {
		value by = b;

		b = a;
		a = by;
	}
	if (a.kind == BOB_SOURCE_DISTANCE &&
	    (b.kind == BOB_SOURCE_THREAD || b.kind == BOB_SOURCE_POINTER))
		return (value){ .kind = BOB_SOURCE_THREAD,
				.off = (int64_t)((uint64_t)a.off + (uint64_t)b.off) };
	if (a.kind == BOB_SOURCE_NUMBER)
		return inside(b);
	if (b.kind == BOB_SOURCE_NUMBER)
		return inside(a);
	return of_kind(BOB_SOURCE_ANYTHING);
}

static value shifted(value v, int64_t by)
{
	if (v.kind == BOB_SOURCE_STATIC || v.kind == BOB_SOURCE_FRAME ||
	    v.kind == BOB_SOURCE_TERM || v.kind == BOB_SOURCE_THREAD ||
	    v.kind == BOB_SOURCE_POINTER || v.kind == BOB_SOURCE_DISTANCE)
		v.off = (int64_t)((uint64_t)v.off + (uint64_t)by);
	return v;
}

static value sum(const value *regs, uint8_t first, uint8_t second, unsigned scale, int64_t add)
{
	value a = bob_flow_register(regs, first);

	if (second == BOB_X86_NO_REG)
		return shifted(a, add);
	return plus(a, scale > 1 ? of_kind(BOB_SOURCE_NUMBER) : regs[second]);
}

static value minus(value a, value b)
{
	if (b.kind == BOB_SOURCE_NUMBER)
		return inside(a);
	if ((a.kind == BOB_SOURCE_TERM || a.kind == BOB_SOURCE_IN_TERM) &&
	    (b.kind == BOB_SOURCE_TERM || b.kind == BOB_SOURCE_IN_TERM) && a.term == b.term)
		return of_kind(BOB_SOURCE_NUMBER);
	return of_kind(BOB_SOURCE_ANYTHING);
}

/* --- memory --- */

value bob_flow_address(const struct bob_flow *w, const value *regs, const struct bob_x86_access *a)
{
	if (a->fs) {
		value v = shifted(bob_source_thread_pointer(w->f->m), a->disp);

		if (a->base != BOB_X86_NO_REG)
			v = plus(v, regs[a->base]);
		return a->index == BOB_X86_NO_REG ? v : inside(v);
	}
	if (a->base == BOB_X86_NO_REG && a->index == BOB_X86_NO_REG)
		return (value){ .kind = BOB_SOURCE_STATIC, .off = a->disp };
	return sum(regs, a->base, a->index, a->scale, a->disp);
}

static const struct bob_source_static *static_at(const struct bob_source_maker *m, uint64_t addr)
{
	const struct bob_source_static *s = m->statics.at;
	size_t n = BOB_COUNT_UP_TO(s, m->statics.count, struct bob_source_static, addr, addr);

	return n && addr - s[n - 1].addr < s[n - 1].size ? &s[n - 1] : NULL;
}

static value temporary_at(const struct bob_flow *w, int64_t off)
{
	if (w->use_temporaries && off < w->borrowed)
		for (size_t i = 0; i < w->temporaries.count; i++) {
			const struct bob_flow_temporary *t = &w->temporaries.at[i];

			if (t->off == off && t->held.kind != BOB_SOURCE_FRAME &&
			    t->held.kind != BOB_SOURCE_IN_FRAME)
				return t->held;
		}
	return of_kind(BOB_SOURCE_ANYTHING);
}

static void keep(struct bob_flow *w, int64_t off, value v)
{
	struct bob_flow_temporary *t;
	value held;

	for (size_t i = 0; i < w->temporaries.count; i++) {
		t = &w->temporaries.at[i];
		if (t->off >= off + 8 || off >= t->off + 8)
			continue;
		held = t->off == off ? join(t->held, v) : of_kind(BOB_SOURCE_ANYTHING);
		w->changed |= !same(&held, &t->held);
		t->held = held;
		if (t->off == off)
			return;
		v = held; /* the slot then has the merged value, too */
	}
	if (w->temporaries.count == TEMPORARIES_MAX) {
		w->use_temporaries = 0;
		return;
	}
	t = BOB_VEC_PUSH(&w->temporaries);
	if (t)
		*t = (struct bob_flow_temporary){ off, v };
	else
		w->f->m->no_memory = 1;
	w->changed = 1;
}

/* Record what the instruction stores in the frame, and frame addresses that escape. */
static void note_frame(struct bob_flow *w, const struct bob_flow_insn *in, const value *before,
		       const value *after)
{
	for (unsigned r = 0; r < BOB_FLOW_REGS; r++)
		if (after[r].kind == BOB_SOURCE_FRAME && r != BOB_X86_RSP &&
		    !(r == BOB_X86_RBP && after[r].off == -16) && after[r].off < w->borrowed)
			w->borrowed = after[r].off;
	for (unsigned i = 0; i < in->facts.access_count && w->use_temporaries; i++) {
		const struct bob_x86_access *a = &in->facts.access[i];
		value at = bob_flow_address(w, before, a), v = of_kind(BOB_SOURCE_ANYTHING);

		if (a->type == BOB_MEM_LOAD || at.kind != BOB_SOURCE_FRAME)
			continue;
		if (a->size == 8 && in->makes.stored != BOB_X86_NO_REG)
			v = before[in->makes.stored];
		for (int64_t k = 0; k < a->size; k += 8)
			keep(w, at.off + k, v);
	}
}

static value loaded_of(struct bob_source_function *f, const struct bob_source_static *s,
		       int64_t addr)
{
	uint32_t term = 0;
	Dwarf_Die type;

	if (s && s->has_type) {
		type = s->type;
		term = bob_source_term(f, s->name, &type, 0);
	}
	return term ? bob_source_load(f, term, 1, addr - (int64_t)s->addr) :
		      of_kind(BOB_SOURCE_ANYTHING);
}

/* The word at the thread pointer is the thread pointer itself. */
static int is_thread_pointer(const struct bob_source_maker *m, const value *at)
{
	value p = bob_source_thread_pointer(m);

	return same(&p, at);
}

static value loaded(const struct bob_flow *w, const value *regs, uint64_t pc, value at)
{
	struct bob_source_function *f = w->f;
	struct bob_source_slot slot;
	value distance;

	if (is_thread_pointer(f->m, &at))
		return at;
	switch (at.kind) {
	case BOB_SOURCE_STATIC:
		if (bob_source_thread_word(f->m, (uint64_t)at.off, &distance))
			return distance;
		return loaded_of(f, static_at(f->m, (uint64_t)at.off), at.off);
	case BOB_SOURCE_THREAD:
		return loaded_of(f, bob_source_thread_at(f->m, at.off, 0), at.off);
	case BOB_SOURCE_FRAME:
		if (!bob_flow_slot(w, regs, pc, at.off, 0, &slot))
			return temporary_at(w, at.off);
		if (slot.holds_address)
			return at.off == slot.frame ?
				       (value){ .kind = BOB_SOURCE_TERM, .term = slot.term } :
				       of_kind(BOB_SOURCE_ANYTHING);
		return bob_source_load(f, slot.term, 1, at.off - slot.frame);
	case BOB_SOURCE_TERM:
		return bob_source_load(f, at.term, 1, at.off);
	case BOB_SOURCE_IN_TERM:
		return bob_source_load(f, at.term, 0, 0);
	default:
		break;
	}
	return of_kind(BOB_SOURCE_ANYTHING);
}

/* --- instructions --- */

static value result(const struct bob_flow *w, const struct bob_flow_insn *in, const value *regs)
{
	const struct bob_x86_value *v = &in->makes;
	value load;

	switch (v->kind) {
	case BOB_X86_VALUE_SUM:
		return sum(regs, v->source, v->second, v->scale, v->add);
	case BOB_X86_VALUE_LESS:
		return minus(regs[v->dest], bob_flow_register(regs, v->source));
	case BOB_X86_VALUE_LOAD:
	case BOB_X86_VALUE_ADD_LOAD:
		load = loaded(w, regs, in->pc, bob_flow_address(w, regs, &in->facts.access[0]));
		return v->kind == BOB_X86_VALUE_LOAD ? load : plus(regs[v->dest], load);
	case BOB_X86_VALUE_MASK:
		return inside(regs[v->dest]);
	case BOB_X86_VALUE_EITHER:
		return join(regs[v->dest], bob_flow_register(regs, v->source));
	case BOB_X86_VALUE_STATIC:
		return (value){ .kind = BOB_SOURCE_STATIC, .off = v->add };
	default:
		return of_kind(BOB_SOURCE_ANYTHING);
	}
}

/* Merge with the facts of DWARF. */
void bob_flow_before(const struct bob_flow_insn *in, value *regs)
{
	for (unsigned r = 0; r < BOB_FLOW_REGS; r++) {
		const value *g = &in->given[r];

		regs[r] = in->before[r];
		if (g->kind == BOB_SOURCE_TERM || g->kind == BOB_SOURCE_FRAME ||
		    (g->kind == BOB_SOURCE_NUMBER && regs[r].kind == BOB_SOURCE_ANYTHING))
			regs[r] = *g;
	}
}

/* A pointer stored into a pointer variable refers to the variable's object from then on: `b =
 * malloc(n)`, then used in a register. */
static void note_stored(const struct bob_flow *w, const struct bob_flow_insn *in,
			const value *before, value *regs)
{
	uint8_t r = in->makes.stored;

	for (unsigned i = 0; r != BOB_X86_NO_REG && i < in->facts.access_count; i++) {
		const struct bob_x86_access *a = &in->facts.access[i];
		value at = bob_flow_address(w, before, a), v;
		struct bob_source_slot slot;

		if (a->type != BOB_MEM_STORE || a->size != 8 ||
		    regs[r].kind != BOB_SOURCE_ANYTHING ||
		    (at.kind == BOB_SOURCE_FRAME &&
		     !bob_flow_slot(w, before, in->pc, at.off, 0, &slot)))
			continue;
		v = loaded(w, before, in->pc, at);
		if (v.kind == BOB_SOURCE_TERM)
			regs[r] = v;
	}
}

static void after(const struct bob_flow *w, const struct bob_flow_insn *in, value *regs)
{
	value made = of_kind(BOB_SOURCE_ANYTHING), before[BOB_FLOW_REGS];

	bob_flow_before(in, regs);
	memcpy(before, regs, sizeof(before));
	if (in->makes.kind)
		made = result(w, in, regs);
	for (unsigned r = 0; r < BOB_FLOW_REGS; r++) {
		if (in->makes.others >> r & 1)
			regs[r] = of_kind(BOB_SOURCE_ANYTHING);
		if (in->makes.numbers >> r & 1)
			regs[r] = of_kind(BOB_SOURCE_NUMBER);
	}
	if (in->makes.kind)
		regs[in->makes.dest & 15] = made;
	if ((in->facts.flow == BOB_X86_CALLS || in->facts.flow == BOB_X86_CALLS_TO) &&
	    bob_source_thread_call(w->f->m, &in->before[BOB_X86_RDI], &made))
		/* DWARF has no information about the argument of these calls */
		regs[BOB_X86_RAX] = made;
	note_stored(w, in, before, regs);
}

struct bob_flow_insn *bob_flow_at(const struct bob_flow *w, uint64_t pc)
{
	size_t i = BOB_COUNT_BELOW(w->insn, w->count, struct bob_flow_insn, pc, pc);

	return i < w->count && w->insn[i].pc == pc ? &w->insn[i] : NULL;
}

static void flow_to(struct bob_flow *w, uint64_t pc, const value *regs)
{
	struct bob_flow_insn *in = bob_flow_at(w, pc);

	for (unsigned r = 0; in && r < BOB_FLOW_REGS; r++) {
		value v = join(in->before[r], regs[r]);

		if (same(&v, &in->before[r]))
			continue;
		in->before[r] = v;
		w->changed = 1;
	}
	if (in && !in->reached)
		in->reached = 1, w->changed = 1;
}

static void run(struct bob_flow *w)
{
	value before[BOB_FLOW_REGS], regs[BOB_FLOW_REGS];

	w->changed = 0;
	for (size_t i = 0; i < w->count; i++) {
		const struct bob_flow_insn *in = &w->insn[i];

		if (!in->reached || in->dead)
			continue;
		bob_flow_before(in, before);
		after(w, in, regs);
		note_frame(w, in, before, regs);
		if (in->facts.flow == BOB_X86_BRANCHES || in->facts.flow == BOB_X86_JUMPS)
			flow_to(w, in->facts.target, regs);
		if (in->facts.flow == BOB_X86_FALLS || in->facts.flow == BOB_X86_BRANCHES ||
		    in->facts.flow == BOB_X86_CALLS || in->facts.flow == BOB_X86_CALLS_TO)
			flow_to(w, in->pc + in->facts.len, regs);
	}
}

static void come_in(struct bob_flow *w, struct bob_flow_insn *in)
{
	value regs[BOB_FLOW_REGS];

	for (unsigned r = 0; r < BOB_FLOW_REGS; r++)
		regs[r] = of_kind(BOB_SOURCE_ANYTHING);
	if (in->pc == w->f->entry)
		regs[BOB_X86_RSP] = (value){ .kind = BOB_SOURCE_FRAME, .off = -8 };
	flow_to(w, in->pc, regs);
}

static void begin_anew(struct bob_flow *w)
{
	for (size_t i = 0; i < w->count; i++) {
		memset(w->insn[i].before, 0, sizeof(w->insn[i].before));
		w->insn[i].reached = w->insn[i].dead = 0;
	}
}

/* Returns 0 if it did not reach a fixed point. */
static int settle(struct bob_flow *w)
{
	for (size_t i = 0; i < w->count; i++)
		if (w->insn[i].outside || w->insn[i].pc == w->f->entry)
			come_in(w, &w->insn[i]);
	for (unsigned pass = 0; pass < PASSES_MAX; pass++) {
		size_t i = 0;

		run(w);
		if (w->changed)
			continue;
		while (i < w->count && w->insn[i].reached)
			i++;
		if (i == w->count)
			return 1;
		/* a block without a known predecessor has an unknown one */
		for (; i < w->count; i++) {
			struct bob_flow_insn *in = &w->insn[i];
			int ends = !i || in[-1].facts.flow == BOB_X86_JUMPS ||
				   in[-1].facts.flow == BOB_X86_JUMPS_TO ||
				   in[-1].facts.flow >= BOB_X86_RETURNS || in[-1].dead;

			if (in->reached)
				continue;
			in->dead = ends && in->facts.nop; /* padding, for instance before a loop */
			if (in->dead)
				in->reached = 1;
			else if (ends || in[-1].reached)
				come_in(w, in);
		}
	}
	return 0;
}

void bob_source_flow(struct bob_source_function *f)
{
	struct bob_flow w = { .f = f };
	uint64_t bytes = 0;
	int rested;

	for (size_t i = 0; i < f->ranges.count; i++)
		bytes += f->ranges.at[i].hi - f->ranges.at[i].lo;
	if (bytes > 15u * BOB_FLOW_INSNS_MAX)
		return;
	w.insn = calloc(bytes < BOB_FLOW_INSNS_MAX ? (size_t)bytes + 1 : BOB_FLOW_INSNS_MAX,
			sizeof(*w.insn));
	if (!w.insn) {
		f->m->no_memory = 1;
		return;
	}
	bob_flow_read(&w);
	w.borrowed = INT64_MAX;
	rested = settle(&w); /* first pass: which frame addresses escape? */
	begin_anew(&w);
	w.use_temporaries = 1;
	if (rested && settle(&w) && !w.incomplete)
		for (size_t i = 0; i < w.count; i++) {
			size_t n;
			struct bob_source_row *row =
				bob_source_rows(f->m, w.insn[i].pc, w.insn[i].pc + 1, &n);

			if (n)
				bob_flow_note(&w, &w.insn[i], row);
		}
	free(w.insn);
	free(w.temporaries.at);
}
