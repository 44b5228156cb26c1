/* SPDX-License-Identifier: BSD-3-Clause */
/* A rig for the codec's tests, fuzzers and benchmark: an owner of an encoder whose stream lies in
 * scattered stretches, the caller that entry.S is, and a reader that walks the blocks. */
#ifndef BOB_TESTS_RUN_RIG_H
#define BOB_TESTS_RUN_RIG_H

#include <stdlib.h>
#include <string.h>

#include "base/crc.h"
#include "run/enc.h"
#include "run/run.h"

struct rig {
	struct bob_run_head head;
	struct bob_run_enc *enc;
	struct bob_run_io io;
	uint8_t **stretch;	/* equal lengths, separately allocated */
	size_t stretch_len, stretch_count, stretch_capacity, stretch_max;
	unsigned allocs, alloc_fail; /* fail at this one, counted from 1 */
	size_t live;		/* bytes allocated and not released */
};

static inline uint8_t *rig_grow(void *ctx, size_t *len)
{
	struct rig *r = ctx;

	if (r->stretch_count == r->stretch_max)
		return NULL;
	if (r->stretch_count == r->stretch_capacity) {
		r->stretch_capacity = r->stretch_capacity ? r->stretch_capacity * 2 : 16;
		r->stretch = realloc(r->stretch, r->stretch_capacity * sizeof(*r->stretch));
	}
	*len = r->stretch_len;
	return r->stretch[r->stretch_count++] = calloc(1, r->stretch_len);
}

/* Fuzzers keep the tables from one input to the next: clearing them is cheaper than mapping
 * them. */
static struct {
	int on;
	void *free[4];
	size_t size[4];
} rig_kept;

static inline void *rig_table(size_t size)
{
	for (int i = 0; i < 4; i++) {
		void *p = rig_kept.free[i];

		if (p && rig_kept.size[i] == size) {
			rig_kept.free[i] = NULL;
			return memset(p, 0, size);
		}
	}
	return calloc(1, size);
}

static inline void rig_table_free(void *p, size_t size)
{
	for (int i = 0; i < 4 && rig_kept.on; i++) {
		if (!rig_kept.free[i]) {
			rig_kept.free[i] = p;
			rig_kept.size[i] = size;
			return;
		}
	}
	free(p);
}

static inline void *rig_alloc(void *ctx, size_t size)
{
	struct rig *r = ctx;

	if (++r->allocs == r->alloc_fail)
		return NULL;
	r->live += size;
	return rig_table(size);
}

static inline void rig_release(void *ctx, void *p, size_t size)
{
	struct rig *r = ctx;

	r->live -= size;
	rig_table_free(p, size);
}

static inline void rig_init(struct rig *r, size_t stretch_len)
{
	memset(r, 0, sizeof(*r));
	r->stretch_len = stretch_len;
	r->stretch_max = SIZE_MAX;
	r->io = (struct bob_run_io){ r, rig_grow, rig_alloc, rig_release };
	r->enc = calloc(1, bob_run_enc_size());
}

static inline bob_status rig_open(struct rig *r, enum bob_codec codec)
{
	return bob_run_open(r->enc, codec, &r->head, &r->io);
}

static inline void rig_fini(struct rig *r)
{
	if (r->enc->mem && !r->enc->closed)
		rig_release(r, r->enc->mem, r->enc->mem_bytes);
	for (size_t i = 0; i < r->stretch_count; i++)
		free(r->stretch[i]);
	free(r->stretch);
	free(r->enc);
}

/* What entry.S does for an entry; extended symbols always come through C. */
static inline bob_status rig_entry(struct bob_run_enc *enc, uint32_t sym)
{
	struct bob_run_fast *f = bob_run_fast(enc);

	if (f->dst == f->end || bob_sym_is_ext(sym) ||
	    *(uint32_t *)(void *)((char *)f->dst - f->dist) != sym)
		return bob_run_put(enc, sym);
	*f->dst = sym;
	++*f->commit;
	++f->dst;
	return BOB_OK;
}

/* The stream up to `len` as one piece, with `extra` bytes of free space. */
static inline uint8_t *rig_bytes(const struct rig *r, uint64_t len, size_t extra)
{
	uint8_t *all = calloc(1, len + extra + 1);

	for (uint64_t i = 0; i < len; i++)
		all[i] = r->stretch[i / r->stretch_len][i % r->stretch_len];
	return all;
}

/* Decode one block's bytes into `out`. */
static inline bob_status rig_decode_block(const struct bob_run_input *in, uint32_t *out,
					  size_t step)
{
	struct rig r = { .io = { &r, NULL, rig_alloc, rig_release } };
	struct bob_run_dec *dec = calloc(1, bob_run_dec_size());
	bob_status st = bob_run_dec_open(dec, in, &r.io);
	uint64_t done = 0, off = 0;
	size_t n;

	while (st == BOB_OK) {
		st = bob_run_dec_read(dec, out + done, step, &n, &off);
		if (st == BOB_OK)
			done += n;
		if (off > in->len)
			abort();
	}
	bob_run_dec_close(dec);
	free(dec);
	return st == BOB_END && done == in->count ? BOB_OK : BOB_ERR_CORRUPT;
}

/* Read a stream as salvage would: from a head (a copy, perhaps of a moment ago) and the bytes.
 * Returns the symbols, malloced, or NULL if anything is wrong; *n is their number. */
static inline uint32_t *rig_read(const struct bob_run_head *head, const struct rig *r, size_t step,
				 uint64_t *n)
{
	const struct bob_run_slot *s = &head->slot[head->cur & 1];
	uint64_t count = head->commit > s->coded_pos ? head->commit : s->coded_pos;
	uint8_t *bytes = rig_bytes(r, s->out_len, 16);
	uint32_t *out = malloc((count + 1) * sizeof(*out));
	uint64_t off = s->block_off, end = s->out_len;
	uint64_t pos_end = count;
	uint32_t no = s->block_no;

	end += bob_run_tail((enum bob_codec)head->codec, s, bytes + end);
	*n = count;
	if (!s->out_len && !count)
		goto out;
	for (;;) {
		struct bob_run_block b;
		struct bob_run_input in;

		memcpy(&b, bytes + off, sizeof(b));
		in = (struct bob_run_input){ (enum bob_codec)head->codec, bytes + off + sizeof(b),
					     end - off - sizeof(b), pos_end - b.pos };
		if (b.magic != BOB_RUN_BLOCK_MAGIC || b.no != no-- || off & 7 ||
		    b.crc != bob_crc32c(0, &b, offsetof(struct bob_run_block, crc)) ||
		    rig_decode_block(&in, out + b.pos, step) != BOB_OK)
			goto bad;
		if (!b.no) {
			if (b.pos || off)
				goto bad;
			goto out;
		}
		pos_end = b.pos;
		off = b.prev_off;
		end = off + sizeof(b) + b.prev_len;
		if (bob_crc32c(0, bytes + off + sizeof(b), b.prev_len) != b.prev_crc)
			goto bad;
	}
bad:
	free(out);
	out = NULL;
out:
	free(bytes);
	return out;
}

#endif
