/* SPDX-License-Identifier: BSD-3-Clause */
/* Profiles and their bases: readers, and the search for an equal profile or for the base with the
 * shortest difference. */
#include "fold/profiles.h"

#include <string.h>

#include "base/hash.h"
#include "base/varint.h"
#include "fold/folded.h"
#include "fold/listing.h"

#define BASES_FIRST 16u /* bases that are tried: the first ones have the system's addresses */
#define BASES_LAST 16u	/* and the last ones have the program's own differences */
#define SAMPLE 512u	/* first members compared, if there are more than twice as many */
#define LISTED (1u << 20)	/* values precomputed for all profiles together */
#define SHORT 16u /* bytes: a series of at most so many, plus one per SHORT_MEMBERS members, ... */
#define SHORT_MEMBERS 256u /* ... is determined by the program and needs no base */

/* --- reading --- */

static uint64_t process_of(const struct bob_folded *f, uint64_t part)
{
	return bob_list_at(&f->id, (uint32_t)part) >> 32;
}

static bob_status base_open(struct bob_base_reader *r, const struct bob_folded *f,
			    const struct bob_fold_bytes *series, uint32_t set, uint32_t own)
{
	r->f = f;
	r->set = &f->set[set];
	r->has_begun = r->has_first = 0;
	r->left = r->set->count;
	r->first = 0;
	bob_list_begin(&r->own, &f->set[own], 0);
	bob_list_begin(&r->members, r->set, 0);
	return bob_series_open(&r->series, &f->tables.blocks.alloc, series->at,
			       series->at + series->len);
}

static bob_status base_step(struct bob_base_reader *r)
{
	if (!r->left)
		return BOB_ERR_CORRUPT;
	r->left--;
	r->process = process_of(r->f, bob_list_next(&r->members));
	return bob_series_next(&r->series, &r->value);
}

/* Value of the next member of the set: the base's value for its process, minus that for the set's
 * first member. BOB_ERR_CORRUPT: the base lacks the process. */
static bob_status base_next(struct bob_base_reader *r, uint64_t *v)
{
	uint64_t process = process_of(r->f, bob_list_next(&r->own));
	bob_status st = BOB_OK;

	while (st == BOB_OK && (!r->has_begun || r->process < process)) {
		st = base_step(r);
		r->has_begun = 1;
	}
	if (st != BOB_OK)
		return st == BOB_END ? BOB_ERR_CORRUPT : st;
	if (!r->has_first)
		r->first = r->value;
	r->has_first = 1;
	*v = r->value - r->first;
	return r->process == process ? BOB_OK : BOB_ERR_CORRUPT;
}

bob_status bob_profile_open(struct bob_profile_reader *r, const struct bob_folded *f,
			    uint32_t profile)
{
	const struct bob_fold_profile *p = &f->profile[profile];
	const struct bob_fold_profile *base = p->base ? &f->profile[p->base - 1] : NULL;
	bob_status st = bob_series_open(&r->series, &f->tables.blocks.alloc, p->series.at,
					p->series.at + p->series.len);

	r->has_base = base != NULL;
	if (base) {
		bob_status other = base_open(&r->base, f, &base->series, base->set, p->set);

		st = st == BOB_OK ? other : st;
	}
	return st;
}

bob_status bob_profile_next(struct bob_profile_reader *r, uint64_t *value)
{
	uint64_t v;
	bob_status st = bob_series_next(&r->series, value);

	if (st == BOB_OK && r->has_base) {
		st = base_next(&r->base, &v);
		*value += st == BOB_OK ? v : 0;
	}
	return st == BOB_END ? BOB_ERR_CORRUPT : st;
}

void bob_profile_close(struct bob_profile_reader *r)
{
	bob_series_close(&r->series);
	if (r->has_base)
		bob_series_close(&r->base.series);
}

