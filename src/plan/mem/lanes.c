/* SPDX-License-Identifier: BSD-3-Clause */
/* Words for gathers, scatters and masked moves: each lane is a separate access, guarded by a bit of
 * the word with the mask. Adjacent lanes share the word of their address; each index of a gather
 * has its own word. */
#include "plan/mem/pieces.h"

static unsigned push_word(struct bob_mem_builder *b, const struct bob_mem_key *k,
			  const struct bob_mem_word *w)
{
	unsigned n = b->piece.words;
	struct bob_mem_word *out;

	if (n == BOB_MEM_WORDS_MAX)
		return BOB_MEM_WORDS_MAX;
	out = BOB_VEC_PUSH(&b->u->words);
	if (!out) {
		b->u->st = BOB_ERR_NOMEM;
		return BOB_MEM_WORDS_MAX;
	}
	*out = *w;
	b->key[n] = *k;
	b->piece.words++;
	return n;
}

/* Encodes how many bits of a mask register are used. */
static uint8_t way_of(const struct bob_x86_lanes *l)
{
	if (l->packed)
		return (uint8_t)(128 + l->bits);
	return l->bits > 32 ? 3 : l->bits > 16 ? 2 : 1;
}

/* All accesses under a mask register share a word until the register changes. */
static unsigned mask_word(struct bob_mem_builder *b, uint32_t at)
{
	const struct bob_x86_lanes *l = &b->u->insns.at[at].f.lanes;
	struct bob_mem_word w = { .at = at, .insn = at, .kind = BOB_MEM_MASK,
				  .base = BOB_X86_NO_REG,
				  .index = BOB_X86_NO_REG, .third = BOB_X86_NO_REG };
	struct bob_mem_key k = { .index = BOB_MEM_NO_ORIGIN, .third = BOB_MEM_NO_ORIGIN,
				 .mask = way_of(l) };
	bool in_k = l->mask == BOB_X86_MASK_K;

	k.base = in_k ? b->now.mask[l->mask_reg] : b->now.origins++;
	for (unsigned i = 0; i < b->piece.words && in_k; i++)
		if (b->key[i].base == k.base && b->key[i].mask == k.mask)
			return i;
	if (in_k && b->have_probe && b->probe.mask[l->mask_reg] == k.base)
		w.at = b->piece.start;
	return push_word(b, &k, &w);
}

static unsigned lane_word(struct bob_mem_builder *b, uint32_t at, const struct bob_x86_access *x,
			  unsigned lane)
{
	const struct bob_mem_word w = { .at = at, .insn = at, .kind = BOB_MEM_LANE,
					.lane = (uint8_t)lane, .base = x->base, .scale = x->scale,
					.index = BOB_X86_NO_REG, .third = BOB_X86_NO_REG };
	const struct bob_mem_key k = { .base = b->now.origins++, .index = BOB_MEM_NO_ORIGIN,
				       .third = BOB_MEM_NO_ORIGIN };

	return push_word(b, &k, &w);
}

bool bob_mem_add_lanes(struct bob_mem_builder *b, uint32_t at, const struct bob_x86_access *x,
		       unsigned address, int64_t offset)
{
	const struct bob_x86_lanes *l = &b->u->insns.at[at].f.lanes;
	bool gathers = l->index != BOB_X86_NO_REG;
	unsigned guard = mask_word(b, at);

	if (guard == BOB_MEM_WORDS_MAX)
		return false;
	for (unsigned i = 0; i < l->count; i++) {
		struct bob_mem_access *a;
		unsigned word = gathers ? lane_word(b, at, x, i) : address;

		if (word == BOB_MEM_WORDS_MAX)
			return false;
		a = bob_mem_add_access(b, at, x, word,
				       gathers ? x->disp : offset + (int64_t)i * l->size);
		if (!a)
			return false;
		a->guard = (uint8_t)guard;
		a->guard_bit = (uint8_t)i;
	}
	return true;
}
