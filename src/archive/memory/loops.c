/* SPDX-License-Identifier: BSD-3-Clause */
/* Iteration over the folded accesses of a thread, leaf by leaf, with the enclosing loops of
 * each. */
#include <stdlib.h>
#include <string.h>

#include "archive/folds.h"
#include "archive/reader.h"

struct bob_loop_cursor {
	const struct bob_process *p;
	const struct bob_stream *s;
	struct bob_fold_cursor *events;
	struct bob_mem_walk walk;	/* of the current leaf */
	int walking;
	uint32_t shape;
	uint64_t again;			/* number of accesses to skip */
	uint64_t word[BOB_FOLD_WORDS_MAX];
	bob_status failed;
};

bob_status bob_loop_cursor_open(const struct bob_trace *t, uint32_t thread,
				struct bob_loop_cursor **out, struct bob_error *err)
{
	struct bob_loop_cursor *c;
	const struct bob_stream *s;
	bob_status st;

	if (thread >= t->thread_count)
		return bob_fail(err, BOB_ERR_INVAL, NULL, 0, "no such thread");
	s = t->threads[thread];
	if (!s->folded)
		return bob_fail(err, BOB_NONE, NULL, 0, "the thread has no folded records");
	c = calloc(1, sizeof(*c));
	if (!c)
		return bob_fail(err, BOB_ERR_NOMEM, NULL, 0, "no memory");
	c->p = t->processes[s->info.process];
	c->s = s;
	st = bob_fold_cursor_open(s->folded, s->participant, &c->events);
	if (st != BOB_OK) {
		free(c);
		return bob_fail(err, st, s->file, 0, "the folded records cannot be expanded");
	}
	*out = c;
	return BOB_OK;
}

void bob_loop_cursor_close(struct bob_loop_cursor *c)
{
	if (!c)
		return;
	bob_fold_cursor_close(c->events);
	free(c);
}

static void take_mark(struct bob_loop_cursor *c, const struct bob_mem_desc *d)
{
	if (d->mark == BOB_MEM_AGAIN)
		c->again += c->word[0];
}

static bob_status take_leaf(struct bob_loop_cursor *c)
{
	struct bob_fold_event event;
	struct bob_fold_shape shape;
	const struct bob_mem_desc *d;
	bob_status st = bob_fold_cursor_next(c->events, &event);
	uint32_t number;

	if (st != BOB_OK)
		return st;
	c->shape = event.shape;
	bob_folded_shape(c->s->folded, event.shape, &shape);
	if (bob_mem_leaf_key(shape.key, shape.key_len, &number) != BOB_OK)
		return BOB_ERR_CORRUPT;
	d = bob_desc_find(c->p, number);
	if (!d || event.words != bob_mem_leaf_words(d))
		return BOB_ERR_CORRUPT;
	memcpy(c->word, event.word, event.words * sizeof(*c->word));
	if (d->kind == BOB_MEM_MARK) {
		take_mark(c, d);
		return BOB_OK;
	}
	st = bob_mem_walk_begin(&c->walk, d, c->word, event.words, bob_desc_bias(c->p, d));
	c->walking = st == BOB_OK;
	return st;
}

static bob_status next_access(struct bob_loop_cursor *c, struct bob_mem_event *e)
{
	for (;;) {
		bob_status st;

		if (!c->walking) {
			st = take_leaf(c);
			if (st != BOB_OK)
				return st;
			continue;
		}
		st = bob_mem_walk_next(&c->walk, e);
		if (st == BOB_END)
			c->walking = 0;
		else if (st == BOB_OK && c->again)
			c->again--;
		else if (st == BOB_OK)
			return st;
	}
}

bob_status bob_loop_cursor_next(struct bob_loop_cursor *c, struct bob_access *a, uint32_t *shape,
				struct bob_error *err)
{
	struct bob_mem_event e;

	if (c->failed == BOB_OK)
		c->failed = next_access(c, &e);
	if (c->failed < 0)
		return bob_fail(err, c->failed, c->s->file, 0,
				"folded memory records are not what they say");
	if (c->failed != BOB_OK)
		return c->failed;
	*a = (struct bob_access){ e.address, e.pc, e.image, e.size, e.type, 0 };
	*shape = c->shape;
	return BOB_OK;
}

uint32_t bob_loop_cursor_loops(const struct bob_loop_cursor *c, struct bob_fold_at *to,
			       uint32_t capacity)
{
	return bob_fold_cursor_loops(c->events, to, capacity);
}
