/* SPDX-License-Identifier: BSD-3-Clause */
/* A folder with everything that went in and came out. For tests and fuzzers; aborts when memory
 * runs out. */
#ifndef BOB_TESTS_FOLD_EVENTS_H
#define BOB_TESTS_FOLD_EVENTS_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "bobbin/fold.h"
#include "fold/columns.h"
#include "fold/control.h"
#include "fold/entries.h"
#include "fold/folded.h"

struct events_bytes {
	uint8_t *at;
	size_t len, capacity;
};

struct events {
	struct bob_folder *folder;
	uint32_t *in;			/* shapes */
	uint64_t *values;		/* words of all events */
	size_t count, capacity, value_count, value_capacity;
	uint32_t *shape;		/* the folder's number + 1, of those below `shapes` */
	uint32_t shapes;
	struct events_bytes out;
	size_t done;			/* events that were right */
};

static inline void *events_grow(void *p, size_t count, size_t *capacity, size_t size)
{
	if (count < *capacity)
		return p;
	*capacity = *capacity ? *capacity * 2 : 64;
	p = realloc(p, *capacity * size);
	if (!p)
		abort();
	return p;
}

static inline void events_write(void *ctx, const void *bytes, size_t len)
{
	struct events_bytes *b = ctx;

	if (b->len + len > b->capacity) {
		b->capacity = (b->len + len) * 2;
		b->at = realloc(b->at, b->capacity);
		if (!b->at)
			abort();
	}
	if (len)
		memcpy(b->at + b->len, bytes, len);
	b->len += len;
}

static inline void *events_resize(void *ctx, void *old, size_t old_size, size_t size)
{
	(void)ctx, (void)old_size;
	if (size)
		return realloc(old, size);
	free(old);
	return NULL;
}

static const struct bob_alloc events_alloc = { events_resize, NULL };

/* Zeroed, for a folder, which touches little of it. What the last one had is used again: a
 * sanitizer clears its shadow of all that is mapped. With `back` it is returned. */
static inline void *events_map(void *back)
{
	static void *spare;
	void *mem = spare;

	spare = back;
	if (back) {
		if (mem)
			munmap(mem, bob_folder_size());
		return NULL;
	}
	if (mem && !madvise(mem, bob_folder_size(), MADV_DONTNEED))
		return mem;
	mem = mmap(NULL, bob_folder_size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		   0);
	if (mem == MAP_FAILED)
		abort();
	return mem;
}

static inline void events_begin(struct events *e)
{
	void *mem = events_map(NULL);

	memset(e, 0, sizeof(*e));
	e->folder = bob_folder_begin(mem, events_write, &e->out);
}

/* Makes space for this shape. Few tests have more than some ten of the shapes that there may be. */
static inline void events_shape(struct events *e, uint32_t shape)
{
	uint32_t capacity = e->shapes ? e->shapes : 8;

	while (capacity <= shape)
		capacity *= 2;
	if (capacity == e->shapes)
		return;
	e->shape = realloc(e->shape, capacity * sizeof(*e->shape));
	if (!e->shape)
		abort();
	memset(e->shape + e->shapes, 0, (capacity - e->shapes) * sizeof(*e->shape));
	e->shapes = capacity;
}

/* One event is expected. Every shape has its own number of words. The path differs with the shape,
 * too. */
static inline void events_note(struct events *e, uint32_t shape, const uint64_t *word,
			       uint32_t words)
{
	e->in = events_grow(e->in, e->count, &e->capacity, sizeof(*e->in));
	e->in[e->count++] = shape;
	for (uint32_t i = 0; i < words; i++) {
		e->values = events_grow(e->values, e->value_count, &e->value_capacity,
					sizeof(*e->values));
		e->values[e->value_count++] = word[i];
	}
	events_shape(e, shape);
	if (!e->shape[shape]) {
		uint32_t path = 0;

		for (uint32_t i = 0; i < shape % 3; i++)
			if (bob_folder_path(e->folder, path, shape % 5 + i, &path) != BOB_OK)
				abort();
		if (bob_folder_shape(e->folder, &shape, sizeof(shape), path, words,
				     &e->shape[shape]) != BOB_OK)
			abort();
		e->shape[shape]++;
	}
}

static inline void events_put_words(struct events *e, uint32_t shape, const uint64_t *word,
				    uint32_t words)
{
	events_note(e, shape, word, words);
	bob_folder_put(e->folder, e->shape[shape] - 1, word);
}

/* Events of one word that were noted: shape and word each. */
static inline void events_put_pairs(struct events *e, const uint64_t *pair, size_t n)
{
	const uint64_t with = n % 2 ? 1ull << 40 : 0;

	for (size_t i = 0; i < n;
	     i += bob_folder_put_marked(e->folder, pair + 2 * i, n - i, with)) {
		uint32_t shape = e->shape[pair[2 * i]] - 1;

		bob_folder_mark(e->folder, shape, pair[2 * i] | with);
		bob_folder_put(e->folder, shape, &pair[2 * i++ + 1]);
	}
}

static inline void events_put(struct events *e, uint32_t shape)
{
	events_put_words(e, shape, NULL, 0);
}

/* Shapes and paths have to be made again. */
static inline void events_again(struct events *e)
{
	bob_folder_again(e->folder);
	if (e->shapes)
		memset(e->shape, 0, e->shapes * sizeof(*e->shape));
}

