/* SPDX-License-Identifier: BSD-3-Clause */
/* The analysis of arrays against naive counting: accesses at random, of two threads, in windows and
 * boxes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "../../golden/traces.h"
#include "analysis/arrays/arrays.h"
#include "bobbin/fold.h"

#define THREADS 2u
#define PER_THREAD 3000u
#define KINDS                                                                                      \
	6u /* of accesses: load, store, load elsewhere, store elsewhere, wide load, wide store */
/* from this kind on: so many bytes, and not from an element's first one on */
#define WIDE 4u
#define WIDE_BYTES 24u
#define WIDE_FROM 2u
#define ROWS 100u
#define COLUMNS 50u

struct step {
	uint32_t kind;
	uint32_t element;	/* of variable 0 */
	int in_other;		/* else in variable 2, of 24 elements */
};

static struct step step[THREADS][PER_THREAD];

static struct bob_mem_access access_of(uint32_t kind)
{
	return (struct bob_mem_access){ 0,	  4 * kind, kind < WIDE ? 4 : WIDE_BYTES, kind % 2,
					0, MEM_NONE, 0 };
}

static void put_descs(struct build *b)
{
	struct bob_chunk_head *c = build_chunk(b, BOB_CHUNK_MEM_DESC, BOB_STREAM_NONE, 256, 0);
	uint64_t len = 0;

	for (uint32_t i = 0; i < KINDS; i++) {
		struct bob_mem_access a = access_of(i);
		struct bob_mem_desc d = { .pc = 0x1000,	       .kind = BOB_MEM_BLOCK,
					  .sp_word = MEM_NONE, .words = 1,
					  .access_count = 1,   .access = &a };

		len += bob_mem_desc_put(&d, (uint8_t *)bob_chunk_data(c) + len);
	}
	bob_chunk_seal(c, len);
}

static uint32_t next(uint32_t *x, uint32_t below)
{
	*x = *x * 1664525u + 1013904223u;
	return (*x >> 8) % below;
}

static struct bob_trace *make(struct golden *g)
{
	struct build *b = golden_file(g);
	struct bob_memory_file file;
	struct bob_trace *t;
	uint32_t x = 7;

	golden_memory_images(b, 600);
	golden_shapes_meta(b);
	put_descs(b);
	for (uint32_t k = 0; k < THREADS; k++) {
		uint32_t thread = build_mem_thread(b, "one");
		uint64_t word[2 * PER_THREAD];

		for (uint32_t i = 0; i < PER_THREAD; i++) {
			struct step *s = &step[k][i];

			s->kind = next(&x, KINDS);
			s->in_other = !next(&x, 5);
			/* rows, mostly */
			s->element = s->in_other ? next(&x, 24) :
				     next(&x, 4) && i ?
						   (step[k][i - 1].element + 1) % (ROWS * COLUMNS) :
						   next(&x, ROWS * COLUMNS / 2) * 2 + 1;
			word[2 * i] = BOB_MEM_HEADER | s->kind;
			word[2 * i + 1] = s->in_other ? SHAPE_AT(2) + 8 * s->element :
							SHAPE_AT(0) + 4 * s->element +
								(s->kind < WIDE ? 0 : WIDE_FROM);
		}
		build_mem_raw(b, thread, word, 2 * PER_THREAD, 0, MEM_SEALED);
	}
	bob_file_end(build_head(b), BOB_FILE_CLOSED, BOB_STOP_NONE, 9000);
	file = (struct bob_memory_file){ b->name, b->bytes, b->len };
	assert_int_equal(bob_archive_open_memory(&file, 1, &t, NULL), BOB_OK);
	return t;
}

static const struct bob_array *variable(const struct bob_arrays *a, uint64_t address)
{
	size_t n;
	const struct bob_array *all = bob_arrays_all(a, &n);

	for (size_t i = 0; i < n; i++)
		if (all[i].shape.address == address)
			return &all[i];
	return NULL;
}

static struct bob_arrays *ask(const struct bob_trace *t, const struct bob_arrays_wanted *w)
{
	static const uint32_t threads[] = { 0, 1 };
	struct bob_arrays *a;

	assert_int_equal(bob_arrays_create(t, threads, THREADS, w, NULL, &a, NULL), BOB_OK);
	return a;
}

static int is_in(const struct bob_arrays_wanted *w, uint32_t element)
{
	const int64_t row = element / COLUMNS, column = element % COLUMNS;

	return !w->rank || (row >= w->box[0][0] && row <= w->box[0][1] &&
			    (w->box[1][0] > w->box[1][1] ||
			     (column >= w->box[1][0] && column <= w->box[1][1])));
}

