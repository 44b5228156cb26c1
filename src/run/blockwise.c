/* SPDX-License-Identifier: BSD-3-Clause */
/* A deliberately bad recorder: it buffers events, and stops the thread whenever the buffer is full
 * until the whole buffer is compressed. tests/e2e/test_perturb.py uses it to show that such pauses
 * would be detected. Only BOBBIN_CHECK=block selects it. The compressed bytes are dropped; the
 * trace is that of the null codec, and says so.
 *
 * entry.S fills the buffer without a call, so between pauses an event costs as much as with the
 * null codec. The compressor codes every bit of a symbol in the context of the preceding bits and
 * of the byte four positions earlier, so that its time depends little on the data. */
#include "run/enc.h"

static void compress(struct bob_run_enc *enc)
{
	const uint8_t *bytes = enc->mem;
	uint32_t *prob = (void *)(enc->mem + BLOCKWISE_SYMBOLS * sizeof(uint32_t));
	uint8_t before[4] = { 0 };
	struct coder c;

	coder_start(&c);
	for (uint32_t i = 0; i < BLOCKWISE_SYMBOLS * sizeof(uint32_t); i++) {
		uint32_t *of = prob + before[i & 3] * 256u, node = 1;

		c.out = enc->buf;
		for (unsigned bit = 8; bit--;)
			node = node * 2 + code_bit(&c, 0, of + node, bytes[i] >> bit & 1u);
		before[i & 3] = bytes[i];
	}
}

bob_status bob_run_put_blockwise(struct bob_run_enc *enc, uint32_t sym)
{
	uint32_t *ring = (void *)enc->mem;
	uint32_t used = enc->fast.dst ? (uint32_t)(enc->fast.dst - ring) : 0;

	if (used == BLOCKWISE_SYMBOLS) {
		compress(enc);
		used = 0;
	}
	ring[used++] = sym;
	bob_run_fast_set(enc, *enc->fast.commit + 1, ring + used, BLOCKWISE_SYMBOLS - used, 0);
	__atomic_store_n(enc->fast.commit, enc->fast_pos, __ATOMIC_RELEASE);
	return BOB_OK;
}
