/* SPDX-License-Identifier: BSD-3-Clause */
/* Shapes of variables: META records grouped by address, and queries. Successive bounds of a
 * variable are one shape if they differ only in the extent of the slowest dimension, because then
 * elements have the same subscripts in all of them. */
#include <stdlib.h>
#include <string.h>

#include "archive/reader.h"
#include "base/search.h"
#include "base/sized.h"

#define LOWER_MAX (1ll << 62)
#define BYTES_MAX (1ull << 48)
#define VARIANTS_MAX 16u		/* per variable; if reached, there may have been more */
#define BEFORE_MOST (1ull << 35) /* docs/source.md: half the distance between variables of a file */

BOB_STATIC_ASSERT(BOB_SHAPE_RANK_MAX == BOB_SHAPE_DIMENSIONS_MAX, "dimensions");

static uint64_t elements_of(const struct bob_recorded_shape *s)
{
	uint64_t n = 1;

	for (uint32_t d = 0; d < s->rec.rank; d++)
		n *= (uint64_t)s->bounds[d][1];
	return n;
}

static int are_bounds(const struct bob_rec_shape *rec, const int64_t (*bounds)[2])
{
	uint64_t bytes = rec->element;

	for (uint32_t d = 0; d < rec->rank; d++) {
		if (bounds[d][1] < 1 || bounds[d][0] > LOWER_MAX || bounds[d][0] < -LOWER_MAX ||
		    (uint64_t)bounds[d][1] > BYTES_MAX / bytes)
			return 0;
		bytes *= (uint64_t)bounds[d][1];
	}
	return bytes <= BYTES_MAX;
}

bob_status bob_shape_read(struct bob_trace *t, struct bob_process *p, const uint8_t *body,
			  uint32_t len, uint64_t off)
{
	struct bob_rec_shape rec = { .element = 0 };
	int64_t(*bounds)[2];
	size_t size;

	if (len >= sizeof(rec))
		memcpy(&rec, body, sizeof(rec));
	size = rec.rank * sizeof(*bounds);
	if (!rec.element || rec.rank > BOB_SHAPE_RANK_MAX || len - sizeof(rec) < size) {
		bob_problem_add(t, p->file, off, "a shape record is impossible", 1);
		return BOB_OK;
	}
	bounds = bob_arena_alloc(&t->arena, size + 1);
	if (!bounds)
		return BOB_ERR_NOMEM;
	memcpy(bounds, body + sizeof(rec), size);
	if (!are_bounds(&rec, (const int64_t(*)[2])bounds)) {
		bob_problem_add(t, p->file, off, "a shape record has impossible bounds", 1);
		return BOB_OK;
	}
	if (bob_array_reserve(&p->shapes, p->shape_count, &p->shape_cap, sizeof(*p->shapes)))
		return BOB_ERR_NOMEM;
	p->shapes[p->shape_count++] =
		(struct bob_recorded_shape){ rec, (const int64_t(*)[2])bounds };
	return BOB_OK;
}

/* --- combination --- */

static int same_bounds(const struct bob_recorded_shape *a, const struct bob_recorded_shape *b)
{
	return a->rec.element == b->rec.element && a->rec.rank == b->rec.rank &&
	       a->rec.flags == b->rec.flags &&
	       !memcmp(a->bounds, b->bounds, a->rec.rank * sizeof(*a->bounds));
}

/* Equal except for the extent of the slowest dimension. */
static int same_subscripts(const struct bob_recorded_shape *a, const struct bob_recorded_shape *b)
{
	uint32_t rank = a->rec.rank;

	if (a->rec.element != b->rec.element || rank != b->rec.rank || a->rec.flags != b->rec.flags)
		return 0;
	if (!rank)
		return 1;
	return !memcmp(a->bounds, b->bounds, (rank - 1) * sizeof(*a->bounds)) &&
	       a->bounds[rank - 1][0] == b->bounds[rank - 1][0];
}

/* Orders by address, then by descending size, then by bounds. */
static int by_address(const void *x, const void *y)
{
	const struct bob_recorded_shape *a = *(const struct bob_recorded_shape *const *)x;
	const struct bob_recorded_shape *b = *(const struct bob_recorded_shape *const *)y;
	uint64_t m = elements_of(a) * a->rec.element, n = elements_of(b) * b->rec.element;

	if (a->rec.address != b->rec.address)
		return a->rec.address < b->rec.address ? -1 : 1;
	if (m != n)
		return m > n ? -1 : 1;
	if (a->rec.element != b->rec.element)
		return a->rec.element < b->rec.element ? -1 : 1;
	if (a->rec.rank != b->rec.rank)
		return a->rec.rank < b->rec.rank ? -1 : 1;
	if (a->rec.flags != b->rec.flags)
		return a->rec.flags < b->rec.flags ? -1 : 1;
	return a->rec.rank ? memcmp(a->bounds, b->bounds, a->rec.rank * sizeof(*a->bounds)) : 0;
}