/* The last element of variable 0 that the access is in. */
static uint32_t last_element(const struct step *s)
{
	const uint32_t last = s->kind < WIDE ? s->element :
					       (4 * s->element + WIDE_FROM + WIDE_BYTES - 1) / 4;

	return last < ROWS * COLUMNS ? last : ROWS * COLUMNS - 1;
}

/* Every number of variable 0. */
static void compare(const struct bob_trace *t, const struct bob_arrays_wanted *w)
{
	const uint32_t windows = w->windows ? w->windows : 1, cells = ROWS * COLUMNS;
	uint32_t *n = calloc(2 * cells * windows, sizeof(*n)); /* read, written in turns */
	uint64_t loads = 0, stores = 0, touched = 0, of_kind[KINDS] = { 0 }, first = 0, last = 0;
	struct bob_arrays *a = ask(t, w);
	const struct bob_array *v = variable(a, SHAPE_AT(0));
	int any = 0;

	assert_non_null(v);
	for (uint32_t k = 0; k < THREADS; k++)
		for (uint32_t i = 0; i < PER_THREAD; i++) {
			const struct step *s = &step[k][i];
			const uint32_t in = i * windows / PER_THREAD;
			int some = 0;

			if (s->in_other || (w->window && w->window != in + 1))
				continue;
			for (uint32_t e = s->element; e <= last_element(s); e++) {
				if (!is_in(w, e))
					continue;
				some = 1;
				n[2 * ((w->window ? 0 : in) * cells + e) + s->kind % 2]++;
			}
			if (!some)
				continue;
			loads += s->kind % 2 == 0;
			stores += s->kind % 2;
			of_kind[s->kind]++;
			first = any++ ? first : i;
			last = i;
		}
	assert_int_equal(v->loads, loads);
	assert_int_equal(v->stores, stores);
	assert_int_equal(v->first.position, first);
	assert_int_equal(v->first.thread, 0);
	assert_int_equal(v->last.position, last);
	assert_int_equal(v->last.thread, 1);
	assert_int_equal(v->cells, cells);
	for (uint32_t c = 0; c < cells; c++) {
		uint32_t sum = 0;

		for (uint32_t k = 0; k < (w->window ? 1 : windows); k++) {
			const uint32_t at = k * cells + c;

			sum += n[2 * at] + n[2 * at + 1];
			assert_int_equal(v->read[at], n[2 * at]);
			assert_int_equal(v->written[at], n[2 * at + 1]);
		}
		touched += sum != 0;
	}
	assert_int_equal(v->touched, touched);
	assert_int_equal(v->sites, KINDS);
	for (uint32_t i = 0; i < KINDS; i++) {
		int found = 0;

		for (uint32_t k = 0; k < KINDS; k++)
			found |= v->site[i].accesses == of_kind[k] &&
				 v->site[i].store == (int)(k % 2);
		assert_true(found);
		assert_true(!i || v->site[i].accesses <= v->site[i - 1].accesses);
	}
	bob_arrays_destroy(a);
	free(n);
}

static void random_accesses(void **state)
{
	struct bob_arrays_wanted all = { .count = 1 }, windows = { .count = 1, .windows = 7 },
				 third = { .count = 1, .windows = 5, .window = 3 },
				 box = { .count = 1, .rank = 2, .box = { { 3, 40 }, { 9, 10 } } },
				 rows = { .count = 1, .rank = 2, .windows = 2,
					  .box = { { 10, 20 }, { 1, 0 } } };
	struct golden g = { .count = 0 };
	struct bob_trace *t = make(&g);

	(void)state;
	compare(t, &all);
	compare(t, &windows);
	compare(t, &third);
	compare(t, &box);
	compare(t, &rows);
	bob_trace_close(t);
	golden_free(&g);
}

