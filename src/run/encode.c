/* SPDX-License-Identifier: BSD-3-Clause */
/* The encoder of RUN. A presumed hit costs one comparison. entry.S handles most of them without a
 * call, in runs that look_ahead finds. The next call derives from the commit word how many there
 * were and updates the model (catch_up), with the same result as symbol-by-symbol calls: hits that
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

/* The number of presumed hits among the next `n` predicted symbols, outside the silent state: the
 * context of each is looked up. */
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

/* Find the longest run of presumed hits that is contiguous in the ring. */
static __attribute__((noinline)) void look_further(struct bob_run_enc *enc, int silent)
{
	struct model *m = &enc->u.model;
	uint32_t to = m->pos & HIST_MASK, from = (m->pos - m->dist) & HIST_MASK, n;

	n = at_most(HIST_SIZE - to, HIST_SIZE - from);
	n = at_most(n, m->pos < enc->block_symbols_max ? enc->block_symbols_max - m->pos : 0);
	if (m->exp_pos >= m->pos)
		n = at_most(n, m->exp_pos - m->pos);
	if (!silent) {
		enc->ahead_audible = 1;
		n = at_most(n, at_most(enc->ahead_limit, m->start + SILENT_LEN - m->pos));
		n = walk_audible(enc, n);
	}
	enc->ahead_count = n;
	bob_run_fast_set(enc, enc->block_pos + m->pos, m->hist + to, n,
			 ((int64_t)to - (int64_t)from) * 4);
}

/* Called at the end of every put. */
ALWAYS_INLINE void look_ahead(struct bob_run_enc *enc)
{
	struct model *m = &enc->u.model;
	int silent = model_silent(m);

	enc->ahead_audible = 0;
	if (!m->dist || m->pos == m->exp_pos || !enc->ahead_max ||
	    (!silent && m->ctx[m->ctx_ix].prob[0]))
		bob_run_fast_none(enc, enc->block_pos + m->pos);
	else
		look_further(enc, silent);
}

/* Commit the output and the new state of `c`, a modified copy of the coder. The symbol is then
 * recorded. */
ALWAYS_INLINE bob_status commit_coded(struct bob_run_enc *enc, const struct coder *c)
{
	struct bob_run_slot *s = &enc->pend.slot;
	struct model *m = &enc->u.model;
	bob_status st;

	enc->coder.x1 = c->x1;
	enc->coder.x2 = c->x2;
	enc->pend.n = (uint32_t)(c->out - enc->buf);
	s->state[0] = (uint32_t)c->x1;
	s->state[1] = (uint32_t)(c->x1 >> 32);
	s->state[2] = (uint32_t)c->x2;
	s->state[3] = (uint32_t)(c->x2 >> 32);
	m->coded_pos = m->pos;
	st = bob_run_commit(enc, s->block_pos + m->pos);
	if (LIKELY(st == BOB_OK))
		look_ahead(enc);
	return st;
}

/* Code a symbol that was mispredicted, or not predicted. */
static __attribute__((noinline)) bob_status put_miss(struct bob_run_enc *enc, enum point point,
						     uint64_t predicted, uint32_t sym)
{
	struct model *m = &enc->u.model;
	struct coder c = enc->coder;

	c.out = enc->buf + enc->pend.n;
	if (point == POINT_PRESUMED) {
		code_escape(&c, 0, 1);
		code_gamma(&c, 0, &m->run_length, m->pos - m->coded_pos);
	} else {
		if (point == POINT_OPEN || m->pos != m->coded_pos)
			code_escape(&c, 0, 0);
		if (point == POINT_OPEN)
			code_point(m, &c, 0, 0);
	}
	code_symbol(m, &c, 0, predicted, sym);
	model_miss(m, point, sym);
	enc->ahead_limit = AHEAD_MIN;
	return commit_coded(enc, &c);
}

/* Code a hit at an open point. */
static __attribute__((noinline)) bob_status put_bit(struct bob_run_enc *enc, uint32_t sym)
{
	struct model *m = &enc->u.model;
	struct coder c = enc->coder;

	c.out = enc->buf;
	code_escape(&c, 0, 0);
	code_point(m, &c, 0, 1);
	model_advance(m, sym);
	return commit_coded(enc, &c);
}

static __attribute__((noinline, cold)) bob_status put_in_new_block(struct bob_run_enc *enc,
								   uint32_t sym)
{
	bob_run_pend_block(enc, enc->block_pos + enc->u.model.pos);
	bob_run_reset_run(enc);
	return put_miss(enc, POINT_NONE, NO_SYMBOL, sym);
}

bob_status bob_run_put_run(struct bob_run_enc *enc, uint32_t sym)
{
	struct model *m = &enc->u.model;
	uint64_t predicted;
	enum point point;

	catch_up(enc);
	point = model_point(m, &predicted);
	if (point == POINT_PRESUMED && predicted == sym &&
	    LIKELY(m->pos < enc->block_symbols_max)) {
		model_hit(m, sym);
		__atomic_store_n(enc->fast.commit, enc->block_pos + m->pos, __ATOMIC_RELEASE);
		look_ahead(enc);
		return BOB_OK;
	}
	if (UNLIKELY(bob_run_block_full(enc, enc->block_pos + m->pos)))
		return put_in_new_block(enc, sym);
	if (point == POINT_OPEN && predicted == sym)
		return put_bit(enc, sym);
	return put_miss(enc, point, predicted, sym);
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
