/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists of numbers: making them as runs of arithmetic progressions, or as integers of fixed width
 * where runs are short; lookup by index with binary search over the runs. */
#include "fold/list.h"

#include <string.h>

#include "base/hash.h"
#include "base/search.h"

#define FEW 64u			/* lists of fewer runs are not converted */
#define RUN_NUMBERS 3u		/* size of a run in 64-bit numbers */

/* --- building --- */

static uint32_t length(const struct bob_lister *l)
{
	return (uint32_t)(l->count - l->run[l->run_count - 1].first);
}

static uint32_t width_of(uint64_t v)
{
	return v <= UINT8_MAX ? 1 : v <= UINT16_MAX ? 2 : v <= UINT32_MAX ? 4 : 8;
}

static void set_plain(uint8_t *plain, uint32_t width, uint32_t i, uint64_t v)
{
	const uint16_t two = (uint16_t)v;
	const uint32_t four = (uint32_t)v;

	plain += (size_t)i * width;
	if (width == 1)
		*plain = (uint8_t)v;
	else
		memcpy(plain,
		       width == 2 ? (const void *)&two :
		       width == 4 ? (const void *)&four :
				    &v,
		       width);
}

/* Converts `plain` to numbers of `width` bytes. */
static int widen(struct bob_lister *l, uint32_t width)
{
	uint32_t capacity = l->count < 16 ? 16 : l->count + l->count / 4;
	uint8_t *plain = l->alloc.resize(l->alloc.ctx, NULL, 0, (size_t)capacity * width);

	if (!plain)
		return 0;
	for (uint32_t i = 0; i < l->count; i++)
		set_plain(plain, width, i, bob_list_plain(l->plain, l->width, i));
	bob_array_free(&l->alloc, l->plain, l->plain_capacity, l->width);
	l->plain = plain;
	l->plain_capacity = capacity;
	l->width = width;
	return 1;
}

static void put_plain(struct bob_lister *l, uint64_t v)
{
	uint32_t width = width_of(v);

	if ((width > l->width && !widen(l, width)) ||
	    !bob_array_grow(&l->alloc, &l->plain, &l->plain_capacity, l->count, 1, l->width))
		l->failed = 1;
	else
		set_plain(l->plain, l->width, l->count++, v);
}

/* Converts the runs to plain numbers, which take less space. */
static void make_plain(struct bob_lister *l)
{
	uint32_t count = l->count;

	l->count = 0;
	for (uint32_t i = 0; i < l->run_count && !l->failed; i++) {
		uint64_t end = i + 1 < l->run_count ? l->run[i + 1].first : count;

		for (uint64_t k = 0; k < end - l->run[i].first && !l->failed; k++)
			put_plain(l, l->run[i].value + k * l->run[i].step);
	}
	bob_array_free(&l->alloc, l->run, l->run_capacity, sizeof(*l->run));
	l->run = NULL;
	l->run_count = l->run_capacity = 0;
}

static void begin_run(struct bob_lister *l, uint64_t v)
{
	if (l->run_count >= FEW && l->run_count > l->count / RUN_NUMBERS) {
		make_plain(l);
		put_plain(l, v);
	} else if (bob_array_grow(&l->alloc, &l->run, &l->run_capacity, l->run_count, 1,
				  sizeof(*l->run))) {
		l->run[l->run_count++] = (struct bob_run){ v, 0, l->count++ };
	} else {
		l->failed = 1;
	}
}

void bob_lister_put(struct bob_lister *l, uint64_t v)
{
	struct bob_run *r = l->run_count ? &l->run[l->run_count - 1] : NULL;

	if (l->failed)
		return;
	if (l->width) {
		put_plain(l, v);
	} else if (!r) {
		begin_run(l, v);
	} else if (length(l) == 1) {
		r->step = v - r->value;
		l->count++;
	} else if (v == r->value + length(l) * r->step) {
		l->count++;
	} else {
		begin_run(l, v);
	}
}

static void *keep(struct bob_blocks *blocks, const void *from, size_t size)
{
	void *copy = bob_blocks_get(blocks, size);

	return copy && size ? memcpy(copy, from, size) : copy;
}

