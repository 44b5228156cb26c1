/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the bounds of variables to the trace, from which a reader computes subscripts of elements.
 * Constant bounds are written when the file is registered. Other bounds are written when the
 * variable is declared with bounds that have not been written before. */
#include <stdlib.h>
#include <string.h>

#include "archive/format.h"
#include "archive/write/write.h"
#include "base/hash.h"
#include "probe/probe.h"

#define RECORD_BYTES                                                                               \
	(sizeof(struct bob_record) + sizeof(struct bob_rec_shape) +                                \
	 BOB_PROBE_DIMENSIONS_MAX * 2 * sizeof(int64_t))

static bool has_elements(const struct bob_probe_variable *v, const int64_t (*bounds)[2])
{
	uint64_t bytes = v->element;

	if (!bytes || v->rank > BOB_PROBE_DIMENSIONS_MAX || (v->rank && !bounds))
		return false;
	for (uint32_t d = 0; d < v->rank; d++) {
		if (bounds[d][1] <= 0 || bounds[d][0] > INT64_MAX / 2 ||
		    bounds[d][0] < -INT64_MAX / 2 ||
		    bytes > (1ull << BOB_PR_VARIABLE_SHIFT) / (uint64_t)bounds[d][1])
			return false;
		bytes *= (uint64_t)bounds[d][1];
	}
	return true;
}

static uint64_t key_of(const struct bob_probe_variable *v, const int64_t (*bounds)[2])
{
	return bob_hash64(1, bounds, v->rank * sizeof(*bounds)) | 1;
}

static void put(struct bob_meta *m, const struct bob_probe_variable *v, const int64_t (*bounds)[2],
		uint64_t address)
{
	const struct bob_rec_shape s = { .address = address, .element = v->element, .rank = v->rank,
					 .flags = v->rows_first ? BOB_SHAPE_ROWS_FIRST : 0 };

	bob_meta_begin(m, BOB_REC_SHAPE);
	bob_meta_append(m, &s, sizeof(s));
	if (v->rank)
		bob_meta_append(m, bounds, v->rank * sizeof(*bounds));
	bob_meta_end(m);
}

size_t bob_pr_shapes(const struct bob_probe_file *f, struct bob_pr_file *own, uint8_t **bytes)
{
	const size_t capacity = f->variables * RECORD_BYTES;
	struct bob_meta m;

	own->shape = calloc(f->variables + 1u, sizeof(*own->shape));
	*bytes = malloc(capacity + 1);
	bob_meta_init(&m, *bytes, *bytes ? capacity : 0);
	for (uint32_t i = 0; i < f->variables && own->shape; i++) {
		const struct bob_probe_variable *v = &f->variable[i];

		if (!has_elements(v, v->bounds))
			continue;
		put(&m, v, v->bounds, bob_pr_address(own, i));
		own->shape[i].key[own->shape[i].count++] = key_of(v, v->bounds);
	}
	return m.len;
}

void bob_pr_shape_report(const struct bob_probe_file *f, uint32_t variable,
			 const int64_t (*bounds)[2])
{
	const struct bob_probe_variable *v = &f->variable[variable];
	const struct bob_pr_file *own = f->own;
	struct bob_pr_shape *s = own->shape ? &own->shape[variable] : NULL;
	uint64_t capacity[RECORD_BYTES / sizeof(uint64_t)], key;
	struct bob_meta m;
	uint32_t n;

	if (!s || !has_elements(v, bounds))
		return;
	key = key_of(v, bounds);
	n = __atomic_load_n(&s->count, __ATOMIC_ACQUIRE);
	for (uint32_t i = 0; i < n && i < BOB_PR_SHAPES_MAX; i++)
		if (__atomic_load_n(&s->key[i], __ATOMIC_RELAXED) == key)
			return;
	if (n >= BOB_PR_SHAPES_MAX)
		return;
	n = __atomic_fetch_add(&s->count, 1, __ATOMIC_ACQ_REL);
	if (n >= BOB_PR_SHAPES_MAX)
		return;
	bob_meta_init(&m, capacity, sizeof(capacity));
	put(&m, v, bounds, bob_pr_address(own, variable));
	if (bob_pr_agent->source_report(m.buf, m.len))
		__atomic_store_n(&s->key[n], key, __ATOMIC_RELEASE);
}
