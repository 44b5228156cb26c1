/* SPDX-License-Identifier: BSD-3-Clause */
/* The probes. A single access is a record of one word; a row of a nest (all iterations of its
 * innermost loop) is a LOOP record, described in begin.c. */
#include "probe/probe.h"

const struct bob_agent_streams *bob_pr_agent;

/* Per thread and site, the last stretch found that is not recorded, and the last one that is: loops
 * stay in one variable, or in none, or alternate. A signal handler may replace an entry at any
 * moment, and counts that in `replaced`. The memory belongs to the thread's counter
 * (count_untraced.c): static TLS would take space from the thread's stack. */
#define KNOWN 64u
struct bob_pr_memory {
	struct known {
		uint64_t version;
		uintptr_t lo, hi;
		uint64_t shift;
	} known[KNOWN][2];
	/* Queries of the site in its last stretch that is not recorded. */
	struct in_vain {
		uint32_t asked, more; /* how many; how many more than BOB_PR_ASKS are needed */
		const struct bob_probe_untraced *untraced; /* the range that was published */
	} in_vain[KNOWN];
};
static struct bob_pr_memory nothing; /* zeros, for threads without memory of their own */
static __thread struct bob_pr_memory *memory = &nothing;
static __thread uint64_t replaced;
static __thread bool replacing;

size_t bob_pr_memory_bytes(void)
{
	return sizeof(nothing);
}

void bob_pr_memory_is(struct bob_pr_memory *m)
{
	memory = m ? m : &nothing;
	replaced++;
}

static void remember(uint32_t site, const struct bob_pr_stretch *s)
{
	struct known *k;

	if (replacing)
		return;
	if (memory == &nothing)
		(void)bob_pr_count_own();
	if (memory == &nothing)
		return;
	replacing = true;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	k = &memory->known[site % KNOWN][s->wanted];
	k->version = s->version;
	k->lo = s->lo;
	k->hi = s->hi;
	k->shift = s->shift;
	if (!s->wanted)
		memory->in_vain[site % KNOWN].asked = 0;
	replaced++;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	replacing = false;
}

static inline void report(const struct bob_probe_file *f, uint32_t site, uint64_t address,
			  bool wanted)
{
	const struct bob_pr_file *own = f->own;

	if (wanted)
		(void)bob_pr_agent->source_access(own->first + site, address);
	else
		bob_pr_count(1);
}

__attribute__((noinline)) static void find_again(const struct bob_probe_file *f, uint32_t site,
						 uintptr_t at)
{
	const struct bob_pr_stretch s = bob_pr_find(at);

	remember(site, &s);
	report(f, site, at + s.shift, s.wanted);
}

static inline bool is_known_as(bool wanted, uint32_t site, uintptr_t lo, uintptr_t hi,
			       struct bob_pr_stretch *s)
{
	const struct known *k = &memory->known[site % KNOWN][wanted];
	const uint64_t before = replaced;

	__atomic_signal_fence(__ATOMIC_ACQUIRE);
	s->version = k->version;
	s->lo = k->lo;
	s->hi = k->hi;
	s->shift = k->shift;
	s->wanted = wanted;
	__atomic_signal_fence(__ATOMIC_ACQUIRE);
	return s->version == __atomic_load_n(&bob_pr_version, __ATOMIC_ACQUIRE) && lo >= s->lo &&
	       hi < s->hi && before == replaced;
}

/* Whether all of [lo, hi] is in a cached stretch, returned in *s. */
static inline bool is_known(uint32_t site, uintptr_t lo, uintptr_t hi, struct bob_pr_stretch *s)
{
	return is_known_as(true, site, lo, hi, s) || is_known_as(false, site, lo, hi, s);
}

/* Count another query in a stretch that is not recorded, and publish it as untraced if there were
 * enough. */
static inline void ask_in_vain(const struct bob_probe_file *f, uint32_t site, uintptr_t at)
{
	struct in_vain *v = &memory->in_vain[site % KNOWN];
	struct bob_pr_file *own = f->own;

	if (__builtin_expect(++v->asked < BOB_PR_ASKS || v->asked - BOB_PR_ASKS < v->more, 1))
		return;
	v->asked = 0;
	v->more = bob_pr_untraced_aim(&own->untraced, site, at, &v->untraced);
}

/* Hot path: 12 ns if the access is recorded, 3 ns if not (and the site has no untraced range);
 * bench/source. */
void bob_pr_access(struct bob_probe_file *f, uint32_t site, const volatile void *at)
{
	struct bob_pr_stretch s;

	if (__builtin_expect(!is_known(site, (uintptr_t)at, (uintptr_t)at, &s), 0))
		find_again(f, site, (uintptr_t)at);
	else if (s.wanted)
		report(f, site, (uintptr_t)at + s.shift, true);
	else {
		bob_pr_count(1);
		ask_in_vain(f, site, (uintptr_t)at);
	}
}

