/* SPDX-License-Identifier: BSD-3-Clause */
/* The codec of the ParLoT paper (Taheri et al. 2018, section 3.3) on 16-bit words: LZ with one
 * candidate, followed by elimination of zero bytes. Changed so that it can be decoded: literals are
 * always emitted, both sides know after each literal whether a match begins, and an unterminated
 * match extends to the last symbol. */
#ifndef BOB_RUN_PARLOT_H
#define BOB_RUN_PARLOT_H

#include <stddef.h>
#include <stdint.h>

#define LZ_RING 65536u
#define LZ_TABLE 4096u
#define LZ_MATCH_MAX 65535u
#define WORD_ESCAPE 0xffffu	/* the next two words are a whole symbol, low half first */
#define WORD_ID_MAX 65532u	/* the greatest id that fits in one word */
#define WORD_POPS_MAX 64u	/* the maximum number of pops written as zero words */
#define LZ_BYTES (LZ_RING * 2 + LZ_TABLE * 4)

struct lz {
	uint16_t *ring;
	uint32_t *last;		/* by the low 12 bits of a word: position + 1; 0: none */
	uint32_t pos;		/* words */
	uint32_t from;		/* next word of the match; only while matching */
	uint32_t length;
	uint32_t matching;
	/* zero elimination */
	uint32_t pend_count;	/* bytes of an unfinished group */
	uint8_t pend[8];
};

static inline void lz_push(struct lz *z, uint16_t word)
{
	z->ring[z->pos % LZ_RING] = word;
	z->last[word % LZ_TABLE] = z->pos + 1;
	z->pos++;
}

/* Called after a literal at pos-1 whose earlier occurrence is `before` (position + 1). A match
 * begins if both words and the two preceding ones agree. */
static inline void lz_begin(struct lz *z, uint32_t before)
{
	uint32_t p = z->pos;

	z->matching = 0;
	if (before < 3 || p - before > LZ_RING - 4)
		return;
	for (uint32_t i = 1; i <= 3; i++)
		if (z->ring[(before - i) % LZ_RING] != z->ring[(p - i) % LZ_RING])
			return;
	z->matching = 1;
	z->from = before;
	z->length = 0;
}

/* The bytes that complete an open block: its last group, padded with 0xff. */
size_t bob_run_ze_tail(const uint32_t state[4], uint8_t tail[16]);

#endif
