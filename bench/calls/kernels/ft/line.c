/* SPDX-License-Identifier: BSD-3-Clause */
/* One line: Stockham's radix-2 transform, which needs no bit reversal. */
#include "ft.h"

#include <string.h>

static void stage(const double complex *root, const double complex *from, double complex *to,
		  int half, int step, int inverse)
{
	/* `step` interleaved sequences of 2 `half` points each are joined pairwise. */
	for (int p = 0; p < half; p++) {
		double complex w = inverse ? conj(root[p * step]) : root[p * step];
		double wr = creal(w), wi = cimag(w);

		for (int q = 0; q < step; q++) {
			double complex u = from[q + step * p];
			double complex v = from[q + step * (p + half)];
			double dr = creal(u) - creal(v), di = cimag(u) - cimag(v);

			to[q + step * 2 * p] = u + v;
			to[q + step * (2 * p + 1)] = CMPLX(dr * wr - di * wi, dr * wi + di * wr);
		}
	}
}

void ft_line(const struct ft_box *b, double complex *a, int inverse)
{
	double complex *from = a, *to = b->line;

	for (int half = b->n / 2, step = 1; half >= 1; half /= 2, step *= 2) {
		double complex *swap = from;

		stage(b->root, from, to, half, step, inverse);
		from = to;
		to = swap;
	}
	if (from != a)
		memcpy(a, from, (size_t)b->n * sizeof(*a));
}

static void load(double complex *to, const double complex *from, int n, int stride)
{
	for (int i = 0; i < n; i++)
		to[i] = from[(long)i * stride];
}

static void store(double complex *to, const double complex *from, int n, int stride)
{
	for (int i = 0; i < n; i++)
		to[(long)i * stride] = from[i];
}

void ft_strided_line(const struct ft_box *b, double complex *a, int stride, int inverse)
{
	double complex *own = b->line + b->n;

	load(own, a, b->n, stride);
	ft_line(b, own, inverse);
	store(a, own, b->n, stride);
}