/* Is this what went in? */
static inline const char *events_same(struct events *e, const struct bob_folded *f,
				      uint32_t participant)
{
	struct bob_fold_cursor *k;
	struct bob_fold_event event;
	bob_status st = bob_fold_cursor_open(f, participant, &k);
	const char *wrong = st != BOB_OK ? "no cursor" : NULL;
	size_t value = 0;

	e->done = 0;
	while (!wrong && (st = bob_fold_cursor_next(k, &event)) == BOB_OK) {
		struct bob_fold_shape shape;
		uint32_t key;

		bob_folded_shape(f, event.shape, &shape);
		memcpy(&key, shape.key, sizeof(key));
		if (e->done == e->count)
			wrong = "an event too many";
		else if (e->in[e->done] != key || value + event.words > e->value_count)
			wrong = "another event";
		else if (event.words &&
			 memcmp(e->values + value, event.word, event.words * sizeof(uint64_t)))
			wrong = "another value";
		else
			e->done++;
		value += event.words;
	}
	if (!wrong && st != BOB_END)
		wrong = "the bytes are bad";
	if (!wrong && (e->done != e->count || bob_folded_events(f, participant) != e->count))
		wrong = "events are missing";
	if (st != BOB_ERR_NOMEM)
		bob_fold_cursor_close(k);
	return wrong;
}

/* Are the counts of the shapes, which nothing has to be expanded for, those of what went in? */
static inline const char *events_counts(struct events *e, const struct bob_folded *f,
					uint32_t participant)
{
	uint64_t *shape = calloc(bob_folded_shapes(f) + 1u, 8),
		 *loop = calloc(bob_folded_loops(f) + 1u, 8);
	uint64_t *want = calloc(e->shapes + 1u, 8);
	const char *wrong = NULL;

	for (size_t i = 0; i < e->count; i++)
		want[e->in[i]]++;
	for (uint32_t part = 0; part < bob_folded_parts(f, participant); part++) {
		if (bob_folded_counts(f, participant, part, shape, loop) != BOB_OK)
			wrong = "counts are refused";
		for (uint32_t i = 0; i < bob_folded_shapes(f); i++) {
			struct bob_fold_shape s;
			uint32_t key;

			bob_folded_shape(f, i, &s);
			memcpy(&key, s.key, sizeof(key));
			if (key < e->shapes)
				want[key] -= shape[i];
			else
				wrong = "another shape";
		}
	}
	for (uint32_t i = 0; i < e->shapes; i++)
		if (want[i])
			wrong = "another count of a shape";
	free(shape);
	free(loop);
	free(want);
	return wrong;
}

/* Are these bytes what went in? */
static inline const char *events_are(struct events *e, const struct events_bytes *b)
{
	struct bob_folded *f;
	const char *wrong;

	if (bob_folded_open(b->at, b->len, 7, &events_alloc, &f) != BOB_OK)
		return "cannot be opened";
	wrong = events_same(e, f, 0);
	if (!wrong && e->count > 60 && bob_folded_count(f))
		wrong = events_counts(e, f, 0);
	bob_folded_close(f);
	return wrong;
}

static inline const char *events_end(struct events *e)
{
	bob_folder_end(e->folder);
	return events_are(e, &e->out);
}

/* What the folder would end with is complete already. */
static inline const char *events_rest(struct events *e)
{
	struct events_bytes b = { 0 };
	const char *wrong;

	events_write(&b, e->out.at, e->out.len);
	bob_folder_rest(e->folder, events_write, &b);
	wrong = events_are(e, &b);
	free(b.at);
	return wrong;
}

/* Items of the spine and pieces of trip counts and words, of what has ended. */
static inline size_t events_size(const struct events *e)
{
	struct bob_folded *f;
	size_t size = 0;

	if (bob_folded_open(e->out.at, e->out.len, 7, &events_alloc, &f) != BOB_OK)
		abort();
	void *mem = malloc(bob_values_size(BOB_FOLD_SPINE_BITS));
	for (uint32_t i = f->spines; i; i = f->sharing[i - 1].next) {
		const struct bob_fold_bytes *b = &f->sharing[i - 1].bytes;
		struct bob_values_dec d;
		uint64_t item = 0;

		memset(mem, 0, bob_values_size(BOB_FOLD_SPINE_BITS));
		bob_values_dec_init(&d, mem, BOB_FOLD_SPINE_BITS, b->at, b->len);
		while (bob_values_get(&d, &item) == BOB_OK)
			size++;
	}
	free(mem);
	for (uint32_t c = 0; c < f->column_count; c++)
		for (uint32_t i = f->column[c]; i; i = f->sharing[i - 1].next) {
			struct bob_group_reader r;
			struct bob_piece p;
			int given_up;

			if (bob_group_open(&r, f, &f->sharing[i - 1], 0) != BOB_OK)
				abort();
			while (bob_group_piece(&r, &p, &given_up) == BOB_OK)
				size++;
			size += (size_t)(r.structure_end - r.structure);
			bob_group_close(&r);
		}
	bob_folded_close(f);
	return size;
}

static inline void events_free(struct events *e)
{
	events_map(e->folder);
	free(e->in);
	free(e->values);
	free(e->shape);
	free(e->out.at);
}

#endif
