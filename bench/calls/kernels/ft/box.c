/* SPDX-License-Identifier: BSD-3-Clause */
/* The box, its transforms plane by plane, and the step in Fourier space. */
#include "ft.h"

#include "frame/frame.h"

#include <math.h>
#include <stdlib.h>

void ft_box_create(struct ft_box *b, int n, int rank, int ranks, int share)
{
	b->n = n;
	b->share = share;
	b->rank = rank;
	b->ranks = ranks;
	b->root = frame_alloc((uint64_t)n, sizeof(*b->root));
	b->line = frame_alloc(2 * (uint64_t)n, sizeof(*b->line));
	b->packed = frame_alloc((uint64_t)share * (uint64_t)n * (uint64_t)n, sizeof(*b->packed));
	for (int i = 0; i < n; i++)
		b->root[i] = CMPLX(cos(2 * M_PI * i / n), -sin(2 * M_PI * i / n));
}

void ft_box_destroy(struct ft_box *b)
{
	free(b->root);
	free(b->line);
	free(b->packed);
}

void ft_plane(const struct ft_box *b, double complex *plane, int inverse)
{
	for (int y = 0; y < b->n; y++)
		ft_line(b, plane + (long)y * b->n, inverse);
	for (int x = 0; x < b->n; x++)
		ft_strided_line(b, plane + x, b->n, inverse);
}

static void along_z(const struct ft_box *b, double complex *by_y, int inverse)
{
	int lines = b->share * b->n;

	for (int i = 0; i < lines; i++)
		ft_strided_line(b, by_y + i, lines, inverse);
}

void ft_forward(const struct ft_box *b, double complex *by_z, double complex *by_y)
{
	for (int z = 0; z < b->share; z++)
		ft_plane(b, by_z + (long)z * b->n * b->n, 0);
	ft_turn(b, by_z, by_y);
	along_z(b, by_y, 0);
}

static void scale(double complex *a, long count, double s)
{
	for (long i = 0; i < count; i++)
		a[i] *= s;
}

void ft_inverse(const struct ft_box *b, double complex *by_y, double complex *by_z)
{
	double points = (double)b->n * b->n * b->n;

	along_z(b, by_y, 1);
	ft_turn_back(b, by_y, by_z);
	for (int z = 0; z < b->share; z++)
		ft_plane(b, by_z + (long)z * b->n * b->n, 1);
	scale(by_z, (long)b->share * b->n * b->n, 1.0 / points);
}

static double squared(const struct ft_box *b, int index)
{
	int k = index < b->n / 2 ? index : index - b->n;

	return (double)k * k;
}

static void evolve_row(const struct ft_box *b, const double complex *in, double complex *out,
		       double alpha, double yz)
{
	for (int x = 0; x < b->n; x++)
		out[x] = in[x] * exp(-alpha * (yz + squared(b, x)));
}

void ft_evolve(const struct ft_box *b, const double complex *in, double complex *out, double alpha)
{
	for (int z = 0; z < b->n; z++)
		for (int y = 0; y < b->share; y++) {
			long row = ((long)z * b->share + y) * b->n;

			evolve_row(b, in + row, out + row, alpha,
				   squared(b, z) + squared(b, b->rank * b->share + y));
		}
}
