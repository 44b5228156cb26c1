/* SPDX-License-Identifier: BSD-3-Clause */
/* Coding of a symbol that was not predicted: as one of seven candidates, else its number. One
 * source for both directions (`dec` is constant); the decoder ignores `sym`. */
#ifndef BOB_RUN_LITERAL_H
#define BOB_RUN_LITERAL_H

#include "run/model.h"

ALWAYS_INLINE uint32_t code_rank(struct coder *c, int dec, uint32_t count, uint32_t rank)
{
	unsigned bits = count > 1 ? 32u - (unsigned)__builtin_clz(count - 1) : 0;

	rank = code_raw(c, dec, bits, rank);
	return rank < count ? rank : count - 1;
}

ALWAYS_INLINE uint32_t code_literal(struct model *m, struct coder *c, int dec, uint32_t sym)
{
	uint32_t pops = (uint32_t)code_gamma(c, dec, &m->pops, bob_sym_pops(sym)) & BOB_SYM_EXT;
	uint32_t id = bob_sym_id(sym);
	uint32_t rank = dec ? 0 : bob_run_model_rank(m, id);
	uint64_t step;

	if (!code_bit(c, dec, &m->is_new, !rank) && m->id_count)
		return bob_sym_make(pops, m->id[code_rank(c, dec, m->id_count, rank - 1)]);
	step = (uint64_t)(int64_t)(int32_t)(id - m->last_new);
	step = code_gamma(c, dec, &m->id_step, step << 1 ^ (uint64_t)((int64_t)step >> 63));
	id = (m->last_new + (uint32_t)(step >> 1 ^ -(step & 1))) & BOB_SYM_ID_MASK;
	if (pops != BOB_SYM_EXT)
		m->last_new = id;
	bob_run_model_add_id(m, id, !dec);
	return bob_sym_make(pops, id);
}

/* Move `key` to the front of a candidate list; it was at index `found`. If it was not in the list,
 * the last one is dropped. */
ALWAYS_INLINE void to_front(uint32_t *set, unsigned found, uint32_t key)
{
	for (unsigned i = found; i > 0; i--)
		set[i] = set[i - 1];
	set[0] = key;
}

/* Code a symbol that differs from `excluded` (NO_SYMBOL: any). Does not change the history. */
ALWAYS_INLINE uint32_t code_symbol(struct model *m, struct coder *c, int dec, uint64_t excluded,
				   uint32_t sym)
{
	uint64_t s1 = m->hist[(m->pos - 1) & HIST_MASK], s2 = m->hist[(m->pos - 2) & HIST_MASK];
	uint32_t key = dec ? 0 : sym + 1, not = excluded == NO_SYMBOL ? 0 : (uint32_t)excluded + 1;
	uint32_t *two, *one, *prob;
	unsigned in_two = 2, in_one = 3, hit = 0;

	if (m->pos < 2)
		s2 = 0;
	if (m->pos < 1)
		s1 = 0;
	two = m->succ2[hash_ctx(s1 * MIX_A + s2 * MIX_B + excluded * MIX_C, m->level)].next;
	one = m->succ1[s1 * MIX_A >> (58 - m->level)].next;
	prob = m->ranks[(s1 * MIX_B + excluded * MIX_C) >> (57 - m->level)].prob;
	for (unsigned i = 0; i < 3 && !hit; i++) {
		if (!two[i] || two[i] == not )
			continue;
		hit = code_bit(c, dec, &prob[i], two[i] == key);
		if (hit)
			key = two[i];
	}
	for (unsigned i = 0; i < 4 && !hit; i++) {
		uint32_t x = one[i];

		if (!x || x == not || x == two[0] || x == two[1] || x == two[2])
			continue;
		hit = code_bit(c, dec, &prob[3 + i], x == key);
		if (hit)
			key = x;
	}
	if (!hit)
		key = code_literal(m, c, dec, sym) + 1;
	for (unsigned i = 0; i < 3; i++)
		if (two[i] == key)
			in_two = i;
	for (unsigned i = 0; i < 4; i++)
		if (one[i] == key)
			in_one = i;
	to_front(two, in_two, key);
	to_front(one, in_one, key);
	return key - 1;
}

/* Code hit or miss at an open point. A context whose probability is almost 1 becomes presumed
 * again. */
ALWAYS_INLINE unsigned code_point(struct model *m, struct coder *c, int dec, unsigned hit)
{
	uint32_t *prob = &m->ctx[m->ctx_ix].prob[m->pos == m->exp_pos];

	hit = code_with(c, dec, prob_16(*prob), hit);
	*prob = prob_update(*prob, hit, PROB_LIMIT_POINT);
	if ((*prob ^ PROB_FLIP) > PROB_SETTLED)
		*prob = 0;
	return hit;
}

/* After code_symbol: update the model for `sym` at a `point` that did not predict it. */
ALWAYS_INLINE void model_miss(struct model *m, enum point point, uint32_t sym)
{
	if (++m->misses == GROW_MISSES << m->level && m->level < LEVEL_MAX)
		bob_run_model_grow(m);
	if (point == POINT_PRESUMED) {
		if (!model_silent(m))
			m->ctx[m->ctx_ix].prob[m->pos == m->exp_pos] = PROB_AFTER_FAIL;
		if (m->trusted && m->pos == m->exp_pos && m->dist &&
		    m->hist[(m->pos - m->dist) & HIST_MASK] == sym) {
			m->trusted = 0;
			m->tok_run = 0;
			m->tok_src = 0;
			m->exp_pos = NO_POS;
			bob_run_model_rehash(m);
			model_advance(m, sym);
			return;
		}
	}
	bob_run_model_break(m, sym);
}

#endif
