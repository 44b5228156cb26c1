/* SPDX-License-Identifier: BSD-3-Clause */
#include "fold/profiles.h"

#include <string.h>

#include "base/varint.h"
#include "fold/folded.h"

#define SEARCHED 64u	/* newest profiles that are looked at, ... */
#define BASES_FIRST 16u /* ... and bases: where the system put things is seen early, */
#define BASES_LAST 16u	/* and what the program does besides, late */

/* --- reading --- */

static uint64_t process_of(const struct bob_folded *f, uint32_t part)
{
	return f->part[part].id >> 32;
}

/* What the part's process has in a base. */
static bob_status get_of_base(const struct bob_folded *f, const struct bob_fold_profile *base,
			      uint32_t part, uint64_t *v)
{
	const struct bob_fold_set *s = &f->set[base->set];
	uint64_t process = process_of(f, part);
	uint32_t low = 0, high = s->count;

	while (low < high) { /* the first member of that process */
		uint32_t mid = low + (high - low) / 2;

		if (process_of(f, s->member[mid]) < process)
			low = mid + 1;
		else
			high = mid;
	}
	if (low == s->count || process_of(f, s->member[low]) != process)
		return BOB_ERR_CORRUPT;
	return bob_series_at(&f->tables.blocks.alloc, &base->series, low, v);
}

bob_status bob_profile_value(const struct bob_folded *f, uint32_t profile, uint32_t member,
			     uint64_t *value)
{
	const struct bob_fold_profile *p = &f->profile[profile];
	const struct bob_fold_set *set = &f->set[p->set];
	uint64_t first = 0, own = 0;
	bob_status st = bob_series_at(&f->tables.blocks.alloc, &p->series, member, value);

	if (st != BOB_OK || !p->base)
		return st;
	st = get_of_base(f, &f->profile[p->base - 1], set->member[0], &first);
	if (st == BOB_OK)
		st = get_of_base(f, &f->profile[p->base - 1], set->member[member], &own);
	*value += own - first;
	return st;
}

/* --- making --- */

void bob_profiles_init(struct bob_profiles *p, const struct bob_alloc *alloc, struct bob_folded *f)
{
	memset(p, 0, sizeof(*p));
	p->alloc = *alloc;
	p->f = f;
	p->series.alloc = p->less.alloc = p->best.alloc = *alloc;
}

void bob_profiles_free(struct bob_profiles *p)
{
	bob_array_free(&p->alloc, p->known, p->known_room, sizeof(*p->known));
	bob_array_free(&p->alloc, p->base, p->base_room, sizeof(*p->base));
	bob_array_free(&p->alloc, p->scratch, p->scratch_room, sizeof(*p->scratch));
	bob_array_free(&p->alloc, p->first, p->first_room, sizeof(*p->first));
	bob_array_free(&p->alloc, p->first_value, p->first_value_room, sizeof(*p->first_value));
	bob_buffer_free(&p->series);
	bob_buffer_free(&p->less);
	bob_buffer_free(&p->best);
}

/* The values less those of a base, in p->scratch; 0 if it lacks a process. */
static int subtract(struct bob_profiles *p, uint32_t base, const uint64_t *value, uint32_t n)
{
	const struct bob_folded *f = p->f;
	const struct bob_fold_set *of = &f->set[f->profile[base].set], *set = &f->set[p->set];
	const uint64_t *all = p->known[base].value;
	uint64_t first = 0;
	uint32_t k = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint64_t process = process_of(f, set->member[i]);

		while (k < of->count && process_of(f, of->member[k]) < process)
			k++;
		if (k == of->count || process_of(f, of->member[k]) != process)
			return 0;
		first = i ? first : all[k];
		p->scratch[i] = value[i] - (all[k] - first);
	}
	return 1;
}

/* p->best is the shortest series less that of a base, if one is half as long as without. */
static uint32_t find_base(struct bob_profiles *p, const uint64_t *value, uint32_t n)
{
	size_t most = p->series.len / 2;
	uint32_t best = 0;

	for (uint32_t i = 0; i < p->base_count; i++) {
		if (i >= BASES_FIRST && p->base_count - i > BASES_LAST)
			continue;
		if (!subtract(p, p->base[i], value, n))
			continue;
		p->less.len = 0;
		bob_series_put(&p->less, p->scratch, n);
		if (p->less.len < most) {
			most = p->less.len;
			best = p->base[i] + 1;
			p->best.len = 0;
			bob_buffer_put(&p->best, p->less.at, p->less.len);
		}
	}
	p->series.failed |= p->less.failed | p->best.failed;
	return best;
}

/* It can be a base. */
static bob_status keep_values(struct bob_profiles *p, uint32_t number, const uint64_t *value,
			      uint32_t n)
{
	uint64_t *copy = bob_blocks_get(&p->f->tables.blocks, n * sizeof(*copy));

	if (!copy ||
	    !bob_array_grow(&p->alloc, &p->base, &p->base_room, p->base_count, 1, sizeof(*p->base)))
		return BOB_ERR_NOMEM;
	memcpy(copy, value, n * sizeof(*copy));
	p->known[number].value = copy;
	p->base[p->base_count++] = number;
	return BOB_OK;
}

