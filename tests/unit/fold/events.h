/* SPDX-License-Identifier: BSD-3-Clause */
/* Control with everything that went in and came out, and an expander that knows nothing of how it was
 * folded. For tests and fuzzers; aborts when memory runs out. */
#ifndef BOB_TESTS_FOLD_EVENTS_H
#define BOB_TESTS_FOLD_EVENTS_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "fold/control.h"

struct events_loop {
	uint32_t *body, len;
	struct bob_piece *pieces;
	size_t piece_count, piece_room, next;
	struct bob_piece_walk walk;	/* in piece next - 1 */
	int walking;
};

struct events {
	struct bob_control *control;
	uint32_t *in;
	size_t count, room, done;
	uint32_t *spine;
	size_t spine_count, spine_room;
	struct events_loop *loops;
	size_t loop_count, piece_count;
	const char *wrong;
};

static inline void *events_grow(void *p, size_t count, size_t *room, size_t size)
{
	if (count < *room)
		return p;
	*room = *room ? *room * 2 : 64;
	p = realloc(p, *room * size);
	if (!p)
		abort();
	return p;
}

static inline void events_item(void *ctx, uint32_t item)
{
	struct events *e = ctx;

	e->spine = events_grow(e->spine, e->spine_count, &e->spine_room, sizeof(*e->spine));
	e->spine[e->spine_count++] = item;
}

static inline void events_loop(void *ctx, uint32_t number, const uint32_t *body, uint32_t len)
{
	struct events *e = ctx;

	if (number != e->loop_count || !len)
		e->wrong = "loops are not numbered in order";
	e->loops = realloc(e->loops, (e->loop_count + 1) * sizeof(*e->loops));
	if (!e->loops)
		abort();
	struct events_loop *l = &e->loops[e->loop_count++];
	memset(l, 0, sizeof(*l));
	l->len = len;
	l->body = malloc(len * sizeof(*body));
	if (!l->body)
		abort();
	memcpy(l->body, body, len * sizeof(*body));
}

static inline void events_trips(void *ctx, uint32_t number, const struct bob_piece *p)
{
	struct events *e = ctx;
	struct events_loop *l = &e->loops[number];

	l->pieces = events_grow(l->pieces, l->piece_count, &l->piece_room, sizeof(*p));
	l->pieces[l->piece_count++] = *p;
	e->piece_count++;
}

static inline void events_begin(struct events *e)
{
	struct bob_control_sink sink = { events_item, events_loop, events_trips, e };
	/* fresh pages: little of it is touched, so nothing need be cleared */
	void *mem = mmap(NULL, bob_control_size(), PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	memset(e, 0, sizeof(*e));
	if (mem == MAP_FAILED)
		abort();
	e->control = bob_control_init(mem, &sink);
}

static inline void events_put(struct events *e, uint32_t shape)
{
	e->in = events_grow(e->in, e->count, &e->room, sizeof(*e->in));
	e->in[e->count++] = shape;
	bob_control_put(e->control, shape);
}

/* The next trip count of a loop; 0 and an error if there is none. */
static inline uint64_t events_next_trips(struct events *e, struct events_loop *l)
{
	if (l->walking && bob_piece_next(&l->pieces[l->next - 1], 0, &l->walk) == BOB_OK)
		return l->walk.value;
	l->walking = l->next < l->piece_count &&
		     bob_piece_begin(&l->pieces[l->next++], 0, 0, &l->walk) == BOB_OK;
	if (!l->walking) {
		e->wrong = "a trip count is missing";
		return 0;
	}
	return l->walk.value;
}

static inline void events_expand(struct events *e, uint32_t item)
{
	if (e->wrong)
		return;
	if (item < BOB_LOOP_FLAG) {
		if (e->done == e->count || e->in[e->done++] != item)
			e->wrong = "another event";
		return;
	}
	uint32_t number = item & ~BOB_LOOP_FLAG;
	if (number >= e->loop_count) {
		e->wrong = "no such loop";
		return;
	}
	for (uint64_t n = events_next_trips(e, &e->loops[number]); n && !e->wrong; n--)
		for (uint32_t i = 0; i < e->loops[number].len; i++)
			events_expand(e, e->loops[number].body[i]);
}

static inline const char *events_end(struct events *e)
{
	bob_control_finish(e->control);
	for (size_t i = 0; i < e->spine_count; i++)
		events_expand(e, e->spine[i]);
	for (size_t i = 0; i < e->loop_count && !e->wrong; i++) {
		struct events_loop *l = &e->loops[i];

		if (l->next < l->piece_count ||
		    (l->walking && bob_piece_next(&l->pieces[l->next - 1], 0, &l->walk) == BOB_OK))
			e->wrong = "trip counts are left";
	}
	return e->wrong ? e->wrong : e->done == e->count ? NULL : "events are missing";
}

static inline void events_free(struct events *e)
{
	for (size_t i = 0; i < e->loop_count; i++) {
		free(e->loops[i].body);
		free(e->loops[i].pieces);
	}
	free(e->loops);
	free(e->spine);
	free(e->in);
	munmap(e->control, bob_control_size());
}

#endif
