/* SPDX-License-Identifier: BSD-3-Clause */
/* Merging, exhaustively: all sequences of at most MOST events over a small alphabet, of two and of
 * three participants, merged by every tree. All trees give the same bytes, and these expand to what
 * each participant recorded. With a sanitizer (share.h) all pairs and one in five of the
 * triples. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../share.h"
#include "events.h"

#define MOST 4u
#define SEQUENCES_MAX 121u	/* of three letters */
#define RANKS 3u

/* Two values of one shape, and a shape without words. Three participants of four events over all of
 * it are too many for a test of seconds: they are sampled. All are tried over two letters, and of
 * three events. */
static const struct letter {
	uint32_t shape, words;
	uint64_t word;
} alphabet[] = { { 1, 1, 0 }, { 1, 1, 1 }, { 2, 0, 0 } };

/* --- memory that is taken piece after piece, and freed all at once --- */

#define ARENA (64u << 20)

struct arena {
	uint8_t *at;
	size_t used;
};

static void *arena_resize(void *ctx, void *old, size_t old_size, size_t size)
{
	struct arena *a = ctx;
	void *p = a->at + a->used;

	if (!size)
		return NULL;
	size = (size + 15) & ~(size_t)15;
	if (size > ARENA - a->used)
		abort();
	a->used += size;
	return old ? memcpy(p, old, old_size < size ? old_size : size) : p;
}

static struct arena kept, passing; /* what is merged once for all; what is of one case */
static const struct bob_alloc keep = { arena_resize, &kept }, pass = { arena_resize, &passing };