/* A base is used as often as those that are less it. */
static void count_use(struct bob_profiles *p, uint32_t number)
{
	struct bob_fold_profile *profile = &p->f->profile[number];

	profile->uses += !p->of_trips;
	profile->trips += p->of_trips;
	if (profile->base)
		count_use(p, profile->base - 1);
}

/* `whole` is the series of the values, `own` that less those of the base. */
static bob_status add(struct bob_profiles *p, uint32_t set, const struct bob_buffer *whole,
		      uint32_t base, const struct bob_buffer *own)
{
	struct bob_fold_profile profile = { .set = set, .base = base };
	struct bob_known_profile known = { .value = NULL };
	bob_status st;

	if (!bob_array_grow(&p->alloc, &p->known, &p->known_room, p->f->profile_count, 1,
			    sizeof(*p->known)))
		return BOB_ERR_NOMEM;
	st = bob_buffer_keep(whole, &p->f->tables.blocks, &known.whole);
	profile.series = known.whole;
	if (st == BOB_OK && base)
		st = bob_buffer_keep(own, &p->f->tables.blocks, &profile.series);
	p->known[p->f->profile_count] = known;
	return st == BOB_OK ? bob_folded_add_profile(p->f, &profile) : st;
}

/* If members of a process differ by the same in each, p->best is that, and a base is added: what the first ones have. */
static bob_status add_base(struct bob_profiles *p, const uint64_t *value, uint32_t n,
			   uint32_t *base)
{
	const uint32_t *member = p->f->set[p->set].member;
	uint32_t count = 0, number;
	bob_status st;

	for (uint32_t i = 0; i < n; i++) {
		if (!i || process_of(p->f, member[i]) != process_of(p->f, member[i - 1])) {
			p->first_value[count] = value[i];
			p->first[count++] = member[i];
		}
		p->scratch[i] = value[i] - p->first_value[count - 1];
	}
	p->best.len = p->less.len = 0;
	bob_series_put(&p->best, p->scratch, n);
	if (p->best.failed)
		return BOB_ERR_NOMEM;
	if (count == n || count < 2 || p->best.len > p->series.len / 2)
		return BOB_OK;
	bob_series_put(&p->less, p->first_value, count);
	st = bob_folded_add_set(p->f, p->first, count, &number);
	if (st == BOB_OK && p->less.failed)
		st = BOB_ERR_NOMEM;
	if (st == BOB_OK)
		st = add(p, number, &p->less, 0, NULL);
	if (st == BOB_OK)
		st = keep_values(p, p->f->profile_count - 1, p->first_value, count);
	*base = p->f->profile_count;
	return st;
}

static bob_status add_new(struct bob_profiles *p, const uint64_t *value, uint32_t n)
{
	uint32_t base;
	bob_status st = BOB_OK;

	if (!bob_array_grow(&p->alloc, &p->scratch, &p->scratch_room, 0, n, sizeof(*p->scratch)) ||
	    !bob_array_grow(&p->alloc, &p->first, &p->first_room, 0, n, sizeof(*p->first)) ||
	    !bob_array_grow(&p->alloc, &p->first_value, &p->first_value_room, 0, n,
			    sizeof(*p->first_value)))
		return BOB_ERR_NOMEM;
	base = find_base(p, value, n);
	if (!base)
		st = add_base(p, value, n, &base);
	if (st == BOB_OK && p->series.failed)
		st = BOB_ERR_NOMEM;
	if (st == BOB_OK)
		st = add(p, p->set, &p->series, base, &p->best);
	return st == BOB_OK && !base ? keep_values(p, p->f->profile_count - 1, value, n) : st;
}

static int is_it(const struct bob_profiles *p, uint32_t number)
{
	const struct bob_fold_bytes *whole = &p->known[number].whole;

	return p->f->profile[number].set == p->set && whole->len == p->series.len &&
	       !memcmp(whole->at, p->series.at, whole->len);
}

bob_status bob_profiles_find(void *ctx, const uint64_t *value, uint32_t n, uint32_t *number)
{
	struct bob_profiles *p = ctx;
	uint32_t i = p->f->profile_count, least = i < SEARCHED ? 0 : i - SEARCHED;
	bob_status st = BOB_OK;

	p->series.len = 0;
	bob_series_put(&p->series, value, n);
	if (p->series.failed)
		return BOB_ERR_NOMEM;
	while (i > least && !is_it(p, i - 1))
		i--;
	if (i == least) {
		st = add_new(p, value, n);
		i = p->f->profile_count;
	}
	if (st != BOB_OK)
		return st;
	*number = i - 1;
	count_use(p, i - 1);
	return BOB_OK;
}
