/* SPDX-License-Identifier: BSD-3-Clause */
/* Folded memory records for code that analyses them without expansion. */
#include <string.h>

#include "archive/reader.h"
#include "base/sized.h"
#include "bobbin/fold.h"

const struct bob_folded *bob_trace_folded(const struct bob_trace *t, uint32_t thread,
					  uint32_t *participant)
{
	if (thread >= t->thread_count)
		return NULL;
	*participant = t->threads[thread]->participant;
	return t->threads[thread]->folded;
}

int bob_trace_all_folded(const struct bob_trace *t, uint32_t thread)
{
	return thread < t->thread_count && t->threads[thread]->folded &&
	       !bob_stream_has_raw(t->threads[thread]);
}

/* Iterations of loops with payload are leaves of their own, like blocks. */
static enum bob_leaf_kind kind_of(const struct bob_mem_desc *d)
{
	if (d->kind == BOB_MEM_MARK)
		return d->mark == BOB_MEM_AGAIN ? BOB_LEAF_AGAIN :
		       d->mark == BOB_MEM_SYNC	? BOB_LEAF_SYNC :
		       d->mark >= BOB_MEM_EVENT ? BOB_LEAF_VALUES :
						  BOB_LEAF_MARK;
	return d->kind == BOB_MEM_LOOP && !d->payload ? BOB_LEAF_LOOP : BOB_LEAF_BLOCK;
}

static struct bob_leaf_access access_of(const struct bob_mem_desc *d,
					const struct bob_mem_access *a)
{
	struct bob_leaf_access x = { .offset = a->offset, .pc = d->pc + a->pc, .size = a->size,
				     .type = a->type, .word = a->word,
				     .guarded = a->guard != BOB_MEM_NO_WORD,
				     .step_word = BOB_LEAF_NO_WORD };

	if (kind_of(d) == BOB_LEAF_LOOP && a->word < d->words) {
		x.step = d->step[a->word].constant;
		x.step_word = d->step[a->word].word;
		x.step_scale = d->step[a->word].scale;
	}
	return x;
}

bob_status bob_trace_leaf_sized(const struct bob_trace *t, uint32_t thread, uint32_t shape,
				struct bob_leaf *out, size_t out_size, struct bob_leaf_access *to,
				size_t capacity)
{
	uint32_t number, participant;
	const struct bob_folded *f = bob_trace_folded(t, thread, &participant);
	const struct bob_mem_desc *d;
	const struct bob_process *p;
	struct bob_fold_shape s;
	struct bob_leaf leaf;

	if (!f || shape >= bob_folded_shapes(f))
		return BOB_NONE;
	p = t->processes[t->threads[thread]->info.process];
	bob_folded_shape(f, shape, &s);
	if (bob_mem_leaf_key(s.key, s.key_len, &number) != BOB_OK)
		return BOB_NONE;
	d = bob_desc_find(p, number);
	if (!d || s.words != bob_mem_leaf_words(d))
		return BOB_NONE;
	leaf = (struct bob_leaf){ .image = bob_desc_image(p, d), .kind = kind_of(d),
				  .words = d->words, .counter = d->counter, .pc = d->pc,
				  .accesses = d->access_count, .sync = d->sync,
				  .sp_word = d->sp_word, .sp_begin = d->sp_begin };
	if (leaf.kind == BOB_LEAF_VALUES) {
		static const uint64_t none;
		struct bob_value_place v = bob_value_place_of(d, &none);

		leaf.value = v.kind;
		leaf.value_what = v.what;
	}
	if (leaf.kind == BOB_LEAF_LOOP)
		leaf.counter_step = d->step[d->counter].constant;
	bob_sized_copy(out, out_size, &leaf, sizeof(leaf));
	for (uint32_t i = 0; to && i < d->access_count && i < capacity; i++)
		to[i] = access_of(d, &d->access[i]);
	return BOB_OK;
}

/* --- the iterations of a loop as one more loop of a piece --- */

static int is_constant(const struct bob_piece *p)
{
	uint64_t varies = 0;

	for (uint32_t d = 0; d < p->dims; d++)
		varies |= p->step[d];
	return !varies;
}

static int same_nest(const struct bob_piece *a, const struct bob_piece *b)
{
	return a->dims == b->dims && !memcmp(a->count, b->count, a->dims * sizeof(*a->count)) &&
	       (a->dims < 2 ||
		!memcmp(a->grow, b->grow, bob_piece_pair(0, a->dims) * sizeof(*a->grow)));
}

static int divide(uint64_t a, int64_t by, uint64_t *q)
{
	if (!by || (int64_t)a % by)
		return 0;
	*q = (uint64_t)((int64_t)a / by);
	return 1;
}

/* Computes the trip count of the loop: count[0] and the pairs of loop 0 of *out, whose other loops
 * are those of `word`. */
static int find_trips(const struct bob_leaf *leaf, const struct bob_piece *word,
		      const struct bob_piece *begin, const struct bob_piece *end,
		      struct bob_piece *out)
{
	uint64_t varies = 0;

	if (!divide(end->base - begin->base, leaf->counter_step, &out->count[0]))
		return 0;
	if (is_constant(begin) && is_constant(end))
		return 1;
	if (!same_nest(begin, end))
		return 0;
	for (uint32_t d = 0; d < begin->dims; d++) {
		uint64_t grows;

		if (!divide(end->step[d] - begin->step[d], leaf->counter_step, &grows))
			return 0;
		varies |= grows;
		if (d < word->dims)
			out->grow[bob_piece_pair(0, d + 1)] = grows;
	}
	return !varies || same_nest(begin, word);
}

int bob_leaf_iterations(const struct bob_leaf *leaf, const struct bob_leaf_access *a,
			const struct bob_piece *word, const struct bob_piece *begin,
			const struct bob_piece *end, const struct bob_piece *by,
			struct bob_piece *out)
{
	memset(out, 0, sizeof(*out));
	if (word->dims == BOB_PIECE_DIMS || !find_trips(leaf, word, begin, end, out) ||
	    (by && !is_constant(by)))
		return 0;
	out->base = word->base;
	out->dims = word->dims + 1;
	out->step[0] = (uint64_t)a->step + (by ? a->step_scale * by->base : 0);
	for (uint32_t d = 0; d < word->dims; d++) {
		out->count[d + 1] = word->count[d];
		out->step[d + 1] = word->step[d];
		for (uint32_t e = d + 1; e < word->dims; e++)
			out->grow[bob_piece_pair(d + 1, e + 1)] = word->grow[bob_piece_pair(d, e)];
	}
	return 1;
}
