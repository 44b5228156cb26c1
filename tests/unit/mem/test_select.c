/* SPDX-License-Identifier: BSD-3-Clause */
/* A selection of records has the accesses of all records that touch a box, in their order, under
 * the same calls. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "../fold/events.h"
#include "descs.h"
#include "mem/select.h"

#define DESCS 24u
#define MADE 40000u
#define FIRST 4096u	/* number of what is made */
#define VALUES 60000u
#define BOXES 40u
#define BIAS 0x10000u
#define SPACE (1u << 20) /* addresses are below */

static struct desc_capacity descs[DESCS];
static struct bob_mem_desc made[MADE];
static uint32_t made_count;
static uint64_t raw[VALUES], out[8 * VALUES];
static size_t raw_count, out_count;
static uint64_t
	boxes_words[(sizeof(struct bob_mem_boxes) + BOXES * sizeof(struct bob_mem_box)) / 8];
static struct bob_mem_boxes *const boxes = (void *)boxes_words;
static int locked;
static struct bob_mem_selection *selection;
static struct bob_mem_selector *selector;

/* --- what a selection asks for --- */

static bob_status find_desc(void *ctx, uint32_t number, struct bob_mem_desc *d, uint64_t *bias)
{
	(void)ctx;
	assert_true(locked);
	if (number >= DESCS)
		return BOB_ERR_CORRUPT;
	*d = descs[number].d;
	*bias = BIAS;
	return BOB_OK;
}

/* What is asked for is for ever: until the next round. */
static void *kept[4 * MADE];
static size_t kept_count;

static void *get_memory(void *ctx, size_t bytes)
{
	(void)ctx;
	assert_true(locked && kept_count < 4 * MADE);
	kept[kept_count] = calloc(1, bytes);
	assert_non_null(kept[kept_count]);
	return kept[kept_count++];
}

static void free_memory(void)
{
	while (kept_count)
		free(kept[--kept_count]);
	free(selection);
	free(selector);
}

/* Through its bytes: they must be such as a reader takes. */
static uint32_t make_desc(void *ctx, const struct bob_mem_desc *d)
{
	struct bob_mem_access *access = get_memory(ctx, (d->access_count + 1) * sizeof(*access));
	struct bob_mem_step *step = get_memory(ctx, BOB_MEM_WORDS_MAX * sizeof(*step));
	static uint8_t bytes[BOB_MEM_DESC_BYTES(BOB_MEM_ACCESSES_MAX)];
	const uint8_t *at = bytes;
	size_t n;

	assert_true(made_count < MADE);
	n = bob_mem_desc_put(d, bytes);
	assert_int_equal(bob_mem_desc_get(&at, bytes + n, &made[made_count], access, step), BOB_OK);
	assert_true(at == bytes + n && desc_equal(d, &made[made_count]));
	return FIRST + made_count++;
}

static void lock(void *ctx)
{
	(void)ctx;
	assert_false(locked);
	locked = 1;
}

static void unlock(void *ctx)
{
	(void)ctx;
	assert_true(locked);
	locked = 0;
}

static uint64_t *get_space(void *ctx, uint32_t words)
{
	(void)ctx;
	assert_true(out_count + words <= sizeof(out) / sizeof(out[0]));
	out_count += words;
	return out + out_count - words;
}

/* --- accesses --- */

static const struct bob_mem_desc *desc_of(uint64_t header)
{
	uint32_t number = header & BOB_MEM_NUMBER;

	assert_true(header & BOB_MEM_HEADER);
	return number < DESCS ? &descs[number].d : &made[number - FIRST];
}

struct list {
	struct bob_mem_event e[VALUES];
	size_t count, marks, outside;
};
static struct list all, chosen;

static int is_chosen(const struct bob_mem_event *e)
{
	for (uint32_t i = 0; i < boxes->count; i++)
		if (e->address < boxes->box[i].hi && e->address + e->size > boxes->box[i].lo)
			return 1;
	return 0;
}

