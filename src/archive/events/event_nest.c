/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes a nest of events from a nest of leaves. A leaf's values are affine in the indices of the
 * enclosing loops. An event is a leaf followed by the leaves of its elements, which may be in loops
 * of their own. The conversion is possible for a loop if each iteration consists of whole events
 * with the same number of elements. */
#include "archive/events/event_nest.h"

#include <string.h>

#include "archive/reader.h"

/* --- construction --- */

static int varies(const struct bob_event_nest *n, const struct bob_fold_nest_item *f, uint32_t word)
{
	uint64_t any = 0;

	for (uint32_t d = n->still; d < f->depth; d++)
		any |= f->step[word * BOB_NEST_DEPTH + d];
	return any != 0;
}

static uint64_t word_of(const struct bob_fold_nest_item *f, uint32_t word, const uint64_t *at)
{
	uint64_t v = f->base[word];

	for (uint32_t d = 0; d < f->depth; d++)
		v += at[d] * f->step[word * BOB_NEST_DEPTH + d];
	return v;
}

int bob_event_nest_leaf(const struct bob_fold_nest_item *leaf, const uint64_t *at,
			struct bob_event_values *to)
{
	for (uint32_t w = 0; w < leaf->words; w++) {
		uint64_t v = word_of(leaf, w, at);

		if (!bob_event_values_add(to, &v, 1))
			return 0;
	}
	return 1;
}

static void add_loop(struct bob_event_nest *n, uint32_t depth, uint64_t trips)
{
	n->item[n->count++] = (struct bob_event_nest_item){ .depth = depth, .trips = trips };
}

/* Advances n->vector to the next vector that has elements. */
static void next_vector(struct bob_event_nest *n, const uint64_t *word)
{
	const struct bob_event_layout *l = &n->part[n->gathers - 1].def.layout;

	while (n->vector < l->vectors) {
		n->left = bob_event_elements(l, n->vector, word);
		if (n->left)
			return;
		n->vector++;
	}
	n->gathers = 0;
}

/* Returns 0 unless the lengths are equal in all iterations. */
static int lengths_of(const struct bob_event_nest *n, const struct bob_event_nest_part *p,
		      uint64_t *word)
{
	const struct bob_fold_nest_item *f = &n->fold[p->leaf];
	uint64_t at[BOB_NEST_DEPTH] = { 0 };

	memcpy(at, n->at, n->still * sizeof(*at));
	for (uint32_t i = 0; i < p->def.layout.vectors; i++) {
		uint32_t w = p->def.layout.vector[i].length;

		if (varies(n, f, w))
			return 0;
		word[w] = word_of(f, w, at);
	}
	return !p->def.layout.vectors || bob_event_length(&p->def.layout, word);
}

static int add_event(struct bob_event_nest *n, uint32_t leaf, uint64_t times)
{
	struct bob_event_nest_part *p = &n->part[n->count];
	uint64_t word[BOB_FOLD_WORDS_MAX];
	struct bob_fold_shape s;

	bob_folded_shape(n->folded, n->fold[leaf].shape, &s);
	memset(p, 0, sizeof(*p));
	p->leaf = leaf;
	p->path = s.path;
	p->first = p->end = n->places;
	if (bob_event_leaf_key(s.key, s.key_len, s.words, &p->def) != BOB_OK ||
	    !lengths_of(n, p, word))
		return 0;
	n->item[n->count++] = (struct bob_event_nest_item){ .depth = n->fold[leaf].depth - n->still,
							    .times = times,
							    .key = p->def.key,
							    .key_len = p->def.key_len,
							    .words = p->def.layout.words,
							    .vectors = p->def.layout.vectors,
							    .open = p->def.open };
	n->gathers = n->count;
	n->vector = 0;
	next_vector(n, word);
	return 1;
}

