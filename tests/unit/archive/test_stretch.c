/* SPDX-License-Identifier: BSD-3-Clause */
/* Restricting threads to stretches: of random records -- loops in loops with events,
 * synchronisation, events without marks -- folded and raw, every stretch has exactly the accesses
 * that lie between its two marks when all are read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "../../golden/places.h"
#include "archive/reader.h"

#define ITEMS 40000u
#define WORDS 30000u		/* about */
#define SEEDS 25u
#define WHATS 2u

/* What is read of a thread, in order. */
struct item {
	uint32_t kind;		/* 0: an access; SYNC_ITEM; else enum bob_value_mark */
	uint64_t value;		/* address; what; how many */
};
#define SYNC_ITEM 9u

struct row {
	struct item *item;
	size_t count;
};

static struct bob_trace *open_one(const struct build *b)
{
	const struct bob_memory_file file = { b->name, b->bytes, b->len };
	struct bob_trace *t;

	assert_int_equal(bob_archive_open_memory(&file, 1, &t, NULL), BOB_OK);
	return t;
}

static void read_row(const struct bob_trace *t, uint32_t thread, struct row *row)
{
	struct bob_access_cursor *c;
	struct bob_access a;
	struct bob_value_place v;
	bob_status st;
	size_t n;

	row->count = 0;
	assert_int_equal(bob_access_cursor_open(t, thread, &c, NULL), BOB_OK);
	bob_access_cursor_stop_at_syncs(c, 0);
	bob_access_cursor_stop_at_values(c);
	while ((st = bob_access_cursor_read(c, &a, 1, &n, NULL)) == BOB_OK || st == BOB_NONE) {
		assert_true(row->count < ITEMS);
		if (st == BOB_OK)
			row->item[row->count++] = (struct item){ 0, a.address };
		else if (bob_access_cursor_value(c, &v))
			row->item[row->count++] = (struct item){ v.kind, v.what + v.count };
		else
			row->item[row->count++] = (struct item){ SYNC_ITEM, 0 };
	}
	assert_int_equal(st, BOB_END);
	bob_access_cursor_close(c);
}

/* --- what it should be --- */

static int is_event(const struct item *i)
{
	return i->kind == BOB_VALUE_WHOLE || i->kind == BOB_VALUE_BEGIN;
}

/* Index of the mark that is meant; ITEMS: it does not exist; ITEMS + 1: unknown. */
static size_t find(const struct row *row, const struct bob_stretch_end *end)
{
	uint64_t seen = 0;

	for (size_t i = 0; i < row->count; i++) {
		const struct item *x = &row->item[i];

		if (x->kind == BOB_VALUE_NO_MARK && x->value) {
			if (!end->by_number || seen + x->value > end->number)
				return ITEMS + 1;
			seen += x->value;
		}
		if (!is_event(x) || (!end->by_number && x->value != end->what))
			continue;
		if (seen++ == end->number)
			return i;
	}
	return ITEMS;
}

static enum bob_stretch_lack cut(const struct row *row, const struct bob_stretch *s,
				 struct row *out)
{
	size_t from = s->from.given ? find(row, &s->from) : 0, begin = from;
	size_t to = s->to.given ? find(row, &s->to) : row->count, end = to;

	out->count = 0;
	if (from > ITEMS || to > ITEMS)
		return BOB_STRETCH_NO_PLACE;
	if (from == ITEMS)
		return BOB_STRETCH_NO_FROM;
	if (to == ITEMS)
		return BOB_STRETCH_NO_TO;
	if (s->from.given && s->to.given && to <= from)
		return BOB_STRETCH_BACKWARDS;
	if (s->from.given) {
		begin++;
		if (row->item[from].kind == BOB_VALUE_BEGIN) {
			while (begin < row->count && row->item[begin].kind != BOB_VALUE_END &&
			       !is_event(&row->item[begin]))
				begin++;
			if (begin == row->count || row->item[begin].kind == BOB_VALUE_END)
				begin += begin < row->count;
		}
	}
	if (s->to.given && row->item[to].kind == BOB_VALUE_BEGIN)
		for (end = to + 1; end < row->count && row->item[end].kind != BOB_VALUE_END;)
			end++;
	for (size_t i = 0; i < row->count; i++) {
		const struct item *x = &row->item[i];
		int inside = i >= begin && i < to;
		int edge = (s->from.given &&
			    (i == from || (i < begin && i > from && x->kind == BOB_VALUE_END))) ||
			   (s->to.given && (i == to || (i == end && end > to)));

		if (inside || edge || (s->keep_syncs && x->kind == SYNC_ITEM))
			out->item[out->count++] = *x;
	}
	return BOB_STRETCH_FOUND;
}

/* --- programs --- */

static uint64_t draw(struct sync_program *p, uint64_t below)
{
	p->random = p->random * 6364136223846793005ull + 1442695040888963407ull;
	return (p->random >> 33) % below;
}

static void put_event(struct sync_program *p, uint64_t what, int whole, uint64_t address)
{
	static const uint32_t marks[2][WHATS] = { { BOB_MEM_EVENT_BEGIN, PLACE_OTHER_BEGIN },
						  { BOB_MEM_EVENT, PLACE_OTHER } };

	for (uint32_t t = 0; t < 2; t++) {
		sync_put(p, t, marks[whole][what], place_none);
		if (whole)
			continue;
		sync_access(p, t, PLACE_LOAD, address);
		sync_put(p, t, BOB_MEM_EVENT_END, place_none);
	}
}

