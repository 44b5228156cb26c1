/* SPDX-License-Identifier: BSD-3-Clause */
/* Footprints by lattices. A sequence of accesses is a lattice: blocks of `bytes` at base + sum of
 * index * step, all steps positive, the smallest first. If each step is at least the extent of the
 * inner dimensions, no two blocks overlap and the bytes can be counted. Adjacent lattices (the four
 * loads of an unrolled loop) are joined, equal ones count once, and the remaining overlaps are
 * bounded from both sides. */
#include "analysis/memory/footprint.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/memory/variables.h"
#include "base/host/vec.h"
#include "base/order.h"

#define LATTICES_JOIN 4096u	/* number at which joining is attempted */
#define LATTICES_MAX 65536u	/* 10 MB */

struct bob_lattice {
	uint64_t base, end;	/* hull: base <= byte < end */
	uint64_t bytes;		/* size of a block */
	uint64_t distinct;	/* distinct bytes; an upper bound unless exact */
	uint32_t dims;
	int exact;
	uint64_t count[BOB_PIECE_DIMS], step[BOB_PIECE_DIMS];
};

/* --- one lattice --- */

static void sort_steps(struct bob_lattice *l)
{
	for (uint32_t i = 1; i < l->dims; i++)
		for (uint32_t k = i; k && l->step[k] < l->step[k - 1]; k--) {
			uint64_t s = l->step[k], n = l->count[k];

			l->step[k] = l->step[k - 1];
			l->count[k] = l->count[k - 1];
			l->step[k - 1] = s;
			l->count[k - 1] = n;
		}
}

static void drop_dim(struct bob_lattice *l, uint32_t d)
{
	l->dims--;
	memmove(&l->step[d], &l->step[d + 1], (l->dims - d) * sizeof(l->step[0]));
	memmove(&l->count[d], &l->count[d + 1], (l->dims - d) * sizeof(l->count[0]));
}

/* Joins adjacent blocks, and loops that continue an inner one; then counts. */
static void simplify(struct bob_lattice *l)
{
	uint64_t extent;

	while (l->dims && l->step[0] <= l->bytes) {
		l->bytes += (l->count[0] - 1) * l->step[0];
		drop_dim(l, 0);
	}
	for (uint32_t d = 0; d + 1 < l->dims;) {
		if (l->step[d + 1] % l->step[d] || l->step[d + 1] / l->step[d] > l->count[d]) {
			d++;
			continue;
		}
		l->count[d] += (l->count[d + 1] - 1) * (l->step[d + 1] / l->step[d]);
		drop_dim(l, d + 1);
	}
	memset(&l->step[l->dims], 0, (BOB_PIECE_DIMS - l->dims) * sizeof(l->step[0]));
	memset(&l->count[l->dims], 0, (BOB_PIECE_DIMS - l->dims) * sizeof(l->count[0]));
	extent = l->distinct = l->bytes;
	l->exact = 1;
	for (uint32_t d = 0; d < l->dims; d++) {
		l->exact &= l->step[d] >= extent;
		l->distinct *= l->count[d];
		extent += (l->count[d] - 1) * l->step[d];
	}
	l->end = l->base + extent;
	if (l->distinct > extent)
		l->distinct = extent;
}

/* Rows whose lengths depend on outer loops: counted if even the longest ones do not overlap. */
static void count_triangle(struct bob_lattice *l, const struct bob_piece *p, unsigned size)
{
	uint64_t lo, hi, inner = size, points = bob_piece_points(p);

	bob_piece_hull(p, &lo, &hi);
	l->base += lo - p->base;
	l->end = l->base + (hi - lo) + size;
	l->exact = points != 0;
	for (uint32_t d = 0; d < p->dims; d++) {
		struct bob_piece part = *p;
		uint64_t step = (int64_t)p->step[d] < 0 ? -p->step[d] : p->step[d];

		l->exact &= step >= inner;
		for (uint32_t e = d + 1; e < p->dims; e++)
			part.step[e] = 0;
		bob_piece_hull(&part, &lo, &hi);
		inner = hi - lo + size;
	}
	l->distinct = points * size;
	l->bytes = size;
	if (!l->exact || l->distinct > l->end - l->base)
		l->distinct = l->end - l->base;
	l->dims = BOB_PIECE_DIMS + 1; /* never joined */
}

static int is_triangle(const struct bob_piece *p)
{
	for (uint32_t i = 0; p->dims > 1 && i < bob_piece_pair(0, p->dims); i++)
		if (p->grow[i])
			return 1;
	return 0;
}

/* --- all of them --- */

BOB_COMPARE(by_form, struct bob_lattice,
	    BOB_UP(dims) BOB_BYTES(step) BOB_BYTES(count) BOB_UP(base) BOB_UP(end))

