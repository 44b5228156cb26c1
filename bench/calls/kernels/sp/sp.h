/* SPDX-License-Identifier: BSD-3-Clause */
/* SP: five coupled advection-diffusion equations in a box, in time by approximate factorisation:
 * scalar pentadiagonal systems along every line of x, y and z. Slabs of z; the solves along z run
 * as a pipeline through the ranks, one row of lines after the other. */
#ifndef SP_H
#define SP_H

#include <stddef.h>

#define SP_FIELDS 5
#define SP_GHOSTS 2

struct sp_box {
	int n, planes, first;	/* points 0..n-1 on an axis; own planes 0..planes-1 */
	int rank, ranks;
	double step;		/* in time */
	double *u;		/* with two ghosts on every side, fixed at the walls */
	double *force, *delta;	/* without ghosts, laid out [z][y][x][field] */
	double *p, *q;		/* eliminated coefficients of all lines along z, as delta */
};

/* The last two rows of a partly eliminated line: x[m] + p x[m+1] + q x[m+2] = r. */
struct sp_carry {
	double p[2], q[2], r[2];	/* [0] is the last row, [1] the one before */
};

static inline size_t sp_at(const struct sp_box *b, int z, int y, int x)
{
	size_t w = (size_t)b->n + 2 * SP_GHOSTS;

	return ((((size_t)(z + SP_GHOSTS)) * w + (size_t)(y + SP_GHOSTS)) * w +
		(size_t)(x + SP_GHOSTS)) *
	       SP_FIELDS;
}

static inline size_t sp_in(const struct sp_box *b, int z, int y, int x)
{
	return (((size_t)z * (size_t)b->n + (size_t)y) * (size_t)b->n + (size_t)x) * SP_FIELDS;
}

void sp_box_create(struct sp_box *b, int n, int rank, int ranks, int planes);
void sp_box_destroy(struct sp_box *b);

/* The solution at rest; any point, ghosts too. */
double sp_exact(const struct sp_box *b, int z, int y, int x, int field);

/* Speed of a field along an axis at a state; what makes the scheme nonlinear. */
static inline double sp_speed(const double *state, int axis, int field)
{
	return 0.3 + 0.1 * axis + 0.05 * field + 0.1 * state[(field + axis) % SP_FIELDS];
}

void sp_fill_ghosts(struct sp_box *b);
/* out = step * (force - N(u)) on one row of points; force NULL means zero. */
void sp_row_change(const struct sp_box *b, int z, int y, const double *force, double *out);
void sp_change(struct sp_box *b);	/* delta of the whole slab */

/* One line of n points, `stride` doubles apart in u and delta; p, q are scratch, n values each. */
void sp_line_forward(const double *u, size_t u_stride, int axis, int field, double step, int n,
		     double *delta, double *p, double *q, size_t stride, struct sp_carry *c);
void sp_line_back(int n, double *delta, const double *p, const double *q, size_t stride,
		  double next[2]);

void sp_solve_x(struct sp_box *b);
void sp_solve_y(struct sp_box *b);
void sp_solve_z(struct sp_box *b);
void sp_add(struct sp_box *b);

double sp_change_norm(const struct sp_box *b);	/* collective */
double sp_error_norm(const struct sp_box *b);	/* collective */

#endif