/* Number of elements of the expected vector in the item; UINT64_MAX: it contains something else. */
static uint64_t elements_in(const struct bob_event_nest *n, uint32_t item)
{
	const struct bob_fold_nest_item *f = &n->fold[item];
	const struct bob_event_layout *l = &n->part[n->gathers - 1].def.layout;
	uint64_t sum = 0;

	if (!f->items) {
		struct bob_fold_shape s;

		bob_folded_shape(n->folded, f->shape, &s);
		return bob_event_is_element(s.key, s.key_len, n->vector,
					    bob_event_element_words(l, n->vector)) &&
				       s.words == bob_event_element_words(l, n->vector) ?
			       1 :
			       UINT64_MAX;
	}
	for (uint32_t i = item + 1; i <= item + f->items; i += 1 + n->fold[i].items) {
		uint64_t in = elements_in(n, i);

		if (in == UINT64_MAX || __builtin_add_overflow(sum, in, &sum))
			return UINT64_MAX;
	}
	return __builtin_mul_overflow(sum, f->trips, &sum) ? UINT64_MAX : sum;
}

static int add_elements(struct bob_event_nest *n, uint32_t item)
{
	struct bob_event_nest_part *p = &n->part[n->gathers - 1];
	uint64_t word[BOB_FOLD_WORDS_MAX], in = elements_in(n, item);

	if (in > n->left)
		return 0;
	n->place[n->places++] = item;
	p->end = n->places;
	n->left -= in;
	if (!n->left) {
		(void)lengths_of(n, p, word);
		n->vector++;
		next_vector(n, word);
	}
	return 1;
}

/* Adds the items [from, to) and their contents, which occur `times` times. */
static int add_items(struct bob_event_nest *n, uint32_t from, uint32_t to, uint64_t times)
{
	for (uint32_t i = from, own; i < to; i += 1 + n->fold[i].items) {
		if (n->gathers) {
			if (!add_elements(n, i))
				return 0;
			continue;
		}
		if (!n->fold[i].items) {
			if (!add_event(n, i, times))
				return 0;
			continue;
		}
		own = n->count;
		add_loop(n, n->fold[i].depth - n->still, n->fold[i].trips);
		if (!add_items(n, i + 1, i + 1 + n->fold[i].items, times * n->fold[i].trips) ||
		    n->gathers)
			return 0;
		n->item[own].items = n->count - own - 1;
	}
	return 1;
}

int bob_event_nest_make(struct bob_event_nest *n, uint32_t item)
{
	n->alone = NULL;
	n->count = n->places = n->gathers = 0;
	add_loop(n, 0, n->fold[item].trips);
	if (!add_items(n, item + 1, item + 1 + n->fold[item].items, n->item[0].trips) || n->gathers)
		return 0;
	n->item[0].items = n->count - 1;
	return 1;
}

void bob_event_nest_set(struct bob_event_nest *n, const struct bob_value_event *e)
{
	n->alone = e;
	n->count = 1;
	n->item[0] = (struct bob_event_nest_item){ .times = 1,
						   .key = e->key,
						   .key_len = e->key_len,
						   .words = e->words,
						   .vectors = e->vectors,
						   .open = e->open };
}

void bob_event_nest_free(struct bob_event_nest *n)
{
	bob_event_values_free(&n->words);
	bob_event_values_free(&n->path);
}

/* --- queries --- */

const struct bob_event_nest_item *bob_event_nest_items(const struct bob_event_nest *n,
						       uint32_t *count)
{
	*count = n->count;
	return n->item;
}

static int put_elements(struct bob_event_nest *n, uint32_t item, uint64_t *at)
{
	const struct bob_fold_nest_item *f = &n->fold[item];

	if (!f->items)
		return bob_event_nest_leaf(f, at, &n->words);
	for (uint64_t k = 0; k < f->trips; k++)
		for (uint32_t i = item + 1; i <= item + f->items; i += 1 + n->fold[i].items) {
			at[f->depth] = k;
			if (!put_elements(n, i, at))
				return 0;
		}
	return 1;
}

