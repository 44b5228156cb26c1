/* SPDX-License-Identifier: BSD-3-Clause */
/* One chunk of pairs: reject, transform, count. */
#include "ep.h"

#include <math.h>

void ep_tally_chunk(struct ep_tally *t, const double *u, int pairs)
{
	for (int i = 0; i < pairs; i++) {
		double x = 2.0 * u[2 * i] - 1.0;
		double y = 2.0 * u[2 * i + 1] - 1.0;
		double q = x * x + y * y;
		double scale, wide;

		if (q > 1.0 || q == 0.0)
			continue;
		scale = sqrt(-2.0 * log(q) / q);
		x *= scale;
		y *= scale;
		wide = fabs(x) > fabs(y) ? fabs(x) : fabs(y);
		t->annulus[wide < EP_ANNULI ? (int)wide : EP_ANNULI - 1]++;
		t->sum_x += x;
		t->sum_y += y;
	}
}

void ep_tally_add(struct ep_tally *to, const struct ep_tally *from)
{
	for (int i = 0; i < EP_ANNULI; i++)
		to->annulus[i] += from->annulus[i];
	to->sum_x += from->sum_x;
	to->sum_y += from->sum_y;
}
