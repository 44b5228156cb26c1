/* SPDX-License-Identifier: BSD-3-Clause */
/* FT: the heat equation in a periodic box by 3-D Fourier transforms. The box is distributed in
 * slabs of z; for the transform along z an all-to-all exchange converts these to slabs of y. */
#ifndef FT_H
#define FT_H

#include <complex.h>

struct ft_box {
	int n;			/* points along each axis, a power of two */
	int share;		/* planes of a slab */
	int rank, ranks;
	double complex *root;	/* n roots of unity, forward */
	double complex *line;	/* scratch of 2 n */
	double complex *packed;	/* scratch of one slab */
};

void ft_box_create(struct ft_box *b, int n, int rank, int ranks, int share);
void ft_box_destroy(struct ft_box *b);

/* In place, `a` of n points, not scaled; inverse != 0 conjugates the roots. */
void ft_line(const struct ft_box *b, double complex *a, int inverse);
/* The same for the line at a, a + stride, ... */
void ft_strided_line(const struct ft_box *b, double complex *a, int stride, int inverse);

/* All lines along x, and all along y, of one plane [y][x]. */
void ft_plane(const struct ft_box *b, double complex *plane, int inverse);

/* Slabs of z, [z][y][x], to slabs of y, [z][y][x] with all z and few y; and back. */
void ft_turn(const struct ft_box *b, const double complex *by_z, double complex *by_y);
void ft_turn_back(const struct ft_box *b, const double complex *by_y, double complex *by_z);

/* Whole transforms: by_z to by_y (forward), by_y to by_z (inverse, scaled). The input is
 * overwritten. */
void ft_forward(const struct ft_box *b, double complex *by_z, double complex *by_y);
void ft_inverse(const struct ft_box *b, double complex *by_y, double complex *by_z);

/* out = in * exp(-alpha |k|^2), both slabs of y. */
void ft_evolve(const struct ft_box *b, const double complex *in, double complex *out, double alpha);

#endif
