/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the map of a memory plan, which address_map.c reads: for each position in translated code,
 * the position in the original and the state of the probe. */
#include "base/varint.h"
#include "plan/mem/emit.h"

static void map(struct bob_mem_emitter *e, enum bob_mem_map_kind kind, uint64_t value)
{
	struct bob_plan_bytes *m = &e->out->map;

	if (e->c.st != BOB_OK)
		return;
	if (BOB_VEC_RESERVE(m, 2 * BOB_VARINT_MAX) != 0) {
		e->c.st = BOB_ERR_NOMEM;
		return;
	}
	m->count += bob_varint_put(m->at + m->count,
				   (uint64_t)(bob_mem_here(e) - e->map_code) << 2 | kind);
	m->count += bob_varint_put(m->at + m->count, value);
	e->map_code = bob_mem_here(e);
}

void bob_mem_map_insn(struct bob_mem_emitter *e, uint64_t orig)
{
	if (orig == e->map_orig)
		return;
	map(e, BOB_MEM_MAP_INSN, bob_zigzag((int64_t)(orig - e->map_orig)));
	e->map_orig = orig;
}

void bob_mem_map_cursor(struct bob_mem_emitter *e, uint8_t reg, unsigned added)
{
	map(e, BOB_MEM_MAP_CURSOR, reg == BOB_X86_NO_REG ? 0 : (reg + 1u) | (uint64_t)added << 5);
}

void bob_mem_map_record(struct bob_mem_emitter *e, const struct bob_mem_piece *p, unsigned complete)
{
	uint64_t desc = p ? p->desc - bob_mem_emitted_func(e)->desc + 1 : 0;

	map(e, BOB_MEM_MAP_RECORD, desc << 1 | (p ? complete : 0));
}

void bob_mem_map_loop(struct bob_mem_emitter *e, const struct bob_mem_piece *p, unsigned stepped)
{
	map(e, BOB_MEM_MAP_LOOP, (uint64_t)p->counter << 1 | stepped);
}

void bob_mem_map_iterates(struct bob_mem_emitter *e, unsigned complete)
{
	map(e, BOB_MEM_MAP_LOOP, BOB_MEM_MAP_ITERATES << 1 | complete);
}

void bob_mem_map_spill(struct bob_mem_emitter *e, unsigned slot, uint8_t reg)
{
	if (e->spilled[slot] == reg)
		return;
	map(e, BOB_MEM_MAP_LOOP,
	    (uint64_t)(BOB_MEM_MAP_SPILL + slot) << 5 | (reg == BOB_X86_NO_REG ? 0 : reg + 1u));
	e->spilled[slot] = reg;
}