bob_status bob_profile_value(const struct bob_folded *f, uint32_t profile, uint32_t member,
			     uint64_t *value)
{
	struct bob_profile_reader r;
	bob_status st;

	if (f->profile[profile].value) {
		*value = f->profile[profile].value[member];
		return BOB_OK;
	}
	st = bob_profile_open(&r, f, profile);
	for (uint64_t left = (uint64_t)member + 1; left && st == BOB_OK; left--)
		st = bob_profile_next(&r, value);
	bob_profile_close(&r);
	return st;
}

static bob_status list_one(struct bob_folded *f, uint32_t number, uint32_t count)
{
	uint64_t *value = bob_blocks_get(&f->tables.blocks, count * sizeof(*value));
	struct bob_profile_reader r;
	bob_status st;

	if (!value)
		return BOB_ERR_NOMEM;
	st = bob_profile_open(&r, f, number);
	for (uint32_t i = 0; i < count && st == BOB_OK; i++)
		st = bob_profile_next(&r, &value[i]);
	bob_profile_close(&r);
	if (st == BOB_OK)
		f->profile[number].value = value;
	return st;
}

bob_status bob_profiles_list(struct bob_folded *f)
{
	uint64_t left = LISTED;
	bob_status st = BOB_OK;

	for (uint32_t i = 0; i < f->profile_count && st == BOB_OK; i++) {
		uint32_t count = f->set[f->profile[i].set].count;

		if (count > left)
			continue;
		left -= count;
		st = list_one(f, i, count);
	}
	return st;
}

/* --- construction --- */

void bob_profiles_init(struct bob_profiles *p, const struct bob_alloc *alloc, struct bob_folded *f)
{
	memset(p, 0, sizeof(*p));
	p->alloc = *alloc;
	p->f = f;
	p->series.alloc = p->less.alloc = p->best.alloc = *alloc;
}

void bob_profiles_free(struct bob_profiles *p)
{
	bob_array_free(&p->alloc, p->known, p->known_capacity, sizeof(*p->known));
	bob_array_free(&p->alloc, p->slot, p->slots, sizeof(*p->slot));
	bob_array_free(&p->alloc, p->base, p->base_capacity, sizeof(*p->base));
	bob_buffer_free(&p->series);
	bob_buffer_free(&p->less);
	bob_buffer_free(&p->best);
}

/* Writes the series of the first `n` values, minus those of a base (if not NULL), to `b`. BOB_NONE:
 * the pieces take more than `most` bytes, or the base lacks a process. */
static bob_status put_less(struct bob_profiles *p, const struct bob_fold_profile *base,
			   const uint64_t *value, uint32_t n, size_t most, struct bob_buffer *b)
{
	struct bob_base_reader r;
	struct bob_series_writer w;
	uint64_t v = 0;
	bob_status st = base ? base_open(&r, p->f, &base->series, base->set, p->set) : BOB_OK;

	bob_series_begin(&w, &p->alloc);
	for (uint32_t i = 0; i < n && st == BOB_OK && w.pieces.len <= most; i++) {
		if (base)
			st = base_next(&r, &v);
		bob_series_add(&w, value[i] - v);
	}
	b->len = 0;
	if (st == BOB_OK && w.pieces.len > most)
		st = BOB_NONE;
	if (st == BOB_OK)
		bob_series_end(&w, b);
	if (w.pieces.failed)
		st = BOB_ERR_NOMEM;
	bob_series_free(&w);
	if (base)
		bob_series_close(&r.series);
	return st == BOB_ERR_CORRUPT ? BOB_NONE : st;
}

