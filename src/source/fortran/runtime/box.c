/* SPDX-License-Identifier: BSD-3-Clause */
/* An array or section as one nest: its dimensions are loops around a single access. Dimensions
 * that are adjacent in memory are one loop, unless only a part of some array is traced (JOINS
 * 0). The nest in the table has as many loops as the array may have dimensions; the others run
 * once. The generator has written before this: `boxes`, for each site 1 + its nest, or 0. */

static int pass_box(int32_t site, const CFI_cdesc_t *d)
{
	const int nest = boxes[site] - 1, depth = nest < 0 ? 0 : (int)nests[nest].depth;
	int64_t trips[BOB_PROBE_NEST_DEPTH_MAX], step[BOB_PROBE_NEST_DEPTH_MAX];
	const volatile void *at = d->base_addr;
	int loop = depth - 1, k = 0;

	if (nest < 0 || d->rank > depth || d->elem_len != sites[site].size)
		return 0;
	for (; k < d->rank; loop--) {
		step[loop] = d->dim[k].sm;
		trips[loop] = d->dim[k].extent;
		for (k++; JOINS && k < d->rank && d->dim[k].sm == step[loop] * trips[loop]; k++)
			trips[loop] *= d->dim[k].extent;
	}
	for (; loop >= 0; loop--) {
		step[loop] = 0;
		trips[loop] = 1;
	}
	bob_probe_nest(&here, (uint32_t)nest, trips, &at, step);
	return 1;
}
