/* SPDX-License-Identifier: BSD-3-Clause */
/* One pentadiagonal line: I + step * (speed * central difference - NU * second difference +
 * EPS * fourth difference), eliminated downwards, substituted upwards. */
#include "sp.h"

#define NU 0.8
#define EPS 0.05

void sp_line_forward(const double *u, size_t u_stride, int axis, int field, double step, int n,
		     double *delta, double *p, double *q, size_t stride, struct sp_carry *c)
{
	double far = step * EPS, near = step * (NU + 4 * EPS);
	double middle = 1 + step * (2 * NU + 6 * EPS);

	for (int m = 0; m < n; m++) {
		double half = 0.5 * step * sp_speed(u + (size_t)m * u_stride, axis, field);
		double below = -near - half, diag = middle, above = -near + half;
		double right = delta[(size_t)m * stride];

		below -= far * c->p[1];
		diag -= far * c->q[1];
		right -= far * c->r[1];
		diag -= below * c->p[0];
		above -= below * c->q[0];
		right -= below * c->r[0];

		c->p[1] = c->p[0];
		c->q[1] = c->q[0];
		c->r[1] = c->r[0];
		diag = 1.0 / diag;
		c->p[0] = above * diag;
		c->q[0] = far * diag;
		c->r[0] = right * diag;
		p[(size_t)m * stride] = c->p[0];
		q[(size_t)m * stride] = c->q[0];
		delta[(size_t)m * stride] = c->r[0];
	}
}

void sp_line_back(int n, double *delta, const double *p, const double *q, size_t stride,
		  double next[2])
{
	for (int m = n - 1; m >= 0; m--) {
		size_t at = (size_t)m * stride;

		delta[at] -= p[at] * next[0] + q[at] * next[1];
		next[1] = next[0];
		next[0] = delta[at];
	}
}