/* Of those that are in earlier records, too, `again` are skipped. */
static void expand(const uint64_t *rec, size_t count, struct list *l, int filter)
{
	uint64_t again = 0;

	memset(l, 0, sizeof(*l));
	for (size_t at = 0, n; at < count; at += 1 + n) {
		const struct bob_mem_desc *d = desc_of(rec[at]);
		struct bob_mem_event e;
		struct bob_mem_walk w;
		bob_status st;

		assert_int_equal(bob_mem_record_count(d, rec + at + 1, count - at - 1, 0, &n),
				 BOB_OK);
		if (d->kind == BOB_MEM_MARK) {
			again += d->mark == BOB_MEM_AGAIN ? rec[at + 1] : 0;
			l->marks += d->mark != BOB_MEM_AGAIN;
			continue;
		}
		assert_int_equal(bob_mem_walk_begin(&w, d, rec + at + 1, n, BIAS), BOB_OK);
		while ((st = bob_mem_walk_next(&w, &e)) != BOB_END) {
			if (st != BOB_OK || (again && again--))
				continue;
			if (filter && !is_chosen(&e)) {
				l->outside++;
				continue;
			}
			assert_true(l->count < VALUES);
			l->e[l->count++] = e;
		}
	}
}

/* --- making records --- */

static int64_t small_step(uint64_t *seed)
{
	static const int64_t steps[] = { 0, 1, 8, 8, 16, -8, -24, 800, -800, 4096, 7 };

	return steps[desc_below(seed, sizeof(steps) / sizeof(*steps))];
}

/* Addresses meet boxes often, and steps are those of arrays. */
static void tame(struct desc_capacity *r, uint64_t *seed)
{
	struct bob_mem_desc *d = &r->d;

	d->access_count = d->access_count > 70 ? 70 : d->access_count;
	d->sp_begin = d->sp_end = 0;
	d->flow &= (uint8_t)~BOB_MEM_PART; /* what is made of pieces, not what engines make */
	for (uint32_t i = 0; i < d->access_count; i++) {
		r->access[i].offset = (int64_t)desc_below(seed, desc_below(seed, 2) ? 64 : 40000);
		if (r->access[i].size > 64)
			r->access[i].size = 8;
	}
	for (unsigned i = 0; d->kind == BOB_MEM_LOOP && i < d->words; i++) {
		r->step[i].constant = small_step(seed);
		r->step[i].word = BOB_MEM_NO_WORD;
		r->step[i].scale = 0;
	}
	for (uint32_t i = 0; i < d->access_count; i++)
		if (d->kind == BOB_MEM_LOOP && r->access[i].guard < d->words)
			r->step[r->access[i].guard].constant = 0;
	if (d->kind == BOB_MEM_LOOP && !d->payload && !r->step[d->counter].constant) {
		r->step[d->counter].constant = -8;
		for (uint32_t i = 0; i < d->access_count; i++)
			if (r->access[i].guard == d->counter)
				r->access[i].guard = BOB_MEM_NO_WORD;
	}
	for (unsigned i = 0; d->kind == BOB_MEM_LOOP && i < d->words; i++) {
		unsigned k = (unsigned)desc_below(seed, d->words);

		if (i == k || (i == d->counter && !d->payload) || r->step[i].constant ||
		    r->step[k].constant || r->step[k].word != BOB_MEM_NO_WORD)
			continue;
		for (uint32_t a = 0; a < d->access_count; a++)
			if (r->access[a].guard == i)
				k = d->words;
		for (unsigned w = 0; w < d->words; w++)
			if (r->step[w].word == i)
				k = d->words;
		if (k == d->words)
			continue;
		r->step[i].word = (uint8_t)k;
		r->step[i].scale = (uint8_t)(1 + desc_below(seed, 8));
	}
}

static void put_record(uint32_t number, uint64_t *seed)
{
	const struct bob_mem_desc *d = &descs[number].d;
	uint64_t trips = desc_below(seed, 40), sp = 1u << 30;
	uint64_t *word = raw + raw_count + 1;

	if (raw_count + 3 + d->words + 40u * d->payload > VALUES)
		return;
	raw[raw_count] = BOB_MEM_HEADER | desc_random(seed) << 33 | number;
	raw_count += 1u + d->words;
	for (unsigned w = 0; w < d->words; w++)
		word[w] = desc_below(seed, 8) ? SPACE / 2 + desc_below(seed, SPACE / 4) :
						desc_below(seed, 9);
	if (d->kind == BOB_MEM_MARK) {
		word[0] = desc_below(seed, 50);
		word[1] = 0;
	} else if (d->sp_word != BOB_MEM_NO_WORD) {
		word[d->sp_word] = sp + 16 * desc_below(seed, 12);
	}
	if (d->kind != BOB_MEM_LOOP)
		return;
	if (!d->payload)
		raw[raw_count++] =
			word[d->counter] + trips * (uint64_t)d->step[d->counter].constant;
	for (uint64_t t = 0; d->payload && t < trips; t++)
		for (unsigned k = 0; k < d->payload; k++)
			raw[raw_count++] = SPACE / 2 + desc_below(seed, SPACE / 4);
}

