/* SPDX-License-Identifier: BSD-3-Clause */
/* Restricts the accesses of a thread to a stretch. Folded accesses are read by nests
 * (fold/nests.h): nests and iterations before the stretch are counted, not expanded. Those in the
 * stretch are folded again, so that all readers of folded accesses see only the stretch. Raw
 * records are skipped when they are read (records.c). */
#include <stdlib.h>
#include <string.h>

#include "archive/folds.h"
#include "archive/reader.h"
#include "archive/memory/stretch.h"
#include "fold/nests.h"
#include "fold/refold.h"

struct cutter {
	struct bob_stretch_state state;
	struct bob_refold fold;
	int open;		/* `fold` is initialised, for this trace: */
	const struct bob_folded *from;
	const struct bob_mem_desc **desc; /* by shape */
};

static void close_cutter(struct cutter *c)
{
	if (c->open)
		bob_refold_free(&c->fold);
	free(c->desc);
	c->desc = NULL;
	c->open = 0;
}

static bob_status find_descs(struct cutter *c, const struct bob_process *p)
{
	uint32_t count = bob_folded_shapes(c->from), number;
	struct bob_fold_shape s;

	for (uint32_t i = 0; i < count; i++) {
		bob_folded_shape(c->from, i, &s);
		if (bob_mem_leaf_key(s.key, s.key_len, &number) != BOB_OK)
			return BOB_ERR_CORRUPT;
		c->desc[i] = bob_desc_find(p, number);
		if (!c->desc[i] || s.words != bob_mem_leaf_words(c->desc[i]))
			return BOB_ERR_CORRUPT;
	}
	return BOB_OK;
}

/* Merged threads share a folded trace, for which the cutter is already open. */
static bob_status open_cutter(struct cutter *c, const struct bob_process *p,
			      const struct bob_stream *s)
{
	bob_status st;

	if (c->open && c->from == s->folded)
		return BOB_OK;
	close_cutter(c);
	c->from = s->folded;
	c->desc = calloc(bob_folded_shapes(c->from) + 1u, sizeof(struct bob_mem_desc *));
	st = c->desc ? find_descs(c, p) : BOB_ERR_NOMEM;
	if (st == BOB_OK)
		st = bob_refold_begin(&c->fold, c->from, &bob_alloc_malloc);
	c->open = st == BOB_OK;
	return st;
}

/* --- nests --- */

static bob_status take_leaf(struct cutter *c, const struct bob_fold_nest_item *e,
			    const uint64_t *idx)
{
	const struct bob_mem_desc *d = c->desc[e->shape];
	uint64_t word[BOB_FOLD_WORDS_MAX];

	if (d->kind != BOB_MEM_MARK && c->state.phase != BOB_STRETCH_INSIDE) {
		c->state.has_accesses |= d->access_count != 0;
		return BOB_OK;
	}
	for (uint32_t w = 0; w < e->words; w++) {
		word[w] = e->base[w];
		for (uint32_t k = 0; k < e->depth; k++)
			word[w] += e->step[w * BOB_NEST_DEPTH + k] * idx[k];
	}
	return bob_stretch_takes(&c->state, d, word) ? bob_refold_put(&c->fold, e->shape, word) :
						       BOB_OK;
}

static void count_items(const struct cutter *c, const struct bob_fold_nest_item *item,
			uint32_t count, uint64_t times, struct bob_stretch_tally *t)
{
	for (uint32_t i = 0; i < count; i++) {
		uint64_t all;

		if (!item[i].items) {
			bob_stretch_count(&c->state, c->desc[item[i].shape], t, times);
			continue;
		}
		if (__builtin_mul_overflow(times, item[i].trips, &all))
			all = UINT64_MAX;
		count_items(c, &item[i] + 1, item[i].items, all, t);
		i += item[i].items;
	}
}

static bob_status take_items(struct cutter *c, const struct bob_fold_nest_item *item,
			     uint32_t count, uint64_t *idx);

static bob_status take_loop(struct cutter *c, const struct bob_fold_nest_item *loop, uint64_t *idx)
{
	uint64_t *at = &idx[loop->depth];
	bob_status st = BOB_OK;

	for (*at = 0; *at < loop->trips && st == BOB_OK && !bob_stretch_is_over(&c->state);) {
		struct bob_stretch_tally t = { 0 };
		uint64_t pass;

		count_items(c, loop + 1, loop->items, 1, &t);
		pass = bob_stretch_passable(&c->state, &t);
		if (pass) {
			pass = pass < loop->trips - *at ? pass : loop->trips - *at;
			bob_stretch_pass(&c->state, &t, pass);
			*at += pass;
			continue;
		}
		st = take_items(c, loop + 1, loop->items, idx);
		++*at;
	}
	return st;
}