/* Steps of each site, one by one. */
static void moves(void **state)
{
	struct bob_arrays_wanted w = { .count = 0 };
	struct golden g = { .count = 0 };
	struct bob_trace *t = make(&g);
	struct bob_arrays *a = ask(t, &w);
	const struct bob_array *v = variable(a, SHAPE_AT(0));
	uint64_t most = 0;

	(void)state;
	assert_non_null(v);
	assert_null(v->read);
	for (uint32_t kind = 0; kind < KINDS; kind++) {
		uint64_t along = 0, all = 0, accesses = 0;
		int found = 0;

		for (uint32_t k = 0; k < THREADS; k++) {
			int64_t before = -1;

			for (uint32_t i = 0; i < PER_THREAD; i++) {
				const struct step *s = &step[k][i];

				if (s->in_other || s->kind != kind)
					continue;
				accesses++;
				all += before >= 0;
				along += before >= 0 && s->element == before + 1 &&
					 s->element % COLUMNS;
				before = s->element;
			}
		}
		for (size_t i = 0; i < v->sites; i++) {
			const struct bob_array_site *s = &v->site[i];

			found |= s->accesses == accesses && s->moves == all &&
				 s->move[0].count == along && s->move[0].by[0] == 1 &&
				 !s->move[0].by[1];
		}
		assert_true(found);
		most += along;
	}
	assert_true(most > 100);
	bob_arrays_destroy(a);
	bob_trace_close(t);
	golden_free(&g);
}

/* More elements than are counted one by one: groups, as if the dimension were shorter. */
static void groups(void **state)
{
	struct bob_arrays_wanted w = { .count = 1, .windows = 8 };
	struct golden g = { .count = 0 };
	struct build *b = golden_file(&g);
	const uint64_t far = 1ull << 47;
	struct bob_memory_file file;
	struct bob_trace *t;
	struct bob_arrays *a;
	const struct bob_array *v;
	int64_t at[BOB_SHAPE_DIMENSIONS_MAX];

	(void)state;
	golden_memory_images(b, 600);
	golden_shapes_meta(b);
	put_descs(b);
	for (uint32_t k = 0; k < THREADS; k++)
		build_mem_raw(b, build_mem_thread(b, "one"),
			      MEM_WORDS(BOB_MEM_HEADER, SHAPE_AT(5), BOB_MEM_HEADER | 1,
					SHAPE_AT(5) + far + 3, BOB_MEM_HEADER | 1,
					SHAPE_AT(5) + far),
			      0, MEM_SEALED);
	file = (struct bob_memory_file){ b->name, b->bytes, b->len };
	assert_int_equal(bob_archive_open_memory(&file, 1, &t, NULL), BOB_OK);
	a = ask(t, &w);
	v = variable(a, SHAPE_AT(5));
	assert_non_null(v);
	assert_true(v->cells * 8 <= BOB_ARRAY_CELLS_MAX &&
		    v->cells * v->bin[0] == v->shape.elements);
	assert_int_equal(v->touched, 2);
	assert_int_equal(v->loads, 2);
	assert_int_equal(v->stores, 4);
	bob_array_cell(v, v->cells / 2, at);
	assert_true(at[0] == v->shape.bounds[0][0] + (int64_t)far);
	bob_arrays_destroy(a);
	bob_trace_close(t);
	golden_free(&g);
}

static void texts(void **state)
{
	struct golden g = { .count = 0 };
	struct bob_trace *t = make(&g);
	char text[BOB_SUBSCRIPTS_MAX];
	struct bob_piece p = { .base = SHAPE_AT(0) + 4 * 52, .dims = 3, .count = { 5, 3, 9 },
			       .step = { 4, 400, 0 } };

	(void)state;
	assert_true(bob_subscripts_text(t, 0, SHAPE_AT(0) + 4 * 51 + 2, text));
	assert_string_equal(text, "[1][1] +2");
	assert_true(bob_subscripts_text(t, 0, SHAPE_AT(2) + 8 * 5, text));
	assert_string_equal(text, "(0,2,0)");
	assert_true(bob_subscripts_text(t, 0, SHAPE_AT(1), text));
	assert_string_equal(text, "");
	assert_true(bob_subscripts_text(t, 0, SHAPE_AT(4) + 8 * 5, text));
	assert_string_equal(text, "{5}");
	assert_false(bob_subscripts_text(t, 0, SHAPE_AT(0) - 4, text));
	assert_true(bob_box_text(t, 0, &p, 0, text));
	assert_string_equal(text, "[1..5][2..6]");
	p.grow[bob_piece_pair(0, 1)] = 2; /* 5, 7, 9 of them */
	assert_true(bob_box_text(t, 0, &p, 0, text));
	assert_string_equal(text, "[1..5][2..10]");
	p.step[1] = 1 << 20;
	assert_false(bob_box_text(t, 0, &p, 0, text));
	bob_trace_close(t);
	golden_free(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_accesses),
		cmocka_unit_test(moves),
		cmocka_unit_test(groups),
		cmocka_unit_test(texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