static void make_records(uint64_t *seed)
{
	for (uint32_t i = 0; i < DESCS; i++) {
		desc_make(&descs[i], seed);
		tame(&descs[i], seed);
	}
	raw_count = 0;
	for (uint64_t k = 0, n = 1 + desc_below(seed, 60); k < n; k++)
		put_record((uint32_t)desc_below(seed, DESCS), seed);
}

static void make_boxes(uint64_t *seed)
{
	uint64_t wide = 1ull << desc_below(seed, 19);
	uint32_t n = (uint32_t)desc_below(seed, BOXES);

	for (uint32_t i = 0; i < n; i++) {
		uint64_t lo = desc_below(seed, 8) ? SPACE / 2 + desc_below(seed, SPACE / 4) : BIAS;

		boxes->box[i] = (struct bob_mem_box){ lo, lo + desc_below(seed, wide) };
	}
	boxes->count = bob_mem_boxes_sort(boxes->box, n);
	for (uint32_t i = 1; i < boxes->count; i++)
		assert_true(boxes->box[i - 1].hi < boxes->box[i].lo);
}

static void begin(void)
{
	selection = calloc(1, sizeof(*selection));
	selector = calloc(1, sizeof(*selector));
	assert_true(selection && selector);
	selection->io = (struct bob_mem_selection_io){ .desc = find_desc, .make = make_desc,
						       .alloc = get_memory, .lock = lock,
						       .unlock = unlock };
	selection->boxes = boxes;
	selector->of = selection;
	selector->reserve = get_space;
	made_count = 0;
	out_count = 0;
}

static void check_same(const struct list *a, const struct list *b)
{
	assert_int_equal(a->count, b->count);
	assert_int_equal(a->marks, b->marks);
	for (size_t i = 0; i < a->count; i++) {
		const struct bob_mem_event *x = &a->e[i], *y = &b->e[i];

		assert_true(x->address == y->address && x->pc == y->pc && x->image == y->image &&
			    x->size == y->size && x->type == y->type);
	}
}

static void test_same_accesses(void **state)
{
	uint64_t seed = 1, parts = 0, taken = 0;

	(void)state;
	for (int round = 0; round < 3000; round++) {
		size_t used, half;

		make_boxes(&seed);
		make_records(&seed);
		begin();
		/* in two halves, as it comes from buffers */
		for (half = 0; half < raw_count / 2;)
			half += 1 + (desc_of(raw[half])->kind == BOB_MEM_LOOP ?
					     raw_count :
					     desc_of(raw[half])->words);
		half = half > raw_count ? 0 : half;
		assert_int_equal(bob_mem_select_put(selector, raw, half, 0, &used), BOB_OK);
		assert_int_equal(used, half);
		assert_int_equal(bob_mem_select_put(selector, raw + half, raw_count - half, 0,
						    &used),
				 BOB_OK);
		assert_int_equal(used, raw_count - half);
		expand(raw, raw_count, &all, 1);
		expand(out, out_count, &chosen, 0);
		check_same(&all, &chosen);
		assert_int_equal(selector->outside, all.outside);
		assert_int_equal(selector->inside, chosen.count);
		parts += made_count;
		taken += chosen.count;
		free_memory();
	}
	assert_true(parts > 10000 && taken > 10000);
}

/* --- calls --- */

static const struct bob_mem_desc *any_desc(void *ctx, uint32_t number)
{
	(void)ctx;
	return number < DESCS		   ? &descs[number].d :
	       number - FIRST < made_count ? &made[number - FIRST] :
					     NULL;
}

