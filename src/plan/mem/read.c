/* SPDX-License-Identifier: BSD-3-Clause */
/* Decodes the instructions of a unit: each of its ranges from the first byte to the last, without a
 * hole. */
#include <string.h>

#include "base/search.h"
#include "plan/mem/unit.h"

uint64_t bob_mem_padding_after(const struct bob_plan_image *img, uint64_t hi)
{
	size_t lo;

	BOB_PARTITION_POINT(lo, img->holes.count, mid, img->holes.at[mid].lo < hi);
	if (lo < img->holes.count && img->holes.at[lo].lo == hi)
		return img->holes.at[lo].hi;
	return hi;
}

static unsigned read_range(struct bob_mem_unit *u, uint32_t index)
{
	struct bob_mem_range *r = &u->ranges.at[index];
	const uint8_t *p = r->bytes;

	r->insn = (uint32_t)u->insns.count;
	r->padded = bob_mem_padding_after(u->img, r->hi);
	for (uint64_t at = r->lo; at < r->hi;) {
		struct bob_mem_insn *i = BOB_VEC_PUSH(&u->insns);
		unsigned why;

		if (!i) {
			u->st = BOB_ERR_NOMEM;
			return BOB_MEM_TOO_LARGE;
		}
		i->addr = u->at = at;
		i->range = index;
		i->backward = i->stays = false;
		why = bob_x86_facts(p, r->hi - at, at, &i->f);
		if (why != BOB_MEM_TAKEN)
			return why;
		if (u->insns.count > BOB_MEM_INSNS_MAX)
			return BOB_MEM_TOO_LARGE;
		at += i->f.len;
		p += i->f.len;
	}
	return BOB_MEM_TAKEN;
}

unsigned bob_mem_read(struct bob_mem_unit *u)
{
	unsigned why = BOB_MEM_TAKEN;

	u->insns.count = 0;
	for (uint32_t i = 0; why == BOB_MEM_TAKEN && i < u->ranges.count; i++)
		why = read_range(u, i);
	if (why == BOB_MEM_TAKEN)
		u->at = 0;
	return why;
}

size_t bob_mem_insn_from(const struct bob_mem_unit *u, uint64_t addr)
{
	size_t lo;

	BOB_PARTITION_POINT(lo, u->insns.count, mid, u->insns.at[mid].addr < addr);
	return lo;
}

uint32_t bob_mem_insn_at(const struct bob_mem_unit *u, uint64_t addr)
{
	size_t at = bob_mem_insn_from(u, addr);

	return at < u->insns.count && u->insns.at[at].addr == addr ? (uint32_t)at : BOB_MEM_NONE;
}

bool bob_mem_inside(const struct bob_mem_unit *u, uint64_t addr)
{
	for (size_t i = 0; i < u->ranges.count; i++)
		if (addr >= u->ranges.at[i].lo && addr < u->ranges.at[i].hi)
			return true;
	return false;
}