/* The number of pieces shorter than PIECE_MIN that a row may have; the following accesses are
 * recorded one by one. */
#define PIECES_SHORT 3u
#define PIECE_MIN 4u

/* bob_pr_find_row for the row of a site. Searches the table of variables only if the cached stretch
 * around `at` is not sufficient. */
static uint64_t find_row(const struct bob_probe_file *f, uint32_t site, uintptr_t at, int64_t step,
			 uint64_t trips, uint64_t *address, bool *wanted)
{
	struct bob_pr_stretch s;
	uint64_t same;

	if (!is_known(site, at, at, &s)) {
		s = bob_pr_find(at);
		remember(site, &s);
	} else if (!s.wanted) {
		ask_in_vain(f, site, at);
	}
	same = bob_pr_within(&s, at, step, trips);
	if (same < trips && same < PIECE_MIN)
		return bob_pr_find_row(at, step, trips, address, wanted);
	*address = at + s.shift;
	*wanted = s.wanted;
	return same;
}

struct row {
	struct bob_probe_file *file;
	const struct bob_probe_nest *nest;
	/* descriptor of rows that are recorded completely; the next one has a mask word */
	uint32_t desc;
	uint64_t trips;
	uint32_t steps;		/* number of different steps */
	uint8_t of[BOB_PROBE_NEST_LAID_MAX]; /* index of the step of each access */
	uintptr_t at[BOB_PROBE_NEST_LAID_MAX]; /* addresses in the first iteration */
	int64_t step[BOB_PROBE_NEST_LAID_MAX];
};

/* Record `count` iterations, beginning with `from`, access by access. */
static void one_by_one(const struct row *r, uint64_t from, uint64_t count)
{
	for (uint64_t i = from; i < from + count; i++)
		for (uint32_t k = 0; k < r->nest->count; k++)
			bob_pr_access(r->file, r->nest->first + k,
				      (const void *)(r->at[k] + i * (uint64_t)r->step[k]));
}

/* Put a LOOP record. Words: addresses, steps, the mask if needed, the counter and its final
 * value. */
static void put(const struct row *r, uint64_t mask, uint64_t trips, uint64_t *word)
{
	const uint32_t n = r->nest->count;
	const bool all = mask == (1ull << n) - 1;
	uint32_t words = n + r->steps;

	for (uint32_t s = 0; s < r->steps; s++)
		word[n + s] = 0;
	for (uint32_t k = 0; k < n; k++)
		if (mask >> k & 1)
			word[n + r->of[k]] = (uint64_t)r->step[k];
	if (!all)
		word[words++] = mask;
	word[words++] = 0;
	word[words++] = trips;
	(void)bob_pr_agent->source_record(r->desc + !all, word, words);
}

/* Record a piece of the row: iterations, beginning with `from`, in which each access is treated
 * alike. Returns their number; 0: it is less than `least`, and nothing was recorded. */
static uint64_t record_piece(const struct row *r, uint64_t from, uint64_t least)
{
	uint64_t word[BOB_MEM_WORDS_MAX + 1], mask = 0, count = r->trips - from;
	uint32_t outside = 0;

	for (uint32_t k = 0; k < r->nest->count; k++) {
		const uintptr_t at = r->at[k] + from * (uint64_t)r->step[k];
		bool wanted;

		count = find_row(r->file, r->nest->first + k, at, r->step[k], count, &word[k],
				 &wanted);
		if (count < least)
			return 0;
		mask |= (uint64_t)wanted << k;
		if (!wanted) {
			/* constant: the address of an untraced access differs between runs */
			word[k] = 0;
			outside++;
		}
	}
	if (mask)
		put(r, mask, count, word);
	if (outside)
		bob_pr_count(outside * count);
	return count;
}

static void record(const struct row *r)
{
	uint64_t piece, few = PIECE_MIN, shorts = 0;

	for (uint64_t i = 0; i < r->trips; i += piece) {
		const uint64_t rest = r->trips - i;

		piece = record_piece(r, i,
				     shorts < PIECES_SHORT || rest < PIECE_MIN ? 1 : PIECE_MIN);
		shorts += piece < PIECE_MIN;
		if (piece)
			continue;
		piece = few < rest ? few : rest;
		one_by_one(r, i, piece);
		few *= 2; /* if pieces are short, searching for them does not pay */
	}
}

static void begin_rows(struct row *r, struct bob_probe_file *f, uint32_t n)
{
	const struct bob_pr_file *own = f->own;

	r->file = f;
	r->nest = &f->nest[n];
	r->desc = own->first + f->sites + 2 * n;
	r->steps = bob_pr_steps(f->site + r->nest->first, r->nest->count, r->of);
}

/* Record the row in iteration `i` of the enclosing loops. */
static void record_row(struct row *r, const uint64_t *i, const volatile void *const *at,
		       const int64_t *step)
{
	const uint32_t depth = r->nest->depth;

	for (uint32_t k = 0; k < r->nest->count; k++) {
		r->at[k] = (uintptr_t)at[k];
		r->step[k] = step[k * depth + depth - 1];
		for (uint32_t d = 0; d + 1 < depth; d++)
			r->at[k] += i[d] * (uint64_t)step[k * depth + d];
	}
	record(r);
}

