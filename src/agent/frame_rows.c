/* SPDX-License-Identifier: BSD-3-Clause */
/* Look-up of a plan's frame rows by address. */
#include "agent/agent.h"

const struct bob_plan_fde *rows_fde(const struct bob_plan_head *plan, uint64_t addr)
{
	const struct bob_plan_fde *f = bob_plan_section(plan, &plan->fdes);
	uint64_t n = plan->fdes.len / sizeof(*f), lo = 0;

	while (lo < n) {
		uint64_t mid = lo + (n - lo) / 2;

		if (f[mid].hi <= addr)
			lo = mid + 1;
		else if (f[mid].lo > addr)
			n = mid;
		else
			return &f[mid];
	}
	return NULL;
}

const struct bob_plan_row *rows_row(const struct bob_plan_head *plan, const struct bob_plan_fde *f,
				    uint64_t addr)
{
	const struct bob_plan_row *r = bob_plan_section(plan, &plan->rows);
	uint32_t start = (uint32_t)(addr - f->lo), lo = 0, n = f->row_count;

	r += f->row;
	while (n - lo > 1) { /* binary search for the last row that begins at or before start */
		uint32_t mid = lo + (n - lo) / 2;

		if (r[mid].start <= start)
			lo = mid;
		else
			n = mid;
	}
	return n && r[lo].start <= start ? &r[lo] : NULL;
}
