/* SPDX-License-Identifier: BSD-3-Clause */
/* All that a trace says of events with values, in a form that does not depend on how it is merged.
 * For tests. */
#ifndef BOB_TESTS_EVENT_TEXT_H
#define BOB_TESTS_EVENT_TEXT_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bobbin/trace.h"

/* --- events --- */

static inline void print_places(const struct bob_trace *t, uint32_t process, const uint64_t *place,
				uint32_t depth, FILE *to)
{
	for (uint32_t i = 0; i < depth; i++) {
		const struct bob_image_info *im;
		uint32_t image;
		uint64_t pc;

		bob_trace_place(t, process, place[i], &image, &pc);
		im = bob_trace_image(t, process, image);
		fprintf(to, " @%s+%" PRIx64, im ? im->soname : "", pc);
	}
}

/* What went into the vectors of an event that never completed is not kept. */
static inline uint64_t print_event(const struct bob_trace *t, uint32_t process,
				   const struct bob_value_event *e, FILE *to)
{
	for (size_t i = 0; i < e->key_len; i++)
		fprintf(to, "%02x", e->key[i]);
	for (uint32_t i = 0; i < e->words; i++)
		fprintf(to, " %" PRIu64, e->word[i]);
	for (uint32_t i = 0; i < e->vectors && !e->open; i++) {
		fprintf(to, " %" PRIu64 "*%u", e->vector[i].count, e->vector[i].words);
		for (uint64_t k = 0; k < e->vector[i].count * e->vector[i].words; k++)
			fprintf(to, ",%" PRIu64, e->vector[i].at[k]);
	}
	print_places(t, process, e->place, e->depth, to);
	fprintf(to, "%s%s\n", e->open ? " open" : "", e->lost ? " lost" : "");
	return 1;
}

/* When each of them began and ended. */
static inline void print_spans(const struct bob_trace *t, uint32_t thread, uint64_t events,
			       FILE *to)
{
	struct bob_span_cursor *c;
	struct bob_value_span s;
	uint64_t n = 0;
	bob_status st;

	assert_int_equal(bob_span_cursor_open(t, thread, BOB_VALUES_MPI, &c, NULL), BOB_OK);
	for (; (st = bob_span_cursor_next(c, &s, NULL)) == BOB_OK; n++)
		fprintf(to, "%" PRIu64 " %" PRIu64 " %" PRIu64 "%s\n", s.interval_ns, s.begin_ns,
			s.end_ns, s.open ? " open" : "");
	assert_int_equal(st, BOB_END);
	assert_int_equal(n, events);
	bob_span_cursor_close(c);
}

/* All events of all threads, by process and thread; the caller frees it. */
static inline char *text_of(const struct bob_trace *t)
{
	char *text = NULL;
	size_t len;
	FILE *to = open_memstream(&text, &len);

	for (uint32_t i = 0; i < bob_trace_thread_count(t); i++) {
		const struct bob_thread_info *th = bob_trace_thread(t, i);
		struct bob_value_cursor *c;
		struct bob_value_event e;
		uint64_t n = 0;
		bob_status st;

		st = bob_value_cursor_open(t, i, BOB_VALUES_MPI, &c, NULL);
		if (st == BOB_NONE)
			continue;
		assert_int_equal(st, BOB_OK);
		fprintf(to, "process %u thread %u\n", th->process, th->number);
		while ((st = bob_value_cursor_next(c, &e, NULL)) == BOB_OK)
			n += print_event(t, th->process, &e, to);
		assert_int_equal(st, BOB_END);
		assert_int_equal(bob_trace_value_events(t, i, BOB_VALUES_MPI), n);
		bob_value_cursor_close(c);
		print_spans(t, i, n, to);
	}
	fclose(to);
	return text;
}

/* --- times --- */

#define PAIRS_MAX 1000u

struct pair {
	char *name;		/* malloc'ed */
	uint64_t count;
	struct bob_value_times interval, duration;
};

