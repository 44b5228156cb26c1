/* SPDX-License-Identifier: BSD-3-Clause */
/* Accesses with known lines and variables: heap arrays through pointers, members, static arrays,
 * local arrays, indices from a table; with an argument it kills itself at the end. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define N 20

struct vector {
	int n;
	double *data;
};

double global[100];
static volatile double hidden[50];
static int where[N * N];

__attribute__((noinline)) void product(const double *a, const double *b, double *c, int n)
{
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++) {
			double sum = 0;

			for (int k = 0; k < n; k++)
				sum += a[i * n + k] * b[k * n + j];
			c[i * n + j] = sum;
		}
}

__attribute__((noinline)) double total(const struct vector *v)
{
	double sum = 0;

	for (int i = 0; i < v->n; i++)
		sum += v->data[i];
	return sum;
}

__attribute__((noinline)) double gather(const double *x, int n)
{
	double sum = 0;

	for (int i = 0; i < n; i++)
		sum += x[where[i]];
	return sum;
}

__attribute__((noinline)) double statics(void)
{
	double sum = 0;

	for (int i = 0; i < 100; i++)
		global[i] = i;
	for (int i = 0; i < 50; i++)
		sum += hidden[i] + global[2 * i];
	return sum;
}

__attribute__((noinline)) double frame(int n)
{
	volatile double row[16];
	double sum = 0;

	for (int i = 0; i < 16; i++)
		row[i] = i * n;
	for (int i = 0; i < 16; i++)
		sum += row[i];
	return sum;
}

int main(int argc, char **argv)
{
	double *a = calloc(N * N, sizeof(*a)), *b = calloc(N * N, sizeof(*b)),
	       *c = calloc(N * N, sizeof(*c));
	struct vector v = { N * N, c };
	unsigned seed = 1;

	for (int i = 0; i < N * N; i++) {
		seed = seed * 1103515245u + 12345u;
		where[i] = (int)((seed >> 8) % (N * N));
	}
	product(a, b, c, N);
	printf("%g\n", total(&v) + gather(a, N * N) + statics() + frame(argc));
	fflush(stdout);
	if (argc > 1)
		kill(getpid(), SIGKILL);
	(void)argv;
	free(a);
	free(b);
	free(c);
	return 0;
}
