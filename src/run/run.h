/* SPDX-License-Identifier: BSD-3-Clause */
/* RUN: the codec of one thread's CALLS stream, a sequence of 32-bit symbols (symbol.h).
 *
 * It is incremental (every symbol is committed before the next one is known), bounded per symbol,
 * lossless, and readable after kill -9 at any instant: a reader needs only the coded bytes and
 * `struct bob_run_head`. Freestanding: no libc calls except mem*, no globals, memory only through
 * bob_run_io.
 *
 * The encoder exports `struct bob_run_fast`, so that the agent's entry.S accepts a predicted symbol
 * by itself (compare, store, advance, commit) and calls bob_run_put for all others. Four codecs
 * implement this interface; `parlot` and `none` work on the 16-bit words of the paper.
 *
 * Threads: one encoder, one thread. Not reentrant: the caller guards against signals. See
 * docs/run.md, and ParLoT (Taheri et al. 2018), section 3. */
#ifndef BOB_RUN_RUN_H
#define BOB_RUN_RUN_H

#include <stddef.h>
#include <stdint.h>

#include "bobbin/status.h"

/* Values are part of the format. */
enum bob_codec {
	BOB_CODEC_RUN = 1,	/* predictor + range coder */
	BOB_CODEC_PARLOT = 2,	/* LZ + zero elimination of the paper, made decodable */
	BOB_CODEC_NONE = 3,	/* 16-bit words, uncompressed */
	BOB_CODEC_NULL = 4,	/* counts symbols and stores none: the baseline that only patches */
	/* For tests, never in a file: the null codec with pauses (blockwise.c). The head says
	 * BOB_CODEC_NULL. */
	BOB_CODEC_BLOCK = 1000
};

/* What entry.S may do without a call, for the symbol S:
 *     if (dst == end || *(dst - dist) != S) call bob_run_put(enc, S)
 *     else { *dst = S; ++*commit; ++dst; }
 * `dist` is in bytes and signed (the history is a ring). With this order a signal or kill between
 * two stores loses nothing: `*commit` alone determines the number of symbols. First member of
 * bob_run_enc. */
struct bob_run_fast {
	uint32_t *dst;
	uint32_t *end;
	int64_t dist;
	uint64_t *commit;
};

/* One of two alternating descriptions of the coded bytes. 64 bytes, little endian. */
struct bob_run_slot {
	uint64_t out_len;	/* valid bytes of the stream, from its start */
	uint64_t coded_pos;	/* symbols committed when this slot was written */
	uint64_t block_off;	/* stream offset of the current block's header */
	uint64_t block_pos;	/* symbols before the current block */
	uint32_t state[4];	/* private to the codec: for RUN the coder's x1 and x2 */
	uint32_t block_no;
	uint32_t flags;		/* BOB_RUN_CLOSED */
	uint64_t ext_count;	/* extended symbols so far, so that events = symbols - ext_count */
};
#define BOB_RUN_CLOSED 1u	/* closed by bob_run_close; out_len includes the coder's tail */

/* In the mapped file, 64-byte aligned. A reader uses slot[cur & 1], and then N = max(commit,
 * slot.coded_pos) symbols. */
struct bob_run_head {
	uint64_t commit;	/* number of symbols; written with aligned 8-byte stores */
	uint32_t cur;
	uint32_t codec;		/* enum bob_codec */
	/* CRC-32C of the current block's coded bytes, for slot[0] and slot[1]; 0: unknown */
	uint32_t crc[2];
	uint8_t pad[40];
	struct bob_run_slot slot[2];
};
BOB_STATIC_ASSERT(sizeof(struct bob_run_slot) == 64, "slot is one cache line");
BOB_STATIC_ASSERT(sizeof(struct bob_run_head) == 192, "head is three cache lines");

/* Header of a block inside the byte stream, 8-byte aligned there; the stream starts with one.
 * Blocks restart the model, so a reader can start at any of them. `prev_*` links to the previous
 * block and has its checksum. In block 0 all fields are zero except magic. */
struct bob_run_block {
	uint32_t magic;		/* BOB_RUN_BLOCK_MAGIC */
	uint32_t no;
	uint64_t pos;		/* symbols before this block */
	uint64_t prev_off;	/* stream offset of the previous block's header */
	uint64_t prev_len;	/* its coded bytes, header and alignment padding excluded */
	uint64_t prev_count;	/* its symbols */
	uint64_t ext_count;	/* extended symbols before this block */
	uint32_t prev_crc;	/* CRC-32C of its coded bytes */
	uint32_t crc;		/* CRC-32C of the bytes of this header before this field */
};
#define BOB_RUN_BLOCK_MAGIC 0x4b4c4252u /* "RBLK" */
BOB_STATIC_ASSERT(sizeof(struct bob_run_block) == 56, "block header");

