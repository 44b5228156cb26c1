/* SPDX-License-Identifier: BSD-3-Clause */
/* Nests of events: gone through one by one they are what a cursor gives, event by event, with
 * places and vectors; and their steps say how words change. Programs are random nests of loops over
 * events whose values are affine, or nearly, and whose vectors have lengths that stay, or not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "archive/archive.h"
#include "archive/events/event_nests.h"
#include "archive/write/event_write.h"

#define FILE_BYTES (32u << 20)
#define KINDS 6u
#define PATHS 24u
#define WORDS 4u
#define VALUES_MAX 64u
#define DEPTH 3u
#define EVENTS_MAX 20000u

static uint8_t *bytes;

static uint64_t random_state;

static uint32_t random_below(uint32_t n)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(random_state >> 33) % n;
}

/* --- writing --- */

static struct bob_chunk_head *new_chunk(void *ctx, enum bob_chunk_kind kind, uint32_t stream,
					uint64_t size, uint64_t aux, uint64_t *off)
{
	struct bob_file_head *h = (struct bob_file_head *)(void *)bytes;
	struct bob_chunk_head *c = (struct bob_chunk_head *)(void *)(bytes + h->used);

	(void)ctx;
	if (h->used + bob_chunk_bytes(size) > FILE_BYTES)
		return NULL;
	*off = h->used;
	bob_chunk_begin(c, kind, stream, size, aux);
	bob_file_set_used(h, h->used + bob_chunk_bytes(size));
	return c;
}

static void begin_file(void)
{
	struct bob_file_head *h = (struct bob_file_head *)(void *)bytes;
	struct bob_chunk_head *c;
	uint64_t off;

	memset(bytes, 0, FILE_BYTES);
	bob_file_begin(h, BOB_FILE_PROCESS, "host");
	bob_file_seal(h);
	h->used = BOB_FILE_HEAD_BYTES;
	c = new_chunk(NULL, BOB_CHUNK_STREAM, 0, sizeof(struct bob_stream_head), 0, &off);
	((struct bob_stream_head *)bob_chunk_data(c))->run.codec = BOB_CODEC_NULL;
}

struct writing {
	struct bob_event_writer *w;
	uint32_t number[KINDS * PATHS];
	uint64_t written;
	int restless;		/* of 16 values so many are not affine */
};

/* Kinds 0 to 5: no vectors, one, or two; kinds of odd number have the path of the one before, as
 * calls have without call sites. */
static void define_kind(struct writing *w, uint32_t kind, uint32_t path)
{
	const uint8_t key = (uint8_t)kind;
	const uint64_t place[2] = { 7, 100 + 10 * path + kind / 2 };
	struct bob_event_def d = { .key = &key, .key_len = 1, .depth = 2, .place = place };

	d.layout.words = WORDS;
	d.layout.vectors = (uint8_t)(kind % 3);
	for (uint32_t i = 0; i < kind % 3; i++) {
		d.layout.vector[i].length = (uint8_t)i;
		d.layout.vector[i].words = (uint8_t)(1 + (kind + i) % 2);
	}
	assert_int_equal(bob_event_writer_define(w->w, &d, &w->number[kind * PATHS + path]),
			 BOB_OK);
}

/* One event; `at` are the iterations of the loops around it. */
static void put(struct writing *w, uint32_t kind, uint32_t seed, const uint32_t *at, uint32_t depth)
{
	uint64_t value[VALUES_MAX], *to;
	uint32_t vectors = kind % 3, n = WORDS;
	bob_status why;

	for (uint32_t i = 0; i < WORDS; i++) {
		value[i] = 1000 * seed + i;
		for (uint32_t d = 0; d < depth; d++)
			value[i] += (uint64_t)at[d] * ((seed >> d) % 3);
		if ((int)random_below(16) < w->restless)
			value[i] = random_below(1u << 30);
	}
	for (uint32_t i = 0; i < vectors; i++) {
		uint32_t words = 1 + (kind + i) % 2;

		value[i] = (seed + i) % 5;
		if (seed % 7 == 3 && depth)
			value[i] = at[depth - 1] % 3;
		for (uint32_t k = 0; k < value[i] * words; k++)
			value[n++] = seed % 2 ? k : k + at[0] * (k % 2 ? seed % 3 : 2);
	}
	to = bob_event_writer_open(w->w, w->number[kind * PATHS + seed % PATHS], n, &why);
	assert_non_null(to);
	memcpy(to, value, n * sizeof(*value));
	assert_int_equal(bob_event_writer_put(w->w, n), BOB_OK);
	w->written++;
}

