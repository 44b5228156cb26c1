/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts the accesses of a thread. Folded records are counted without expansion, from the number of
 * occurrences of each descriptor and the sums of trip counts. Records are read one by one only if
 * that is insufficient (repeated accesses, values without a rule, variable masks). */
#include <stdbool.h>
#include <stdlib.h>

#include "archive/reader.h"
#include "mem/fold.h"

/* --- record by record --- */

static uint64_t again_of(const struct bob_mem_record *rec)
{
	return rec->desc->kind == BOB_MEM_MARK && rec->desc->mark == BOB_MEM_AGAIN && rec->count ?
		       rec->word[0] :
		       0;
}

static uint64_t count_record(const struct bob_mem_record *rec, uint64_t *again)
{
	struct bob_mem_walk w;
	uint64_t n, repeated;

	if (rec->lost)
		*again = 0;
	*again += again_of(rec);
	if (rec->desc->kind == BOB_MEM_MARK ||
	    bob_mem_walk_begin(&w, rec->desc, rec->word, rec->count, 0) != BOB_OK)
		return 0;
	n = bob_mem_walk_count(&w);
	repeated = n < *again ? n : *again;
	*again -= repeated;
	return n - repeated;
}

static uint64_t count_records(const struct bob_process *p, const struct bob_stream *s,
			      bool has_folded)
{
	struct bob_mem_record rec;
	struct bob_records r;
	uint64_t again = 0, n = 0;
	bob_status st;

	bob_records_open(&r, p, s);
	if (has_folded)
		bob_records_skip_folded(&r);
	while ((st = bob_records_next(&r, &rec, NULL)) == BOB_OK || st == BOB_ERR_CORRUPT)
		if (st == BOB_OK)
			n += count_record(&rec, &again);
	bob_records_close(&r);
	return n;
}

/* --- folded records --- */

struct leaf {
	const struct bob_stream *s;
	const struct bob_mem_desc *desc;
	uint32_t part, shape;
	uint64_t times;		/* number of occurrences */
};

struct sum {
	const struct bob_mem_desc *desc;
	uint64_t value, first;
	bool has_first, is_constant; /* the pieces have only the value `first` */
	bool is_bad;
};

/* Number of accesses per iteration if all guards are this word. */
static uint64_t happen(const struct bob_mem_desc *d, uint64_t guard)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < d->access_count; i++)
		n += d->access[i].guard == BOB_MEM_NO_WORD || (guard >> d->access[i].guard_bit & 1);
	return n;
}

static int add_values(void *ctx, const struct bob_piece *p)
{
	struct sum *s = ctx;
	uint64_t v = 0;

	s->is_bad |= bob_piece_sum(p, &v) != BOB_OK;
	s->value += v;
	return s->is_bad;
}

/* The piece's values are guard masks. */
static int add_happening(void *ctx, const struct bob_piece *p)
{
	struct sum *s = ctx;
	struct bob_piece ones = *p;
	uint64_t count = 0;

	ones.base = 1;
	for (uint32_t d = 0; d < p->dims; d++) {
		s->is_bad |= p->step[d] != 0;
		ones.step[d] = 0;
	}
	s->is_bad |= bob_piece_sum(&ones, &count) != BOB_OK;
	s->is_constant = s->has_first ? s->is_constant && p->base == s->first : true;
	s->first = s->has_first ? s->first : p->base;
	s->has_first = true;
	s->value += count * happen(s->desc, p->base);
	return s->is_bad;
}

static bool sum_of(const struct leaf *l, uint32_t word,
		   int (*add)(void *ctx, const struct bob_piece *p), struct sum *sum)
{
	int left = 0;

	*sum = (struct sum){ .desc = l->desc };
	return bob_folded_pieces(l->s->folded, l->s->participant, l->part, 2 * l->shape, word, add,
				 sum, &left) == BOB_OK &&
	       !left && !sum->is_bad;
}

