/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads columns as pieces, and combines the words of a loop to its addresses and trip counts. */
#include "analysis/memory/series.h"

#include <string.h>

#include "analysis/memory/variables.h"

static int take_piece(void *ctx, const struct bob_piece *p)
{
	struct bob_series *s = ctx;

	if (s->count < BOB_SERIES_PIECES)
		s->piece[s->count] = *p;
	return ++s->count > BOB_SERIES_PIECES;
}

bob_status bob_series_of_word(const struct bob_series_source *s, uint32_t item, uint32_t word,
			      struct bob_series *out)
{
	bob_status st;

	memset(out, 0, sizeof(*out));
	st = bob_folded_pieces(s->folded, s->participant, s->part, item, word, take_piece, out,
			       &out->left);
	return st == BOB_NONE ? BOB_OK : st;
}

/* The word's only piece. */
static const struct bob_piece *only_piece(const struct bob_series_source *s, uint32_t shape,
					  uint32_t word, struct bob_series *to)
{
	if (bob_series_of_word(s, shape * 2, word, to) != BOB_OK || !bob_series_is_one(to))
		return NULL;
	return &to->piece[0];
}

struct adding {
	uint64_t sum;
	bob_status st;
};

static int add_values(void *ctx, const struct bob_piece *p)
{
	struct adding *a = ctx;
	uint64_t sum = 0;

	a->st = bob_piece_sum(p, &sum);
	a->sum += sum;
	return a->st != BOB_OK;
}

/* The sum of all values of a word. Returns 0 if some are not affine. */
static int sum_of_word(const struct bob_series_source *s, uint32_t shape, uint32_t word,
		       uint64_t *sum)
{
	struct adding a = { 0 };
	int left = 0;
	bob_status st = bob_folded_pieces(s->folded, s->participant, s->part, shape * 2, word,
					  add_values, &a, &left);

	*sum = a.sum;
	return st >= BOB_OK && a.st == BOB_OK && !left;
}

int bob_series_iterations(const struct bob_series_source *s, uint32_t shape,
			  const struct bob_leaf *leaf, uint64_t *sum)
{
	uint64_t begin, end;

	if (!leaf->counter_step || !sum_of_word(s, shape, leaf->counter, &begin) ||
	    !sum_of_word(s, shape, leaf->words, &end))
		return 0;
	*sum = (uint64_t)((int64_t)(end - begin) / leaf->counter_step);
	return 1;
}

/* The addresses of a loop as one piece, whose innermost loop are the iterations. */
static int with_iterations(const struct bob_series_source *s, uint32_t shape,
			   const struct bob_leaf *leaf, const struct bob_leaf_access *a,
			   struct bob_series *out)
{
	struct bob_series word, begin, end, by;
	const struct bob_piece *w = only_piece(s, shape, a->word, &word);
	const struct bob_piece *b = only_piece(s, shape, leaf->counter, &begin);
	const struct bob_piece *e = only_piece(s, shape, leaf->words, &end);
	const int more = a->step_word != BOB_LEAF_NO_WORD;
	const struct bob_piece *y = more ? only_piece(s, shape, a->step_word, &by) : NULL;

	memset(out, 0, sizeof(*out));
	out->count = 1;
	return w && b && e && (!more || y) &&
	       bob_leaf_iterations(leaf, a, w, b, e, y, &out->piece[0]);
}

bob_status bob_series_of_access(const struct bob_series_source *s, uint32_t shape,
				const struct bob_leaf *leaf, const struct bob_leaf_access *a,
				uint64_t events, struct bob_series *out)
{
	bob_status st;

	if (a->word == BOB_LEAF_NO_WORD) {
		*out = (struct bob_series){ .count = 1 };
		if (events > 1) {
			out->piece[0].dims = 1;
			out->piece[0].count[0] = events;
		}
		return BOB_OK;
	}
	if (leaf->kind == BOB_LEAF_LOOP && a->word < leaf->words &&
	    with_iterations(s, shape, leaf, a, out))
		return BOB_OK;
	st = bob_series_of_word(s, shape * 2, a->word, out);
	out->is_of_runs = leaf->kind == BOB_LEAF_LOOP;
	return st;
}

int bob_series_varies(const struct bob_series *s)
{
	uint64_t steps = 0;

	for (uint32_t d = 0; d < s->piece[0].dims; d++)
		steps |= s->piece[0].step[d];
	return s->count != 1 || s->left || steps;
}

uint64_t bob_series_values(const struct bob_series *s)
{
	uint64_t sum = 0;

	if (s->left || s->is_of_runs || s->count > BOB_SERIES_PIECES)
		return 0;
	for (uint32_t i = 0; i < s->count; i++)
		sum += bob_piece_points(&s->piece[i]);
	return sum;
}