/* --- programs --- */

struct node {
	uint32_t trips, kind, seed;	/* a loop, or 0 and an event */
	uint32_t first, count;		/* its body */
};

struct program {
	struct node node[256];
	uint32_t nodes;
};

/* `count` nodes next to each other, followed by those that are in them. */
static void make_body(struct program *p, uint32_t first, uint32_t count, uint32_t depth)
{
	for (uint32_t i = first; i < first + count; i++) {
		struct node *n = &p->node[i];

		*n = (struct node){ .kind = random_below(KINDS), .seed = random_below(40) };
		if (depth == DEPTH || random_below(5) < 2 || p->nodes + 4 > 256)
			continue;
		n->trips = 1 + random_below(12);
		n->count = 1 + random_below(4);
		n->first = p->nodes;
		p->nodes += n->count;
		make_body(p, n->first, n->count, depth + 1);
	}
}

static void run(struct writing *w, const struct program *p, uint32_t first, uint32_t count,
		uint32_t *at, uint32_t depth)
{
	for (uint32_t i = first; i < first + count && w->written < EVENTS_MAX; i++) {
		const struct node *n = &p->node[i];

		if (!n->trips)
			put(w, n->kind, n->seed, at, depth);
		for (at[depth] = 0; at[depth] < n->trips; at[depth]++)
			run(w, p, n->first, n->count, at, depth + 1);
		at[depth] = 0;
	}
}

