/* SPDX-License-Identifier: BSD-3-Clause */
/* Iteration over the symbols of one stream: checks a block's checksum, passes its bytes to the
 * decoder of src/run (in place if they are contiguous), and continues after a damaged block. Of a
 * truncated block it returns the symbols that do not depend on the missing bytes: the block is
 * decoded twice, followed by zeros and followed by ones. The decisions of a range coder are
 * monotonic in its input, so symbols on which both agree are right. */
#include "archive/reader.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/crc.h"
#include "run/symbol.h"

#define READ_SYMBOLS 8192
#define PAD_BYTES 32	/* exceeds the decoder's read-ahead */

/* Fresh pages instead of cleared memory: small streams touch few pages of a decoder's tables. */
static void *dec_alloc(void *ctx, size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)ctx;
	return p == MAP_FAILED ? NULL : p;
}

static void dec_release(void *ctx, void *p, size_t size)
{
	(void)ctx;
	munmap(p, size);
}

bob_status bob_symbols_open(struct bob_symbol_reader *r, const struct bob_stream *s)
{
	memset(r, 0, sizeof(*r));
	r->s = s;
	r->io.alloc = dec_alloc;
	r->io.release = dec_release;
	r->dec = calloc(1, bob_run_dec_size());
	return r->dec ? BOB_OK : BOB_ERR_NOMEM;
}

static void close_block(struct bob_symbol_reader *r)
{
	if (r->open)
		bob_run_dec_close(r->dec);
	if (r->open && r->other_copy)
		bob_run_dec_close(r->other);
	free(r->other_copy);
	r->other_copy = NULL;
	r->open = 0;
}

void bob_symbols_close(struct bob_symbol_reader *r)
{
	close_block(r);
	free(r->dec);
	free(r->other);
	free(r->copy);
	memset(r, 0, sizeof(*r));
}

void bob_symbols_goto(struct bob_symbol_reader *r, size_t block)
{
	close_block(r);
	r->block = block;
	r->hole = 0;
	if (block < r->s->block_count)
		r->pos = r->s->blocks[block].pos;
}

/* The block's coded bytes, with the stream's tail appended where needed. */
static bob_status block_bytes(struct bob_symbol_reader *r, const struct bob_block_ref *b,
			      struct bob_run_input *in)
{
	size_t tail = b->flags & BOB_BLOCK_TAIL ? r->s->tail_len : 0;

	in->len = b->len + tail;
	in->bytes = tail ? NULL : bob_stream_piece(r->s, b->off, b->len);
	if (in->bytes)
		return BOB_OK;
	if (bob_stream_avail(r->s, b->off) < b->len)
		return BOB_ERR_CORRUPT;
	if (in->len + 1 > r->copy_cap) {
		free(r->copy);
		r->copy_cap = 0;
		r->copy = malloc(in->len + 1);
		if (!r->copy)
			return BOB_ERR_NOMEM;
		r->copy_cap = in->len + 1;
	}
	if (bob_stream_copy(r->s, b->off, b->len, r->copy) != BOB_OK)
		return BOB_ERR_CORRUPT;
	if (tail)
		memcpy(r->copy + b->len, r->s->tail, tail);
	in->bytes = r->copy;
	return BOB_OK;
}

/* Opens a truncated block with both continuations. */
static bob_status open_partial(struct bob_symbol_reader *r, const struct bob_block_ref *b,
			       struct bob_run_input *in)
{
	uint8_t *zeros = calloc(1, 2 * (b->len + PAD_BYTES));
	uint8_t *ones = zeros ? zeros + b->len + PAD_BYTES : NULL;
	bob_status st;

	if (!r->other)
		r->other = calloc(1, bob_run_dec_size());
	if (!zeros || !r->other) {
		free(zeros);
		return BOB_ERR_NOMEM;
	}
	memset(ones, 0xff, b->len + PAD_BYTES);
	st = bob_stream_copy(r->s, b->off, b->len, zeros);
	if (st == BOB_OK)
		st = bob_stream_copy(r->s, b->off, b->len, ones);
	in->len = b->len + PAD_BYTES;
	in->bytes = zeros;
	if (st == BOB_OK)
		st = bob_run_dec_open(r->dec, in, &r->io);
	in->bytes = ones;
	if (st == BOB_OK) {
		st = bob_run_dec_open(r->other, in, &r->io);
		if (st != BOB_OK)
			bob_run_dec_close(r->dec);
	}
	if (st != BOB_OK)
		free(zeros);
	else
		r->other_copy = zeros;
	return st;
}

/* Returns the symbols on which both continuations agree; BOB_END at the first difference. */
static bob_status read_partial(struct bob_symbol_reader *r, uint32_t *syms, size_t cap, size_t *n)
{
	uint32_t other[256];
	size_t got = 0, part, same = 0;
	uint64_t off;
	bob_status st = BOB_END;

	if (!r->parted)
		st = bob_run_dec_read(r->dec, syms, cap < 256 ? cap : 256, n, &off);
	if (st != BOB_OK)
		return st == BOB_ERR_NOMEM ? st : BOB_END;
	while (got < *n && bob_run_dec_read(r->other, other + got, *n - got, &part, &off) == BOB_OK)
		got += part;
	while (same < got && syms[same] == other[same])
		same++;
	r->parted = same < *n;
	*n = same;
	return same ? BOB_OK : BOB_END;
}

