/* SPDX-License-Identifier: BSD-3-Clause */
/* An MPI program whose ranks do the same at other addresses: a matrix product by threads, accesses
 * to a row of a neighbour (the first rank has its row on the other side), and work that is affine
 * in the rank. The trace must not grow with the number of ranks.
 *     mem_ranks SIZE THREADS */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static double *a, *b, *c;
static int n, threads, rank, ranks;

static void *multiply(void *arg)
{
	int first = (int)(long)arg;

	for (int i = first; i < n; i += threads)
		for (int j = 0; j < n; j++) {
			double s = 0;

			for (int k = 0; k < n; k++)
				s += a[i * n + k] * b[k * n + j];
			c[i * n + j] = s;
		}
	return NULL;
}

__attribute__((noinline)) static void neighbour(void)
{
	for (int i = 0; i < n; i++)
		c[i] += a[i * n + (rank ? 0 : n - 1)];
}

__attribute__((noinline)) static void own_share(double *all)
{
	for (int i = 0; i < n; i++)
		all[rank * n + i] = i;
}

int main(int argc, char **argv)
{
	pthread_t t[64];
	double sum = 0, total = 0, *all;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	n = argc > 1 ? atoi(argv[1]) : 10;
	threads = argc > 2 ? atoi(argv[2]) : 1;
	a = calloc((size_t)n * n, sizeof(*a));
	b = calloc((size_t)n * n, sizeof(*b));
	c = calloc((size_t)n * n, sizeof(*c));
	all = calloc(64 * (size_t)n, sizeof(*all));
	for (int i = 0; i < n * n; i++) {
		a[i] = i % 7 + rank;
		b[i] = i % 5;
	}
	for (long i = 0; i < threads; i++)
		pthread_create(&t[i], NULL, multiply, (void *)i);
	for (int i = 0; i < threads; i++)
		pthread_join(t[i], NULL);
	neighbour();
	own_share(all);
	for (int i = 0; i < n * n; i++)
		sum += c[i];
	MPI_Reduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
	if (!rank)
		printf("%.0f\n", total + all[0]);
	MPI_Finalize();
	return 0;
}
