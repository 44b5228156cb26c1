/* SPDX-License-Identifier: BSD-3-Clause */
/* Converts nests of records (fold/nests.h) to nests of accesses. A block becomes its accesses, each
 * at word + offset. A loop record becomes one more loop if its trip count is the same throughout
 * the nest; other nests are expanded record by record. Iterations of loops with payload are passed
 * one by one, like blocks. */
#include <stdlib.h>
#include <string.h>

#include "analysis/cache/folded.h"
#include "base/host/vec.h"
#include "fold/nests.h"

struct shape {
	const struct bob_mem_desc *desc;
	uint64_t bias;
	uint32_t first;		/* site of its first access */
	uint32_t words;		/* words per leaf */
	uint8_t loops;		/* a loop record, which has its trip count */
};

struct run {
	struct bob_cache *cache;
	uint32_t thread;
	struct shape *shape;	/* by number */
	uint32_t shapes;
	BOB_VEC(struct bob_cache_item) items;
	uint64_t lost;
	const struct bob_cache_records *from;
};

/* --- shapes --- */

static bob_status read_shape(const struct bob_folded *f, uint32_t number,
			     const struct bob_cache_records *from, struct shape *out)
{
	struct bob_fold_shape s;
	uint32_t key;

	bob_folded_shape(f, number, &s);
	if (bob_mem_leaf_key(s.key, s.key_len, &key) != BOB_OK)
		return BOB_ERR_CORRUPT;
	out->desc = from->desc(from->ctx, key);
	if (!out->desc)
		return BOB_ERR_CORRUPT;
	if (out->desc->kind == BOB_MEM_MARK && out->desc->mark == BOB_MEM_AGAIN)
		return BOB_NONE;
	out->loops = out->desc->kind == BOB_MEM_LOOP && !out->desc->payload;
	out->words = bob_mem_leaf_words(out->desc);
	if (s.words != out->words)
		return BOB_ERR_CORRUPT;
	out->bias = from->bias(from->ctx, out->desc);
	return from->sites(from->ctx, key, out->desc, &out->first);
}

static bob_status read_shapes(struct run *r, const struct bob_folded *f,
			      const struct bob_cache_records *from)
{
	r->shapes = bob_folded_shapes(f);
	r->shape = calloc((size_t)r->shapes + 1, sizeof(*r->shape));
	if (!r->shape)
		return BOB_ERR_NOMEM;
	for (uint32_t i = 0; i < r->shapes; i++) {
		bob_status st = read_shape(f, i, from, &r->shape[i]);

		if (st != BOB_OK)
			return st;
	}
	return BOB_OK;
}

/* --- records --- */

static bob_status run_accesses(struct run *r, const struct shape *s, const uint64_t *word,
			       uint32_t count)
{
	struct bob_mem_walk w;
	struct bob_mem_event e;
	bob_status st = bob_mem_walk_begin(&w, s->desc, word, count, s->bias);

	while (st == BOB_OK && (st = bob_mem_walk_next(&w, &e)) != BOB_END) {
		struct bob_cache_access a = { e.address, r->thread, 0, e.size, e.type };

		if (st == BOB_NONE) {
			st = BOB_OK;
			continue;
		}
		a.site = s->first + w.next - 1;
		if (r->from->vary) {
			st = r->from->vary(r->from->ctx, e.type, e.address, e.address + e.size,
					   &a.site);
			if (st < BOB_OK)
				return st;
		}
		st = bob_cache_access(r->cache, &a);
		if (st == BOB_ERR_INVAL)
			st = BOB_ERR_CORRUPT;
	}
	return st == BOB_END ? BOB_OK : st;
}

static bob_status run_leaf(struct run *r, const struct shape *s, const uint64_t *word)
{
	if (s->desc->kind != BOB_MEM_MARK)
		return run_accesses(r, s, word, s->words);
	r->lost += s->desc->mark == BOB_MEM_LOST;
	return BOB_OK;
}