static bob_status open_block(struct bob_symbol_reader *r, const struct bob_block_ref *b,
			     struct bob_error *err)
{
	struct bob_run_input in = { .codec = (enum bob_codec)r->s->info.codec, .count = b->count };
	int partial = b->flags & BOB_BLOCK_PARTIAL;
	bob_status st = partial ? open_partial(r, b, &in) : block_bytes(r, b, &in);

	r->pos = b->pos;
	r->parted = 0;
	if (b->flags & BOB_BLOCK_HOLE)
		r->hole = 1;
	if (st == BOB_OK && b->flags & BOB_BLOCK_CRC && bob_crc32c(0, in.bytes, b->len) != b->crc)
		st = BOB_ERR_CORRUPT;
	if (st == BOB_ERR_CORRUPT)
		return bob_fail(err, st, r->s->file, bob_stream_where(r->s, b->off),
				"the checksum of a block does not match");
	if (st == BOB_OK && !partial)
		st = bob_run_dec_open(r->dec, &in, &r->io);
	if (st != BOB_OK)
		return bob_fail(err, st, r->s->file, bob_stream_where(r->s, b->off),
				st == BOB_ERR_NOMEM ? "no memory" : "a block cannot be decoded");
	r->open = 1;
	return BOB_OK;
}

bob_status bob_symbols_read(struct bob_symbol_reader *r, uint32_t *syms, size_t cap, size_t *n,
			    uint64_t *pos, int *hole, struct bob_error *err)
{
	const struct bob_block_ref *b;
	uint64_t off = 0;
	bob_status st;

	while (r->block < r->s->block_count) {
		b = &r->s->blocks[r->block];
		if (!r->open) {
			st = open_block(r, b, err);
			if (st == BOB_ERR_NOMEM)
				return st;
			if (st != BOB_OK) {
				r->block++;
				r->hole = 1;
				return st;
			}
		}
		if (b->flags & BOB_BLOCK_PARTIAL)
			st = read_partial(r, syms, cap, n);
		else
			st = bob_run_dec_read(r->dec, syms, cap, n, &off);
		if (st == BOB_OK) {
			*pos = r->pos;
			*hole = r->hole;
			r->pos += *n;
			r->hole = 0;
			r->from = r->block;
			if (r->pos - b->pos >= b->count) {
				close_block(r);
				r->block++;
			}
			return BOB_OK;
		}
		close_block(r);
		r->block++;
		if (st == BOB_END)
			continue;
		r->hole = 1;
		return bob_fail(err, st, r->s->file, bob_stream_where(r->s, b->off + off),
				st == BOB_ERR_NOMEM ? "no memory" : "coded bytes make no sense");
	}
	return BOB_END;
}

bob_status bob_trace_symbols(const struct bob_trace *t, uint32_t thread,
			     int (*visit)(void *ctx, const uint32_t *syms, size_t n), void *ctx,
			     struct bob_error *err)
{
	struct bob_symbol_reader r;
	uint32_t *syms;
	uint64_t pos;
	size_t n;
	int hole;
	bob_status st;

	if (thread >= t->thread_count)
		return bob_fail(err, BOB_ERR_INVAL, NULL, 0, "no such thread");
	if (t->threads[thread]->info.codec == BOB_CODEC_NULL)
		return bob_fail(err, BOB_ERR_INVAL, NULL, 0,
				"the thread's symbols were not stored");
	syms = malloc(READ_SYMBOLS * sizeof(*syms));
	if (!syms)
		return bob_fail(err, BOB_ERR_NOMEM, NULL, 0, "no memory");
	st = bob_symbols_open(&r, t->threads[thread]);
	while (st == BOB_OK) {
		st = bob_symbols_read(&r, syms, READ_SYMBOLS, &n, &pos, &hole, err);
		if (st == BOB_OK && visit(ctx, syms, n))
			st = BOB_NONE;
	}
	bob_symbols_close(&r);
	free(syms);
	return st == BOB_END ? BOB_OK : st;
}

/* Function of the last entry from the reader's block on. BOB_NONE: no entries. */
static bob_status last_of(struct bob_symbol_reader *r, uint32_t *syms, uint32_t *id)
{
	bob_status st, found = BOB_NONE;
	uint64_t pos;
	size_t n;
	int hole;

	while ((st = bob_symbols_read(r, syms, READ_SYMBOLS, &n, &pos, &hole, NULL)) == BOB_OK ||
	       st == BOB_ERR_CORRUPT)
		for (size_t i = st == BOB_OK ? n : 0; i-- > 0;)
			if (!bob_sym_is_ext(syms[i])) {
				*id = bob_sym_id(syms[i]);
				found = BOB_OK;
				break;
			}
	return st == BOB_END ? found : st;
}

bob_status bob_trace_last_entry(const struct bob_trace *t, uint32_t thread, uint32_t *id)
{
	const struct bob_stream *s = thread < t->thread_count ? t->threads[thread] : NULL;
	struct bob_symbol_reader r;
	bob_status st = BOB_NONE;
	uint32_t *syms;

	if (!s || s->info.codec == BOB_CODEC_NULL || !s->block_count)
		return BOB_NONE;
	syms = malloc(READ_SYMBOLS * sizeof(*syms));
	if (!syms || bob_symbols_open(&r, s) != BOB_OK) {
		free(syms);
		return BOB_ERR_NOMEM;
	}
	for (size_t block = s->block_count; block-- > 0 && st == BOB_NONE;) {
		bob_symbols_goto(&r, block);
		st = last_of(&r, syms, id);
	}
	bob_symbols_close(&r);
	free(syms);
	return st;
}