struct pairs {
	const struct bob_trace *t;
	struct pair at[PAIRS_MAX];
	size_t count;
};

static inline char *name_of(const struct bob_trace *t, const struct bob_value_pair *p)
{
	const struct bob_value_site *site[2] = { &p->from, &p->to };
	char *text = NULL;
	size_t len;
	FILE *to = open_memstream(&text, &len);

	for (int i = 0; i < 2; i++) {
		for (size_t k = 0; site[i]->key && k < site[i]->key_len; k++)
			fprintf(to, "%02x", site[i]->key[k]);
		if (site[i]->key)
			print_places(t, bob_trace_thread(t, site[i]->thread)->process,
				     site[i]->place, site[i]->depth, to);
		fputs(" > ", to);
	}
	fclose(to);
	return text;
}

/* Who has an extreme: of several with the same one, the first. */
static inline void add_times(struct bob_value_times *a, uint64_t a_count,
			     const struct bob_value_times *b)
{
	unsigned __int128 x = (unsigned __int128)a->square[1] << 64 | a->square[0],
			  y = (unsigned __int128)b->square[1] << 64 | b->square[0];

	if (!a_count || b->min_ns < a->min_ns ||
	    (b->min_ns == a->min_ns && b->min_thread < a->min_thread)) {
		a->min_ns = b->min_ns;
		a->min_thread = b->min_thread;
	}
	if (!a_count || b->max_ns > a->max_ns ||
	    (b->max_ns == a->max_ns && b->max_thread < a->max_thread)) {
		a->max_ns = b->max_ns;
		a->max_thread = b->max_thread;
	}
	a->sum_ns += b->sum_ns;
	a->square[0] = (uint64_t)(x + y);
	a->square[1] = (uint64_t)((x + y) >> 64);
	for (uint32_t i = 0; i < BOB_VALUE_TIME_BINS; i++)
		a->bin[i] += b->bin[i];
}

static inline int add_pair(void *ctx, const struct bob_value_pair *p)
{
	struct pairs *all = ctx;
	char *name = name_of(all->t, p);
	size_t i = 0;

	while (i < all->count && strcmp(all->at[i].name, name))
		i++;
	if (i < all->count) {
		free(name);
	} else {
		assert_true(i < PAIRS_MAX);
		all->at[all->count++].name = name;
	}
	add_times(&all->at[i].interval, all->at[i].count, &p->interval);
	add_times(&all->at[i].duration, all->at[i].count, &p->duration);
	all->at[i].count += p->count;
	return 0;
}

static inline int by_name(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static inline struct pairs *pairs_of(const struct bob_trace *t)
{
	struct pairs *all = calloc(1, sizeof(*all));

	assert_non_null(all);
	all->t = t;
	assert_int_equal(bob_trace_value_times(t, BOB_VALUES_MPI, add_pair, all), BOB_OK);
	qsort(all->at, all->count, sizeof(*all->at), by_name);
	return all;
}

static inline void free_pairs(struct pairs *all)
{
	for (size_t i = 0; i < all->count; i++)
		free(all->at[i].name);
	free(all);
}

static inline void expect_same(const struct bob_trace *a, const struct bob_trace *b)
{
	char *x = text_of(a), *y = text_of(b);
	struct pairs *p = pairs_of(a), *q = pairs_of(b);

	assert_string_equal(x, y);
	assert_true(p->count > 100);
	assert_int_equal(p->count, q->count);
	for (size_t i = 0; i < p->count; i++) {
		assert_string_equal(p->at[i].name, q->at[i].name);
		assert_int_equal(p->at[i].count, q->at[i].count);
		assert_memory_equal(&p->at[i].interval, &q->at[i].interval,
				    sizeof(p->at[i].interval));
		assert_memory_equal(&p->at[i].duration, &q->at[i].duration,
				    sizeof(p->at[i].duration));
	}
	free_pairs(p);
	free_pairs(q);
	free(x);
	free(y);
}

#endif
