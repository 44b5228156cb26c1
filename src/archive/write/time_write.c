/* SPDX-License-Identifier: BSD-3-Clause */
/* Recording of statistics of times: an open-addressing hash table of pairs; its rows are updated in
 * place in the mapped file. */
#include "archive/write/time_write.h"

#include <string.h>

#define SLOTS_FIRST 8u
#define SLOTS_MAX 128u		/* per chunk */
#define TABLE (2 * BOB_TIME_PAIRS_MAX)

struct entry {
	uint64_t pair;		/* from << 32 | to, + 1; 0: free */
	struct bob_time_slot *slot;
};

struct bob_times {
	bob_fold_chunk_fn chunk;
	void *ctx;
	uint32_t stream;
	uint32_t pairs;
	struct bob_chunk_head *newest;
	uint64_t left_out;
	struct entry table[TABLE];
};

size_t bob_times_size(void)
{
	return sizeof(struct bob_times);
}

struct bob_times *bob_times_begin(void *mem, bob_fold_chunk_fn chunk, void *ctx, uint32_t stream)
{
	struct bob_times *t = mem;

	t->chunk = chunk;
	t->ctx = ctx;
	t->stream = stream;
	return t;
}

uint64_t bob_times_left_out(const struct bob_times *t)
{
	return t->left_out;
}

/* --- sums --- */

static void add_square(uint64_t square[2], uint64_t low, uint64_t high)
{
	square[0] += low;
	square[1] += high + (square[0] < low);
}

static inline __attribute__((always_inline)) void take(struct bob_time_sums *s, uint64_t count,
						       uint64_t ns)
{
	unsigned __int128 square = (unsigned __int128)ns * ns;

	if (__builtin_expect(ns < s->min || !count, 0))
		s->min = ns;
	if (__builtin_expect(ns > s->max, 0))
		s->max = ns;
	s->sum += ns;
	add_square(s->square, (uint64_t)square, (uint64_t)(square >> 64));
	s->bin[bob_time_bin(ns)]++;
}

void bob_time_sums_add(struct bob_time_sums *a, uint64_t a_count, const struct bob_time_sums *b)
{
	a->min = !a_count || b->min < a->min ? b->min : a->min;
	a->max = b->max > a->max ? b->max : a->max;
	a->sum += b->sum;
	add_square(a->square, b->square[0], b->square[1]);
	for (uint32_t i = 0; i < BOB_TIME_BINS; i++)
		a->bin[i] += b->bin[i];
}

/* --- slots --- */

static struct bob_time_slot *new_slot(struct bob_times *t, uint32_t from, uint32_t to)
{
	struct bob_chunk_head *c = t->newest;
	struct bob_time_slot *slot;
	uint64_t off, slots = c ? 2 * (c->size / sizeof(*slot)) : SLOTS_FIRST;

	if (t->pairs == BOB_TIME_PAIRS_MAX)
		return NULL;
	if (!c || c->size - c->len < sizeof(*slot)) {
		slots = slots < SLOTS_MAX ? slots : SLOTS_MAX;
		c = t->chunk(t->ctx, BOB_CHUNK_TIMES, t->stream, slots * sizeof(*slot), 0, &off);
		if (!c)
			return NULL;
		t->newest = c;
	}
	slot = (struct bob_time_slot *)(void *)((uint8_t *)bob_chunk_data(c) + c->len);
	slot->from = from;
	slot->to = to;
	bob_chunk_set_len(c, c->len + sizeof(*slot));
	t->pairs++;
	return slot;
}

static inline __attribute__((always_inline)) void
take_both(struct bob_time_slot *s, uint64_t interval_ns, uint64_t duration_ns)
{
	take(&s->interval, s->count, interval_ns);
	take(&s->duration, s->count, duration_ns);
	s->count++;
}

/* Slow path: collision, or a new pair. */
static __attribute__((noinline)) void search(struct bob_times *t, uint64_t pair, uint64_t at,
					     uint64_t interval_ns, uint64_t duration_ns)
{
	struct bob_time_slot *s;

	while (t->table[at].pair && t->table[at].pair != pair)
		at = (at + 1) % TABLE;
	s = t->table[at].slot;
	if (!s) {
		s = new_slot(t, (uint32_t)((pair - 1) >> 32), (uint32_t)(pair - 1));
		if (!s) {
			t->left_out++;
			return;
		}
		t->table[at] = (struct entry){ pair, s };
	}
	take_both(s, interval_ns, duration_ns);
}

/* Hot path: a lookup, and two cache lines of sums and one of a bin, for interval and duration. */
void bob_times_add(struct bob_times *t, uint32_t from, uint32_t to, uint64_t interval_ns,
		   uint64_t duration_ns)
{
	uint64_t pair = ((uint64_t)from << 32 | to) + 1;
	uint64_t at = (pair * 0x9e3779b97f4a7c15u >> 40) % TABLE;

	if (__builtin_expect(t->table[at].pair == pair, 1))
		take_both(t->table[at].slot, interval_ns, duration_ns);
	else
		search(t, pair, at, interval_ns, duration_ns);
}
