/* SPDX-License-Identifier: BSD-3-Clause */
/* Selection of array elements: clips the requested subscripts of each dimension to the array's
 * bounds (a box), and decides whether the element at an offset is in the box. */
#include "probe/places.h"

void bob_pr_measure_wanted(const int64_t wanted[2], int64_t lower, int64_t extent, int64_t *from,
			   int64_t *to)
{
	const uint64_t n = (uint64_t)extent;
	uint64_t first = wanted[0] < lower ? 0 : (uint64_t)wanted[0] - (uint64_t)lower;
	uint64_t last = (uint64_t)wanted[1] - (uint64_t)lower;

	*from = (int64_t)(first < n ? first : n);
	*to = wanted[1] < lower ? -1 : (int64_t)(last < n ? last : n - 1);
}

/* Set the dimensions of the place. Returns the size of the variable in bytes; 0: it has no
 * elements. */
uint64_t bob_pr_measure(struct bob_pr_place *p, const struct bob_probe_variable *v,
			const int64_t (*bounds)[2])
{
	uint64_t bytes = v->element;

	*p = (struct bob_pr_place){ .element = v->element, .rank = v->rank, .whole = !v->wanted,
				    .own = (uint8_t)v->own };
	for (uint32_t d = 0; d < v->rank; d++) {
		if (bounds[d][1] <= 0 || bytes > BOB_PR_BYTES_MAX / (uint64_t)bounds[d][1])
			return 0;
		bytes *= (uint64_t)bounds[d][1];
		p->extent[d] = bounds[d][1];
		if (v->wanted)
			bob_pr_measure_wanted(v->wanted[d], bounds[d][0], bounds[d][1], &p->from[d],
					      &p->to[d]);
	}
	return bytes;
}

/* A place that is changed while it is read has arbitrary contents. The result is then not used, but
 * a division by zero must be avoided. */
bool bob_pr_subscripts(const struct bob_pr_place *p, uint64_t offset, int64_t *s)
{
	uint64_t index = p->element ? offset / p->element : 0;

	for (uint32_t d = 0; d < p->rank; d++) {
		uint64_t extent = (uint64_t)p->extent[d];

		if (!extent)
			return false;
		s[d] = (int64_t)(d + 1 < p->rank ? index % extent : index);
		index /= extent;
	}
	return true;
}

bool bob_pr_wants(const struct bob_pr_place *p, uint64_t offset)
{
	int64_t s[BOB_PROBE_DIMENSIONS_MAX];
	bool ok = p->whole || bob_pr_subscripts(p, offset, s);

	for (uint32_t d = 0; ok && !p->whole && d < p->rank; d++)
		ok = s[d] >= p->from[d] && s[d] <= p->to[d];
	return ok;
}

/* For a partly selected place: the range of bytes around `offset` that are all selected, or all
 * not. Outside the box, the range is along the slowest dimension whose subscript is outside.
 * Inside, it is along the fastest dimension that is partly selected. It includes all faster
 * dimensions. */
void bob_pr_narrow(const struct bob_pr_place *p, uint64_t offset, bool wanted, uint64_t *from,
		   uint64_t *to)
{
	const uint64_t element = p->element ? p->element : 1, at = offset / element;
	uint64_t below = 1, size = 1, extent = 1, lo = 0, hi = 1;

	for (uint32_t d = 0; d < p->rank; d++) {
		const uint64_t n = p->extent[d] > 0 ? (uint64_t)p->extent[d] : 1;
		const int64_t s = (int64_t)(d + 1 < p->rank ? at / below % n : at / below);
		const bool misses = s < p->from[d] || s > p->to[d];
		const bool is_whole = !p->from[d] && p->to[d] + 1 == p->extent[d];

		if (wanted || misses) {
			size = below;
			extent = n;
			lo = s > p->to[d] && p->to[d] >= p->from[d] ? (uint64_t)p->to[d] + 1 : 0;
			hi = s < p->from[d] && p->to[d] >= p->from[d] ? (uint64_t)p->from[d] : n;
		}
		if (wanted && !is_whole) {
			lo = (uint64_t)p->from[d];
			hi = (uint64_t)p->to[d] + 1;
			break;
		}
		below *= n;
	}
	*from = (at - at % (size * extent) + lo * size) * element;
	*to = (at - at % (size * extent) + hi * size) * element;
}