/* Expands all records of `count` items. */
static bob_status expand(struct run *r, const struct bob_fold_nest_item *item, uint32_t count,
			 uint64_t *idx)
{
	uint64_t word[BOB_FOLD_WORDS_MAX];
	bob_status st = BOB_OK;

	for (uint32_t i = 0; i < count && st == BOB_OK; i++) {
		uint32_t depth = item[i].depth;

		if (item[i].items) {
			for (idx[depth] = 0; idx[depth] < item[i].trips && st == BOB_OK;
			     idx[depth]++)
				st = expand(r, &item[i] + 1, item[i].items, idx);
			i += item[i].items;
			continue;
		}
		for (uint32_t w = 0; w < item[i].words; w++) {
			word[w] = item[i].base[w];
			for (uint32_t d = 0; d < depth; d++)
				word[w] += item[i].step[w * BOB_NEST_DEPTH + d] * idx[d];
		}
		st = run_leaf(r, &r->shape[item[i].shape], word);
	}
	return st;
}

/* --- nests --- */

static struct bob_cache_item *add_item(struct run *r)
{
	if (r->items.count == BOB_CACHE_ITEMS_MAX)
		return NULL;
	return BOB_VEC_PUSH(&r->items);
}

static int is_constant(const struct bob_fold_nest_item *e, uint32_t word)
{
	uint64_t moves = 0;

	for (uint32_t d = 0; d < e->depth; d++)
		moves |= e->step[word * BOB_NEST_DEPTH + d];
	return !moves;
}

/* Converts a loop record to a loop. Returns 0 if its trip count varies in the nest. */
static int add_loop(struct run *r, const struct bob_fold_nest_item *e, const struct bob_mem_desc *d)
{
	const uint64_t *counter = e->step + (size_t)d->counter * BOB_NEST_DEPTH;
	const uint64_t *end = e->step + (size_t)d->words * BOB_NEST_DEPTH;
	struct bob_cache_item *loop = add_item(r);
	struct bob_mem_walk w;

	if (!loop || (e->depth && memcmp(counter, end, e->depth * sizeof(*end)) != 0) ||
	    bob_mem_walk_begin(&w, d, e->base, d->words + 1u, 0) != BOB_OK ||
	    w.iterations > INT64_MAX)
		return 0;
	loop->base = w.iterations;
	return 1;
}

/* Increment of an access's word per iteration of a loop record. Returns 0 if it varies. */
static int step_of(const struct bob_fold_nest_item *e, const struct bob_mem_desc *d, uint32_t word,
		   int64_t *step)
{
	const struct bob_mem_step *s = &d->step[word];

	*step = s->constant;
	if (s->word == BOB_MEM_NO_WORD)
		return 1;
	*step = (int64_t)((uint64_t)*step + s->scale * e->base[s->word]);
	return is_constant(e, s->word);
}

static int add_access(struct run *r, const struct bob_fold_nest_item *e, uint32_t index)
{
	const struct shape *s = &r->shape[e->shape];
	const struct bob_mem_access *a = &s->desc->access[index];
	struct bob_cache_item *item;

	if (a->guard != BOB_MEM_NO_WORD) {
		if (s->loops || !is_constant(e, a->guard))
			return 0;
		if (!(e->base[a->guard] >> a->guard_bit & 1))
			return 1;
	}
	item = add_item(r);
	if (!item)
		return 0;
	item->site = s->first + index;
	item->size = a->size;
	item->type = a->type;
	item->base = (uint64_t)a->offset + s->bias;
	if (a->word == BOB_MEM_NO_WORD)
		return 1;
	item->base = (uint64_t)a->offset + e->base[a->word];
	for (uint32_t d = 0; d < e->depth; d++)
		item->step[d] = (int64_t)e->step[a->word * BOB_NEST_DEPTH + d];
	return !s->loops || step_of(e, s->desc, a->word, &item->step[e->depth]);
}

/* Adds the accesses of a record to the nest. Returns 0 if they are no nest. */
static int add_record(struct run *r, const struct bob_fold_nest_item *e)
{
	const struct shape *s = &r->shape[e->shape];
	const struct bob_mem_desc *d = s->desc;
	uint32_t at = (uint32_t)r->items.count;

	if (d->kind == BOB_MEM_MARK)
		return d->mark != BOB_MEM_LOST;
	if (!d->access_count)
		return 1;
	if (s->loops && !add_loop(r, e, d))
		return 0;
	for (uint32_t i = 0; i < d->access_count; i++)
		if (!add_access(r, e, i))
			return 0;
	if (s->loops)
		r->items.at[at].items = (uint32_t)r->items.count - at - 1;
	return 1;
}