/* Access k of a nest, whose loops outside d are in iteration i[]: the number of iterations of loop
 * d, beginning with i[d], in which it touches nothing selected. This is a lower bound: the next
 * iteration need not be recorded. */
static uint64_t free_of(const struct row *r, uint32_t k, const uint64_t *i, uint32_t d,
			const int64_t *trips, uintptr_t at, const int64_t *step)
{
	const uint32_t site = r->nest->first + k, depth = r->nest->depth;
	const uint64_t rest = (uint64_t)trips[d] - i[d];
	uint64_t below = 0, above = 0;
	struct bob_pr_stretch s;

	for (uint32_t e = 0; e <= d; e++)
		at += i[e] * (uint64_t)step[e];
	for (uint32_t e = d + 1; e < depth; e++) {
		const uint64_t way = (uint64_t)step[e] * (uint64_t)(trips[e] - 1);

		below += step[e] < 0 ? 0 - way : 0;
		above += step[e] < 0 ? 0 : way;
	}
	if (!is_known(site, at, at, &s)) {
		s = bob_pr_find(at);
		remember(site, &s);
	}
	if (s.wanted || at - s.lo < below || s.hi - 1 - at < above)
		return 0;
	if (memory != &nothing)
		ask_in_vain(r->file, site, at);
	s.lo += below;
	s.hi -= above;
	return bob_pr_within(&s, at, step[d], rest);
}

/* Skip iterations of loop d, beginning with i[d], in which no access of the nest touches anything
 * selected. Returns their number; their accesses are counted. */
static uint64_t pass(const struct row *r, const uint64_t *i, uint32_t d, const int64_t *trips,
		     const volatile void *const *at, const int64_t *step)
{
	const uint32_t depth = r->nest->depth;
	uint64_t n = (uint64_t)trips[d] - i[d], all = r->nest->count;

	for (uint32_t k = 0; k < r->nest->count && n; k++) {
		const uint64_t own = free_of(r, k, i, d, trips, (uintptr_t)at[k], step + k * depth);

		n = own < n ? own : n;
	}
	for (uint32_t e = d + 1; e < depth; e++)
		all *= (uint64_t)trips[e];
	if (n)
		bob_pr_count(n * all);
	return n;
}

void bob_pr_nest(struct bob_probe_file *f, uint32_t n, const int64_t *trips,
		 const volatile void *const *at, const int64_t *step)
{
	const uint32_t inner = f->nest[n].depth - 1;
	uint64_t i[BOB_PROBE_NEST_DEPTH_MAX] = { 0 };
	uint32_t d = 0;
	struct row r; /* large: only the needed part is initialised */

	for (uint32_t e = 0; e <= inner; e++)
		if (trips[e] <= 0)
			return;
	begin_rows(&r, f, n);
	r.trips = (uint64_t)trips[inner];
	for (;;) {
		const uint64_t free = d < inner ? pass(&r, i, d, trips, at, step) : 0;

		i[d] += free;
		if (d == inner) {
			record_row(&r, i, at, step);
		} else if (!free) {
			i[++d] = 0;
			continue;
		}
		while (d == inner || i[d] >= (uint64_t)trips[d]) {
			if (!d)
				return;
			i[--d]++;
		}
	}
}

/* The trip count of a loop whose bounds depend on the enclosing loops: `span` values in steps of
 * `by`. */
static uint64_t trips_of(const int64_t *slope, int64_t span, int64_t by, const uint64_t *i,
			 uint32_t d)
{
	for (uint32_t e = 0; e < d; e++)
		span += slope[e] * (int64_t)i[e];
	return span <= 0 || by <= 0 ? 0 : ((uint64_t)span - 1) / (uint64_t)by + 1;
}

void bob_pr_uneven(struct bob_probe_file *f, uint32_t n, const int64_t *span, const int64_t *slope,
		   const int64_t *by, const volatile void *const *at, const int64_t *step)
{
	const uint32_t depth = f->nest[n].depth;
	uint64_t i[BOB_PROBE_NEST_DEPTH_MAX] = { 0 }, trips[BOB_PROBE_NEST_DEPTH_MAX];
	uint32_t d = 0;
	struct row r;

	begin_rows(&r, f, n);
	trips[0] = trips_of(slope, span[0], by[0], i, 0);
	for (;;) {
		while (d + 1 < depth && i[d] < trips[d]) {
			d++;
			i[d] = 0;
			trips[d] = trips_of(slope + d * depth, span[d], by[d], i, d);
		}
		if (d + 1 == depth && trips[d]) {
			r.trips = trips[d];
			record_row(&r, i, at, step);
		}
		do {
			if (!d)
				return;
			i[--d]++;
		} while (i[d] >= trips[d]);
	}
}
