/* SPDX-License-Identifier: BSD-3-Clause */
/* Probes. One access is a record of one word; a row of a nest is a LOOP record, which begin.c describes. */
#include "probe/probe.h"

const struct bob_agent_streams *bob_pr_agent;

/* What sites found last: loops stay in a variable, or beside all. A handler may put something else there at any moment, and counts that it
 * did. */
#define KNOWN 32u
static __thread struct {
	uint64_t version;
	uintptr_t lo, hi;
	uint64_t
		shift; /* 0: not wanted; else never, for addresses in the trace are above all others */
} known[KNOWN];
/* What was asked in vain in the stretch that is known. */
static __thread struct {
	uint32_t asked, more;	/* how often; for how long beyond BOB_PR_ASKS */
	const struct bob_probe_gap *gap; /* what was done about it */
} in_vain[KNOWN];
static __thread uint64_t replaced;
static __thread bool replacing;

static void remember(uint32_t site, const struct bob_pr_stretch *s)
{
	if (replacing)
		return;
	replacing = true;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	known[site % KNOWN].version = s->version;
	known[site % KNOWN].lo = s->lo;
	known[site % KNOWN].hi = s->hi;
	known[site % KNOWN].shift = s->wanted ? s->shift : 0;
	in_vain[site % KNOWN].asked = 0;
	replaced++;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	replacing = false;
}

static inline void tell(const struct bob_probe_file *f, uint32_t site, uint64_t address,
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
	tell(f, site, at + s.shift, s.wanted);
}

/* All from lo to hi is known to be the same: *shift as in `known`. */
static inline bool is_known(uint32_t site, uintptr_t lo, uintptr_t hi, uint64_t *shift)
{
	const __typeof__(known[0]) *k = &known[site % KNOWN];
	const uint64_t before = replaced;

	__atomic_signal_fence(__ATOMIC_ACQUIRE);
	const uint64_t version = k->version;
	const uintptr_t from = k->lo, to = k->hi;

	*shift = k->shift;
	__atomic_signal_fence(__ATOMIC_ACQUIRE);
	return version == __atomic_load_n(&bob_pr_version, __ATOMIC_ACQUIRE) && lo >= from &&
	       hi < to && before == replaced;
}

/* Nothing is wanted around `at`, once more. */
static inline void ask_in_vain(const struct bob_probe_file *f, uint32_t site, uintptr_t at)
{
	__typeof__(in_vain[0]) *v = &in_vain[site % KNOWN];
	struct bob_pr_file *own = f->own;

	if (__builtin_expect(++v->asked < BOB_PR_ASKS || v->asked - BOB_PR_ASKS < v->more, 1))
		return;
	v->asked = 0;
	v->more = bob_pr_gap_aim(&own->gaps, site, at, &v->gap);
}

/* Hot path: 12 ns where something is recorded, 3 ns where not (where the site has no gap); bench/source. */
void bob_pr_access(struct bob_probe_file *f, uint32_t site, const volatile void *at)
{
	uint64_t shift;

	if (__builtin_expect(!is_known(site, (uintptr_t)at, (uintptr_t)at, &shift), 0))
		find_again(f, site, (uintptr_t)at);
	else if (shift)
		tell(f, site, (uintptr_t)at + shift, true);
	else {
		bob_pr_count(1);
		ask_in_vain(f, site, (uintptr_t)at);
	}
}

/* As bob_pr_find_row, of a site's row. */
static enum bob_pr_row find_row(const struct bob_probe_file *f, uint32_t site, uintptr_t at,
				int64_t step, uint64_t trips, uint64_t *address)
{
	const uintptr_t last = at + (uint64_t)step * (trips - 1);
	const uintptr_t lo = at < last ? at : last, hi = at < last ? last : at;
	struct bob_pr_stretch s;
	uint64_t shift;

	if (!is_known(site, lo, hi, &shift)) {
		s = bob_pr_find(at);
		remember(site, &s);
		if (lo < s.lo || hi >= s.hi)
			return bob_pr_find_row(at, step, trips, address);
		shift = s.wanted ? s.shift : 0;
	} else if (!shift) {
		ask_in_vain(f, site, at);
	}
	*address = at + shift;
	return shift ? BOB_PR_ALL : BOB_PR_NONE;
}

struct row {
	struct bob_probe_file *file;
	const struct bob_probe_nest *nest;
	uint32_t desc;		/* where everything is recorded; the next one has a word that says what is */
	uint64_t trips;
	uintptr_t at[BOB_PROBE_NEST_ACCESSES_MAX]; /* in the first iteration */
	int64_t step[BOB_PROBE_NEST_ACCESSES_MAX];
};

static void one_by_one(const struct row *r)
{
	for (uint64_t i = 0; i < r->trips; i++)
		for (uint32_t k = 0; k < r->nest->count; k++)
			bob_pr_access(r->file, r->nest->first + k,
				      (const void *)(r->at[k] + i * (uint64_t)r->step[k]));
}

/* Words: addresses, steps, perhaps the mask, the counter and where it ends. */
static void put(const struct row *r, uint64_t mask, uint64_t *word)
{
	const uint32_t n = r->nest->count;
	const bool all = mask == (1ull << n) - 1;
	uint32_t words = 2 * n;

	for (uint32_t k = 0; k < n; k++)
		word[n + k] = mask >> k & 1 ? (uint64_t)r->step[k] : 0;
	if (!all)
		word[words++] = mask;
	word[words++] = 0;
	word[words++] = r->trips;
	(void)bob_pr_agent->source_record(r->desc + !all, word, words);
}

static void record(const struct row *r)
{
	uint64_t word[BOB_MEM_WORDS_MAX + 1], mask = 0, outside = 0;

	for (uint32_t k = 0; k < r->nest->count; k++) {
		word[k] = 0;
		switch (find_row(r->file, r->nest->first + k, r->at[k], r->step[k], r->trips,
				 &word[k])) {
		case BOB_PR_ALL:
			mask |= 1ull << k;
			break;
		case BOB_PR_SOME:
			one_by_one(r);
			return;
		default:
			word[k] = 0; /* where it lies is another place each time */
			outside += r->trips;
		}
	}
	if (mask)
		put(r, mask, word);
	if (outside)
		bob_pr_count(outside);
}

/* The next iteration of the outer loops; false: there is none. */
static bool go_on(uint64_t *i, const int64_t *trips, uint32_t outer)
{
	while (outer-- > 0) {
		if (++i[outer] < (uint64_t)trips[outer])
			return true;
		i[outer] = 0;
	}
	return false;
}

static void begin_rows(struct row *r, struct bob_probe_file *f, uint32_t n)
{
	const struct bob_pr_file *own = f->own;

	r->file = f;
	r->nest = &f->nest[n];
	r->desc = own->first + f->sites + 2 * n;
}

/* The row in iteration `i` of the loops around it. */
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

void bob_pr_nest(struct bob_probe_file *f, uint32_t n, const int64_t *trips,
		 const volatile void *const *at, const int64_t *step)
{
	const uint32_t depth = f->nest[n].depth;
	uint64_t i[BOB_PROBE_NEST_DEPTH_MAX] = { 0 };
	struct row r; /* large: only what is needed of it is set */

	for (uint32_t d = 0; d < depth; d++)
		if (trips[d] <= 0)
			return;
	begin_rows(&r, f, n);
	r.trips = (uint64_t)trips[depth - 1];
	do {
		record_row(&r, i, at, step);
	} while (go_on(i, trips, depth - 1));
}

/* How often a loop runs that has so many values before it. */
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