bob_status bob_shapes_build(struct bob_trace *t, struct bob_process *p)
{
	const struct bob_recorded_shape **sorted;
	struct bob_shape_known *k = NULL;

	(void)t;
	if (!p->shape_count)
		return BOB_OK;
	sorted = malloc(p->shape_count * sizeof(const struct bob_recorded_shape *));
	p->known = malloc(p->shape_count * sizeof(*p->known));
	if (!sorted || !p->known) {
		free(sorted);
		return BOB_ERR_NOMEM;
	}
	for (size_t i = 0; i < p->shape_count; i++)
		sorted[i] = &p->shapes[i];
	qsort(sorted, p->shape_count, sizeof(const struct bob_recorded_shape *), by_address);
	for (size_t i = 0; i < p->shape_count; i++) {
		const struct bob_recorded_shape *s = sorted[i];

		if (!k || k->as->rec.address != s->rec.address) {
			k = &p->known[p->known_count++];
			*k = (struct bob_shape_known){ s, elements_of(s), 1, 0 };
			continue;
		}
		k->variants += !same_bounds(sorted[i - 1], s);
		k->varies |= !same_subscripts(k->as, s);
	}
	free(sorted);
	return BOB_OK;
}

/* --- queries --- */

static void place(const struct bob_shape_known *k, uint64_t distance, struct bob_shape *out)
{
	const struct bob_rec_shape *rec = &k->as->rec;
	uint64_t n;

	out->number = distance / rec->element;
	out->offset = (uint32_t)(distance % rec->element);
	out->inside = out->number < k->elements;
	n = out->number;
	for (uint32_t d = 0; d < rec->rank && out->inside; d++) {
		uint64_t extent = (uint64_t)k->as->bounds[d][1];

		out->subscript[d] = k->as->bounds[d][0] + (int64_t)(n % extent);
		n /= extent;
	}
}

static void describe(const struct bob_shape_known *k, const struct bob_object *named,
		     struct bob_shape *out)
{
	const struct bob_rec_shape *rec = &k->as->rec;

	memset(out, 0, sizeof(*out));
	out->name = named ? named->name : "";
	out->image = named ? named->image : ~0u;
	out->address = rec->address;
	out->element = rec->element;
	out->rank = rec->rank;
	out->rows_first = (rec->flags & BOB_SHAPE_ROWS_FIRST) != 0;
	out->variants = k->variants;
	out->varies = k->varies || k->variants >= VARIANTS_MAX;
	out->bounds = k->as->bounds;
	out->elements = k->elements;
}

/* Returns 0 if `address` is in another object. */
static int fill(const struct bob_trace *t, uint32_t process, const struct bob_shape_known *k,
		uint64_t address, struct bob_shape *out)
{
	const struct bob_rec_shape *rec = &k->as->rec;
	struct bob_object o;
	int named = bob_trace_object(t, process, address, &o) == BOB_OK && !o.is_section;

	if (named && o.address != rec->address)
		return 0;
	if (!named && address - rec->address >= k->elements * rec->element)
		return 0;
	describe(k, named ? &o : NULL, out);
	place(k, address - rec->address, out);
	return 1;
}

/* An object that shares the variable's storage and begins before it contains addresses below the
 * variable, where no other variable is. Returns 0 if `address` is not one of these. */
static int fill_before(const struct bob_trace *t, uint32_t process, const struct bob_shape_known *k,
		       uint64_t address, struct bob_shape *out)
{
	const struct bob_rec_shape *rec = &k->as->rec;
	const uint64_t distance = rec->address - address;
	struct bob_object o;

	if (distance > BEFORE_MOST ||
	    (bob_trace_object(t, process, address, &o) == BOB_OK && !o.is_section) ||
	    bob_trace_object(t, process, rec->address, &o) != BOB_OK || o.address != rec->address)
		return 0;
	describe(k, &o, out);
	out->before = 1;
	out->number = (distance + rec->element - 1) / rec->element;
	out->offset = (uint32_t)(out->number * rec->element - distance);
	return 1;
}

bob_status bob_trace_shape_sized(const struct bob_trace *t, uint32_t process, uint64_t address,
				 struct bob_shape *out, size_t out_size)
{
	struct bob_shape s;
	const struct bob_process *p = process < t->process_count ? t->processes[process] : NULL;
	size_t lo;

	/* the first one after it */
	BOB_PARTITION_POINT(lo, p ? p->known_count : 0, mid,
			    p->known[mid].as->rec.address <= address);
	if (!(lo && fill(t, process, &p->known[lo - 1], address, &s)) &&
	    !(p && lo < p->known_count && fill_before(t, process, &p->known[lo], address, &s)))
		return BOB_NONE;
	bob_sized_copy(out, out_size, &s, sizeof(s));
	return BOB_OK;
}

bob_status bob_trace_shape_at_sized(const struct bob_trace *t, uint32_t process, uint32_t index,
				    struct bob_shape *out, size_t out_size)
{
	struct bob_shape s;
	const struct bob_process *p = process < t->process_count ? t->processes[process] : NULL;

	if (!p || index >= p->known_count)
		return BOB_NONE;
	if (!fill(t, process, &p->known[index], p->known[index].as->rec.address, &s))
		memset(&s, 0, sizeof(s)); /* another object begins before it and contains it */
	bob_sized_copy(out, out_size, &s, sizeof(s));
	return BOB_OK;
}
