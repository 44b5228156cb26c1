/* SPDX-License-Identifier: BSD-3-Clause */
/* The encoder's interface for all codecs: open, put, restart, close. */
#include <string.h>

#include "run/enc.h"

size_t bob_run_enc_size(void)
{
	return sizeof(struct bob_run_enc);
}

size_t bob_run_memory(enum bob_codec codec)
{
	switch (codec) {
	case BOB_CODEC_RUN:
		return MODEL_BYTES;
	case BOB_CODEC_PARLOT:
		return LZ_BYTES;
	case BOB_CODEC_NULL:
		return NULL_RING * sizeof(uint32_t);
	case BOB_CODEC_BLOCK:
		return BLOCKWISE_BYTES;
	case BOB_CODEC_NONE:
		break;
	}
	return 0;
}

static void reset(struct bob_run_enc *enc)
{
	if (enc->codec == BOB_CODEC_RUN)
		bob_run_reset_run(enc);
	else
		bob_run_reset_words(enc);
}

static bob_status begin_block(struct bob_run_enc *enc)
{
	uint64_t pos = *enc->fast.commit;

	bob_run_fast_none(enc, pos);
	if (enc->codec == BOB_CODEC_NULL)
		return BOB_OK;
	bob_run_recall(enc);
	bob_run_pend_block(enc, pos);
	reset(enc);
	return bob_run_commit(enc, pos);
}

bob_status bob_run_open(struct bob_run_enc *enc, enum bob_codec codec, struct bob_run_head *head,
			const struct bob_run_io *io)
{
	size_t bytes = bob_run_memory(codec);
	bob_status st;

	BOB_PRE((codec >= BOB_CODEC_RUN && codec <= BOB_CODEC_NULL) || codec == BOB_CODEC_BLOCK);
	enc->blockwise = codec == BOB_CODEC_BLOCK;
	if (enc->blockwise)
		codec = BOB_CODEC_NULL;
	enc->head = head;
	enc->io = *io;
	enc->codec = codec;
	enc->fast.commit = &head->commit;
	enc->block_symbols_max = BLOCK_SYMBOLS_MAX;
	enc->ahead_max = AHEAD_MAX;
	if (bytes) {
		enc->mem = io->alloc(io->ctx, bytes);
		if (!enc->mem) {
			enc->failed = BOB_ERR_NOMEM;
			return BOB_ERR_NOMEM;
		}
		enc->mem_bytes = bytes;
	}
	head->codec = codec;
	st = begin_block(enc);
	if (st != BOB_OK && enc->mem) {
		io->release(io->ctx, enc->mem, enc->mem_bytes);
		enc->mem = NULL;
	}
	return st;
}

/* entry.S accepts every symbol between dst and end: its comparison is blanked (entry.c). */
static bob_status put_null(struct bob_run_enc *enc)
{
	uint32_t *ring = (void *)enc->mem;

	bob_run_fast_set(enc, *enc->fast.commit + 1, ring, NULL_RING, 0);
	__atomic_store_n(enc->fast.commit, enc->fast_pos, __ATOMIC_RELEASE);
	return BOB_OK;
}

uint64_t bob_run_position(const struct bob_run_enc *enc)
{
	return enc->fast_pos + (enc->fast.dst ? (uint64_t)(enc->fast.dst - enc->fast_from) : 0);
}

bob_status bob_run_put(struct bob_run_enc *enc, uint32_t sym)
{
	if (UNLIKELY(enc->failed))
		return (bob_status)enc->failed;
	if (enc->codec == BOB_CODEC_NULL) {
		if (bob_sym_is_ext(sym)) /* the codec counts only events and keeps no ext_count */
			return BOB_OK;
		return enc->blockwise ? bob_run_put_blockwise(enc, sym) : put_null(enc);
	}
	enc->ext_count += (unsigned)bob_sym_is_ext(sym);
	return LIKELY(enc->codec == BOB_CODEC_RUN) ? bob_run_put_run(enc, sym) :
						     bob_run_put_words(enc, sym);
}

bob_status bob_run_restart(struct bob_run_enc *enc)
{
	if (enc->failed)
		return (bob_status)enc->failed;
	return begin_block(enc);
}

bob_status bob_run_close(struct bob_run_enc *enc)
{
	bob_status st = (bob_status)enc->failed;

	if (enc->closed)
		return BOB_ERR_INVAL;
	if (st == BOB_OK && enc->codec != BOB_CODEC_NULL) {
		struct pending *p = &enc->pend;

		bob_run_recall(enc);
		p->n = (uint32_t)bob_run_tail(enc->codec, &p->slot, enc->buf);
		memset(p->slot.state, 0, sizeof(p->slot.state));
		p->slot.flags |= BOB_RUN_CLOSED;
		st = bob_run_commit(enc, *enc->fast.commit);
	}
	bob_run_fast_none(enc, *enc->fast.commit);
	enc->closed = 1;
	if (!enc->failed)
		enc->failed = BOB_ERR_INVAL;
	if (enc->mem) {
		enc->io.release(enc->io.ctx, enc->mem, enc->mem_bytes);
		enc->mem = NULL;
	}
	return st;
}
