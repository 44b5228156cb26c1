/* SPDX-License-Identifier: BSD-3-Clause */
/* The predictor of RUN and the contexts of its coder: everything that encoder and decoder share, so
 * that they cannot diverge. docs/run.md describes the algorithm; the comments here have the
 * invariants.
 *
 * There are two levels. A *match* repeats earlier symbols at distance `d`. When it ends, the pair
 * (length of the match, symbol that ended it) is a *token*. Tokens repeat, too: after five correct
 * predictions, the source of tokens is trusted. Then the model is silent: it emits nothing and
 * needs no table look-ups, and not even the ends of loops are coded.
 *
 * One block of memory, MODEL_BYTES, mapped zeroed. The tables occupy its beginning. They grow in
 * place after a number of coded misses, never on hits; pages that are not needed are never
 * touched. */
#ifndef BOB_RUN_MODEL_H
#define BOB_RUN_MODEL_H

#include "run/coder.h"
#include "bobbin/status.h"
#include "run/symbol.h"

#define HIST_SIZE 65536u	/* maximum distance of a match */
#define HIST_MASK (HIST_SIZE - 1)
#define TOK_SIZE 8192u		/* tokens, likewise */
#define TOK_MASK (TOK_SIZE - 1)
#define ID_MAX 8192u		/* function ids with a rank */
#define ID_MAP_BITS_MIN 8
#define ID_MAP_SIZE_MAX (2 * ID_MAX)
#define SILENT_LEN 4096u	/* from this length on, a match is presumed to continue */
/* and tokens after that many correct ones (docs/run.md, "Why five") */
#define TOKEN_TRUST 5u
#define LEVEL_MAX 5u
#define GROW_MISSES 512u	/* level l grows after 512 << l coded misses */
#define PROB_AFTER_FAIL 0x4f400000u /* .81, stored form */
#define PROB_SETTLED 0xfc000000u /* 1 - 2^-6, plain form */
#define NO_SYMBOL (1ull << 32)
#define NO_POS UINT32_MAX
/* Positions have 32 bits; a block ends well before they wrap. */
#define BLOCK_SYMBOLS_MAX (UINT32_MAX - 2 * HIST_SIZE)

/* A context of the match level. */
struct context {
	uint32_t pos;		/* position after its last occurrence; 0: none */
	/* of a hit, before and at the expected end of the match; 0: never failed */
	uint32_t prob[2];
};

struct token {
	uint32_t end;		/* position after the symbol */
	uint32_t sym;
};

struct succ2 {
	uint32_t next[3];	/* symbol + 1, most recent first; 0: none */
};

struct succ1 {
	uint32_t next[4];
};

struct ranks {
	uint32_t prob[8];
};

struct model {
	/* memory */
	uint8_t *mem;
	uint32_t *hist;
	struct token *tok;
	uint32_t *id;		/* by rank */
	uint16_t *id_map;	/* encoder: hash to rank + 1, linear probing */
	struct context *ctx;
	uint32_t *tok_ctx;	/* token number after the last occurrence; 0: none */
	struct succ2 *succ2;
	struct succ1 *succ1;
	struct ranks *ranks;
	uint32_t level;
	uint32_t misses;	/* coded misses in this block */
	/* match level */
	uint32_t pos;		/* symbols so far */
	uint32_t start;		/* where the match began */
	uint32_t dist;		/* 0: no match */
	uint32_t ctx_ix;	/* context of `pos`; stale while silent */
	uint64_t hash;
	/* token level */
	uint32_t tok_count;
	uint32_t tok_src;	/* expected token; 0: none */
	uint32_t tok_run;	/* correct predictions in a row */
	uint32_t trusted;
	uint32_t exp_pos;	/* where the expected token ends the match; NO_POS: none */
	uint32_t exp_sym;
	uint64_t tok_hash;
	/* literals */
	uint32_t id_count;
	uint32_t id_map_bits;
	uint32_t last_new;
	uint32_t coded_pos;	/* position after the last coded event */
	uint32_t is_new;
	struct gamma run_length, pops, id_step;
};

