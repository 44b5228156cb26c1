/* SPDX-License-Identifier: BSD-3-Clause */
/* The encoder of RUN. A symbol that is presumed costs a comparison; entry.S makes most of these by
 * itself, in runs found by look_ahead. What it did is learnt from the commit word and made up for
 * at the next call (catch_up), with the result that symbol-by-symbol calls would have had: hits that
 * are not coded change no probability, so looking ahead is exact. */
#include "run/enc.h"
#include "run/literal.h"

static void catch_up(struct bob_run_enc *enc)
{
	struct model *m = &enc->u.model;
	uint32_t n = (uint32_t)(*enc->fast.commit - enc->block_pos) - m->pos;

	if (!n)
		return;
	if (enc->ahead_audible) {
		BOB_ASSERT(n <= enc->ahead_count);
		for (uint32_t i = 0; i < n; i++)
			m->ctx[hash_ctx(enc->ahead_hash[i], m->level)].pos = m->pos + i + 1;
		m->hash = enc->ahead_hash[n - 1];
		m->ctx_ix = hash_ctx(m->hash, m->level);
	}
	m->pos += n;
	if (n == enc->ahead_limit && enc->ahead_limit < AHEAD_MAX)
		enc->ahead_limit *= 2;
}

/* How many of the next `n` predicted symbols are presumed hits, their contexts being looked at. */
static uint32_t walk_audible(struct bob_run_enc *enc, uint32_t n)
{
	const struct model *m = &enc->u.model;
	uint32_t from = m->pos - m->dist, ix = m->ctx_ix;
	uint64_t hash = m->hash;

	for (uint32_t i = 0; i < n; i++) {
		if (m->ctx[ix].prob[0])
			return i;
		hash = hash_push(hash, m->hist[from & HIST_MASK]);
		ix = hash_ctx(hash, m->level);
		enc->ahead_hash[i] = hash;
		if (++from == m->pos)
			from -= m->dist;
	}
	return n;
}

static uint32_t at_most(uint32_t n, uint32_t limit)
{
	return n < limit ? n : limit;
}

static void look_ahead(struct bob_run_enc *enc)
{
	struct model *m = &enc->u.model;
	uint32_t to = m->pos & HIST_MASK, from = (m->pos - m->dist) & HIST_MASK, n;

	enc->ahead_audible = 0;
	if (!m->dist || !enc->ahead_max) {
		bob_run_fast_none(enc, enc->block_pos + m->pos);
		return;
	}
	n = at_most(HIST_SIZE - to, HIST_SIZE - from);
	n = at_most(n, m->pos < enc->block_symbols_max ? enc->block_symbols_max - m->pos : 0);
	if (m->exp_pos >= m->pos)
		n = at_most(n, m->exp_pos - m->pos);
	if (!model_silent(m)) {
		enc->ahead_audible = 1;
		n = at_most(n, at_most(enc->ahead_limit, m->start + SILENT_LEN - m->pos));
		n = walk_audible(enc, n);
	}
	enc->ahead_count = n;
	bob_run_fast_set(enc, enc->block_pos + m->pos, m->hist + to, n,
			 ((int64_t)to - (int64_t)from) * 4);
}

static bob_status commit_coded(struct bob_run_enc *enc)
{
	struct coder *c = &enc->coder;
	struct bob_run_slot *s = &enc->pend.slot;

	enc->pend.n = (uint32_t)(c->out - enc->buf);
	s->state[0] = (uint32_t)c->x1;
	s->state[1] = (uint32_t)(c->x1 >> 32);
	s->state[2] = (uint32_t)c->x2;
	s->state[3] = (uint32_t)(c->x2 >> 32);
	return bob_run_commit(enc, s->block_pos + enc->u.model.pos);
}

/* The symbol itself; the end of the match. */
static void put_miss(struct bob_run_enc *enc, enum point point, uint64_t predicted, uint32_t sym)
{
	struct model *m = &enc->u.model;

	code_symbol(m, &enc->coder, 0, predicted, sym);
	model_miss(m, point, sym);
	enc->ahead_limit = AHEAD_MIN;
}

/* Everything that puts out bits. */
static __attribute__((noinline)) bob_status put_coded(struct bob_run_enc *enc, uint32_t sym)
{
	struct model *m = &enc->u.model;
	struct coder *c = &enc->coder;
	uint64_t predicted;
	enum point point;
	bob_status st;

	bob_run_pend(enc);
	if (UNLIKELY(bob_run_block_full(enc))) {
		bob_run_pend_block(enc, *enc->fast.commit);
		bob_run_reset_run(enc);
	}
	c->out = enc->buf + enc->pend.n;
	point = model_point(m, &predicted);
	if (point == POINT_PRESUMED) {
		code_escape(c, 0, 1);
		code_gamma(c, 0, &m->run_length, m->pos - m->coded_pos);
		put_miss(enc, point, predicted, sym);
	} else {
		if (point == POINT_OPEN || m->pos != m->coded_pos)
			code_escape(c, 0, 0);
		if (point == POINT_OPEN && code_point(m, c, 0, sym == predicted))
			model_advance(m, sym);
		else
			put_miss(enc, point, predicted, sym);
	}
	m->coded_pos = m->pos;
	st = commit_coded(enc);
	if (st == BOB_OK)
		look_ahead(enc);
	return st;
}

bob_status bob_run_put_run(struct bob_run_enc *enc, uint32_t sym)
{
	struct model *m = &enc->u.model;
	uint64_t predicted;

	catch_up(enc);
	if (model_point(m, &predicted) != POINT_PRESUMED || predicted != sym ||
	    UNLIKELY(m->pos >= enc->block_symbols_max))
		return put_coded(enc, sym);
	model_hit(m, sym);
	__atomic_store_n(enc->fast.commit, enc->block_pos + m->pos, __ATOMIC_RELEASE);
	look_ahead(enc);
	return BOB_OK;
}

void bob_run_reset_run(struct bob_run_enc *enc)
{
	struct coder *c = &enc->coder;

	bob_run_model_init(&enc->u.model, enc->mem);
	coder_start(c);
	enc->pend.slot.state[0] = 0;
	enc->pend.slot.state[1] = 0;
	enc->pend.slot.state[2] = UINT32_MAX;
	enc->pend.slot.state[3] = UINT32_MAX;
	enc->ahead_limit = AHEAD_MIN;
	enc->ahead_audible = 0;
	bob_run_fast_none(enc, *enc->fast.commit);
}