/* Finds the only guard word; BOB_MEM_NO_WORD: no guards. False: there are several. */
static bool find_guard(const struct bob_mem_desc *d, uint32_t *guard)
{
	*guard = BOB_MEM_NO_WORD;
	for (uint32_t i = 0; i < d->access_count; i++) {
		const uint32_t own = d->access[i].guard;

		if (own != BOB_MEM_NO_WORD && *guard != BOB_MEM_NO_WORD && own != *guard)
			return false;
		*guard = own != BOB_MEM_NO_WORD ? own : *guard;
	}
	return true;
}

static bool count_loop(const struct leaf *l, uint32_t guard, uint64_t *n)
{
	const struct bob_mem_desc *d = l->desc;
	const int64_t step = d->step[d->counter].constant;
	struct sum begin, end, mask = { 0 };
	uint64_t way;

	if (guard != BOB_MEM_NO_WORD &&
	    (!sum_of(l, guard, add_happening, &mask) || !mask.is_constant))
		return false;
	if (!sum_of(l, d->counter, add_values, &begin) || !sum_of(l, d->words, add_values, &end))
		return false;
	way = end.value - begin.value;
	*n = (step < 0 ? -way / -(uint64_t)step : way / (uint64_t)step) * happen(d, mask.first);
	return true;
}

static bool count_leaf(const struct leaf *l, uint64_t *n)
{
	struct sum mask;
	uint32_t guard;

	*n = 0;
	if (l->desc->kind == BOB_MEM_MARK)
		return l->desc->mark != BOB_MEM_AGAIN;
	if (!find_guard(l->desc, &guard))
		return false;
	if (l->desc->kind == BOB_MEM_LOOP && !l->desc->payload)
		return count_loop(l, guard, n);
	*n = l->times * l->desc->access_count;
	if (guard == BOB_MEM_NO_WORD)
		return true;
	if (!sum_of(l, guard, add_happening, &mask))
		return false;
	*n = mask.value;
	return true;
}

static bool count_part(const struct bob_process *p, const struct bob_stream *s, uint32_t part,
		       uint64_t *times, uint64_t *loop, uint64_t *n)
{
	bool ok = bob_folded_counts(s->folded, s->participant, part, times, loop) == BOB_OK;

	for (uint32_t i = 0; i < bob_folded_shapes(s->folded) && ok; i++) {
		struct leaf l = { .s = s, .part = part, .shape = i, .times = times[i] };
		struct bob_fold_shape info;
		uint32_t number;
		uint64_t own;

		if (!times[i])
			continue;
		bob_folded_shape(s->folded, i, &info);
		ok = bob_mem_leaf_key(info.key, info.key_len, &number) == BOB_OK &&
		     (l.desc = bob_desc_find(p, number)) != NULL &&
		     info.words == bob_mem_leaf_words(l.desc) && count_leaf(&l, &own);
		*n += ok ? own : 0;
	}
	return ok;
}

/* False: the records have to be read. */
static bool count_folded(const struct bob_process *p, const struct bob_stream *s, uint64_t *n)
{
	const uint32_t parts = bob_folded_parts(s->folded, s->participant);
	uint64_t *times = calloc(bob_folded_shapes(s->folded) + 1u, sizeof(*times));
	uint64_t *loop = calloc(bob_folded_loops(s->folded) + 1u, sizeof(*loop));
	bool ok = times && loop;

	*n = 0;
	for (uint32_t part = 0; part < parts && ok; part++)
		ok = count_part(p, s, part, times, loop, n);
	free(times);
	free(loop);
	return ok;
}

uint64_t bob_trace_accesses(const struct bob_trace *t, uint32_t thread)
{
	pthread_mutex_t *lock = (pthread_mutex_t *)(uintptr_t)&t->lock;
	const struct bob_process *p;
	struct bob_stream *s;
	uint64_t folded = 0;
	bool is_counted;

	if (thread >= t->thread_count)
		return 0;
	s = t->threads[thread];
	p = t->processes[s->info.process];
	pthread_mutex_lock(lock);
	if (!s->accesses_counted) {
		is_counted = s->folded && !s->stretch && bob_folded_count(s->folded) &&
			     count_folded(p, s, &folded);
		s->accesses = (is_counted ? folded : 0) + count_records(p, s, is_counted);
		s->accesses_counted = 1;
	}
	pthread_mutex_unlock(lock);
	return s->accesses;
}