bob_status bob_lister_end(struct bob_lister *l, struct bob_blocks *blocks, struct bob_list *out)
{
	int failed = l->failed;

	*out = (struct bob_list){ .count = l->count };
	if (!failed && l->width) {
		out->plain = keep(blocks, l->plain, (size_t)l->count * l->width);
		out->width = l->width;
	} else if (!failed) {
		out->run = keep(blocks, l->run, l->run_count * sizeof(*l->run));
		out->run_count = l->run_count;
	}
	bob_array_free(&l->alloc, l->plain, l->plain_capacity, l->width); /* may be large */
	l->plain = NULL;
	l->count = l->run_count = l->plain_capacity = l->width = 0;
	l->failed = 0;
	return out->plain || out->run ? BOB_OK : BOB_ERR_NOMEM;
}

void bob_lister_free(struct bob_lister *l)
{
	bob_array_free(&l->alloc, l->run, l->run_capacity, sizeof(*l->run));
	bob_array_free(&l->alloc, l->plain, l->plain_capacity, l->width);
	*l = (struct bob_lister){ .alloc = l->alloc };
}

/* --- queries --- */

/* The run that contains index `i`. */
static const struct bob_run *run_of(const struct bob_list *l, uint32_t i)
{
	uint32_t low = 0, high = l->run_count;

	while (high - low > 1) {
		uint32_t mid = low + (high - low) / 2;

		if (l->run[mid].first <= i)
			low = mid;
		else
			high = mid;
	}
	return &l->run[low];
}

static uint64_t end_of(const struct bob_list *l, const struct bob_run *r)
{
	return r + 1 < l->run + l->run_count ? r[1].first : l->count;
}

uint64_t bob_list_at(const struct bob_list *l, uint32_t i)
{
	if (!l->run)
		return bob_list_plain(l->plain, l->width, i);
	const struct bob_run *r = run_of(l, i);

	return r->value + (i - r->first) * r->step;
}

static uint32_t below_plain(const struct bob_list *l, uint64_t v)
{
	size_t low;

	BOB_PARTITION_POINT(low, l->count, mid,
			    bob_list_plain(l->plain, l->width, (uint32_t)mid) < v);
	return (uint32_t)low;
}

uint32_t bob_list_below(const struct bob_list *l, uint64_t v)
{
	size_t low;
	const struct bob_run *r;
	uint64_t n;

	if (!l->run)
		return below_plain(l, v);
	/* runs that begin below `v` */
	BOB_PARTITION_POINT(low, l->run_count, mid, l->run[mid].value < v);
	if (!low)
		return 0;
	r = &l->run[low - 1];
	n = r->step ? (v - r->value - 1) / r->step + 1 : UINT64_MAX;
	return (uint32_t)(n < end_of(l, r) - r->first ? r->first + n : end_of(l, r));
}

/* The representation and its size, for comparison and hashing. */
static const void *bytes_of(const struct bob_list *l, size_t *len)
{
	*len = l->run ? l->run_count * sizeof(*l->run) : (size_t)l->count * l->width;
	return l->run ? (const void *)l->run : l->plain;
}

int bob_list_same(const struct bob_list *a, const struct bob_list *b)
{
	size_t len, other;
	const void *x = bytes_of(a, &len), *y = bytes_of(b, &other);

	return a->count == b->count && !a->run == !b->run && len == other &&
	       (!len || !memcmp(x, y, len));
}

uint64_t bob_list_hash(const struct bob_list *l)
{
	size_t len;
	const void *bytes = bytes_of(l, &len);

	return bob_hash64(l->count, bytes, len);
}

void bob_list_begin(struct bob_list_walk *w, const struct bob_list *l, uint32_t from)
{
	*w = (struct bob_list_walk){ .list = l, .at = from };
	if (!l->run || from >= l->count)
		return;
	const struct bob_run *r = run_of(l, from);

	w->run = r + 1;
	w->value = r->value + (from - r->first) * r->step;
	w->step = r->step;
	w->left = (uint32_t)(end_of(l, r) - from);
}

void bob_list_turn(struct bob_list_walk *w)
{
	const struct bob_run *r = w->run++;

	w->value = r->value;
	w->step = r->step;
	w->left = (uint32_t)(end_of(w->list, r) - r->first);
}