/* Tries the bases. p->best is the shortest difference, if it takes at most half the space. */
static bob_status find_base(struct bob_profiles *p, const uint64_t *value, uint32_t n,
			    uint32_t *best)
{
	size_t most = p->series.len / 2, sample = 0;
	bob_status st = BOB_OK;

	*best = 0;
	if (n > 2 * SAMPLE) {
		st = put_less(p, NULL, value, SAMPLE, SIZE_MAX, &p->less);
		sample = p->less.len;
	}
	for (uint32_t i = 0; i < p->base_count && (st == BOB_OK || st == BOB_NONE); i++) {
		const struct bob_fold_profile *base = &p->f->profile[p->base[i]];

		if (i >= BASES_FIRST && p->base_count - i > BASES_LAST)
			continue;
		if (sample) {
			st = put_less(p, base, value, SAMPLE, sample / 2, &p->less);
			if (st != BOB_OK)
				continue;
		}
		st = put_less(p, base, value, n, most, &p->less);
		if (st == BOB_OK && p->less.len < most) {
			most = p->less.len;
			*best = p->base[i] + 1;
			p->best.len = 0;
			bob_buffer_put(&p->best, p->less.at, p->less.len);
		}
	}
	if (p->less.failed || p->best.failed)
		return BOB_ERR_NOMEM;
	return st == BOB_NONE ? BOB_OK : st;
}

static bob_status add_to_bases(struct bob_profiles *p, uint32_t number)
{
	if (!bob_array_grow(&p->alloc, &p->base, &p->base_capacity, p->base_count, 1,
			    sizeof(*p->base)))
		return BOB_ERR_NOMEM;
	p->base[p->base_count++] = number;
	return BOB_OK;
}

void bob_profiles_use(struct bob_profiles *p, uint32_t number)
{
	for (;;) { /* using a profile uses its base */
		struct bob_fold_profile *profile = &p->f->profile[number];

		profile->uses += !p->of_trips;
		profile->trips += p->of_trips;
		if (!profile->base)
			return;
		number = profile->base - 1;
	}
}

/* --- lookup by contents --- */

static uint64_t hash_of(uint32_t set, const struct bob_buffer *series)
{
	return bob_hash64(set, series->at, series->len);
}

static bob_status make_slots(struct bob_profiles *p)
{
	uint32_t slots = p->slots ? p->slots * 2 : 64;
	uint32_t *slot;

	if (p->f->profile_count < p->slots)
		return BOB_OK;
	slot = p->alloc.resize(p->alloc.ctx, NULL, 0, slots * sizeof(*slot));
	if (!slot)
		return BOB_ERR_NOMEM;
	memset(slot, 0, slots * sizeof(*slot));
	for (uint32_t i = 0; i < p->f->profile_count; i++) {
		uint32_t *at = &slot[p->known[i].hash & (slots - 1)];

		p->known[i].next = *at;
		*at = i + 1;
	}
	bob_array_free(&p->alloc, p->slot, p->slots, sizeof(*p->slot));
	p->slot = slot;
	p->slots = slots;
	return BOB_OK;
}

/* `whole`: series of the values. `own`: series of the differences to the base. */
static bob_status add(struct bob_profiles *p, uint32_t set, const struct bob_buffer *whole,
		      uint32_t base, const struct bob_buffer *own)
{
	struct bob_fold_profile profile = { .set = set, .base = base };
	struct bob_known_profile known = { .hash = hash_of(set, whole) };
	uint32_t number = p->f->profile_count, *slot;
	bob_status st;

	if (!bob_array_grow(&p->alloc, &p->known, &p->known_capacity, number, 1,
			    sizeof(*p->known)) ||
	    make_slots(p) != BOB_OK)
		return BOB_ERR_NOMEM;
	st = bob_buffer_keep(whole, &p->f->tables.blocks, &known.whole);
	profile.series = known.whole;
	if (st == BOB_OK && base)
		st = bob_buffer_keep(own, &p->f->tables.blocks, &profile.series);
	if (st == BOB_OK)
		st = bob_folded_add_profile(p->f, &profile);
	if (st != BOB_OK)
		return st;
	slot = &p->slot[known.hash & (p->slots - 1)];
	known.next = *slot;
	*slot = number + 1;
	p->known[number] = known;
	return BOB_OK;
}

