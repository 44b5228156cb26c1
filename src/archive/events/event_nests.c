/* SPDX-License-Identifier: BSD-3-Clause */
/* Visits the folded part of a stream nest by nest, then its log event by event. A loop of leaves
 * becomes a loop of events if no event has begun before it and each iteration consists of whole
 * events. Otherwise its iterations are visited one by one. */
#include "archive/events/event_nests.h"

#include <stdlib.h>
#include <string.h>

#include "archive/events/event_nest.h"
#include "archive/folds.h"
#include "archive/reader.h"

struct walk {
	const struct bob_stream *s;
	struct bob_event_nest *nest;
	bob_event_nest_visit_fn visit;
	void *ctx;
	struct bob_error *err;
	bob_status damage;
	uint64_t damages, visits;
	int lost;
	/* an event whose elements are expected next */
	int begun;
	struct bob_event_def def;
	struct bob_event_values words, path;
	uint32_t vector;
	uint64_t left;
};

static void note_damage(struct walk *w, const char *text)
{
	w->damage = bob_fail(w->err, BOB_ERR_CORRUPT, w->s->file, 0, text);
	w->damages++;
	w->lost = 1;
}

static bob_status visit_one(struct walk *w, struct bob_value_event *e)
{
	e->lost |= w->lost;
	w->lost = 0;
	w->visits++;
	bob_event_nest_set(w->nest, e);
	return w->visit(w->ctx, w->nest);
}

/* --- single events --- */

/* Advances w->vector to the next vector with elements. If there is none, the event is complete. */
static bob_status next_vector(struct walk *w)
{
	struct bob_value_event e = { 0 };

	for (; w->vector < w->def.layout.vectors; w->vector++) {
		w->left = bob_event_elements(&w->def.layout, w->vector, w->words.at);
		if (w->left)
			return BOB_OK;
	}
	w->begun = 0;
	bob_event_lay_out(&w->words, &w->def, &e);
	e.open = w->def.open;
	e.place = w->path.at;
	e.depth = (uint32_t)w->path.count;
	return visit_one(w, &e);
}

static bob_status begin_event(struct walk *w, const struct bob_fold_nest_item *leaf,
			      const struct bob_fold_shape *s)
{
	uint64_t at[BOB_NEST_DEPTH];

	if (bob_event_leaf_key(s->key, s->key_len, s->words, &w->def) != BOB_OK) {
		note_damage(w, "what is folded is no event");
		return BOB_OK;
	}
	memcpy(at, w->nest->at, sizeof(at));
	w->words.count = 0;
	if (!bob_event_nest_leaf(leaf, at, &w->words) ||
	    !bob_event_values_path(&w->path, w->nest->folded, s->path))
		return BOB_ERR_NOMEM;
	if (w->def.layout.words && !bob_event_length(&w->def.layout, w->words.at)) {
		note_damage(w, "an event is longer than events are");
		return BOB_OK;
	}
	w->begun = 1;
	w->vector = 0;
	return next_vector(w);
}

static void cut_off(struct walk *w)
{
	w->begun = 0;
	note_damage(w, "an event's vector is cut off");
}

static bob_status take_leaf(struct walk *w, const struct bob_fold_nest_item *leaf)
{
	struct bob_fold_shape s;
	uint32_t words;

	bob_folded_shape(w->nest->folded, leaf->shape, &s);
	if (w->begun) {
		words = bob_event_element_words(&w->def.layout, w->vector);
		if (s.words == words && bob_event_is_element(s.key, s.key_len, w->vector, words)) {
			if (!bob_event_nest_leaf(leaf, w->nest->at, &w->words))
				return BOB_ERR_NOMEM;
			if (--w->left)
				return BOB_OK;
			w->vector++;
			return next_vector(w);
		}
		cut_off(w);
	}
	return begin_event(w, leaf, &s);
}

/* --- nests --- */

static bob_status take_items(struct walk *w, uint32_t from, uint32_t to);

static bob_status visit_nest(struct walk *w)
{
	w->visits++;
	return w->visit(w->ctx, w->nest);
}

