/* SPDX-License-Identifier: BSD-3-Clause */
/* Is a sequence (sequence.h) folded what it was? Event by event and value by value, after each few
 * events and at the end, by both ways to expand it, alone and merged with others. For tests and
 * fuzzers. */
#ifndef BOB_TESTS_FOLD_SEQUENCE_CHECK_H
#define BOB_TESTS_FOLD_SEQUENCE_CHECK_H

#include "nests.h"
#include "sequence.h"

#define SEQUENCE_RANKS 4u

struct sequence_how {
	size_t every;		/* events, 0: only at the end; what there is so far is read then */
	int rows;		/* what steps is put in rows, what has one word together */
	uint32_t ranks;		/* so many more that are nearly the same are merged with it */
};

static inline uint64_t sequence_step(const struct sequence *s, size_t i, unsigned w)
{
	return s->at[i + 1].word[w] - s->at[i].word[w];
}

/* How many events from `i` on, before `end`, are of one shape, the first *steps words of which
 * step. */
static inline size_t sequence_row(const struct sequence *s, size_t i, size_t end, uint32_t *steps)
{
	uint32_t words = sequence_words(s->at[i].shape), w;
	size_t k = i + 1;

	for (*steps = words; k < end && s->at[k].shape == s->at[i].shape; k++) {
		for (w = 0; w < *steps && sequence_step(s, k - 1, w) == sequence_step(s, i, w); w++)
			;
		if (!w && words)
			break;
		*steps = w;
	}
	return k - i;
}

static inline void sequence_put_row(struct events *e, const struct sequence *s, size_t i, size_t n,
				    uint32_t steps)
{
	uint32_t shape = s->at[i].shape, words = sequence_words(shape);
	uint64_t step[SEQUENCE_WORDS] = { 0 }, *more = malloc(n * sizeof(s->at->word));
	size_t count = 0;

	if (!more)
		abort();
	for (size_t k = i; k < i + n; k++) {
		events_note(e, shape, s->at[k].word, words);
		for (uint32_t w = steps; w < words; w++)
			more[count++] = s->at[k].word[w];
	}
	for (uint32_t w = 0; n > 1 && w < steps; w++)
		step[w] = sequence_step(s, i, w);
	bob_folder_put_row(e->folder, e->shape[shape] - 1, s->at[i].word, step, steps, more, n);
	free(more);
}

/* The events from `i` on, before `end`, that have one word each; how many. */
static inline size_t sequence_put_each(struct events *e, const struct sequence *s, size_t i,
				       size_t end)
{
	uint64_t *pair = malloc((end - i) * 2 * sizeof(*pair));
	size_t n = 0;

	if (!pair)
		abort();
	for (; i < end && s->at[i].shape != SEQUENCE_AGAIN && sequence_words(s->at[i].shape) == 1;
	     i++) {
		events_note(e, s->at[i].shape, s->at[i].word, 1);
		pair[2 * n] = s->at[i].shape;
		pair[2 * n++ + 1] = s->at[i].word[0];
	}
	events_put_pairs(e, pair, n);
	free(pair);
	return n;
}

/* The events from `i` on, before `end`, at once. */
static inline void sequence_put(struct events *e, const struct sequence *s, size_t i, size_t end,
				int rows)
{
	while (i < end) {
		uint32_t shape = s->at[i].shape, steps;
		size_t n = 1;

		if (shape == SEQUENCE_AGAIN) {
			events_again(e);
		} else if (rows && (n = sequence_row(s, i, end, &steps)) > 1) {
			sequence_put_row(e, s, i, n, steps);
		} else if (rows && sequence_words(shape) == 1) {
			n = sequence_put_each(e, s, i, end);
		} else {
			n = 1;
			events_put_words(e, shape, s->at[i].word, sequence_words(shape));
		}
		i += n;
	}
}

/* NULL, or what is wrong. e->done is where. */
static inline const char *sequence_fold(struct events *e, const struct sequence *s,
					const struct sequence_how *how)
{
	const char *wrong = NULL;
	size_t end;

	events_begin(e);
	for (size_t i = 0; i < s->count && !wrong; i = end) {
		end = how->every && s->count - i > how->every ? i + how->every : s->count;
		sequence_put(e, s, i, end, how->rows);
		if (how->every)
			wrong = events_rest(e);
	}
	return wrong ? wrong : events_end(e);
}

