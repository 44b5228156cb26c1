/* SPDX-License-Identifier: BSD-3-Clause */
/* Smoothing with a master that sends each slave its rows; slaves exchange borders in each step and
 * return their rows. smooth_mpi STEPS; two ranks or more, N divisible by the number of slaves. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef N
#define N 200
#endif

static double a[N + 2][N], b[N + 2][N];

static void smooth(int rows)
{
	for (int i = 1; i <= rows; i++)
		for (int j = 1; j < N - 1; j++)
			b[i][j] =
				(a[i][j] + a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]) /
				5;
	for (int i = 1; i <= rows; i++)
		for (int j = 1; j < N - 1; j++)
			a[i][j] = b[i][j];
}

static void borders(int rank, int slaves, int rows)
{
	const int up = rank > 1 ? rank - 1 : MPI_PROC_NULL,
		  down = rank < slaves ? rank + 1 : MPI_PROC_NULL;

	MPI_Sendrecv(a[1], N, MPI_DOUBLE, up, 1, a[rows + 1], N, MPI_DOUBLE, down, 1,
		     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Sendrecv(a[rows], N, MPI_DOUBLE, down, 2, a[0], N, MPI_DOUBLE, up, 2, MPI_COMM_WORLD,
		     MPI_STATUS_IGNORE);
}

static void slave(int rank, int slaves, int steps)
{
	const int rows = N / slaves;

	MPI_Recv(a[1], rows * N, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	for (int step = 0; step < steps; step++) {
		borders(rank, slaves, rows);
		smooth(rows);
	}
	MPI_Send(a[1], rows * N, MPI_DOUBLE, 0, 3, MPI_COMM_WORLD);
}

static void master(int slaves)
{
	const int rows = N / slaves;
	double sum = 0;

	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++)
			a[i][j] = (i * 7 + j * 13) % 101;
	for (int s = 0; s < slaves; s++)
		MPI_Send(a[s * rows], rows * N, MPI_DOUBLE, s + 1, 0, MPI_COMM_WORLD);
	for (int s = 0; s < slaves; s++)
		MPI_Recv(a[s * rows], rows * N, MPI_DOUBLE, s + 1, 3, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
	for (int i = 0; i < N; i++)
		sum += a[i][i];
	printf("%.15g\n", sum);
}

int main(int argc, char **argv)
{
	int rank, size, steps = argc > 1 ? atoi(argv[1]) : 1;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (rank)
		slave(rank, size - 1, steps);
	else
		master(size - 1);
	MPI_Finalize();
	return 0;
}
