/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the new bytes of a translated unit's text, as original_bytes.c decided. */
#include <string.h>

#include "plan/mem/unit.h"

#define INT3 0xcc
#define JMP_LONG 0xe9
#define JMP_SHORT 0xeb
#define JMP_LEN 5u

struct writer {
	struct bob_mem_unit *u;
	struct bob_mem_plan *out;
	uint32_t text;		/* offset of the unit's bytes in out->text */
	size_t patch;		/* first patch of the unit; there is one for each range */
};

static uint32_t range_of_block(const struct bob_mem_unit *u, uint32_t block)
{
	return u->insns.at[u->blocks.at[block].first].range;
}

static uint8_t *text_at(const struct writer *w, uint64_t addr, uint32_t *offset)
{
	const struct bob_mem_range *r = w->u->ranges.at;

	while (addr < r->lo || addr >= r->padded)
		r++;
	*offset = w->text + r->text + (uint32_t)(addr - r->lo);
	return w->out->text.at + *offset;
}

static void put_jump(struct writer *w, uint64_t at, uint32_t code)
{
	int32_t rel = (int32_t)(BOB_PLAN_HANDLER_BYTES + (uint64_t)code - (at + JMP_LEN));
	uint32_t offset;
	uint8_t *p = text_at(w, at, &offset);
	uint32_t *fix = BOB_VEC_PUSH(&w->out->fixes);

	p[0] = JMP_LONG;
	memcpy(p + 1, &rel, sizeof(rel));
	if (fix)
		*fix = offset + 1;
	else
		w->u->st = BOB_ERR_NOMEM;
}

static void put_landing(struct writer *w, const struct bob_mem_landing *l)
{
	uint32_t code = w->u->blocks.at[l->block].landing_code, offset;
	const uint64_t at = l->addr + (l->prefix != 0);
	uint8_t *p;

	w->out->stats.landings++;
	if (l->prefix)
		*text_at(w, l->addr, &offset) = l->prefix;
	if (l->kind == BOB_MEM_LAND_JUMP) {
		put_jump(w, at, code);
	} else if (l->kind == BOB_MEM_LAND_SHORT) {
		put_jump(w, l->chain, code);
		p = text_at(w, at, &offset);
		p[0] = JMP_SHORT;
		p[1] = (uint8_t)(l->chain - (at + 2));
		w->out->stats.short_landings++;
	} else {
		w->out->patches.at[w->patch + range_of_block(w->u, l->block)].traps++;
		w->out->stats.traps++;
	}
}

static void keep(struct writer *w, const struct bob_mem_insn *in)
{
	const struct bob_mem_range *r = &w->u->ranges.at[in->range];
	uint32_t offset;

	memcpy(text_at(w, in->addr, &offset), r->bytes + (in->addr - r->lo), in->f.len);
}

static void keep_calls(struct writer *w)
{
	const struct bob_mem_unit *u = w->u;

	for (size_t i = 0; i < u->blocks.count; i++) {
		const struct bob_mem_block *b = &u->blocks.at[i];
		const struct bob_mem_insn *in = &u->insns.at[b->first + b->count - 1];

		if (u->insns.at[b->first].stays)
			keep(w, &u->insns.at[b->first]);
		if (in->f.flow != BOB_X86_CALLS && in->f.flow != BOB_X86_CALLS_TO)
			continue;
		w->out->stats.calls++;
		if (b->call_moved)
			w->out->stats.moved_calls++;
		else
			keep(w, in);
	}
}

void bob_mem_text(struct bob_mem_unit *u, struct bob_mem_plan *out)
{
	struct writer w = { u, out, (uint32_t)out->text.count, out->patches.count };

	if (BOB_VEC_RESERVE(&out->text, u->used.count) != 0) {
		u->st = BOB_ERR_NOMEM;
		return;
	}
	memset(out->text.at + w.text, INT3, u->used.count);
	out->text.count += u->used.count;
	for (size_t i = 0; i < u->ranges.count; i++) {
		const struct bob_mem_range *r = &u->ranges.at[i];
		struct bob_mem_patch *p = BOB_VEC_PUSH(&out->patches);

		if (!p) {
			u->st = BOB_ERR_NOMEM;
			return;
		}
		*p = (struct bob_mem_patch){.addr = r->lo, .len = (uint32_t)(r->padded - r->lo),
					    .text = w.text + r->text,
					    .func = (uint32_t)(out->funcs.count - 1)};
	}
	keep_calls(&w);
	for (size_t i = 0; i < u->landings.count && u->st == BOB_OK; i++)
		put_landing(&w, &u->landings.at[i]);
}