/* What rank `rank` of those that are nearly the same does. */
static inline void sequence_rank(struct sequence *to, const struct sequence *s, uint32_t rank)
{
	for (size_t i = 0; i < s->count; i++) {
		struct sequence_event e = s->at[i];

		for (unsigned w = 0; w < SEQUENCE_WORDS && e.shape != SEQUENCE_AGAIN; w++)
			if (e.shape + w == 1 || e.word[w] % 7 == rank)
				e.word[w] += rank * (w + 1);
		if (rank < 3 || i % 97 != 50)
			sequence_add(to, &e);
	}
}

static inline const char *sequence_nests(const struct bob_folded *f)
{
	uint64_t in_nests;

	return nests_compare(f, 0, UINT64_MAX, &in_nests);
}

/* What rank `rank` does, in `e`, merged into *all. */
static inline const char *sequence_add_rank(struct events *e, const struct sequence *s,
					    uint32_t rank, struct bob_folded **all)
{
	struct bob_folded *one, *both;
	struct sequence other = { 0 };
	const char *wrong;

	sequence_rank(&other, s, rank);
	wrong = sequence_fold(e, &other, &(struct sequence_how){ 0 });
	free(other.at);
	if (wrong)
		return wrong;
	if (bob_folded_open(e->out.at, e->out.len, rank, &events_alloc, &one) != BOB_OK)
		return "cannot be opened";
	if (bob_folded_merge(one, *all, &events_alloc, &both) == BOB_OK) {
		bob_folded_close(*all);
		*all = both;
	} else {
		wrong = "cannot be merged";
	}
	bob_folded_close(one);
	return wrong;
}

/* Is `f`, packed and unpacked, what these are? */
static inline const char *sequence_packed(const struct bob_folded *f, struct events *const *e,
					  uint32_t count)
{
	struct events_bytes packed = { 0 };
	struct bob_folded *again;
	const char *wrong = NULL;

	if (bob_folded_pack(f, events_write, &packed) != BOB_OK)
		abort();
	if (bob_folded_unpack(packed.at, packed.len, &events_alloc, &again) == BOB_OK) {
		for (uint32_t i = 0; i < count && !wrong; i++)
			wrong = events_same(e[i], again, i);
		bob_folded_close(again);
	} else {
		wrong = "cannot be unpacked";
	}
	free(packed.at);
	return wrong;
}

static inline const char *sequence_ranks(struct events *first, const struct sequence *s,
					 uint32_t ranks)
{
	struct events rank[SEQUENCE_RANKS + 1], *all_of[SEQUENCE_RANKS + 1] = { first };
	struct bob_folded *all;
	const char *wrong = NULL;
	uint32_t n = 1;

	if (bob_folded_open(first->out.at, first->out.len, 0, &events_alloc, &all) != BOB_OK)
		return "cannot be opened";
	for (; n <= ranks && !wrong; n++) {
		all_of[n] = &rank[n];
		wrong = sequence_add_rank(&rank[n], s, n, &all);
	}
	if (!wrong)
		wrong = sequence_packed(all, all_of, n);
	bob_folded_close(all);
	while (--n)
		events_free(&rank[n]);
	return wrong;
}

/* NULL, or what is wrong, and at which event. */
static inline const char *sequence_check(const struct sequence *s, const struct sequence_how *how,
					 size_t *done)
{
	struct bob_folded *f;
	struct events e;
	const char *wrong = sequence_fold(&e, s, how);

	*done = e.done;
	if (!wrong && bob_folded_open(e.out.at, e.out.len, 7, &events_alloc, &f) == BOB_OK) {
		wrong = sequence_nests(f);
		bob_folded_close(f);
	}
	if (!wrong && how->ranks)
		wrong = sequence_ranks(&e, s, how->ranks);
	events_free(&e);
	return wrong;
}

#endif
