/* SPDX-License-Identifier: BSD-3-Clause */
/* CG-like: conjugate gradients, the matrix divided into blocks of rows and columns as in NPB. A row
 * of ranks sums by exchanges with rank ^ 2^i; an exchange with the transposed rank returns the
 * vector.
 *
 *     mpirun -n 8 cg [ROWS [ROUNDS]]     a power of two; 512 rows, 5 rounds of 25 steps
 *
 * The result is checked with a tolerance for the order of additions. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEPS 25
#define EXPECTED 0.135916458

static int rank, across, down; /* ranks in a row, rows of ranks */
static int rows, columns;      /* of the own block */
static double *block, *part, *other;

static double entry(int i, int j)
{
	return i == j ? 12 + i % 7 : (i * j + i + j) % 11 ? 0 : 1.0 / (1 + abs(i - j) % 13);
}

static void swap(double *mine, double *theirs, int n, int peer)
{
	MPI_Request request;

	MPI_Irecv(theirs, n, MPI_DOUBLE, peer, 1, MPI_COMM_WORLD, &request);
	MPI_Send(mine, n, MPI_DOUBLE, peer, 1, MPI_COMM_WORLD);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void sum_row(double *x, int n)
{
	for (int bit = 1; bit < across; bit *= 2) {
		swap(x, other, n, rank ^ bit);
		for (int i = 0; i < n; i++)
			x[i] += other[i];
	}
}

/* y = A x; both are distributed by columns: each rank of a column of ranks has the same part. */
static void multiply(const double *x, double *y)
{
	int k = rank % across, r = rank / across, two = across / down;
	int peer = k / two * across + r * two + k % two;

	memset(part, 0, (size_t)rows * sizeof(*part));
	for (int i = 0; i < rows; i++)
		for (int j = 0; j < columns; j++)
			part[i] += block[i * columns + j] * x[j];
	sum_row(part, rows);
	if (peer == rank)
		memcpy(y, part + k % two * columns, (size_t)columns * sizeof(*y));
	else
		swap(part + k % two * columns, y, columns, peer);
}

static double dot(const double *x, const double *y)
{
	double sum = 0;

	for (int i = 0; i < columns; i++)
		sum += x[i] * y[i];
	sum_row(&sum, 1);
	return sum;
}

static double *vector(int n)
{
	double *p = calloc((size_t)n, sizeof(*p));

	if (!p)
		MPI_Abort(MPI_COMM_WORLD, 2);
	return p;
}

/* z = about A^-1 x; returns the norm of the residual. */
static double solve(const double *x, double *z)
{
	static double *r, *p, *q;
	double rho;

	r = r ? r : vector(columns);
	p = p ? p : vector(columns);
	q = q ? q : vector(columns);
	memset(z, 0, (size_t)columns * sizeof(*z));
	memcpy(r, x, (size_t)columns * sizeof(*r));
	memcpy(p, x, (size_t)columns * sizeof(*p));
	rho = dot(r, r);
	for (int step = 0; step < STEPS; step++) {
		double alpha, before = rho;

		multiply(p, q);
		alpha = rho / dot(p, q);
		for (int i = 0; i < columns; i++) {
			z[i] += alpha * p[i];
			r[i] -= alpha * q[i];
		}
		rho = dot(r, r);
		for (int i = 0; i < columns; i++)
			p[i] = r[i] + rho / before * p[i];
	}
	multiply(z, q);
	for (int i = 0; i < columns; i++)
		r[i] = x[i] - q[i];
	return sqrt(dot(r, r));
}

int main(int argc, char **argv)
{
	int ranks, n = 512, rounds = 5;
	double result = 0, left = 1, *x, *z;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	n = argc > 1 ? atoi(argv[1]) : n;
	rounds = argc > 2 ? atoi(argv[2]) : rounds;
	for (across = down = 1; across * down < ranks;)
		*(across > down ? &down : &across) *= 2;
	if (across * down != ranks || n < across || n % across || rounds < 1) {
		if (!rank)
			fprintf(stderr, "cg: want a power of two of ranks that divides the rows\n");
		MPI_Finalize();
		return 2;
	}
	rows = n / down;
	columns = n / across;
	block = vector(rows * columns);
	part = vector(rows);
	other = vector(rows);
	x = vector(columns);
	z = vector(columns);
	for (int i = 0; i < rows; i++)
		for (int j = 0; j < columns; j++)
			block[i * columns + j] =
				entry(i + rank / across * rows, j + rank % across * columns) +
				entry(j + rank % across * columns, i + rank / across * rows);
	for (int i = 0; i < columns; i++)
		x[i] = 1;
	for (int round = 0; round < rounds; round++) {
		left = solve(x, z);
		result = dot(x, z);
		double norm = 1 / sqrt(dot(z, z));
		for (int i = 0; i < columns; i++)
			x[i] = norm * z[i];
	}
	if (!rank)
		printf("%d rows, %d rounds: %.9f, left %s\n", n, rounds, result,
		       left < 1e-6 ? "nothing" : "something");
	MPI_Finalize();
	return left > 1e-6 ||
	       (n == 512 && rounds == 5 && !(fabs(result - EXPECTED) < 1e-8 * EXPECTED));
}
