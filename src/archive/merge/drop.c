/* SPDX-License-Identifier: BSD-3-Clause */
/* Lossy folding: omits events of few participants. The decision is made per descriptor, by the
 * number of participants that have it on any call path, because the first thread of a parallel
 * region is called by the program, the others by a run time. The remaining events are folded
 * again. */
#include "archive/merge/drop.h"

#include <stdlib.h>
#include <string.h>

#include "archive/folds.h"

struct noise {
	const struct bob_folded *f;
	bob_mem_desc_fn find;
	void *ctx;
	uint32_t *group;	/* by shape; shapes of one descriptor are a group */
	uint32_t *spread;	/* by group: number of participants that have it */
	uint32_t below, participant;
	uint64_t again;		/* pending repeated accesses of the participant */
};

/* A record of repeated accesses counts the following accesses, so none of these is omitted. */
static int is_kept(void *ctx, uint32_t participant, const struct bob_fold_event *event)
{
	struct noise *n = ctx;
	int kept = n->spread[n->group[event->shape]] >= n->below;
	const struct bob_mem_desc *d = NULL;
	struct bob_fold_shape s;
	struct bob_mem_walk w;
	uint64_t count = 0;
	uint32_t number;

	if (participant != n->participant)
		n->again = 0;
	n->participant = participant;
	bob_folded_shape(n->f, event->shape, &s);
	if (bob_mem_leaf_key(s.key, s.key_len, &number) == BOB_OK)
		d = n->find(n->ctx, number);
	if (!d)
		return kept;
	if (d->kind == BOB_MEM_MARK) {
		n->again += d->mark == BOB_MEM_AGAIN && event->words ? event->word[0] : 0;
		return 1;
	}
	if (!n->again)
		return kept;
	if (bob_mem_walk_begin(&w, d, event->word, event->words, 0) == BOB_OK)
		count = bob_mem_walk_count(&w);
	n->again -= count < n->again ? count : n->again;
	return 1;
}

static int has_rare(const struct noise *n)
{
	for (uint32_t i = 0; i < bob_folded_shapes(n->f); i++)
		if (n->spread[n->group[i]] < n->below)
			return 1;
	return 0;
}

struct keyed {
	struct bob_fold_shape shape;
	uint32_t number;
};

static int by_key(const void *a, const void *b)
{
	const struct keyed *x = a, *y = b;

	if (x->shape.key_len != y->shape.key_len)
		return x->shape.key_len < y->shape.key_len ? -1 : 1;
	return x->shape.key_len ? memcmp(x->shape.key, y->shape.key, x->shape.key_len) : 0;
}

/* Groups the shapes by key. A group's number is that of one of its shapes. */
static bob_status group_shapes(const struct bob_folded *f, uint32_t *group)
{
	const uint32_t n = bob_folded_shapes(f);
	struct keyed *all = malloc((n + 1ull) * sizeof(*all));

	if (!all)
		return BOB_ERR_NOMEM;
	for (uint32_t i = 0; i < n; i++) {
		bob_folded_shape(f, i, &all[i].shape);
		all[i].number = i;
	}
	if (n)
		qsort(all, n, sizeof(*all), by_key);
	for (uint32_t i = 0; i < n; i++)
		group[all[i].number] = i && !by_key(&all[i - 1], &all[i]) ?
					       group[all[i - 1].number] :
					       all[i].number;
	free(all);
	return BOB_OK;
}

static bob_status count_spread(struct noise *n)
{
	const uint32_t shapes = bob_folded_shapes(n->f);
	bob_status st;

	n->group = calloc(shapes + 1u, sizeof(*n->group));
	n->spread = calloc(shapes + 1u, sizeof(*n->spread));
	if (!n->group || !n->spread)
		return BOB_ERR_NOMEM;
	st = group_shapes(n->f, n->group);
	return st == BOB_OK ? bob_folded_spread(n->f, n->group, n->spread) : st;
}