/* The set of the first members of each process, and their values in p->less. */
static bob_status put_first(struct bob_profiles *p, const uint64_t *value, uint32_t n,
			    uint32_t *set)
{
	const struct bob_list members = p->f->set[p->set];
	struct bob_list_walk w;
	struct bob_series_writer first;
	uint64_t before = 0;
	bob_status st = BOB_OK;

	bob_list_begin(&w, &members, 0);
	bob_series_begin(&first, &p->alloc);
	for (uint32_t i = 0; i < n && st == BOB_OK; i++) {
		uint64_t part = bob_list_next(&w), process = process_of(p->f, part);

		if (!i || process != before) {
			bob_series_add(&first, value[i]);
			st = bob_folded_add_member(p->f, (uint32_t)part);
		}
		before = process;
	}
	p->less.len = 0;
	bob_series_end(&first, &p->less);
	bob_series_free(&first);
	if (st == BOB_OK)
		st = bob_folded_find_set(p->f, set);
	return st == BOB_OK && p->less.failed ? BOB_ERR_NOMEM : st;
}

/* Differences of members to the first one of their process, in p->best. Returns the number of
 * processes. */
static uint32_t put_others(struct bob_profiles *p, const uint64_t *value, uint32_t n)
{
	struct bob_list_walk w;
	struct bob_series_writer others;
	uint64_t before = 0, first = 0;
	uint32_t count = 0;

	bob_list_begin(&w, &p->f->set[p->set], 0);
	bob_series_begin(&others, &p->alloc);
	for (uint32_t i = 0; i < n; i++) {
		uint64_t process = process_of(p->f, bob_list_next(&w));

		if (!i || process != before) {
			first = value[i];
			count++;
		}
		bob_series_add(&others, value[i] - first);
		before = process;
	}
	p->best.len = 0;
	bob_series_end(&others, &p->best);
	bob_series_free(&others);
	return count;
}

/* If these differences are about equal in all processes, adds the values of the first members as a
 * base; p->best is the difference to it. */
static bob_status add_base(struct bob_profiles *p, const uint64_t *value, uint32_t n,
			   uint32_t *base)
{
	uint32_t count, set;
	bob_status st;

	count = put_others(p, value, n);
	if (p->best.failed)
		return BOB_ERR_NOMEM;
	if (count == n || count < 2 || p->best.len > p->series.len / 2)
		return BOB_OK;
	st = put_first(p, value, n, &set);
	if (st == BOB_OK)
		st = add(p, set, &p->less, 0, NULL);
	if (st == BOB_OK)
		st = add_to_bases(p, p->f->profile_count - 1);
	*base = p->f->profile_count;
	return st;
}

/* A short series is determined by the program, not by the system; it is not a base. */
static int is_short(const struct bob_profiles *p, uint32_t n)
{
	return p->series.len <= SHORT + n / SHORT_MEMBERS;
}

static bob_status add_new(struct bob_profiles *p, const uint64_t *value, uint32_t n)
{
	uint32_t base = 0;
	bob_status st = BOB_OK;

	if (is_short(p, n))
		return add(p, p->set, &p->series, 0, NULL);
	st = find_base(p, value, n, &base);
	if (st == BOB_OK && !base)
		st = add_base(p, value, n, &base);
	if (st == BOB_OK)
		st = add(p, p->set, &p->series, base, &p->best);
	return st == BOB_OK && !base ? add_to_bases(p, p->f->profile_count - 1) : st;
}

static int is_it(const struct bob_profiles *p, uint32_t number)
{
	const struct bob_fold_bytes *whole = &p->known[number].whole;

	return p->f->profile[number].set == p->set && whole->len == p->series.len &&
	       !memcmp(whole->at, p->series.at, whole->len);
}

bob_status bob_profiles_find(struct bob_profiles *p, const uint64_t *value, uint32_t *number)
{
	uint32_t n = p->f->set[p->set].count, i = 0;
	bob_status st = put_less(p, NULL, value, n, SIZE_MAX, &p->series);

	if (st != BOB_OK || p->series.failed)
		return BOB_ERR_NOMEM;
	if (p->slots)
		i = p->slot[hash_of(p->set, &p->series) & (p->slots - 1)];
	while (i && !is_it(p, i - 1))
		i = p->known[i - 1].next;
	if (!i) {
		st = add_new(p, value, n);
		i = p->f->profile_count;
	}
	*number = i - 1;
	return st;
}
