/* SPDX-License-Identifier: BSD-3-Clause */
/* Converts the values of address registers to places of the trace: the variable or object that an
 * access refers to. */
#include <string.h>

#include "mem/record.h"
#include "plan/source/flow.h"

/* An indexed address may belong to an array that begins at most this many bytes after it. Readers
 * check that. */
#define NEAR 64

typedef struct bob_source_value value;

static uint32_t place(struct bob_source_maker *m, unsigned kind, const char *name, int64_t frame,
		      uint64_t size)
{
	struct bob_source_place *p;

	for (size_t i = 0; i < m->places.count; i++) {
		p = &m->places.at[i];
		if (p->kind == kind && p->frame == frame && p->size == size &&
		    !strcmp(p->name, name))
			return (uint32_t)i + 1;
	}
	p = BOB_VEC_PUSH(&m->places);
	if (!p) {
		m->no_memory = 1;
		return 0;
	}
	*p = (struct bob_source_place){ kind, bob_source_text(m, name), frame, size };
	return (uint32_t)m->places.count;
}

int bob_flow_slot(const struct bob_flow *w, const value *regs, uint64_t pc, int64_t off,
		  int64_t near, struct bob_source_slot *slot)
{
	int found = 0;

	for (size_t i = 0; i < w->f->slots.count; i++) {
		struct bob_source_slot s = w->f->slots.at[i];

		if (pc < s.lo || pc >= s.hi)
			continue;
		if (s.by != BOB_X86_NO_REGISTER) {
			if (regs[s.by].kind != BOB_SOURCE_FRAME)
				continue;
			s.frame = (int64_t)((uint64_t)s.frame + (uint64_t)regs[s.by].off);
		}
		if (off < s.frame - near || off - s.frame >= (int64_t)s.size ||
		    (found && s.depth <= slot->depth))
			continue;
		*slot = s;
		found = 1;
	}
	return found;
}

static uint32_t frame_place(const struct bob_flow *w, const value *regs, uint64_t pc, int64_t off)
{
	struct bob_source_slot s;
	char text[BOB_SOURCE_NAME_MAX];

	if (!bob_flow_slot(w, regs, pc, off, 0, &s) || s.holds_address)
		return place(w->f->m, BOB_PLACE_STACK, "", off, 0);
	bob_source_spell(w->f, s.term, 1, off - s.frame, text);
	return place(w->f->m, BOB_PLACE_LOCAL, text, off, 0);
}

static uint32_t indexed_place(const struct bob_flow *w, const value *regs, uint64_t pc,
			      const struct bob_x86_access *a)
{
	const value base = bob_flow_register(regs, a->base);
	int64_t off = (int64_t)((uint64_t)base.off + (uint64_t)a->disp);
	struct bob_source_slot s;
	char text[BOB_SOURCE_NAME_MAX];

	if (base.kind != BOB_SOURCE_FRAME ||
	    (!bob_flow_slot(w, regs, pc, off, 0, &s) &&
	     !bob_flow_slot(w, regs, pc, off, NEAR, &s)) ||
	    s.holds_address)
		return place(w->f->m, BOB_PLACE_INDEXED, "", 0, 0);
	bob_source_spell(w->f, s.term, 0, 0, text);
	return place(w->f->m, BOB_PLACE_INDEXED, text, s.frame, s.size);
}

static uint32_t thread_place(const struct bob_flow *w, int64_t off)
{
	struct bob_source_maker *m = w->f->m;
	const struct bob_source_static *s = bob_source_thread_at(m, off, 0);

	if (off < 0 || off >= (int64_t)m->thread.size)
		return 0; /* used by the system */
	return place(m, BOB_PLACE_THREAD, s ? s->name : "", off, 0);
}

/* The place without the index. */
static uint32_t thread_indexed_place(const struct bob_flow *w, const value *regs,
				     const struct bob_x86_access *a)
{
	struct bob_source_maker *m = w->f->m;
	struct bob_x86_access first = *a;
	const struct bob_source_static *s = NULL;
	value base;

	first.index = BOB_X86_NO_REG;
	base = bob_flow_address(w, regs, &first);
	if (base.kind == BOB_SOURCE_THREAD)
		s = bob_source_thread_at(m, base.off, 0);
	if (base.kind == BOB_SOURCE_THREAD && !s)
		s = bob_source_thread_at(m, base.off, NEAR);
	return place(m, BOB_PLACE_THREAD_INDEXED, s ? s->name : "", s ? (int64_t)s->addr : 0,
		     s ? s->size : 0);
}

static uint32_t access_place(const struct bob_flow *w, const value *regs, uint64_t pc,
			     const struct bob_x86_access *a)
{
	value v = bob_flow_address(w, regs, a);
	char text[BOB_SOURCE_NAME_MAX];

	switch (v.kind) {
	case BOB_SOURCE_FRAME:
		return frame_place(w, regs, pc, v.off);
	case BOB_SOURCE_IN_FRAME:
		return indexed_place(w, regs, pc, a);
	case BOB_SOURCE_TERM:
	case BOB_SOURCE_IN_TERM:
		bob_source_spell(w->f, v.term, v.kind == BOB_SOURCE_TERM, v.off, text);
		return place(w->f->m, BOB_PLACE_POINTER, text, 0, 0);
	case BOB_SOURCE_THREAD:
		return thread_place(w, v.off);
	case BOB_SOURCE_IN_THREAD:
		return thread_indexed_place(w, regs, a);
	default:
		return 0;
	}
}

void bob_flow_note(const struct bob_flow *w, const struct bob_flow_insn *in,
		   struct bob_source_row *row)
{
	value regs[BOB_FLOW_REGS];
	int loads = 0, stores = 0;

	bob_flow_before(in, regs);
	for (unsigned i = 0; i < in->facts.access_count; i++) {
		const struct bob_x86_access *a = &in->facts.access[i];
		uint32_t *to = a->type == BOB_MEM_LOAD ? &row->load : &row->store;
		int *seen = a->type == BOB_MEM_LOAD ? &loads : &stores;
		uint32_t p = access_place(w, regs, in->pc, a);

		*to = *seen && *to != p ? 0 : p;
		*seen = 1;
	}
}
