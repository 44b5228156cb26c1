/* SPDX-License-Identifier: BSD-3-Clause */
/* Sizes, time steps and checks of FT: sums over probed points, and a transform there and back. */
#include "ft.h"

#include "frame/frame.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SEED 161803398ull
#define ALPHA 1e-4
#define PROBES 1024

struct problem {
	int n, steps;
	double sum_re, sum_im;	/* from a run on one rank */
};

static const struct problem SMALL = { 64, 100, 50265.17961595165, 51338.76574780788 };
static const struct problem LARGE = { 128, 64, 32751.11940797635, 32697.96078838051 };

static void fill_start(const struct ft_box *b, double complex *by_z)
{
	long plane = (long)b->n * b->n;
	uint64_t state = frame_random_at(SEED, 2ull * (uint64_t)(b->rank * b->share * plane));

	for (long i = 0; i < b->share * plane; i += b->n)
		frame_random_fill(&state, (double *)(by_z + i), 2 * b->n);
}

/* The sum of PROBES points spread over the whole box. */
static double complex probe(const struct ft_box *b, const double complex *by_z)
{
	double complex sum = 0;

	for (int i = 1; i <= PROBES; i++) {
		int x = i % b->n, y = 3 * i % b->n, z = 5 * i % b->n - b->rank * b->share;

		if (z >= 0 && z < b->share)
			sum += by_z[((long)z * b->n + y) * b->n + x];
	}
	return CMPLX(frame_sum(creal(sum)), frame_sum(cimag(sum)));
}

/* Largest change of the start by a transform there and back. */
static double round_trip(const struct ft_box *b, double complex *by_z, double complex *by_y)
{
	long points = (long)b->share * b->n * b->n;
	double complex *start = frame_alloc((uint64_t)points, sizeof(*start));
	double worst = 0;

	fill_start(b, start);
	memcpy(by_z, start, (size_t)points * sizeof(*start));
	ft_forward(b, by_z, by_y);
	ft_inverse(b, by_y, by_z);
	for (long i = 0; i < points; i++)
		worst = fmax(worst, cabs(by_z[i] - start[i]));
	free(start);
	return frame_sum(worst);
}

int main(int argc, char **argv)
{
	struct frame f;
	struct ft_box b;
	const struct problem *p;
	double complex *by_z, *start, *by_y, sum = 0;
	double error;
	uint64_t points;

	frame_begin(&f, "ft", &argc, &argv);
	p = f.size == 'S' ? &SMALL : &LARGE;
	ft_box_create(&b, p->n, f.rank, f.ranks, frame_share(&f, p->n));
	points = (uint64_t)b.share * (uint64_t)b.n * (uint64_t)b.n;
	by_z = frame_alloc(points, sizeof(*by_z));
	by_y = frame_alloc(points, sizeof(*by_y));
	start = frame_alloc(points, sizeof(*start));
	error = round_trip(&b, by_z, by_y);
	fill_start(&b, by_z);

	frame_start(&f);
	ft_forward(&b, by_z, start);
	for (int t = 1; t <= p->steps; t++) {
		ft_evolve(&b, start, by_y, ALPHA * t);
		ft_inverse(&b, by_y, by_z);
		sum += probe(&b, by_z);
	}
	frame_stop(&f);

	frame_check_below(&f, "round_trip", error, 1e-12);
	frame_check(&f, "sum_re", creal(sum), p->sum_re, 1e-10);
	frame_check(&f, "sum_im", cimag(sum), p->sum_im, 1e-10);
	free(by_z);
	free(by_y);
	free(start);
	ft_box_destroy(&b);
	return frame_end(&f);
}
