/* SPDX-License-Identifier: BSD-3-Clause */
/* The encoder's state, and the two steps that all codecs share: collecting the bytes of one symbol,
 * and committing them.
 *
 * A symbol's bytes are collected in `buf`. bob_run_commit copies them into the stretches, fills the
 * inactive slot, and flips the index. Before the flip, nothing that a reader uses has changed, so
 * after a kill, or an interruption that is never resumed, the state is that of the previous symbol.
 * What a restart needs (stretches, checksum) is consistent at every instant: counters are increased
 * after the entries that they count are written, and the checksum is double-buffered like the
 * slot. */
#ifndef BOB_RUN_ENC_H
#define BOB_RUN_ENC_H

#include "base/assert.h"
#include "run/model.h"
#include "run/parlot.h"
#include "run/run.h"

#define AHEAD_MIN 8u
#define AHEAD_MAX 64u
#define NULL_RING 4096u		/* symbols that the null codec accepts between calls */
#define BLOCKWISE_SYMBOLS 16384u /* the same for BOB_CODEC_BLOCK: symbols between pauses */
#define BLOCKWISE_BYTES (BLOCKWISE_SYMBOLS * sizeof(uint32_t) + 256 * 256 * sizeof(uint32_t))
/* The smallest stretch has 8 bytes, so one symbol may need 64 stretches besides a partly used
 * one. */
#define STRETCHES 128u
#define BUF_BYTES 1024u /* twice BOB_RUN_SYMBOL_BYTES_MAX */

struct stretch {
	uint8_t *bytes;
	uint64_t off;		/* in the stream */
	uint64_t len;
};

/* The bytes of the current symbol, and the slot that will commit them. Between puts it mirrors the
 * active slot, and n is 0. */
struct pending {
	uint32_t n;		/* in buf */
	uint32_t crc_from;	/* where the coded bytes of the current block begin in buf */
	uint32_t crc;		/* checksum of the preceding coded bytes of the block */
	struct bob_run_slot slot; /* to be written */
};

struct bob_run_enc {
	struct bob_run_fast fast;
	struct bob_run_head *head;
	struct bob_run_io io;
	uint64_t block_pos;
	uint64_t ext_count;
	int32_t failed;		/* the failure that ended recording: a bob_status */
	uint32_t closed;
	uint32_t codec;		/* as in the trace, so never BOB_CODEC_BLOCK, ... */
	uint32_t blockwise;	/* ... which is BOB_CODEC_NULL with this flag */
	uint32_t block_symbols_max; /* tests lower it */
	/* `fast` as last set: symbols so far, and dst */
	uint64_t fast_pos;
	const uint32_t *fast_from;
	/* RUN's look-ahead: presumed hits that entry.S may accept */
	uint32_t ahead_max;	/* tests set it to 0 */
	uint32_t ahead_limit;
	uint32_t ahead_count;
	uint32_t ahead_audible;	/* these hits update the contexts */
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

/* Set `pend` to the committed state. Between puts it already is. */
void bob_run_recall(struct bob_run_enc *enc);
/* Seal the block and begin a new one at symbol `pos`, in pend. The codec then resets its model. */
void bob_run_pend_block(struct bob_run_enc *enc, uint64_t pos);
/* Write the pending bytes into the stream, beyond the part that readers use. */
bob_status bob_run_put_bytes(struct bob_run_enc *enc);

/* Orders stores before it before stores after it, as seen by a reader of the mapped file and by
 * signal handlers. On x86 only the compiler could reorder them. */
#define COMMIT_ORDER() __atomic_thread_fence(__ATOMIC_RELEASE)

/* Copies each field with the width of its store: a wider load could not be forwarded from the
 * narrower stores in the store buffer. */
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

/* Commit `pend`, so that `pos` symbols are recorded. On BOB_ERR_FULL nothing has changed, and all
 * further commits fail as well. */
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

/* At symbol `pos`, let entry.S accept `n` symbols at dst without a call. */
static inline void bob_run_fast_set(struct bob_run_enc *enc, uint64_t pos, uint32_t *dst,
				    uint32_t n, int64_t dist)
{
	enc->fast.dst = dst;
	enc->fast.end = dst + n;
	enc->fast.dist = dist;
	enc->fast_pos = pos;
	enc->fast_from = dst;
}

/* entry.S accepts no symbol: each one is a call. */
static inline void bob_run_fast_none(struct bob_run_enc *enc, uint64_t pos)
{
	enc->fast.dst = NULL;
	enc->fast.end = NULL;
	enc->fast_pos = pos;
}

/* The codecs. put: as bob_run_put. reset: clear the model. */
bob_status bob_run_put_run(struct bob_run_enc *enc, uint32_t sym);
void bob_run_reset_run(struct bob_run_enc *enc);
bob_status bob_run_put_words(struct bob_run_enc *enc, uint32_t sym);
void bob_run_reset_words(struct bob_run_enc *enc);
bob_status bob_run_put_blockwise(struct bob_run_enc *enc, uint32_t sym);

#endif
