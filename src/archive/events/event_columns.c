/* SPDX-License-Identifier: BSD-3-Clause */
/* Visits the columns of each folded trace of the threads once; merged threads share one. */
#include "archive/events/event_columns.h"

#include <string.h>

#include "archive/events/event_values.h"
#include "archive/reader.h"

struct looking {
	const struct bob_folded *f;
	struct bob_event_column column;
	struct bob_event_values path;
	struct bob_fold_usage_counts counts;
	int (*visit)(void *ctx, const struct bob_event_column *c);
	void *ctx;
	int stop;
};

static bob_status show(struct looking *l, uint32_t item, uint32_t word)
{
	bob_status st = bob_folded_usage(l->f, item, word, &l->counts, &l->column.usage);

	if (st == BOB_OK && l->column.usage.forms)
		l->stop = l->visit(l->ctx, &l->column);
	return st;
}

/* Finds the event at the same place that has such a vector, because elements do not name their
 * event. Returns 0 if there is none. */
static int find_event(struct looking *l, const struct bob_fold_shape *element)
{
	struct bob_event_column *c = &l->column;

	for (uint32_t i = 0; i < bob_folded_shapes(l->f); i++) {
		struct bob_event_def def;
		struct bob_fold_shape s;

		bob_folded_shape(l->f, i, &s);
		if (s.path != element->path ||
		    bob_event_leaf_key(s.key, s.key_len, s.words, &def) != BOB_OK)
			continue;
		for (uint32_t v = 0; v < def.layout.vectors; v++)
			if (bob_event_is_element(element->key, element->key_len, v,
						 bob_event_element_words(&def.layout, v))) {
				c->key = def.key;
				c->key_len = def.key_len;
				c->words = def.layout.words;
				c->vectors = def.layout.vectors;
				c->open = def.open;
				c->vector = v;
				return 1;
			}
	}
	return 0;
}

static bob_status look_at_shape(struct looking *l, uint32_t shape)
{
	struct bob_event_column *c = &l->column;
	struct bob_event_def def;
	struct bob_fold_shape s;
	bob_status st;

	bob_folded_shape(l->f, shape, &s);
	st = bob_event_leaf_key(s.key, s.key_len, s.words, &def);
	if (st < 0 || (st == BOB_NONE && !find_event(l, &s)))
		return BOB_OK; /* readers of events report the damage */
	if (st == BOB_OK) {
		c->key = def.key;
		c->key_len = def.key_len;
		c->words = def.layout.words;
		c->vectors = def.layout.vectors;
		c->open = def.open;
		c->vector = ~0u;
	}
	if (!bob_event_values_path(&l->path, l->f, s.path))
		return BOB_ERR_NOMEM;
	c->place = l->path.at;
	c->depth = (uint32_t)l->path.count;
	st = BOB_OK;
	for (c->word = 0; c->word < s.words && st == BOB_OK && !l->stop; c->word++)
		st = show(l, 2 * shape, c->word);
	return st;
}

static bob_status look_at(struct looking *l)
{
	bob_status st = BOB_OK;

	for (uint32_t i = 0; i < bob_folded_shapes(l->f) && st == BOB_OK && !l->stop; i++)
		st = look_at_shape(l, i);
	l->column.key = NULL;
	for (uint32_t i = 0; i < bob_folded_loops(l->f) && st == BOB_OK && !l->stop; i++)
		st = show(l, 2 * i + 1, 0);
	return st;
}

bob_status bob_event_columns(const struct bob_trace *t,
			     int (*visit)(void *ctx, const struct bob_event_column *c), void *ctx,
			     uint64_t *values)
{
	struct looking l = { .visit = visit, .ctx = ctx };
	bob_status st = BOB_OK;

	for (size_t i = 0; i < t->thread_count && st == BOB_OK && !l.stop; i++) {
		const struct bob_stream *s = t->threads[i];

		if (!s->mpi.folded || s->mpi.participant) /* visited before */
			continue;
		l.f = s->mpi.folded;
		memset(&l.column, 0, sizeof(l.column));
		l.column.process = s->info.process;
		*values += bob_folded_usage_of_values(l.f);
		st = look_at(&l);
		bob_fold_usage_end(l.f, &l.counts);
	}
	bob_event_values_free(&l.path);
	return st;
}
