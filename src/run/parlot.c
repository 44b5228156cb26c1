/* SPDX-License-Identifier: BSD-3-Clause */
/* Encoders of PARLOT and NONE. A symbol becomes `pops` zero words and the word id + 1. Symbols that
 * do not fit (many pops, large ids, extended symbols) become an escape word and two halves. Work
 * per symbol is at most 65 words. A symbol that lies wholly within a match adds no byte and needs
 * no slot: the commit word alone implies how far the match extends. */
#include "run/parlot.h"

#include <string.h>

#include "run/enc.h"

size_t bob_run_ze_tail(const uint32_t state[4], uint8_t tail[16])
{
	uint32_t count = state[2] & 7;
	size_t n = 1;

	if (!count)
		return 0;
	tail[0] = 0;
	for (uint32_t i = 0; i < 8; i++) {
		uint32_t own = state[i >> 2] >> (8 * (i & 3));
		uint8_t byte = (uint8_t)(i < count ? own : 0xff);

		if (byte) {
			tail[0] |= (uint8_t)(1u << i);
			tail[n++] = byte;
		}
	}
	return n;
}

static void ze_word(struct bob_run_enc *enc, uint16_t word)
{
	struct lz *z = &enc->u.lz;
	uint8_t *out = enc->buf + enc->pend.n, *bytes = out + 1;

	z->pend[z->pend_count++] = (uint8_t)word;
	z->pend[z->pend_count++] = (uint8_t)(word >> 8);
	if (z->pend_count < 8)
		return;
	z->pend_count = 0;
	out[0] = 0;
	for (uint32_t i = 0; i < 8; i++) {
		if (z->pend[i]) {
			out[0] |= (uint8_t)(1u << i);
			*bytes++ = z->pend[i];
		}
	}
	enc->pend.n = (uint32_t)(bytes - enc->buf);
}

/* Returns whether it emitted output. */
static int lz_word(struct bob_run_enc *enc, uint16_t word)
{
	struct lz *z = &enc->u.lz;
	uint32_t before;

	if (z->matching) {
		if (z->ring[z->from % LZ_RING] == word && z->length < LZ_MATCH_MAX) {
			z->from++;
			z->length++;
			lz_push(z, word);
			return 0;
		}
		ze_word(enc, (uint16_t)z->length);
	}
	ze_word(enc, word);
	before = z->last[word % LZ_TABLE];
	lz_push(z, word);
	lz_begin(z, before);
	return 1;
}

static int raw_word(struct bob_run_enc *enc, uint16_t word)
{
	enc->buf[enc->pend.n++] = (uint8_t)word;
	enc->buf[enc->pend.n++] = (uint8_t)(word >> 8);
	return 1;
}

static int put_word(struct bob_run_enc *enc, uint16_t word)
{
	return enc->codec == BOB_CODEC_PARLOT ? lz_word(enc, word) : raw_word(enc, word);
}

static void save_state(struct bob_run_enc *enc)
{
	const struct lz *z = &enc->u.lz;

	if (enc->codec != BOB_CODEC_PARLOT)
		return;
	memcpy(enc->pend.slot.state, z->pend, sizeof(z->pend));
	enc->pend.slot.state[2] = z->pend_count;
}

bob_status bob_run_put_words(struct bob_run_enc *enc, uint32_t sym)
{
	uint64_t pos = *enc->fast.commit;
	uint32_t id = bob_sym_id(sym), pops = bob_sym_pops(sym);
	int out = 0;

	if (bob_run_block_full(enc, pos)) {
		bob_run_pend_block(enc, pos);
		bob_run_reset_words(enc);
		out = 1;
	}
	if (pops > WORD_POPS_MAX || id > WORD_ID_MAX) {
		out |= put_word(enc, WORD_ESCAPE);
		out |= put_word(enc, (uint16_t)sym);
		out |= put_word(enc, (uint16_t)(sym >> 16));
	} else {
		for (; pops; pops--)
			out |= put_word(enc, 0);
		out |= put_word(enc, (uint16_t)(id + 1));
	}
	if (out) {
		bob_status st;

		save_state(enc);
		st = bob_run_commit(enc, pos + 1);
		if (st != BOB_OK)
			return st;
	} else {
		__atomic_store_n(enc->fast.commit, pos + 1, __ATOMIC_RELEASE);
	}
	bob_run_fast_none(enc, pos + 1);
	return BOB_OK;
}

void bob_run_reset_words(struct bob_run_enc *enc)
{
	struct lz *z = &enc->u.lz;

	if (enc->codec != BOB_CODEC_PARLOT)
		return;
	memset(z, 0, sizeof(*z));
	z->last = (void *)enc->mem;
	z->ring = (void *)(enc->mem + LZ_TABLE * 4);
	memset(z->last, 0, LZ_TABLE * 4);
}