/* hist, tok, id, id_map, and the growing tables at their maximum size. */
#define TABLE_BYTES_0 (256u * 12 + 256 * 4 + 256 * 12 + 64 * 16 + 128 * 32)
#define MODEL_BYTES                                                                                \
	(HIST_SIZE * 4 + TOK_SIZE * 8 + ID_MAX * 4 + ID_MAP_SIZE_MAX * 2 +                         \
	 (TABLE_BYTES_0 << LEVEL_MAX))
BOB_STATIC_ASSERT(TABLE_BYTES_0 == 12288, "level 0 is three pages");

/* Prediction of the next symbol. */
enum point {
	POINT_NONE,		/* no prediction */
	POINT_PRESUMED,		/* predicted; a hit is not coded */
	POINT_OPEN		/* predicted; hit or miss is coded */
};

/* `mem` has MODEL_BYTES zeroed bytes and is the caller's. */
void bob_run_model_init(struct model *m, uint8_t *mem);
/* Clear the model. Touches only memory that level 0 uses. */
void bob_run_model_reset(struct model *m);
/* The match ended with `sym`: add a token, append `sym` to the history and search the next
 * match. */
void bob_run_model_break(struct model *m, uint32_t sym);
void bob_run_model_grow(struct model *m);
/* Rank of `id` + 1, or 0. Encoder only. */
uint32_t bob_run_model_rank(const struct model *m, uint32_t id);
void bob_run_model_add_id(struct model *m, uint32_t id, int encoder);
/* Recompute the hash of the last six symbols after the model was silent. */
void bob_run_model_rehash(struct model *m);

#define MIX_A 0x9e3779b97f4a7c15ull
#define MIX_B 0xc2b2ae3d27d4eb4full
#define MIX_C 0xd6e8feb86659fd93ull

/* Order 6: the shift by 10 pushes older symbols out of the 64 bits. */
ALWAYS_INLINE uint64_t hash_push(uint64_t hash, uint32_t sym)
{
	uint32_t x = sym * 0x9e3779b1u;

	return (hash + (x ^ x >> 15) + 1) * (MIX_A << 10);
}

ALWAYS_INLINE uint32_t hash_ctx(uint64_t hash, uint32_t level)
{
	return (uint32_t)(hash >> (56 - level));
}

ALWAYS_INLINE int model_silent(const struct model *m)
{
	return m->trusted || m->pos - m->start >= SILENT_LEN;
}

ALWAYS_INLINE enum point model_point(const struct model *m, uint64_t *sym)
{
	if (m->trusted && m->pos == m->exp_pos) {
		*sym = m->exp_sym;
		return POINT_PRESUMED;
	}
	if (!m->dist) {
		*sym = NO_SYMBOL;
		return POINT_NONE;
	}
	*sym = m->hist[(m->pos - m->dist) & HIST_MASK];
	if (model_silent(m))
		return POINT_PRESUMED;
	return m->ctx[m->ctx_ix].prob[m->pos == m->exp_pos] ? POINT_OPEN : POINT_PRESUMED;
}

/* Append `sym`, which continues the match. */
ALWAYS_INLINE void model_advance(struct model *m, uint32_t sym)
{
	int silent = model_silent(m);

	m->hist[m->pos & HIST_MASK] = sym;
	m->pos++;
	if (!silent) {
		m->hash = hash_push(m->hash, sym);
		m->ctx_ix = hash_ctx(m->hash, m->level);
		m->ctx[m->ctx_ix].pos = m->pos;
	}
}

/* Append `sym`, a hit at a presumed point. */
ALWAYS_INLINE void model_hit(struct model *m, uint32_t sym)
{
	if (m->trusted && m->pos == m->exp_pos)
		bob_run_model_break(m, sym);
	else
		model_advance(m, sym);
}

#endif
