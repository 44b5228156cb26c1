/* SPDX-License-Identifier: BSD-3-Clause */
/* Decoders of PARLOT and NONE. Words beyond the end of the input read as 0xffff. As the length of a
 * match, that means "until the last symbol"; anywhere else it is corruption. */
#include <string.h>

#include "run/dec.h"

void bob_run_dec_init_words(struct bob_run_dec *dec)
{
	struct word_dec *w = &dec->u.word;

	w->in = dec->in.bytes;
	w->end = dec->in.bytes + dec->in.len;
	if (dec->in.codec == BOB_CODEC_PARLOT) {
		w->lz.last = (void *)dec->mem;
		w->lz.ring = (void *)(dec->mem + LZ_TABLE * 4);
	}
}

/* The number of set bits of a byte. Not __builtin_popcount, which would call libgcc here. */
static int bits_set(uint32_t byte)
{
	int n = 0;

	for (unsigned i = 0; i < 8; i++)
		n += (int)(byte >> i & 1);
	return n;
}

/* Read a word of the LZ output. lz.pend holds a group of 8 bytes, pend_count is how many are
 * left. */
static uint16_t ze_word(struct word_dec *w)
{
	struct lz *z = &w->lz;
	const uint8_t *p;

	if (!z->pend_count) {
		uint32_t map;

		if (w->in == w->end) {
			w->ended = 1;
			return 0xffff;
		}
		map = *w->in;
		if (w->end - w->in <= bits_set(map)) {
			w->in = w->end;
			w->ended = 1;
			return 0xffff;
		}
		w->in++;
		for (uint32_t i = 0; i < 8; i++)
			z->pend[i] = map >> i & 1 ? *w->in++ : 0;
		z->pend_count = 8;
	}
	p = z->pend + 8 - z->pend_count;
	z->pend_count -= 2;
	return (uint16_t)(p[0] | p[1] << 8);
}

static bob_status lz_word(struct word_dec *w, uint16_t *word)
{
	struct lz *z = &w->lz;
	uint32_t before;

	if (z->matching == 1) {
		w->left = ze_word(w);
		z->matching = 2;
	}
	if (z->matching == 2 && w->left) {
		*word = z->ring[z->from++ % LZ_RING];
		w->left--;
		lz_push(z, *word);
		return BOB_OK;
	}
	*word = ze_word(w);
	if (w->ended)
		return BOB_ERR_CORRUPT;
	before = z->last[*word % LZ_TABLE];
	lz_push(z, *word);
	lz_begin(z, before);
	return BOB_OK;
}

static bob_status get_word(struct bob_run_dec *dec, uint16_t *word)
{
	struct word_dec *w = &dec->u.word;

	if (dec->in.codec == BOB_CODEC_PARLOT)
		return lz_word(w, word);
	if (w->end - w->in < 2)
		return BOB_ERR_CORRUPT;
	*word = (uint16_t)(w->in[0] | w->in[1] << 8);
	w->in += 2;
	return BOB_OK;
}

static bob_status get_symbol(struct bob_run_dec *dec, uint32_t *sym)
{
	uint16_t word = 0, low = 0, high = 0;
	uint32_t pops = 0;

	for (;;) {
		if (get_word(dec, &word) != BOB_OK)
			return BOB_ERR_CORRUPT;
		if (word)
			break;
		if (++pops > WORD_POPS_MAX)
			return BOB_ERR_CORRUPT;
	}
	if (word != WORD_ESCAPE) {
		if (word > WORD_ID_MAX + 1)
			return BOB_ERR_CORRUPT;
		*sym = bob_sym_make(pops, word - 1u);
		return BOB_OK;
	}
	if (pops || get_word(dec, &low) != BOB_OK || get_word(dec, &high) != BOB_OK)
		return BOB_ERR_CORRUPT;
	*sym = (uint32_t)high << 16 | low;
	return BOB_OK;
}

bob_status bob_run_dec_words(struct bob_run_dec *dec, uint32_t *syms, size_t want, size_t *n)
{
	for (; *n < want; ++*n)
		if (get_symbol(dec, syms + *n) != BOB_OK)
			return BOB_ERR_CORRUPT;
	return BOB_OK;
}