static struct bob_trace *record(uint64_t seed)
{
	const struct bob_memory_file file = { "phost.0.0.bob", bytes, FILE_BYTES };
	void *mem = mmap(NULL, bob_event_writer_size(), PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	uint32_t at[DEPTH + 2] = { 0 };
	struct bob_error err;
	struct bob_trace *t;
	struct program p = { .nodes = 4 };
	struct writing w = { .restless = seed % 4 == 3 };

	assert_true(mem != MAP_FAILED);
	random_state = seed;
	begin_file();
	assert_int_equal(bob_event_writer_begin(mem, new_chunk, NULL,
						BOB_CONTENT_MPI << BOB_CONTENT_SHIFT, &w.w),
			 BOB_OK);
	for (uint32_t i = 0; i < KINDS * PATHS; i++)
		define_kind(&w, i / PATHS, i % PATHS);
	make_body(&p, 0, 4, 0);
	run(&w, &p, 0, 4, at, 0);
	if (seed % 5) /* else some are in the log */
		assert_int_equal(bob_event_writer_end(w.w), BOB_OK);
	munmap(mem, bob_event_writer_size());
	assert_int_equal(bob_archive_open_memory(&file, 1, &t, &err), BOB_OK);
	return t;
}

/* --- comparing --- */

struct comparing {
	struct bob_value_cursor *cursor;
	uint64_t events, nests, in_nests;
};

static void expect_same(const struct bob_value_event *a, const struct bob_value_event *b)
{
	assert_int_equal(a->key_len, b->key_len);
	assert_memory_equal(a->key, b->key, a->key_len);
	assert_int_equal(a->depth, b->depth);
	assert_memory_equal(a->place, b->place, a->depth * sizeof(*a->place));
	assert_int_equal(a->words, b->words);
	assert_memory_equal(a->word, b->word, a->words * sizeof(*a->word));
	assert_int_equal(a->vectors, b->vectors);
	assert_int_equal(a->open, b->open);
	for (uint32_t i = 0; i < a->vectors; i++) {
		assert_int_equal(a->vector[i].count, b->vector[i].count);
		assert_int_equal(a->vector[i].words, b->vector[i].words);
		if (a->vector[i].count)
			assert_memory_equal(a->vector[i].at, b->vector[i].at,
					    8 * a->vector[i].count * a->vector[i].words);
	}
}

static bob_status compare(void *ctx, uint32_t item, const struct bob_value_event *e)
{
	struct comparing *c = ctx;
	struct bob_value_event want;

	(void)item;
	assert_int_equal(bob_value_cursor_next(c->cursor, &want, NULL), BOB_OK);
	expect_same(&want, e);
	c->events++;
	return BOB_OK;
}

/* Word by word: what it is one iteration further, less what it is. */
static void check_steps(struct bob_event_nest *n, uint32_t item, uint32_t depth,
			const struct bob_event_nest_item *it)
{
	static uint64_t first[VALUES_MAX];
	uint64_t at[BOB_EVENT_NEST_DEPTH] = { 0 }, step;
	struct bob_value_event e;
	uint32_t k = 0;

	assert_int_equal(bob_event_nest_get(n, item, at, &e), BOB_OK);
	memcpy(first, e.word, e.words * sizeof(*e.word));
	for (uint32_t i = 0, to = e.words; i < e.vectors; i++)
		for (uint64_t j = 0; j < e.vector[i].count * e.vector[i].words; j++)
			first[to++] = e.vector[i].at[j];
	at[depth] = 1;
	assert_int_equal(bob_event_nest_get(n, item, at, &e), BOB_OK);
	for (; k < it->words; k++)
		assert_int_equal(e.word[k] - first[k], bob_event_nest_step(n, item, k, depth));
	for (uint32_t i = 0; i < e.vectors; i++)
		for (uint64_t j = 0; j < e.vector[i].count * e.vector[i].words; j++, k++)
			if (bob_event_nest_element_step(n, item, i, j % e.vector[i].words, depth,
							&step))
				assert_int_equal(e.vector[i].at[j] - first[k], step);
}

static bob_status visit(void *ctx, struct bob_event_nest *n)
{
	struct comparing *c = ctx;
	uint64_t before = c->events, times = 0;
	uint64_t trips[BOB_EVENT_NEST_DEPTH] = { 0 };
	uint32_t count;
	const struct bob_event_nest_item *item = bob_event_nest_items(n, &count);

	for (uint32_t i = 0; i < count; i++) {
		times += item[i].items ? 0 : item[i].times;
		if (item[i].items)
			trips[item[i].depth] = item[i].trips;
		for (uint32_t d = 0; !item[i].items && d < item[i].depth; d++)
			if (trips[d] > 1)
				check_steps(n, i, d, &item[i]);
	}
	assert_int_equal(bob_event_nest_each(n, compare, c), BOB_OK);
	assert_int_equal(c->events - before, times);
	c->nests++;
	c->in_nests += times > 1 ? times : 0;
	return BOB_OK;
}

static void test_same(void **state)
{
	uint64_t nests = 0, in_nests = 0, events = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 200; seed++) {
		struct bob_trace *t = record(seed);
		struct comparing c = { 0 };
		struct bob_value_event e;

		assert_int_equal(bob_value_cursor_open(t, 0, BOB_VALUES_MPI, &c.cursor, NULL),
				 BOB_OK);
		assert_int_equal(bob_event_nests_visit(t, 0, BOB_VALUES_MPI, visit, &c, NULL),
				 BOB_OK);
		assert_int_equal(bob_value_cursor_next(c.cursor, &e, NULL), BOB_END);
		assert_int_equal(bob_trace_value_events(t, 0, BOB_VALUES_MPI), c.events);
		bob_value_cursor_close(c.cursor);
		bob_trace_close(t);
		nests += c.nests;
		in_nests += c.in_nests;
		events += c.events;
	}
	print_message("%llu events, %llu of them in nests; %llu nests and single events\n",
		      (unsigned long long)events, (unsigned long long)in_nests,
		      (unsigned long long)nests);
	assert_true(in_nests * 3 > events);
}

/* What a visitor says ends the visit. */
static bob_status stop(void *ctx, struct bob_event_nest *n)
{
	(void)n;
	++*(int *)ctx;
	return BOB_ERR_NOENT;
}

static void test_stop(void **state)
{
	struct bob_trace *t = record(1);
	int visited = 0;

	(void)state;
	assert_int_equal(bob_event_nests_visit(t, 0, BOB_VALUES_MPI, stop, &visited, NULL),
			 BOB_ERR_NOENT);
	assert_int_equal(visited, 1);
	assert_int_equal(bob_event_nests_visit(t, 1, BOB_VALUES_MPI, stop, &visited, NULL),
			 BOB_ERR_INVAL);
	bob_trace_close(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_same),
					    cmocka_unit_test(test_stop) };

	bytes = mmap(NULL, FILE_BYTES, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	return bytes == MAP_FAILED ? 1 : cmocka_run_group_tests(tests, NULL, NULL);
}