static bob_status take_items(struct cutter *c, const struct bob_fold_nest_item *item,
			     uint32_t count, uint64_t *idx)
{
	bob_status st = BOB_OK;

	for (uint32_t i = 0; i < count && st == BOB_OK; i++) {
		if (!item[i].items) {
			st = take_leaf(c, &item[i], idx);
			continue;
		}
		st = take_loop(c, &item[i], idx);
		i += item[i].items;
	}
	return st;
}

static bob_status take_folded(struct cutter *c, uint32_t participant)
{
	const struct bob_fold_nest_item *item;
	uint64_t idx[BOB_NEST_DEPTH];
	struct bob_fold_nests *n;
	uint32_t count;
	bob_status st = bob_fold_nests_open(c->from, participant, &n);

	if (st != BOB_OK)
		return st;
	while (!bob_stretch_is_over(&c->state) &&
	       (st = bob_fold_nests_next(n, &item, &count)) == BOB_OK)
		st = take_items(c, item, count, idx);
	bob_fold_nests_close(n);
	if (st == BOB_ERR_CORRUPT)
		bob_stretch_lost(&c->state);
	return st == BOB_ERR_NOMEM ? st : BOB_OK;
}

/* --- raw records --- */

/* Does the stretch occur? */
static bob_status scan_raw(struct bob_stretch_state *state, const struct bob_process *p,
			   const struct bob_stream *s)
{
	struct bob_mem_record rec;
	struct bob_records r;
	bob_status st = BOB_OK;

	bob_records_open(&r, p, s);
	bob_records_skip_folded(&r);
	while (!bob_stretch_is_over(state) && st != BOB_END && st != BOB_ERR_NOMEM) {
		st = bob_records_next(&r, &rec, NULL);
		if (st == BOB_ERR_CORRUPT)
			bob_stretch_lost(state);
		if (st == BOB_OK)
			(void)bob_stretch_takes(state, rec.desc, rec.word);
	}
	bob_records_close(&r);
	return st == BOB_ERR_NOMEM ? st : BOB_OK;
}

/* --- threads --- */

static bob_status restrict_folded(struct cutter *c, const struct bob_process *p,
				  struct bob_stream *s)
{
	bob_status st = open_cutter(c, p, s);

	if (st == BOB_OK)
		st = take_folded(c, s->participant);
	if (st == BOB_OK)
		st = bob_refold_end(&c->fold, bob_folded_id(s->folded, s->participant), &s->cut);
	if (st != BOB_OK)
		return st;
	s->whole = s->folded;
	s->whole_participant = s->participant;
	s->folded = s->cut;
	s->participant = 0;
	return BOB_OK;
}

static bob_status restrict_thread(struct cutter *c, const struct bob_process *p,
				  struct bob_stream *s, const struct bob_stretch *stretch,
				  enum bob_stretch_lack *lack)
{
	struct bob_stretch_state *state = NULL;
	bob_status st = BOB_OK;

	bob_stretch_begin(&c->state, stretch);
	if (s->folded)
		st = restrict_folded(c, p, s);
	if (st == BOB_OK && s->raw_count) {
		state = malloc(sizeof(*state));
		if (!state)
			return BOB_ERR_NOMEM;
		*state = c->state;
		st = scan_raw(&c->state, p, s);
		s->stretch = state;
	}
	*lack = bob_stretch_end(&c->state);
	s->accesses_counted = 0;
	s->accesses = 0;
	return st;
}

bob_status bob_trace_restrict(struct bob_trace *t, const uint32_t *threads, uint32_t count,
			      const struct bob_stretch *stretch, enum bob_stretch_lack *lack)
{
	struct cutter c = { .open = 0 };
	struct bob_stretch own;
	bob_status st = BOB_OK;

	for (uint32_t i = 0; i < count && st == BOB_OK; i++) {
		struct bob_stream *s = threads[i] < t->thread_count ? t->threads[threads[i]] : NULL;

		if (!s || s->cut || s->stretch)
			st = BOB_ERR_INVAL;
		else if (!s->folded && !s->raw_count)
			lack[i] = BOB_STRETCH_NO_ACCESSES;
		else {
			bob_stretch_resolve(t, threads[i], stretch, &own);
			st = restrict_thread(&c, t->processes[s->info.process], s, &own, &lack[i]);
		}
	}
	close_cutter(&c);
	return st;
}

void bob_stretch_free(struct bob_stream *s)
{
	if (s->cut) {
		bob_folded_close(s->cut);
		s->folded = s->whole;
		s->participant = s->whole_participant;
		s->cut = NULL;
	}
	free(s->stretch);
	s->stretch = NULL;
}
