/* SPDX-License-Identifier: BSD-3-Clause */
/* Sequences of events of random programs: loops in loops, which run a few times or many, branches,
 * events that come seldom; each word of an event is constant, affine, of a period, in rows, random,
 * and becomes another of these at some time. Numbers are small, so that the same ones meet again,
 * by chance too. For tests and fuzzers; aborts when memory runs out.
 *
 * What is drawn comes from a number, or from bytes: after their end everything is 0. */
#ifndef BOB_TESTS_FOLD_SEQUENCE_H
#define BOB_TESTS_FOLD_SEQUENCE_H

#include "events.h"

#define SEQUENCE_WORDS 3u	/* of the shape: its number modulo one more than this */
#define SEQUENCE_AGAIN UINT32_MAX /* no event: the folder begins anew */
#define SEQUENCE_TABLE 72u
#define SEQUENCE_NODES 40u
#define SEQUENCE_DEPTH 5u

struct sequence_event {
	uint32_t shape;
	uint64_t word[SEQUENCE_WORDS];
};

struct sequence {
	struct sequence_event *at;
	size_t count, capacity;
};

static inline uint32_t sequence_words(uint32_t shape)
{
	return shape % (SEQUENCE_WORDS + 1);
}

static inline void sequence_add(struct sequence *s, const struct sequence_event *e)
{
	s->at = events_grow(s->at, s->count, &s->capacity, sizeof(*s->at));
	s->at[s->count++] = *e;
}

/* --- drawing --- */

struct sequence_draw {
	uint64_t state;
	const uint8_t *at, *end;	/* NULL: of the state */
};

static inline uint64_t sequence_any(struct sequence_draw *d, uint64_t n)
{
	uint64_t v = 0;

	if (d->at) {
		for (uint64_t left = n - 1; left && d->at != d->end; left >>= 8)
			v = v << 8 | *d->at++;
		return v % n;
	}
	d->state = d->state * 6364136223846793005u + 1442695040888963407u;
	return (d->state >> 33) % n;
}

/* --- numbers --- */

enum sequence_kind {
	SEQUENCE_CONSTANT,
	SEQUENCE_AFFINE,	/* in how often it came */
	SEQUENCE_NEST,		/* in the indices of the loops around it */
	SEQUENCE_PERIOD,	/* and each period some more than the last one */
	SEQUENCE_RANDOM,
	SEQUENCE_STAIRS,	/* the same for some times */
	SEQUENCE_KINDS
};

/* Where numbers come from: values, trip counts, which way a branch goes. */
struct sequence_source {
	enum sequence_kind kind;
	uint64_t left;			/* numbers until it is another one; 0: not yet chosen */
	uint64_t range, base, step, count, period;
	uint64_t nest[SEQUENCE_DEPTH];
	uint64_t table[SEQUENCE_TABLE];
};

/* Rows, and numbers without a rule, of few different ones. */
static inline void sequence_table(struct sequence_source *s, struct sequence_draw *d)
{
	uint64_t rows = sequence_any(d, 5);

	s->period = 1 + sequence_any(d, sequence_any(d, 3) ? 9 : SEQUENCE_TABLE);
	for (uint64_t i = 0; i < s->period;) {
		uint64_t len = rows ? 1 + sequence_any(d, rows * 2) : 1;
		uint64_t v = sequence_any(d, s->range), step = sequence_any(d, 4) - 1;

		for (; len && i < s->period; len--, v += step)
			s->table[i++] = v;
	}
}

static inline void sequence_become(struct sequence_source *s, struct sequence_draw *d)
{
	static const uint64_t longest[] = { 3, 12, 60, 300, 2000 };

	s->kind = (enum sequence_kind)sequence_any(d, SEQUENCE_KINDS);
	s->left = 1 + sequence_any(d, longest[sequence_any(d, 5)]);
	s->base = sequence_any(d, s->range);
	s->step = sequence_any(d, 2) ? sequence_any(d, 6) - 2 : 0;
	s->count = 0;
	for (unsigned i = 0; i < SEQUENCE_DEPTH; i++)
		s->nest[i] = sequence_any(d, 5) - 1;
	sequence_table(s, d);
}

static inline uint64_t sequence_number(struct sequence_source *s, struct sequence_draw *d,
				       const uint64_t *idx)
{
	uint64_t v, n;

	if (!s->left)
		sequence_become(s, d);
	s->left--;
	n = s->count++;
	v = s->base;
	switch (s->kind) {
	case SEQUENCE_AFFINE:
		return v + n * s->step;
	case SEQUENCE_NEST:
		for (unsigned i = 0; i < SEQUENCE_DEPTH; i++)
			v += idx[i] * s->nest[i];
		return v;
	case SEQUENCE_PERIOD:
		return s->table[n % s->period] + n / s->period * s->step;
	case SEQUENCE_RANDOM:
		return sequence_any(d, s->range);
	case SEQUENCE_STAIRS:
		return v + n / s->period * s->step;
	default:
		return v;
	}
}