/* A block ends, and the model restarts, at the first coded symbol after this many coded bytes. */
#define BOB_RUN_BLOCK_BYTES (64u << 10)
/* Upper bound of the bytes that one symbol adds to the stream, including block header and tail. */
#define BOB_RUN_SYMBOL_BYTES_MAX 512u

/* Services of the encoder's owner. Only bob_run_put calls them. Memory from `alloc` is zeroed and
 * page aligned; it is freed by `release`, or together with everything else of the thread. */
struct bob_run_io {
	void *ctx;
	/* The next stretch of the output stream: zeroed, 8-byte aligned, a multiple of 8 bytes
	 * long. NULL: no further stretch will be available, ever. */
	uint8_t *(*grow)(void *ctx, size_t *len);
	void *(*alloc)(void *ctx, size_t size);
	void (*release)(void *ctx, void *p, size_t size);
};

/* bob_run_enc_size() bytes that belong to the caller and must start zeroed. The first member is a
 * struct bob_run_fast. */
struct bob_run_enc;

size_t bob_run_enc_size(void);
/* The number of bytes that bob_run_open requests from io->alloc. */
size_t bob_run_memory(enum bob_codec codec);

/* `head` must be zeroed and live as long as the encoder. Errors: BOB_ERR_NOMEM, BOB_ERR_FULL. */
bob_status bob_run_open(struct bob_run_enc *enc, enum bob_codec codec, struct bob_run_head *head,
			const struct bob_run_io *io);

/* The number of recorded symbols, from the encoder's own memory alone. For a fork child, which has
 * a copy of the encoder but whose head is still the parent's and keeps changing. Must not be called
 * within a put. */
uint64_t bob_run_position(const struct bob_run_enc *enc);

/* Record one symbol by the complete path, in any state. On BOB_ERR_FULL or BOB_ERR_NOMEM neither
 * this symbol nor any later one is recorded; all earlier ones stay readable. */
bob_status bob_run_put(struct bob_run_enc *enc, uint32_t sym);

/* Bytes of output that io.grow has provided and the encoder has registered. If a recording was
 * abandoned during io.grow, its owner detects here that the last stretch must be provided again. */
uint64_t bob_run_granted(const struct bob_run_enc *enc);

/* Clear the model and begin a new block at the committed position: for an owner that finds that the
 * encoder was interrupted and will not be resumed (siglongjmp out of a handler). */
bob_status bob_run_restart(struct bob_run_enc *enc);

/* Flush the coder's tail and mark the head closed. Further puts fail. */
bob_status bob_run_close(struct bob_run_enc *enc);

static inline struct bob_run_fast *bob_run_fast(struct bob_run_enc *enc)
{
	return (struct bob_run_fast *)(void *)enc;
}

/* --- reading --- */

/* One block as it is in the archive: `bytes` are the coded bytes after the block header, `count`
 * the number of symbols. For the last block of a stream that was not closed, the caller appends the
 * coder's tail with bob_run_tail(). All of it is untrusted. */
struct bob_run_input {
	enum bob_codec codec;
	const uint8_t *bytes;
	size_t len;
	uint64_t count;
};

/* The bytes (at most 16) that complete the coded bytes of an open block, derived from its slot.
 * Returns how many were written to `tail`. */
size_t bob_run_tail(enum bob_codec codec, const struct bob_run_slot *slot, uint8_t tail[16]);

/* Decoder. Its memory comes from `alloc` and `release` of `io` (grow may be NULL). */
struct bob_run_dec;
size_t bob_run_dec_size(void);
bob_status bob_run_dec_open(struct bob_run_dec *dec, const struct bob_run_input *in,
			    const struct bob_run_io *io);
/* Decode up to `cap` symbols. Returns BOB_OK with *n > 0, BOB_END after `count` symbols,
 * BOB_ERR_CORRUPT (*in_off is the byte offset in `bytes`) or BOB_ERR_NOMEM. Never reads out of
 * bounds and always makes progress, whatever the bytes. */
bob_status bob_run_dec_read(struct bob_run_dec *dec, uint32_t *syms, size_t cap, size_t *n,
			    uint64_t *in_off);
void bob_run_dec_close(struct bob_run_dec *dec);

#endif