static int same_form(const struct bob_lattice *a, const struct bob_lattice *b)
{
	return a->dims == b->dims && a->dims <= BOB_PIECE_DIMS &&
	       !memcmp(a->step, b->step, a->dims * sizeof(a->step[0])) &&
	       !memcmp(a->count, b->count, a->dims * sizeof(a->count[0]));
}

/* Joins lattices of equal form that are adjacent, block by block. Returns whether any were
 * joined. */
static int join(struct bob_footprint *f)
{
	size_t n = 0;
	int joined = 0;

	if (f->count)
		qsort(f->lattice, f->count, sizeof(*f->lattice), by_form);
	for (size_t i = 0; i < f->count; i++) {
		struct bob_lattice *to = n ? &f->lattice[n - 1] : NULL, l = f->lattice[i];

		if (to && !by_form(to, &l))
			continue;
		if (to && same_form(to, &l) && l.base - to->base <= to->bytes) {
			uint64_t bytes = l.base - to->base + l.bytes;

			to->bytes = bytes > to->bytes ? bytes : to->bytes;
			joined = 1;
		} else {
			f->lattice[n++] = l;
		}
	}
	f->count = n;
	for (size_t i = 0; joined && i < n; i++)
		if (f->lattice[i].dims <= BOB_PIECE_DIMS)
			simplify(&f->lattice[i]);
	return joined;
}

int bob_footprint_add(struct bob_footprint *f, const struct bob_piece *p, int64_t offset,
		      unsigned size)
{
	struct bob_lattice l = { .base = p->base + (uint64_t)offset, .bytes = size };

	for (uint32_t d = 0; d < p->dims && !is_triangle(p); d++) {
		uint64_t step = p->step[d];

		if ((int64_t)p->count[d] <= 0)
			return 0;
		if (p->count[d] == 1 || !step)
			continue;
		if ((int64_t)step < 0) {
			l.base += step * (p->count[d] - 1);
			step = -step;
		}
		l.count[l.dims] = p->count[d];
		l.step[l.dims++] = step;
	}
	if (is_triangle(p)) {
		count_triangle(&l, p, size);
	} else {
		sort_steps(&l);
		simplify(&l);
	}
	if (f->count == f->cap && f->cap >= LATTICES_JOIN)
		join(f);
	if (f->count >= LATTICES_MAX) {
		f->dropped += l.distinct;
		return 0;
	}
	/* require a quarter of free capacity, otherwise joining soon repeats */
	if (bob_vec_reserve(&f->lattice, f->count, &f->cap, sizeof(l), f->cap / 4 + 1) != BOB_OK)
		return -1;
	f->lattice[f->count++] = l;
	return 0;
}

BOB_COMPARE(by_base, struct bob_lattice, BOB_UP(base) BOB_DOWN(end))

/* Bounds of lattices whose hulls overlap: at least the largest, at most the sum or the union of the
 * hulls. */
static void count_group(const struct bob_lattice *l, size_t count, uint64_t *least, uint64_t *most)
{
	uint64_t all = 0, largest = 0, dense = 0, hull = 0, dense_end = 0, hull_end = 0;

	for (size_t i = 0; i < count; i++) {
		uint64_t from = l[i].base > hull_end ? l[i].base : hull_end;

		all += l[i].distinct;
		if (l[i].exact && l[i].distinct > largest)
			largest = l[i].distinct;
		if (l[i].end > from) {
			hull += l[i].end - from;
			hull_end = l[i].end;
		}
		if (!l[i].exact || l[i].distinct != l[i].end - l[i].base)
			continue;
		from = l[i].base > dense_end ? l[i].base : dense_end;
		if (l[i].end > from) { /* dense lattices, each byte once */
			dense += l[i].end - from;
			dense_end = l[i].end;
		}
	}
	*most += all < hull ? all : hull;
	*least += dense > largest ? dense : largest;
}

void bob_footprint_count(struct bob_footprint *f, uint64_t *least, uint64_t *most)
{
	size_t from = 0;
	uint64_t end = 0;

	*least = 0;
	*most = f->dropped;
	for (int i = 0; i < 8 && join(f); i++)
		;
	if (f->count)
		qsort(f->lattice, f->count, sizeof(*f->lattice), by_base);
	for (size_t i = 0; i < f->count; i++) {
		if (i > from && f->lattice[i].base >= end) {
			count_group(f->lattice + from, i - from, least, most);
			from = i;
		}
		if (i == from || f->lattice[i].end > end)
			end = f->lattice[i].end;
	}
	if (f->count)
		count_group(f->lattice + from, f->count - from, least, most);
}

void bob_footprint_free(struct bob_footprint *f)
{
	free(f->lattice);
	*f = (struct bob_footprint){ 0 };
}