static int add_items(struct run *r, const struct bob_fold_nest_item *item, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		uint32_t at = (uint32_t)r->items.count;
		struct bob_cache_item *loop;

		if (!item[i].items) {
			if (!add_record(r, &item[i]))
				return 0;
			continue;
		}
		loop = item[i].trips > INT64_MAX ? NULL : add_item(r);
		if (!loop)
			return 0;
		loop->base = item[i].trips;
		if (!add_items(r, &item[i] + 1, item[i].items))
			return 0;
		r->items.at[at].items = (uint32_t)r->items.count - at - 1;
		if (!r->items.at[at].items)
			r->items.count = at;	/* the loop has no accesses */
		i += item[i].items;
	}
	return 1;
}

/* --- sites that depend on addresses --- */

/* Bounds over `depth` loops of a trip count, or of an access's addresses. */
static void hull_of(const struct bob_cache_item *x, const uint64_t *most, uint32_t depth,
		    uint64_t *lo, uint64_t *hi)
{
	*lo = *hi = x->base;
	for (uint32_t d = 0; d < depth; d++) {
		uint64_t grows = (uint64_t)x->step[d] * (most[d] ? most[d] - 1 : 0);

		if (x->step[d] < 0)
			*lo += grows;
		else
			*hi += grows;
	}
}

/* Chooses the site of each access by its addresses. BOB_NONE: one has several. */
static bob_status choose_sites(struct run *r, uint32_t from, uint32_t count, uint64_t *most,
			       uint32_t depth)
{
	bob_status st = BOB_OK;
	uint64_t lo, hi;

	for (uint32_t i = from; i < from + count && st == BOB_OK; i++) {
		struct bob_cache_item *x = &r->items.at[i];

		hull_of(x, most, depth, &lo, &hi);
		if (!x->items) {
			st = hi - lo > UINT64_MAX / 4 ? BOB_NONE :
							r->from->vary(r->from->ctx, x->type, lo,
								      hi + x->size, &x->site);
			continue;
		}
		most[depth] = (int64_t)hi > 0 ? hi : 0;
		st = choose_sites(r, i + 1, x->items, most, depth + 1);
		i += x->items;
	}
	return st;
}

static bob_status run_nest(struct run *r, const struct bob_fold_nest_item *item, uint32_t count)
{
	uint64_t idx[BOB_NEST_DEPTH], most[BOB_CACHE_DEPTH];
	bob_status st;

	r->items.count = 0;
	if (count == 1 || !add_items(r, item, count))
		return expand(r, item, count, idx);
	st = r->from->vary ? choose_sites(r, 0, (uint32_t)r->items.count, most, 0) : BOB_OK;
	if (st == BOB_NONE)
		return expand(r, item, count, idx);
	if (st != BOB_OK)
		return st;
	st = bob_cache_nest(r->cache, r->thread, r->items.at, (uint32_t)r->items.count);
	return st == BOB_ERR_INVAL ? BOB_ERR_CORRUPT : st;
}

bob_status bob_cache_folded(struct bob_cache *c, uint32_t thread, const struct bob_folded *f,
			    uint32_t participant, const struct bob_cache_records *from,
			    uint64_t *lost)
{
	struct run r = { .cache = c, .thread = thread, .from = from };
	const struct bob_fold_nest_item *item;
	struct bob_fold_nests *n = NULL;
	uint32_t count;
	bob_status st = read_shapes(&r, f, from);

	BOB_STATIC_ASSERT(BOB_NEST_DEPTH < BOB_CACHE_DEPTH, "a nest of loop records fits");
	if (st == BOB_OK)
		st = bob_fold_nests_open(f, participant, &n);
	while (st == BOB_OK && (st = bob_fold_nests_next(n, &item, &count)) == BOB_OK)
		st = run_nest(&r, item, count);
	bob_fold_nests_close(n);
	free(r.shape);
	BOB_VEC_FREE(&r.items);
	*lost = r.lost;
	return st == BOB_END ? BOB_OK : st;
}