static void *map(void)
{
	void *p = mmap(NULL, ARENA, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		abort();
	return p;
}

/* --- sequences --- */

static struct sequence {
	uint8_t letter[MOST];
	uint32_t count;
	struct bob_folded *folded[RANKS]; /* as that of each rank */
} sequence[SEQUENCES_MAX];
static uint32_t sequences;

static void fold(struct sequence *s)
{
	struct events e;

	events_begin(&e);
	for (uint32_t i = 0; i < s->count; i++) {
		const struct letter *l = &alphabet[s->letter[i]];

		events_put_words(&e, l->shape, &l->word, l->words);
	}
	bob_folder_end(e.folder);
	for (uint32_t rank = 0; rank < RANKS; rank++)
		assert_int_equal(bob_folded_open(e.out.at, e.out.len, rank, &keep,
						 &s->folded[rank]),
				 BOB_OK);
	events_free(&e);
}

static uint8_t first_letter;

/* All of at most `most` events over so many letters of the alphabet. */
static void make_sequences(uint32_t most, uint32_t letters)
{
	uint32_t begin = 0, end = 1;

	kept.used = 0;
	sequence[0].count = 0;
	for (uint32_t len = 1; len <= most; len++) {
		uint32_t at = end;

		for (uint32_t i = begin; i < end; i++)
			for (uint32_t l = 0; l < letters; l++, at++) {
				sequence[at] = sequence[i];
				sequence[at].letter[sequence[at].count++] =
					(uint8_t)(first_letter + l);
			}
		begin = end;
		end = at;
	}
	sequences = end;
	for (uint32_t i = 0; i < sequences; i++)
		fold(&sequence[i]);
}

/* --- what came out --- */

static int is_sequence(const struct bob_folded *f, uint32_t participant, const struct sequence *s)
{
	struct bob_fold_cursor *c;
	struct bob_fold_event e;
	uint32_t n = 0, shape;
	bob_status st = bob_fold_cursor_open(f, participant, &c);

	assert_int_equal(st, BOB_OK);
	while ((st = bob_fold_cursor_next(c, &e)) == BOB_OK && n < s->count) {
		const struct letter *l = &alphabet[s->letter[n++]];
		struct bob_fold_shape sh;

		bob_folded_shape(f, e.shape, &sh);
		memcpy(&shape, sh.key, sizeof(shape));
		if (shape != l->shape || e.words != l->words || (l->words && *e.word != l->word))
			return 0;
	}
	bob_fold_cursor_close(c);
	return st == BOB_END && n == s->count && bob_folded_events(f, participant) == n;
}

static struct events_bytes bytes, again;

static void pack(const struct bob_folded *f, struct events_bytes *b)
{
	b->len = 0;
	assert_int_equal(bob_folded_pack(f, events_write, b), BOB_OK);
}

static void is_like_first(const struct bob_folded *f)
{
	pack(f, &again);
	if (again.len != bytes.len || memcmp(again.at, bytes.at, bytes.len))
		fail_msg("another order, other bytes");
}

static struct bob_folded *merge(const struct bob_folded *a, const struct bob_folded *b)
{
	struct bob_folded *f;

	assert_int_equal(bob_folded_merge(a, b, &pass, &f), BOB_OK);
	return f;
}

static void check_expanded(const struct sequence *const *s, uint32_t ranks)
{
	struct bob_folded *f;

	assert_int_equal(bob_folded_unpack(bytes.at, bytes.len, &pass, &f), BOB_OK);
	assert_int_equal(bob_folded_count(f), ranks);
	for (uint32_t i = 0; i < ranks; i++) {
		assert_int_equal(bob_folded_id(f, i), i);
		if (!is_sequence(f, i, s[i]))
			fail_msg("rank %u of %u expands to something else", i, ranks);
	}
}

/* --- all of them --- */

static void check_pair(uint32_t i, uint32_t k)
{
	const struct sequence *s[2] = { &sequence[i], &sequence[k] };

	passing.used = 0;
	pack(merge(s[0]->folded[0], s[1]->folded[1]), &bytes);
	is_like_first(merge(s[1]->folded[1], s[0]->folded[0]));
	check_expanded(s, 2);
}

static void check_triple(uint32_t i, uint32_t k, uint32_t l)
{
	const struct sequence *s[RANKS] = { &sequence[i], &sequence[k], &sequence[l] };
	const struct bob_fold_source at_once[RANKS] = { { .folded = s[2]->folded[2] },
							{ .folded = s[0]->folded[0] },
							{ .folded = s[1]->folded[1] } };
	struct bob_folded *all;

	passing.used = 0;
	pack(merge(merge(s[0]->folded[0], s[1]->folded[1]), s[2]->folded[2]), &bytes);
	is_like_first(merge(s[0]->folded[0], merge(s[2]->folded[2], s[1]->folded[1])));
	is_like_first(merge(merge(s[0]->folded[0], s[2]->folded[2]), s[1]->folded[1]));
	assert_int_equal(bob_folded_merge_all(at_once, RANKS, &pass, &all), BOB_OK);
	is_like_first(all);
	check_expanded(s, RANKS);
}

static void test_pairs(void **state)
{
	(void)state;
	make_sequences(MOST, 3);
	assert_int_equal(sequences, SEQUENCES_MAX);
	for (uint32_t i = 0; i < sequences; i++)
		for (uint32_t k = 0; k < sequences; k++)
			check_pair(i, k);
}

static void check_triples(uint32_t most, uint32_t letters, uint32_t every)
{
	uint32_t number = 0;

	every *= share_every();
	make_sequences(most, letters);
	for (uint32_t i = 0; i < sequences; i++)
		for (uint32_t k = 0; k < sequences; k++)
			for (uint32_t l = 0; l < sequences; l++)
				if (number++ % every == 0)
					check_triple(i, k, l);
}

static void test_values(void **state)
{
	(void)state;
	check_triples(MOST, 2, 1);
}

static void test_shapes(void **state)
{
	(void)state;
	first_letter = 1;
	check_triples(MOST, 2, 1);
	first_letter = 0;
}

static void test_both(void **state)
{
	(void)state;
	check_triples(MOST - 1, 3, 1);
}

/* These are 1.8 million: of them one in 61, which divides no power of the alphabet's size. */
static void test_some(void **state)
{
	(void)state;
	check_triples(MOST, 3, 61);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pairs),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_shapes),
		cmocka_unit_test(test_both),
		cmocka_unit_test(test_some),
	};

	kept.at = map();
	passing.at = map();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