static void fold_all(const uint64_t *rec, size_t count, struct events_bytes *to)
{
	size_t a = bob_folder_size(), b = bob_mem_fold_size(), used;
	uint8_t *mem =
		mmap(NULL, a + b, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct bob_folder *folder;

	assert_true(mem != MAP_FAILED);
	folder = bob_folder_begin(mem, events_write, to);
	assert_int_equal(bob_mem_fold_put(bob_mem_fold_begin(mem + a, folder, any_desc, NULL), rec,
					  count, 0, &used),
			 BOB_OK);
	bob_folder_end(folder);
	munmap(mem, a + b);
}

/* A number for the calls that each access is in. */
static void expand_paths(const struct events_bytes *b, uint64_t *to, size_t *count, int filter)
{
	struct bob_mem_unfolded r;
	struct bob_mem_unfold *u;
	struct bob_folded *f;
	struct bob_mem_event e;
	bob_status st;

	*count = 0;
	assert_int_equal(bob_folded_open(b->at, b->len, 1, &events_alloc, &f), BOB_OK);
	assert_int_equal(bob_mem_unfold_open(f, 0, any_desc, NULL, &events_alloc, &u), BOB_OK);
	while (bob_mem_unfold_next(u, &r) == BOB_OK) {
		uint64_t hash = 0, place;
		struct bob_mem_walk w;

		for (uint32_t path = r.path; bob_folded_path(f, path, &path, &place);)
			hash = (hash ^ place) * 0x9e3779b97f4a7c15u + 1;
		if (r.desc->kind == BOB_MEM_MARK) {
			to[(*count)++] = hash;
			continue;
		}
		assert_int_equal(bob_mem_walk_begin(&w, r.desc, r.word, r.count, BIAS), BOB_OK);
		while ((st = bob_mem_walk_next(&w, &e)) != BOB_END)
			if (st == BOB_OK && (!filter || is_chosen(&e)))
				to[(*count)++] = hash;
	}
	bob_mem_unfold_close(u);
	bob_folded_close(f);
}

/* Few places of code, and stack pointers that go up and down a little. */
static void make_calls(uint64_t *seed)
{
	uint64_t sp = 1u << 30;

	raw_count = 0;
	for (uint32_t i = 0; i < DESCS; i++) {
		do {
			desc_make(&descs[i], seed);
			tame(&descs[i], seed);
		} while (descs[i].d.kind == BOB_MEM_LOOP ||
			 (descs[i].d.kind == BOB_MEM_MARK && descs[i].d.mark == BOB_MEM_AGAIN));
		if (descs[i].d.kind == BOB_MEM_MARK)
			continue;
		descs[i].d.image = (uint32_t)desc_below(seed, 2);
		descs[i].d.pc = 0x1000 + 8 * desc_below(seed, 40);
		descs[i].d.last = (uint32_t)desc_below(seed, 8);
		if (descs[i].d.sp_word ==
		    BOB_MEM_NO_WORD) /* whether it directly follows a call is asked once only */
			descs[i].d.pc += 0x100000;
	}
	for (int k = 0; k < 400; k++) {
		uint32_t n = (uint32_t)desc_below(seed, DESCS);
		size_t at = raw_count;

		put_record(n, seed);
		if (descs[n].d.kind == BOB_MEM_MARK || descs[n].d.sp_word == BOB_MEM_NO_WORD ||
		    raw_count == at)
			continue;
		raw[at + 1 + descs[n].d.sp_word] = sp;
		if (descs[n].d.flow & BOB_MEM_CALLS)
			sp -= 16 * (1 + desc_below(seed, 3));
		else if (descs[n].d.flow & BOB_MEM_RETURNS)
			sp += 16 * desc_below(seed, 6);
	}
}

static void test_same_calls(void **state)
{
	static uint64_t want[VALUES], have[VALUES];
	uint64_t seed = 5, deep = 0;

	(void)state;
	for (int round = 0; round < 60; round++) {
		struct events_bytes a = { 0 }, b = { 0 };
		size_t used, wants, has;

		make_boxes(&seed);
		make_calls(&seed);
		begin();
		assert_int_equal(bob_mem_select_put(selector, raw, raw_count, 0, &used), BOB_OK);
		fold_all(raw, raw_count, &a);
		fold_all(out, out_count, &b);
		expand_paths(&a, want, &wants, 1);
		expand_paths(&b, have, &has, 0);
		assert_int_equal(wants, has);
		for (size_t i = 0; i < has; i++) {
			assert_true(want[i] == have[i]);
			deep += want[i] != 0;
		}
		free(a.at);
		free(b.at);
		free_memory();
	}
	assert_true(deep > 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_accesses),
		cmocka_unit_test(test_same_calls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