bob_status bob_drop_rare(struct bob_folded **f, uint32_t below, bob_mem_desc_fn find, void *ctx)
{
	struct noise n = { .f = *f, .find = find, .ctx = ctx, .below = below };
	struct bob_folded *out = NULL;
	bob_status st;

	if (n.below > bob_folded_count(*f))
		n.below = bob_folded_count(*f);
	st = count_spread(&n);
	if (st == BOB_OK && has_rare(&n))
		st = bob_folded_select(*f, is_kept, &n, &bob_alloc_malloc, &out);
	free(n.group);
	free(n.spread);
	if (st == BOB_OK && out) {
		bob_folded_close(*f);
		*f = out;
	}
	return st;
}

/* --- with numbers of the trace --- */

struct by_number {
	/* of the first process that has it; only its image differs between processes */
	const struct bob_mem_desc **desc;
	uint32_t count;
};

static const struct bob_mem_desc *find_unified(void *ctx, uint32_t number)
{
	const struct by_number *t = ctx;

	return number < t->count ? t->desc[number] : NULL;
}

static bob_status list_descs(const struct bob_trace *t, const struct bob_unified *u,
			     struct by_number *table)
{
	table->count = u->desc_count;
	table->desc = calloc(u->desc_count + 1u, sizeof(*table->desc));
	if (!table->desc)
		return BOB_ERR_NOMEM;
	for (size_t i = 0; i < u->count; i++)
		for (uint64_t n = 0; n < u->of[i].desc_count; n++) {
			uint32_t number = u->of[i].desc ? u->of[i].desc[n] : 0;

			if (number && !table->desc[number - 1])
				table->desc[number - 1] = bob_common_desc(t->commons[i], n);
		}
	return BOB_OK;
}

/* Buffer for decoding one descriptor, to find its end. */
struct scratch {
	struct bob_mem_access access[BOB_MEM_ACCESSES_MAX];
	struct bob_mem_step step[BOB_MEM_WORDS_MAX];
};

static bob_status copy_used(const struct bob_bytes *descs, const uint8_t *is_used,
			    struct scratch *scratch, struct bob_bytes *out)
{
	const uint8_t *at = descs->at, *end = at + descs->len;
	uint64_t skipped = 0;

	for (uint32_t i = 0; at < end; i++) {
		const uint8_t *from = at;
		struct bob_mem_desc d;

		if (bob_mem_desc_get(&at, end, &d, scratch->access, scratch->step) != BOB_OK)
			return BOB_ERR_CORRUPT;
		if (is_used[i]) {
			bob_descs_skip(out, &skipped);
			bob_bytes_take(out, from, (size_t)(at - from));
		} else {
			skipped++;
		}
	}
	return out->failed ? BOB_ERR_NOMEM : BOB_OK;
}

static bob_status drop_descs(const struct bob_folded *f, struct bob_unified *u)
{
	uint8_t *is_used = calloc(u->desc_count + 1u, 1);
	struct scratch *scratch = malloc(sizeof(*scratch));
	struct bob_bytes out = { 0 };
	bob_status st = is_used && scratch ? BOB_OK : BOB_ERR_NOMEM;
	struct bob_fold_shape s;
	uint32_t number;

	for (uint32_t i = 0; i < bob_folded_shapes(f) && st == BOB_OK; i++) {
		bob_folded_shape(f, i, &s);
		st = bob_mem_leaf_key(s.key, s.key_len, &number);
		if (st == BOB_OK && number < u->desc_count)
			is_used[number] = 1;
	}
	if (st == BOB_OK)
		st = copy_used(&u->descs, is_used, scratch, &out);
	if (st == BOB_OK) {
		free(u->descs.at);
		u->descs = out;
	} else {
		free(out.at);
	}
	free(is_used);
	free(scratch);
	return st;
}

bob_status bob_drop_unified(struct bob_folded **f, uint32_t below, const struct bob_trace *t,
			    struct bob_unified *u)
{
	struct by_number table = { 0 };
	bob_status st = list_descs(t, u, &table);

	if (st == BOB_OK)
		st = bob_drop_rare(f, below, find_unified, &table);
	free(table.desc);
	return st == BOB_OK ? drop_descs(*f, u) : st;
}
