/* SPDX-License-Identifier: BSD-3-Clause */
/* Symbol sequences for tests and benchmark, in the manner of programs. Deterministic. */
#ifndef BOB_TESTS_RUN_GEN_H
#define BOB_TESTS_RUN_GEN_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "run/symbol.h"

enum gen_kind {
	GEN_LOOP,
	GEN_NEST,
	GEN_NEST3,
	GEN_RANDOM,
	GEN_FIB,
	GEN_SORT,
	GEN_BRANCH,
	GEN_MANY,
	GEN_DEEP,
	GEN_EXT,
	GEN_WORDS,
	GEN_TRIPS,
	GEN_COUNT
};

static const char *const gen_name[GEN_COUNT] = {
	"loop", "nest", "nest3", "random", "fib", "sort", "branch", "many", "deep", "ext", "words",
	"trips"
};

struct gen {
	uint32_t *sym;
	size_t n, capacity;
	uint32_t depth, last;
	uint64_t state;
};

static inline uint32_t gen_random(struct gen *g)
{
	g->state ^= g->state << 13;
	g->state ^= g->state >> 7;
	g->state ^= g->state << 17;
	return (uint32_t)(g->state >> 32);
}

static inline void gen_sym(struct gen *g, uint32_t sym)
{
	if (g->n < g->capacity)
		g->sym[g->n++] = sym;
}

static inline void gen_enter(struct gen *g, uint32_t id)
{
	uint32_t pops = g->last > g->depth ? g->last - g->depth : 0;

	gen_sym(g, bob_sym_make(pops > BOB_SYM_POPS_MAX ? BOB_SYM_POPS_MAX : pops, id));
	g->last = g->depth + 1;
}

static inline void gen_fib(struct gen *g, int n)
{
	gen_enter(g, 5);
	g->depth++;
	if (n >= 2) {
		gen_fib(g, n - 1);
		gen_fib(g, n - 2);
	}
	g->depth--;
}

static inline void gen_sort(struct gen *g, uint32_t *a, int n)
{
	int store = 0;

	gen_enter(g, 7);
	if (n < 2)
		return;
	g->depth++;
	for (int i = 0; i < n - 1; i++) {
		gen_enter(g, 8);
		if (a[i] < a[n - 1]) {
			uint32_t t = a[i];

			gen_enter(g, 9);
			a[i] = a[store];
			a[store++] = t;
		}
	}
	gen_sort(g, a, store);
	gen_sort(g, a + store, n - 1 - store);
	g->depth--;
}

static inline void gen_nest(struct gen *g, int outer, int inner, int twice)
{
	gen_enter(g, 1);
	g->depth++;
	for (int i = 0; i < outer; i++) {
		gen_enter(g, 2);
		g->depth++;
		for (int j = 0; j < inner; j++) {
			gen_enter(g, 3);
			if (twice)
				gen_enter(g, 4);
		}
		g->depth--;
	}
	g->depth--;
}

static inline void gen_deep(struct gen *g)
{
	uint32_t levels = gen_random(g) % 1500;

	for (uint32_t i = 0; i < levels; i++) {
		gen_enter(g, 11);
		g->depth++;
	}
	g->depth = 0;
}

static inline void gen_some(struct gen *g, enum gen_kind kind)
{
	uint32_t r = gen_random(g), a[400];

	switch (kind) {
	case GEN_LOOP:
		gen_enter(g, 1);
		break;
	case GEN_NEST:
		gen_nest(g, 10, 7, 1);
		break;
	case GEN_NEST3:
		gen_nest(g, 100, 300, 1);
		gen_nest(g, 50, 3, 0);
		gen_enter(g, 17);
		break;
	case GEN_RANDOM:
		gen_sym(g, r);
		break;
	case GEN_FIB:
		gen_fib(g, 18);
		break;
	case GEN_SORT:
		for (int i = 0; i < 400; i++)
			a[i] = gen_random(g);
		gen_sort(g, a, 400);
		break;
	case GEN_BRANCH:
		gen_enter(g, 100 + r % 5);
		if (r % 5 == 3)
			gen_enter(g, 200 + r / 5 % 3);
		break;
	case GEN_MANY:
		gen_enter(g, r % 30000);
		break;
	case GEN_DEEP:
		gen_deep(g);
		break;
	case GEN_EXT:
		gen_nest(g, 3, 4, 0);
		gen_sym(g, bob_sym_make_ext((enum bob_sym_kind)(r & 15), r >> 14));
		break;
	case GEN_WORDS: /* the edges of 16-bit words */
		gen_sym(g, bob_sym_make(r % 70, 65528 + r / 70 % 10));
		gen_sym(g, r & 1 ? 0 : UINT32_MAX);
		break;
	case GEN_TRIPS:
		gen_nest(g, 2 + (int)(r % 4), 1 + (int)(r >> 8) % 20, 0);
		break;
	case GEN_COUNT:
		break;
	}
}

/* The result is the caller's to free. */
static inline uint32_t *gen_make(enum gen_kind kind, size_t n, uint64_t seed)
{
	struct gen g = { malloc((n + 1) * sizeof(uint32_t)), 0, n, 0, 0,
			 seed * 2 + 88172645463325253ull };

	while (g.n < n)
		gen_some(&g, kind);
	return g.sym;
}

#endif