/* --- programs --- */

enum sequence_node_kind { SEQUENCE_EVENT, SEQUENCE_LOOP, SEQUENCE_BRANCH };

struct sequence_node {
	enum sequence_node_kind kind;
	uint32_t shape;
	uint32_t child, children;	/* they follow each other */
	struct sequence_source source[SEQUENCE_WORDS]; /* words; trips; which child */
};

struct sequence_program {
	struct sequence_node node[SEQUENCE_NODES];
	uint32_t nodes;
	uint64_t range;
	struct sequence_draw draw;
	uint64_t idx[SEQUENCE_DEPTH];
	size_t most;			/* events */
	uint64_t iterations;		/* that are left: there may be many without an event */
};

static inline void sequence_node(struct sequence_program *p, uint32_t at, unsigned depth)
{
	static const uint64_t trips[] = { 2, 3, 6, 25 };
	struct sequence_node *x = &p->node[at];
	struct sequence_draw *d = &p->draw;
	uint32_t most = SEQUENCE_NODES - p->nodes;

	x->shape = (uint32_t)sequence_any(d, sequence_any(d, 3) ? 5 : 12);
	for (unsigned i = 0; i < SEQUENCE_WORDS; i++)
		x->source[i].range = p->range;
	if (!depth || !most || sequence_any(d, 5) < 2)
		return;
	x->kind = sequence_any(d, 5) ? SEQUENCE_LOOP : SEQUENCE_BRANCH;
	x->source[0].range = trips[sequence_any(d, 4)];
	x->children = 1 + (uint32_t)sequence_any(d, 3 + (x->kind == SEQUENCE_BRANCH));
	x->children = x->children < most ? x->children : most;
	x->child = p->nodes;
	p->nodes += x->children;
	for (uint32_t i = 0; i < x->children; i++)
		sequence_node(p, x->child + i, depth - 1);
}

static inline void sequence_run(struct sequence_program *p, uint32_t at, unsigned depth,
				struct sequence *s)
{
	struct sequence_node *x = &p->node[at];
	struct sequence_event e = { .shape = x->shape };
	uint64_t n;

	if (s->count >= p->most || !p->iterations)
		return;
	p->iterations--;
	if (x->kind == SEQUENCE_EVENT) {
		for (unsigned i = 0; i < sequence_words(x->shape); i++)
			e.word[i] = sequence_number(&x->source[i], &p->draw, p->idx);
		sequence_add(s, &e);
		return;
	}
	n = sequence_number(&x->source[0], &p->draw, p->idx);
	if (x->kind == SEQUENCE_BRANCH) {
		sequence_run(p, x->child + (uint32_t)(n % x->children), depth, s);
		return;
	}
	for (uint64_t i = 0; i < n % 64 && s->count < p->most && p->iterations; i++) {
		p->idx[depth] = i;
		for (uint32_t k = 0; k < x->children; k++)
			sequence_run(p, x->child + k, depth + 1, s);
	}
	p->idx[depth] = 0;
}

/* At most so many events, and one for each 500 that says to begin anew if `again`. */
static inline void sequence_make(struct sequence *s, const struct sequence_draw *draw, size_t most,
				 int again)
{
	static const uint64_t ranges[] = { 2, 4, 10, 60, 5000 };
	struct sequence_program *p = calloc(1, sizeof(*p));
	const struct sequence_event begin_anew = { .shape = SEQUENCE_AGAIN };
	uint32_t roots;

	if (!p)
		abort();
	p->draw = *draw;
	p->most = most;
	p->iterations = 20 * most;
	p->range = ranges[sequence_any(&p->draw, 5)];
	roots = 1 + (uint32_t)sequence_any(&p->draw, 3);
	p->nodes = roots;
	for (uint32_t i = 0; i < roots; i++)
		sequence_node(p, i, 1 + (unsigned)sequence_any(&p->draw, SEQUENCE_DEPTH - 1));
	while (s->count < most && p->iterations) {
		uint32_t root = (uint32_t)sequence_any(&p->draw, roots);
		uint64_t times = 1 + sequence_any(&p->draw, 40);

		for (uint64_t i = 0; i < times; i++)
			sequence_run(p, root, 0, s);
		p->iterations -= p->iterations > 0;
		if (again && !sequence_any(&p->draw, 30))
			sequence_add(s, &begin_anew);
	}
	free(p);
}

#endif