static void put_access(struct sync_program *p, uint64_t address)
{
	for (uint32_t t = 0; t < 2; t++)
		sync_access(p, t, PLACE_LOAD, address);
}

/* The same in threads 0, raw, and 1, folded. */
static void put_loop(struct sync_program *p, uint32_t depth, uint64_t base)
{
	uint64_t trips = 1 + draw(p, 9), items = 1 + draw(p, 3), kinds = p->random, first;
	int irregular = !draw(p, 4);

	first = p->random;
	for (uint64_t i = 0; i < trips; i++) {
		if (!irregular)
			p->random = first;
		for (uint64_t k = 0; k < items && p->raw_count < WORDS; k++) {
			uint64_t kind = (kinds >> 4 * k) % 16, address = base + 64 * i + 8 * k;

			if (kind < 6 || (kind > 12 && !depth))
				put_access(p, irregular ? draw(p, 1000) * 8 : address);
			else if (kind < 10)
				put_event(p, kind % WHATS, kind < 9, address);
			else if (kind < 12)
				for (uint32_t t = 0; t < 2; t++)
					sync_put(p, t, BOB_MEM_SYNC, (const uint64_t[]){ 4096 });
			else
				put_loop(p, depth - 1, base + 4096 * i);
		}
	}
}

static void make(struct build *b, uint64_t seed)
{
	struct sync_program *p = calloc(1, sizeof(*p));

	assert_non_null(p);
	p->random = seed;
	golden_memory_images(b, 1000);
	p->b = b;
	place_descs(p);
	sync_threads(p);
	if (draw(p, 3) == 0)
		for (uint32_t t = 0; t < 2; t++)
			sync_put(p, t, BOB_MEM_EVENTS, (const uint64_t[]){ 4 });
	while (p->raw_count < 4000 && draw(p, 12))
		put_loop(p, 2, 0x555500004000 + draw(p, 100) * 4096);
	for (uint32_t t = 1; t < SYNC_THREADS; t++)
		folded_end(&p->folded[t]);
	build_mem_raw(b, 0, p->raw, p->raw_count, 0, MEM_SEALED);
	bob_file_end(build_head(b), BOB_FILE_CLOSED, BOB_STOP_NONE, 9000);
	free(p);
}

/* --- comparing --- */

static void draw_end(struct sync_program *p, uint64_t events, struct bob_stretch_end *end)
{
	static const uint32_t whats[WHATS] = { PLACE_SEND, PLACE_BARRIER };

	*end = (struct bob_stretch_end){ .given = draw(p, 6) != 0,
					 .by_number = draw(p, 2) == 0,
					 .what = whats[draw(p, WHATS)],
					 .number = draw(p, events + 2) };
}

static void same(const struct row *got, const struct row *want)
{
	assert_int_equal(got->count, want->count);
	for (size_t i = 0; i < got->count; i++) {
		assert_int_equal(got->item[i].kind, want->item[i].kind);
		assert_int_equal(got->item[i].value, want->item[i].value);
	}
}

static void try_seed(uint64_t seed, struct row row[3])
{
	static const uint32_t threads[2] = { 0, 1 };
	struct sync_program random = { .random = seed };
	struct build b;
	struct bob_trace *t;
	uint64_t events = 0, accesses = 0;

	make(&b, seed);
	t = open_one(&b);
	read_row(t, 1, &row[1]);
	read_row(t, 0, &row[0]);
	same(&row[0], &row[1]);
	bob_trace_close(t);
	for (size_t i = 0; i < row[0].count; i++) {
		events += (uint64_t)is_event(&row[0].item[i]);
		accesses += !row[0].item[i].kind;
	}
	for (uint32_t k = 0; k < 12; k++) {
		struct bob_stretch s = { .keep_syncs = draw(&random, 2) == 0 };
		enum bob_stretch_lack lack[2], want;

		draw_end(&random, events, &s.from);
		draw_end(&random, events, &s.to);
		want = cut(&row[0], &s, &row[2]);
		t = open_one(&b);
		assert_int_equal(bob_trace_restrict(t, threads, 2, &s, lack), BOB_OK);
		for (uint32_t i = 0; i < 2; i++) {
			/* which of two reasons comes first does not matter */
			if (accesses && events)
				assert_int_equal(lack[i] == BOB_STRETCH_FOUND,
						 want == BOB_STRETCH_FOUND);
			else if (want == BOB_STRETCH_FOUND)
				assert_int_equal(lack[i], accesses ? BOB_STRETCH_NO_EVENTS :
								     BOB_STRETCH_NO_ACCESSES);
			read_row(t, threads[i], &row[1]);
			if (lack[i] == BOB_STRETCH_FOUND)
				same(&row[1], &row[2]);
		}
		assert_int_equal(bob_trace_restrict(t, threads, 2, &s, lack), BOB_ERR_INVAL);
		bob_trace_close(t);
	}
	build_free(&b);
}

static void random_records(void **state)
{
	struct row row[3];

	(void)state;
	for (int i = 0; i < 3; i++)
		row[i].item = calloc(ITEMS, sizeof(struct item));
	for (uint64_t seed = 1; seed <= SEEDS; seed++)
		try_seed(seed, row);
	for (int i = 0; i < 3; i++)
		free(row[i].item);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_records),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
