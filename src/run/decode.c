/* SPDX-License-Identifier: BSD-3-Clause */
/* The decoder of RUN, and the interface of all decoders. Hostile bytes decode to some symbols or to
 * BOB_ERR_CORRUPT: every read is within the input or from a table with a masked index, and every
 * iteration of the loop delivers a symbol or ends. */
#include <string.h>

#include "base/assert.h"
#include "run/dec.h"
#include "run/literal.h"

/* A decoder of a valid stream reads at most this far beyond its last byte. */
#define OVER_MAX 8u

void bob_run_dec_init_run(struct bob_run_dec *dec)
{
	struct run_dec *r = &dec->u.run;
	struct coder *c = &r->coder;

	bob_run_model_init(&r->model, dec->mem);
	coder_start(c);
	c->in = dec->in.bytes;
	c->end = dec->in.bytes + dec->in.len;
	for (int i = 0; i < 8; i++) {
		c->x <<= 8;
		if (c->in != c->end)
			c->x |= *c->in++;
		else
			c->over++;
	}
	r->phase = PHASE_FRESH;
}

/* Copy presumed hits while the model is silent, up to `want`: a copy within the ring. */
static size_t copy_silent(struct model *m, uint32_t *syms, size_t want)
{
	size_t to = m->pos & HIST_MASK, from = (m->pos - m->dist) & HIST_MASK, n = want;

	if (!m->dist || !model_silent(m))
		return 0;
	if (m->exp_pos >= m->pos && n > m->exp_pos - m->pos)
		n = m->exp_pos - m->pos;
	if (n > HIST_SIZE - to)
		n = HIST_SIZE - to;
	if (n > HIST_SIZE - from)
		n = HIST_SIZE - from;
	if (from > to) {
		memmove(m->hist + to, m->hist + from, n * 4);
	} else {
		/* [from, to + done) has the period dist, so each copy may be twice as long as the
		 * previous one */
		for (size_t done = 0, part; done < n; done += part) {
			part = n - done < to + done - from ? n - done : to + done - from;
			memcpy(m->hist + to + done, m->hist + from, part * 4);
		}
	}
	memcpy(syms, m->hist + to, n * 4);
	m->pos += (uint32_t)n;
	return n;
}

static uint32_t decode_miss(struct run_dec *r, enum point point, uint64_t predicted)
{
	uint32_t sym = code_symbol(&r->model, &r->coder, 1, predicted, 0);

	model_miss(&r->model, point, sym);
	r->model.coded_pos = r->model.pos;
	r->phase = PHASE_FRESH;
	return sym;
}

/* After a coded event: read whether an escape follows. */
static void begin_run(struct run_dec *r, enum point point)
{
	if (point == POINT_NONE)
		return;
	r->phase = PHASE_RUN;
	if (code_escape(&r->coder, 1, 0)) {
		r->left = code_gamma(&r->coder, 1, &r->model.run_length, 0);
		r->phase = PHASE_ESCAPE;
	}
}

/* Decode one symbol where copying is not possible. */
static bob_status decode_one(struct run_dec *r, uint32_t *sym)
{
	struct model *m = &r->model;
	uint64_t predicted;
	enum point point = model_point(m, &predicted);

	if (r->phase == PHASE_FRESH)
		begin_run(r, point);
	if (r->phase == PHASE_ESCAPE && point != POINT_PRESUMED)
		return BOB_ERR_CORRUPT;
	if (point == POINT_NONE || (r->phase == PHASE_ESCAPE && !r->left)) {
		*sym = decode_miss(r, point, predicted);
		return BOB_OK;
	}
	*sym = (uint32_t)predicted;
	if (point == POINT_PRESUMED) {
		model_hit(m, *sym);
		r->left -= r->phase == PHASE_ESCAPE;
	} else if (code_point(m, &r->coder, 1, 0)) {
		model_advance(m, *sym);
		m->coded_pos = m->pos;
		r->phase = PHASE_FRESH;
	} else {
		*sym = decode_miss(r, point, predicted);
	}
	return BOB_OK;
}

bob_status bob_run_dec_run(struct bob_run_dec *dec, uint32_t *syms, size_t want, size_t *n)
{
	struct run_dec *r = &dec->u.run;

	while (*n < want) {
		size_t copied = 0;
		bob_status st;

		if (r->phase == PHASE_RUN)
			copied = copy_silent(&r->model, syms + *n, want - *n);
		else if (r->phase == PHASE_ESCAPE)
			copied = copy_silent(&r->model, syms + *n,
					     r->left < want - *n ? (size_t)r->left : want - *n);
		if (r->phase == PHASE_ESCAPE)
			r->left -= copied;
		*n += copied;
		if (copied)
			continue;
		st = decode_one(r, syms + *n);
		if (st != BOB_OK || r->coder.over > OVER_MAX)
			return BOB_ERR_CORRUPT;
		++*n;
	}
	return BOB_OK;
}

size_t bob_run_dec_size(void)
{
	return sizeof(struct bob_run_dec);
}

bob_status bob_run_dec_open(struct bob_run_dec *dec, const struct bob_run_input *in,
			    const struct bob_run_io *io)
{
	memset(dec, 0, sizeof(*dec));
	BOB_PRE(in->codec >= BOB_CODEC_RUN && in->codec <= BOB_CODEC_NONE);
	dec->in = *in;
	dec->io = *io;
	if (in->codec == BOB_CODEC_RUN && in->count > BLOCK_SYMBOLS_MAX)
		return BOB_ERR_CORRUPT;
	if (in->codec != BOB_CODEC_NONE) {
		dec->mem_bytes = in->codec == BOB_CODEC_RUN ? MODEL_BYTES : LZ_BYTES;
		dec->mem = io->alloc(io->ctx, dec->mem_bytes);
		if (!dec->mem)
			return BOB_ERR_NOMEM;
	}
	if (in->codec == BOB_CODEC_RUN)
		bob_run_dec_init_run(dec);
	else
		bob_run_dec_init_words(dec);
	return BOB_OK;
}

bob_status bob_run_dec_read(struct bob_run_dec *dec, uint32_t *syms, size_t cap, size_t *n,
			    uint64_t *in_off)
{
	uint64_t left = dec->in.count - dec->done;
	size_t want = left < cap ? (size_t)left : cap;
	const uint8_t *at;
	bob_status st;

	*n = 0;
	if (dec->failed)
		return (bob_status)dec->failed;
	if (!left)
		return BOB_END;
	if (dec->in.codec == BOB_CODEC_RUN) {
		st = bob_run_dec_run(dec, syms, want, n);
		at = dec->u.run.coder.in;
	} else {
		st = bob_run_dec_words(dec, syms, want, n);
		at = dec->u.word.in;
	}
	dec->done += *n;
	*in_off = dec->in.len ? (uint64_t)(at - dec->in.bytes) : 0;
	if (st != BOB_OK)
		dec->failed = st;
	return *n ? BOB_OK : st;
}

void bob_run_dec_close(struct bob_run_dec *dec)
{
	if (dec->mem)
		dec->io.release(dec->io.ctx, dec->mem, dec->mem_bytes);
	dec->mem = NULL;
}