bob_status bob_event_nest_get(struct bob_event_nest *n, uint32_t item, const uint64_t *at,
			      struct bob_value_event *e)
{
	const struct bob_event_nest_part *p = &n->part[item];
	uint64_t full[BOB_NEST_DEPTH] = { 0 };

	if (n->alone) {
		*e = *n->alone;
		return BOB_OK;
	}
	memset(e, 0, sizeof(*e));
	memcpy(full, n->at, n->still * sizeof(*full));
	memcpy(full + n->still, at, n->item[item].depth * sizeof(*full));
	n->words.count = 0;
	if (!bob_event_nest_leaf(&n->fold[p->leaf], full, &n->words) ||
	    !bob_event_values_path(&n->path, n->folded, p->path))
		return BOB_ERR_NOMEM;
	for (uint32_t i = p->first; i < p->end; i++)
		if (!put_elements(n, n->place[i], full))
			return BOB_ERR_NOMEM;
	bob_event_lay_out(&n->words, &p->def, e);
	e->open = p->def.open;
	e->place = n->path.at;
	e->depth = (uint32_t)n->path.count;
	return BOB_OK;
}

uint64_t bob_event_nest_step(const struct bob_event_nest *n, uint32_t item, uint32_t word,
			     uint32_t depth)
{
	return n->alone ?
		       0 :
		       n->fold[n->part[item].leaf].step[word * BOB_NEST_DEPTH + n->still + depth];
}

struct steps {
	uint32_t vector, word, depth, seen;
	uint64_t step;
};

static int same_step(const struct bob_event_nest *n, uint32_t item, struct steps *s)
{
	const struct bob_fold_nest_item *f = &n->fold[item];
	struct bob_fold_shape shape;
	uint64_t step;

	for (uint32_t i = item + 1; i <= item + f->items; i += 1 + n->fold[i].items)
		if (!same_step(n, i, s))
			return 0;
	if (f->items)
		return 1;
	bob_folded_shape(n->folded, f->shape, &shape);
	if (!bob_event_is_element(shape.key, shape.key_len, s->vector, shape.words))
		return 1;
	step = f->step[s->word * BOB_NEST_DEPTH + n->still + s->depth];
	if (s->seen && step != s->step)
		return 0;
	s->step = step;
	s->seen = 1;
	return 1;
}

int bob_event_nest_element_step(const struct bob_event_nest *n, uint32_t item, uint32_t vector,
				uint32_t word, uint32_t depth, uint64_t *step)
{
	struct steps s = { .vector = vector, .word = word, .depth = depth };

	for (uint32_t i = n->part[item].first; !n->alone && i < n->part[item].end; i++)
		if (!same_step(n, n->place[i], &s))
			return 0;
	*step = s.step;
	return 1;
}

/* --- iteration over events --- */

static bob_status each_of(struct bob_event_nest *n, uint32_t from, uint32_t to, uint64_t *at,
			  bob_event_nest_fn each, void *ctx)
{
	bob_status st = BOB_OK;

	for (uint32_t i = from; i < to && st == BOB_OK; i += 1 + n->item[i].items) {
		struct bob_value_event e;

		if (!n->item[i].items) {
			st = bob_event_nest_get(n, i, at, &e);
			if (st == BOB_OK)
				st = each(ctx, i, &e);
			continue;
		}
		for (uint64_t k = 0; k < n->item[i].trips && st == BOB_OK; k++) {
			at[n->item[i].depth] = k;
			st = each_of(n, i + 1, i + 1 + n->item[i].items, at, each, ctx);
		}
		at[n->item[i].depth] = 0;
	}
	return st;
}

bob_status bob_event_nest_each(struct bob_event_nest *n, bob_event_nest_fn each, void *ctx)
{
	uint64_t at[BOB_NEST_DEPTH] = { 0 };

	return each_of(n, 0, n->count, at, each, ctx);
}
