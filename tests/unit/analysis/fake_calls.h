/* SPDX-License-Identifier: BSD-3-Clause */
/* A trace of MPI calls in memory. Implements what include/bobbin/trace.h and
 * archive/events/event_nests.h declare, so the real reader is not linked. */
#ifndef BOB_TEST_ANALYSIS_FAKE_CALLS_H
#define BOB_TEST_ANALYSIS_FAKE_CALLS_H

#include <stdlib.h>
#include <string.h>

#include "analysis/mpi/decode_calls.h"
#include "archive/events/event_nests.h"

#define PROCESSES 4u
#define CALLS_MAX 256u

/* --- a trace: one thread a process --- */

struct made {
	uint32_t function;
	uint8_t key[2];
	uint64_t place;
	uint64_t word[20];
	uint64_t vector[4][8];
	uint64_t length[4];	/* in values */
	int open;
};

struct bob_trace {
	struct bob_process_info process[PROCESSES];
	struct bob_thread_info thread[PROCESSES];
	struct made call[PROCESSES][CALLS_MAX];
	uint32_t calls[PROCESSES];
	uint32_t count;
};

struct bob_value_cursor {
	const struct bob_trace *t;
	uint32_t thread, at;
};

uint32_t bob_trace_process_count(const struct bob_trace *t)
{
	return t->count;
}

uint32_t bob_trace_thread_count(const struct bob_trace *t)
{
	return t->count;
}

const struct bob_process_info *bob_trace_process(const struct bob_trace *t, uint32_t index)
{
	return index < t->count ? &t->process[index] : NULL;
}

const struct bob_thread_info *bob_trace_thread(const struct bob_trace *t, uint32_t index)
{
	return index < t->count ? &t->thread[index] : NULL;
}

/* One world, of which all are. */
const struct bob_world_info *bob_trace_world(const struct bob_trace *t, uint32_t index)
{
	static struct bob_world_info w;

	w.size = t->count;
	return index ? NULL : &w;
}

uint32_t bob_trace_member(const struct bob_trace *t, uint32_t process, uint64_t member)
{
	(void)t, (void)process;
	return (uint32_t)member;
}

bob_status bob_trace_function_at_sized(const struct bob_trace *t, uint32_t process, uint32_t image,
				       uint64_t link_address, struct bob_function_info *out,
				       size_t size)
{
	(void)t, (void)process, (void)image, (void)link_address, (void)out, (void)size;
	return BOB_NONE;
}

bob_status bob_trace_source_sized(const struct bob_trace *t, uint32_t process, uint32_t image,
				  uint64_t link_address, struct bob_source_line *out, size_t size)
{
	(void)t, (void)process, (void)image, (void)link_address, (void)out, (void)size;
	return BOB_NONE;
}

const struct bob_image_info *bob_trace_image(const struct bob_trace *t, uint32_t process,
					     uint32_t image)
{
	static const struct bob_image_info im = { .path = "/app", .soname = "app" };

	(void)t, (void)process, (void)image;
	return &im;
}

/* Images have other numbers in other processes. */
void bob_trace_place(const struct bob_trace *t, uint32_t process, uint64_t place, uint32_t *image,
		     uint64_t *pc)
{
	(void)t;
	*image = process;
	*pc = place;
}

bob_status bob_value_cursor_open(const struct bob_trace *t, uint32_t thread,
				 enum bob_value_kind kind, struct bob_value_cursor **out,
				 struct bob_error *err)
{
	(void)kind, (void)err;
	if (!t->calls[thread])
		return BOB_NONE;
	*out = calloc(1, sizeof(**out));
	(*out)->t = t;
	(*out)->thread = thread;
	return BOB_OK;
}

static void fill_event(const struct made *m, struct bob_value_event *e)
{
	const struct bob_mpi_function *f = bob_mpi_function_of(m->function);

	assert_non_null(f);
	memset(e, 0, sizeof(*e));
	e->key = m->key;
	e->key_len = 2;
	e->place = &m->place;
	e->depth = 1;
	e->words = f->words;
	e->word = m->word;
	e->open = m->open;
	for (uint32_t i = 0; i < f->count; i++) {
		const struct bob_mpi_param *p = &f->params[i];

		if (p->flags & BOB_MPI_VECTOR)
			e->vectors +=
				(uint32_t)(p->in != BOB_MPI_NOWHERE) + (p->out != BOB_MPI_NOWHERE);
		else
			e->vectors += bob_mpi_has_members(p) != 0;
	}
	for (uint32_t i = 0; i < e->vectors; i++)
		e->vector[i] = (struct bob_value_vector){ m->vector[i], m->length[i], 1 };
}

bob_status bob_value_cursor_next_sized(struct bob_value_cursor *c, struct bob_value_event *e,
				       size_t e_size, struct bob_error *err)
{
	(void)err, (void)e_size;
	if (c->at == c->t->calls[c->thread])
		return BOB_END;
	fill_event(&c->t->call[c->thread][c->at++], e);
	return BOB_OK;
}

void bob_value_cursor_close(struct bob_value_cursor *c)
{
	free(c);
}

/* --- the same as nests: one to three calls that come again, their values changed by the same each
 * time, are a loop --- */

#define BODY_MAX 3u

struct bob_event_nest {
	const struct made *first;
	uint32_t body, trips;
	struct bob_event_nest_item item[1 + BODY_MAX];
};

static uint32_t loops_seen;	/* with more than one iteration */

const struct bob_event_nest_item *bob_event_nest_items(const struct bob_event_nest *n,
						       uint32_t *count)
{
	*count = 1 + n->body;
	return n->item;
}

