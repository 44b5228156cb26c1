/* SPDX-License-Identifier: BSD-3-Clause */
/* LU-like: symmetric successive over-relaxation in a box that is divided along two axes. A sweep
 * passes the planes of the third axis as a wavefront: each rank receives edges of its predecessors
 * in both axes, and sends its own to its successors. Ranks at the border have fewer calls.
 *
 *     mpirun -n 8 lu [POINTS [STEPS]]     a power of two; 32 points an axis, 20 steps
 *
 * The order of all additions is that of one rank, so the result is the same. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OMEGA 1.3
#define EXPECTED 1.521958027

static int points = 32, size[2], at[2], dims[2]; /* own points; place among ranks */
static int before[2] = { -1, -1 }, after[2] = { -1, -1 };
static double *u, *edge;

static double *point(int i, int j, int k)
{
	return u + ((size_t)k * (size_t)(size[1] + 2) + (size_t)j) * (size_t)(size[0] + 2) + i;
}

/* A line of a plane's border: all points with index `n` along `axis`. */
static void line(int axis, int n, int k, int out)
{
	for (int m = 1; m <= size[!axis]; m++) {
		double *p = axis ? point(m, n, k) : point(n, m, k);

		*(out ? &edge[m] : p) = *(out ? p : &edge[m]);
	}
}

static void give(int axis, int n, int k, int to)
{
	if (to < 0)
		return;
	line(axis, n, k, 1);
	MPI_Send(edge + 1, size[!axis], MPI_DOUBLE, to, k, MPI_COMM_WORLD);
}

static void take(int axis, int n, int k, int from)
{
	if (from < 0)
		return;
	MPI_Recv(edge + 1, size[!axis], MPI_DOUBLE, from, k, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	line(axis, n, k, 0);
}

static void relax(int i, int j, int k)
{
	double sum = *point(i - 1, j, k) + *point(i + 1, j, k) + *point(i, j - 1, k) +
		     *point(i, j + 1, k) + *point(i, j, k - 1) + *point(i, j, k + 1);

	*point(i, j, k) += OMEGA * (sum / 6.1 - *point(i, j, k));
}

static void sweep_up(void)
{
	for (int k = 1; k <= points; k++) {
		for (int d = 0; d < 2; d++)
			take(d, 0, k, before[d]);
		for (int j = 1; j <= size[1]; j++)
			for (int i = 1; i <= size[0]; i++)
				relax(i, j, k);
		for (int d = 0; d < 2; d++)
			give(d, size[d], k, after[d]);
	}
}

static void sweep_down(void)
{
	for (int k = points; k >= 1; k--) {
		for (int d = 0; d < 2; d++)
			take(d, size[d] + 1, k, after[d]);
		for (int j = size[1]; j >= 1; j--)
			for (int i = size[0]; i >= 1; i--)
				relax(i, j, k);
		for (int d = 0; d < 2; d++)
			give(d, 1, k, before[d]);
	}
}

/* Exchanges whole faces for the next sweep, as NPB's exchange_3. */
static void exchange(int axis, int up)
{
	int to = up ? after[axis] : before[axis], from = up ? before[axis] : after[axis],
	    n = size[!axis] * points;
	double *face = malloc((size_t)n * 2 * sizeof(*face)), *save = edge;
	MPI_Request request;

	if (!face)
		MPI_Abort(MPI_COMM_WORLD, 2);
	if (from >= 0)
		MPI_Irecv(face, n, MPI_DOUBLE, from, 100 + axis, MPI_COMM_WORLD, &request);
	for (int k = 1; k <= points && to >= 0; k++) {
		edge = face + n + (k - 1) * size[!axis] - 1;
		line(axis, up ? size[axis] : 1, k, 1);
	}
	if (to >= 0)
		MPI_Send(face + n, n, MPI_DOUBLE, to, 100 + axis, MPI_COMM_WORLD);
	if (from >= 0)
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	for (int k = 1; k <= points && from >= 0; k++) {
		edge = face + (k - 1) * size[!axis] - 1;
		line(axis, up ? 0 : size[axis] + 1, k, 0);
	}
	edge = save;
	free(face);
}

static double norm(void)
{
	double sum = 0, all;

	for (int k = 1; k <= points; k++)
		for (int j = 1; j <= size[1]; j++)
			for (int i = 1; i <= size[0]; i++)
				sum += *point(i, j, k) * *point(i, j, k);
	MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	return sqrt(all);
}

static void set_up(int rank, int ranks)
{
	size_t n;

	dims[0] = dims[1] = 1;
	while (dims[0] * dims[1] < ranks)
		dims[dims[0] > dims[1]] *= 2;
	at[0] = rank % dims[0];
	at[1] = rank / dims[0];
	for (int d = 0; d < 2; d++) {
		int stride = d ? dims[0] : 1;

		size[d] = points / dims[d];
		before[d] = at[d] ? rank - stride : -1;
		after[d] = at[d] + 1 < dims[d] ? rank + stride : -1;
	}
	n = (size_t)(size[0] + 2) * (size_t)(size[1] + 2) * (size_t)(points + 2);
	u = calloc(n, sizeof(*u));
	edge = calloc((size_t)points + 2, sizeof(*edge));
	if (!u || !edge)
		MPI_Abort(MPI_COMM_WORLD, 2);
	for (int k = 1; k <= points; k++)
		for (int j = 1; j <= size[1]; j++)
			for (int i = 1; i <= size[0]; i++)
				*point(i, j, k) = sin(0.3 * (i + at[0] * size[0])) +
						  cos(0.2 * (j + at[1] * size[1])) + 0.01 * k;
}

int main(int argc, char **argv)
{
	int rank, ranks, steps = 20;
	double result = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	points = argc > 1 ? atoi(argv[1]) : points;
	steps = argc > 2 ? atoi(argv[2]) : steps;
	if (ranks & (ranks - 1) || points < 1 || points * points % ranks || steps < 1) {
		if (!rank)
			fprintf(stderr,
				"lu: want a power of two of ranks that divides the points\n");
		MPI_Finalize();
		return 2;
	}
	set_up(rank, ranks);
	for (int i = 0; i < steps; i++) {
		for (int d = 0; d < 2; d++)
			exchange(d, 0);
		sweep_up();
		for (int d = 0; d < 2; d++)
			exchange(d, 1);
		sweep_down();
		if (i % 5 == 4)
			result = norm();
	}
	if (!rank)
		printf("%d points, %d steps: %.9f\n", points, steps, result);
	MPI_Finalize();
	return points == 32 && steps == 20 && !(fabs(result - EXPECTED) < 1e-8 * EXPECTED);
}
