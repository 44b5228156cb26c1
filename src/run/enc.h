/* SPDX-License-Identifier: BSD-3-Clause */
/* The encoder's own state, and the two things every codec does with it: collect the bytes of one
 * symbol, and commit them.
 *
 * A symbol's bytes gather in `buf`; bob_run_commit copies them into the stretches, fills the other
 * slot, and flips. Until the flip nothing a reader looks at has changed, so both a kill and an
 * interruption that is never resumed leave the state of the symbol before. What a restart needs
 * (stretches, checksum) is kept so that it is right at every instant: counters move after the
 * entries they count, and the checksum has two places like the slot. */
#ifndef BOB_RUN_ENC_H
#define BOB_RUN_ENC_H

#include "base/assert.h"
#include "run/model.h"
#include "run/parlot.h"
#include "run/run.h"

#define AHEAD_MIN 8u
#define AHEAD_MAX 64u
#define NULL_RING 4096u		/* symbols the null codec takes between calls */
#define BLOCKWISE_SYMBOLS 16384u /* and those of BOB_CODEC_BLOCK between stops */
#define BLOCKWISE_BYTES (BLOCKWISE_SYMBOLS * sizeof(uint32_t) + 256 * 256 * sizeof(uint32_t))
/* The smallest stretch is 8 bytes, so one symbol can need 64 of them and one half used. */
#define STRETCHES 128u
#define BUF_BYTES 1024u /* twice BOB_RUN_SYMBOL_BYTES_MAX */

struct stretch {
	uint8_t *bytes;
	uint64_t off;		/* in the stream */
	uint64_t len;
};

/* The bytes of the symbol at hand, and the slot they will be committed by. Between puts it mirrors
 * the slot that counts, and n is 0. */
struct pending {
	uint32_t n;		/* in buf */
	uint32_t crc_from;	/* where the current block's coded bytes begin in buf */
	uint32_t crc;		/* checksum of those before */
	struct bob_run_slot slot; /* to be written */
};

struct bob_run_enc {
	struct bob_run_fast fast;
	struct bob_run_head *head;
	struct bob_run_io io;
	uint64_t block_pos;
	uint64_t ext_count;
	int32_t failed;		/* bob_status of the failure that ended recording */
	uint32_t closed;
	uint32_t codec;		/* of the format, so never BOB_CODEC_BLOCK: */
	uint32_t blockwise;	/* it is NULL and this */
	uint32_t block_symbols_max; /* tests lower it */
	/* what `fast` was when it was last set: symbols so far, and dst */
	uint64_t fast_pos;
	const uint32_t *fast_from;
	/* look-ahead of RUN: the presumed hits left to entry.S */
	uint32_t ahead_max;	/* tests set it to 0 */
	uint32_t ahead_limit;
	uint32_t ahead_count;
	uint32_t ahead_audible;	/* they touch the contexts */
	uint64_t ahead_hash[AHEAD_MAX];
	uint8_t *mem;
	size_t mem_bytes;
	struct coder coder;
	union {
		struct model model;
		struct lz lz;
	} u;
	struct pending pend;
	uint8_t buf[BUF_BYTES];
	uint32_t stretch_first, stretch_end; /* running numbers */
	struct stretch stretch[STRETCHES];
};

/* Set `pend` to what the head says is committed. Between puts it is that already. */
void bob_run_recall(struct bob_run_enc *enc);
/* Seal the block and begin another at symbol `pos`, in pend. The codec then resets its model. */
void bob_run_pend_block(struct bob_run_enc *enc, uint64_t pos);
/* Writes the pending bytes into the stream, where no reader looks yet. */
bob_status bob_run_put_bytes(struct bob_run_enc *enc);

/* Stores before it are visible, to a reader of the mapped file and to signal handlers, before those
 * after it. On x86 only the compiler must be kept from reordering. */
#define COMMIT_ORDER() __atomic_thread_fence(__ATOMIC_RELEASE)

/* Field by field, as wide as they were stored: a wider load would wait for the narrower stores. */
static inline void bob_run_copy_slot(struct bob_run_slot *to, const struct bob_run_slot *from)
{
	to->out_len = from->out_len;
	to->coded_pos = from->coded_pos;
	to->block_off = from->block_off;
	to->block_pos = from->block_pos;
	for (int i = 0; i < 4; i++)
		to->state[i] = from->state[i];
	to->block_no = from->block_no;
	to->flags = from->flags;
	to->ext_count = from->ext_count;
}

/* Commit `pend`: `pos` symbols. Nothing has changed on BOB_ERR_FULL, which it then returns for
 * ever. */
static inline bob_status bob_run_commit(struct bob_run_enc *enc, uint64_t pos)
{
	struct pending *p = &enc->pend;
	struct bob_run_head *head = enc->head;
	uint32_t cur = head->cur + 1;

	if (p->n) {
		bob_status st = bob_run_put_bytes(enc);

		if (st != BOB_OK)
			return st;
	}
	p->slot.coded_pos = pos;
	p->slot.ext_count = enc->ext_count;
	head->crc[cur & 1] = p->crc;
	bob_run_copy_slot(&head->slot[cur & 1], &p->slot);
	COMMIT_ORDER();
	__atomic_store_n(&head->cur, cur, __ATOMIC_RELEASE);
	__atomic_store_n(&head->commit, pos, __ATOMIC_RELEASE);
	enc->block_pos = p->slot.block_pos;
	return BOB_OK;
}

/* Whether the symbol at `pos`, if it is to be coded, needs a new block. */
static inline int bob_run_block_full(const struct bob_run_enc *enc, uint64_t pos)
{
	const struct bob_run_slot *s = &enc->pend.slot;

	return s->out_len - s->block_off >= BOB_RUN_BLOCK_BYTES + sizeof(struct bob_run_block) ||
	       pos - s->block_pos >= enc->block_symbols_max;
}

/* At symbol `pos`, `n` of those at dst may be taken without a call. */
static inline void bob_run_fast_set(struct bob_run_enc *enc, uint64_t pos, uint32_t *dst,
				    uint32_t n, int64_t dist)
{
	enc->fast.dst = dst;
	enc->fast.end = dst + n;
	enc->fast.dist = dist;
	enc->fast_pos = pos;
	enc->fast_from = dst;
}

/* `fast` takes no symbol: every one is a call. */
static inline void bob_run_fast_none(struct bob_run_enc *enc, uint64_t pos)
{
	enc->fast.dst = NULL;
	enc->fast.end = NULL;
	enc->fast_pos = pos;
}

/* The codecs. put: as bob_run_put. reset: forget the model. */
bob_status bob_run_put_run(struct bob_run_enc *enc, uint32_t sym);
void bob_run_reset_run(struct bob_run_enc *enc);
bob_status bob_run_put_words(struct bob_run_enc *enc, uint32_t sym);
void bob_run_reset_words(struct bob_run_enc *enc);
bob_status bob_run_put_blockwise(struct bob_run_enc *enc, uint32_t sym);

#endif