static const struct made *call_at(const struct bob_event_nest *n, uint32_t item, uint64_t at)
{
	assert_in_range(item, 1, n->body);
	assert_true(at < n->trips);
	return n->first + at * n->body + item - 1;
}

bob_status bob_event_nest_get(struct bob_event_nest *n, uint32_t item, const uint64_t *at,
			      struct bob_value_event *e)
{
	fill_event(call_at(n, item, at[0]), e);
	return BOB_OK;
}

uint64_t bob_event_nest_step(const struct bob_event_nest *n, uint32_t item, uint32_t word,
			     uint32_t depth)
{
	assert_int_equal(depth, 0);
	return call_at(n, item, n->trips > 1)->word[word] - call_at(n, item, 0)->word[word];
}

int bob_event_nest_element_step(const struct bob_event_nest *n, uint32_t item, uint32_t vector,
				uint32_t word, uint32_t depth, uint64_t *step)
{
	const struct made *first = call_at(n, item, 0);
	const uint64_t *a = first->vector[vector];
	const uint64_t *b = call_at(n, item, n->trips > 1)->vector[vector];

	assert_true(depth == 0 && word == 0);
	*step = first->length[vector] ? b[0] - a[0] : 0;
	for (uint64_t i = 0; i < first->length[vector]; i++)
		if (b[i] - a[i] != *step)
			return 0;
	return 1;
}

bob_status bob_event_nest_each(struct bob_event_nest *n, bob_event_nest_fn each, void *ctx)
{
	struct bob_value_event e;

	for (uint32_t i = 0; i < n->trips * n->body; i++) {
		fill_event(n->first + i, &e);
		assert_int_equal(each(ctx, 1 + i % n->body, &e), BOB_OK);
	}
	return BOB_OK;
}

/* Does `c` follow `b` as `b` follows `a`? */
static int goes_on(const struct made *a, const struct made *b, const struct made *c)
{
	if (c->function != b->function || c->place != b->place || c->open ||
	    memcmp(c->length, b->length, sizeof(c->length)) != 0)
		return 0;
	for (uint32_t i = 0; i < 20; i++)
		if (c->word[i] - b->word[i] != b->word[i] - a->word[i])
			return 0;
	for (uint32_t i = 0; i < 4 * 8; i++)
		if (c->vector[i / 8][i % 8] - b->vector[i / 8][i % 8] !=
		    b->vector[i / 8][i % 8] - a->vector[i / 8][i % 8])
			return 0;
	return 1;
}

/* How often `body` calls come from `first` on, of which there are `count`. */
static uint32_t trips_of(const struct made *first, uint32_t count, uint32_t body)
{
	uint32_t trips = 1;

	while ((trips + 1) * body <= count) {
		const struct made *b = first + (trips - 1) * body, *a = trips > 1 ? b - body : b;
		uint32_t same = 0;

		for (; same < body; same++) {
			struct made before = a[same];

			if (trips == 1) { /* whatever the second one is, it may be the first step */
				if (before.open || memcmp(before.length, b[same + body].length,
							  sizeof(before.length)) != 0)
					break;
				for (uint32_t i = 0; i < 20; i++)
					before.word[i] =
						2 * b[same].word[i] - b[same + body].word[i];
				for (uint32_t i = 0; i < 4 * 8; i++)
					before.vector[i / 8][i % 8] =
						2 * b[same].vector[i / 8][i % 8] -
						b[same + body].vector[i / 8][i % 8];
			}
			if (!goes_on(&before, &b[same], &b[same + body]))
				break;
		}
		if (same < body)
			break;
		trips++;
	}
	return trips;
}

bob_status bob_event_nests_visit(const struct bob_trace *t, uint32_t thread,
				 enum bob_value_kind kind, bob_event_nest_visit_fn visit, void *ctx,
				 struct bob_error *err)
{
	uint32_t count = t->calls[thread];

	(void)kind, (void)err;
	for (uint32_t i = 0; i < count;) {
		struct bob_event_nest n = { .first = &t->call[thread][i], .body = 1 };
		bob_status st;

		n.trips = trips_of(n.first, count - i, 1);
		while (n.trips == 1 && n.body++ < BODY_MAX)
			n.trips = trips_of(n.first, count - i, n.body);
		n.body = n.trips == 1 ? 1 : n.body;
		n.item[0] = (struct bob_event_nest_item){ .items = n.body, .trips = n.trips };
		for (uint32_t k = 1; k <= n.body; k++) {
			struct bob_value_event e;

			fill_event(n.first + k - 1, &e);
			n.item[k] = (struct bob_event_nest_item){ .depth = 1,
								  .times = n.trips,
								  .key_len = 2,
								  .words = e.words,
								  .vectors = e.vectors };
		}
		for (uint32_t k = 1; k <= n.body; k++)
			n.item[k].key = n.first[k - 1].key;
		st = visit(ctx, &n);
		if (st != BOB_OK)
			return st;
		i += n.trips * n.body;
		loops_seen += n.trips > 1;
	}
	return count ? BOB_OK : BOB_NONE;
}

bob_status bob_trace_value_times(const struct bob_trace *t, enum bob_value_kind kind,
				 int (*visit)(void *ctx, const struct bob_value_pair *p), void *ctx)
{
	static const uint8_t key[] = { 1 };	/* Send */
	static const uint64_t place = 100;
	const struct bob_value_pair p = { .to = { .key = key, .key_len = 1, .place = &place,
						  .depth = 1 },
					  .count = 2,
					  .duration = { .sum_ns = 50 } };

	(void)t, (void)kind;
	(void)visit(ctx, &p);
	return BOB_OK;
}

#endif
