/* SPDX-License-Identifier: BSD-3-Clause */
/* Maps a position in translated code to the original instruction and the state of the probe, for
 * signals that arrive there. Freestanding. */
#include <string.h>

#include "base/search.h"
#include "base/varint.h"
#include "plan/mem/format.h"

#define REGISTERS 16u

/* The last function whose code begins at or before `code`. */
static const struct bob_mem_func *function_at(const struct bob_mem_plan_head *h, uint32_t code)
{
	const struct bob_mem_func *f = (const void *)((const uint8_t *)h + h->funcs.off);
	size_t lo;

	BOB_PARTITION_POINT(lo, h->funcs.len / sizeof(*f), mid, f[mid].code <= code);
	return lo && code - f[lo - 1].code < f[lo - 1].code_len ? &f[lo - 1] : NULL;
}

static bob_status apply(const struct bob_mem_func *f, unsigned kind, uint64_t value,
			struct bob_mem_where *w)
{
	switch (kind) {
	case BOB_MEM_MAP_INSN:
		w->orig += (uint64_t)bob_unzigzag(value);
		return BOB_OK;
	case BOB_MEM_MAP_RECORD:
		if (value >> 1 > f->descs)
			return BOB_ERR_CORRUPT;
		w->desc = value >> 1 ? f->desc + (uint32_t)(value >> 1) - 1 : UINT32_MAX;
		w->complete = value & 1;
		w->counter = BOB_MEM_NO_CURSOR;
		w->stepped = w->iterates = 0;
		return BOB_OK;
	case BOB_MEM_MAP_CURSOR:
		if ((value & 31) > REGISTERS || value >> 5 > BOB_MEM_SLACK_WORDS)
			return BOB_ERR_CORRUPT;
		w->cursor = value & 31 ? (uint8_t)((value & 31) - 1) : BOB_MEM_NO_CURSOR;
		w->added = (uint8_t)(value >> 5);
		return BOB_OK;
	default:
		if (value >> 5 >= BOB_MEM_MAP_SPILL &&
		    value >> 5 < BOB_MEM_MAP_SPILL + BOB_MEM_SPILLS && (value & 31) <= REGISTERS) {
			w->spilled[(value >> 5) - BOB_MEM_MAP_SPILL] =
				value & 31 ? (uint8_t)((value & 31) - 1) : BOB_MEM_NO_CURSOR;
			return BOB_OK;
		}
		if (value >> 1 == BOB_MEM_MAP_ITERATES) {
			w->iterates = 1;
			w->complete = value & 1;
			return BOB_OK;
		}
		if (value >= 2 * REGISTERS)
			return BOB_ERR_CORRUPT;
		w->counter = (uint8_t)(value >> 1);
		w->stepped = value & 1;
		return BOB_OK;
	}
}

bob_status bob_mem_map_find(const struct bob_mem_plan_head *h, uint32_t code,
			    struct bob_mem_where *out)
{
	const struct bob_mem_func *funcs = (const void *)((const uint8_t *)h + h->funcs.off);
	const struct bob_mem_func *f = function_at(h, code);
	const uint8_t *at, *end;
	uint64_t here, word, value;

	if (!f)
		return BOB_NONE;
	*out = (struct bob_mem_where){ .orig = f->addr, .func = (uint32_t)(f - funcs),
				       .desc = UINT32_MAX, .cursor = BOB_MEM_NO_CURSOR,
				       .counter = BOB_MEM_NO_CURSOR };
	memset(out->spilled, BOB_MEM_NO_CURSOR, sizeof(out->spilled));
	at = (const uint8_t *)h + h->map.off + f->map;
	end = at + f->map_len;
	for (here = f->code; at < end;) {
		if (bob_varint_get(&at, end, &word) != BOB_OK ||
		    bob_varint_get(&at, end, &value) != BOB_OK)
			return BOB_ERR_CORRUPT;
		here += word >> 2;
		if (here > code)
			break;
		if (apply(f, word & 3, value, out) != BOB_OK)
			return BOB_ERR_CORRUPT;
	}
	return BOB_OK;
}