/* If an iteration contains only damage, so do the others, and they are skipped. */
static bob_status take_iterations(struct walk *w, uint32_t item)
{
	const struct bob_fold_nest_item *f = &w->nest->fold[item];
	uint32_t depth = f->depth;
	bob_status st = BOB_OK;

	for (uint64_t k = 0; k < f->trips && st == BOB_OK; k++) {
		uint64_t damages = w->damages, visits = w->visits;

		w->nest->at[depth] = k;
		st = take_items(w, item + 1, item + 1 + f->items);
		if (w->damages != damages && w->visits == visits && !w->begun)
			break;
	}
	w->nest->at[depth] = 0;
	return st;
}

static bob_status take_loop(struct walk *w, uint32_t item)
{
	w->nest->still = w->nest->fold[item].depth;
	if (!w->begun && !w->lost && bob_event_nest_make(w->nest, item))
		return visit_nest(w);
	return take_iterations(w, item);
}

static bob_status take_items(struct walk *w, uint32_t from, uint32_t to)
{
	bob_status st = BOB_OK;

	for (uint32_t i = from; i < to && st == BOB_OK; i += 1 + w->nest->fold[i].items)
		st = w->nest->fold[i].items ? take_loop(w, i) : take_leaf(w, &w->nest->fold[i]);
	return st;
}

static bob_status take_folded(struct walk *w)
{
	const struct bob_fold_nest_item *items;
	struct bob_fold_nests *nests;
	uint32_t count;
	bob_status st, next;

	if (!w->s->mpi.folded)
		return BOB_OK;
	st = bob_fold_nests_open(w->s->mpi.folded, w->s->mpi.participant, &nests);
	if (st != BOB_OK)
		return st;
	w->nest->folded = w->s->mpi.folded;
	while (st == BOB_OK && (next = bob_fold_nests_next(nests, &items, &count)) == BOB_OK) {
		w->nest->fold = items;
		memset(w->nest->at, 0, sizeof(w->nest->at));
		st = take_items(w, 0, count);
	}
	bob_fold_nests_close(nests);
	if (st != BOB_OK)
		return st;
	if (w->begun)
		cut_off(w);
	if (next == BOB_ERR_CORRUPT)
		note_damage(w, "a folded stream is damaged");
	return next == BOB_END || next == BOB_ERR_CORRUPT ? BOB_OK : next;
}

/* --- the log --- */

static bob_status take_log(struct walk *w, const struct bob_trace *t, uint32_t thread,
			   enum bob_value_kind kind)
{
	struct bob_value_cursor *c;
	struct bob_value_event e;
	bob_status st = bob_value_cursor_open(t, thread, kind, &c, w->err), visited = BOB_OK;

	if (st != BOB_OK)
		return st;
	bob_value_cursor_only_log(c);
	while (visited == BOB_OK &&
	       ((st = bob_value_cursor_next(c, &e, w->err)) == BOB_OK || st == BOB_ERR_CORRUPT)) {
		if (st == BOB_OK)
			visited = visit_one(w, &e);
		else
			w->damage = st;
	}
	bob_value_cursor_close(c);
	return st == BOB_END ? BOB_OK : st == BOB_ERR_NOMEM ? st : visited;
}

bob_status bob_event_nests_visit(const struct bob_trace *t, uint32_t thread,
				 enum bob_value_kind kind, bob_event_nest_visit_fn visit, void *ctx,
				 struct bob_error *err)
{
	struct walk w = { .visit = visit, .ctx = ctx, .err = err };
	bob_status st;

	if (thread >= t->thread_count || kind != BOB_VALUES_MPI)
		return bob_fail(err, BOB_ERR_INVAL, NULL, 0, "no such thread");
	w.s = t->threads[thread];
	if (!w.s->mpi.folded && !w.s->mpi.log_count)
		return bob_fail(err, BOB_NONE, w.s->file, 0, "the thread has no such events");
	w.nest = calloc(1, sizeof(*w.nest));
	st = w.nest ? take_folded(&w) : BOB_ERR_NOMEM;
	if (st == BOB_OK)
		st = take_log(&w, t, thread, kind);
	if (w.nest)
		bob_event_nest_free(w.nest);
	free(w.nest);
	bob_event_values_free(&w.words);
	bob_event_values_free(&w.path);
	if (st == BOB_ERR_NOMEM)
		return bob_fail(err, st, w.s->file, 0, "no memory");
	return st == BOB_OK ? w.damage : st;
}
