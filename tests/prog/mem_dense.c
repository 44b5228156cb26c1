/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels for the folding of memory accesses; compiled with -DKIND=matmul etc. argv: N
 * [THREADS]. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#ifndef ELEMENTS
#define ELEMENTS (n * n)
#endif

static long n, threads;
static pthread_barrier_t all;
static double *a, *b, *c;
static int *row, *column;

static void rows(long from, long to)
{
	for (long i = from; i < to; i++)
		for (long j = 0; j < n; j++) {
			double s = 0;

			for (long k = 0; k < n; k++)
				s += a[i * n + k] * b[k * n + j];
			c[i * n + j] = s;
		}
}

static void *work(void *arg)
{
	long t = (long)arg;

	pthread_barrier_wait(&all); /* at work together, as a team is: stacks are not used again */
	rows(t * n / threads, (t + 1) * n / threads);
	return NULL;
}

static void matmul(void)
{
	pthread_t id[64];

	pthread_barrier_init(&all, NULL, (unsigned)threads);
	for (long t = 0; t < threads; t++)
		pthread_create(&id[t], NULL, work, (void *)t);
	for (long t = 0; t < threads; t++)
		pthread_join(id[t], NULL);
}

static void *work_and_wait(void *arg)
{
	work(arg);
	pthread_barrier_wait(&all);
	for (;;)
		pause();
}

/* Threads that are alive when the process ends, as those of OpenMP are. */
static void team(void)
{
	pthread_t id;

	pthread_barrier_init(&all, NULL, (unsigned)threads);
	for (long t = 1; t < threads; t++)
		pthread_create(&id, NULL, work_and_wait, (void *)t);
	work((void *)0);
	pthread_barrier_wait(&all);
}

static void lu(void)
{
	for (long i = 0; i < n; i++)
		a[i * n + i] = (double)n;
	for (long k = 0; k < n; k++)
		for (long i = k + 1; i < n; i++) {
			double l = a[i * n + k] /= a[k * n + k];

			for (long j = k + 1; j < n; j++)
				a[i * n + j] -= l * a[k * n + j];
		}
}

static void cholesky(void)
{
	for (long i = 0; i < n; i++)
		a[i * n + i] = (double)n;
	for (long i = 0; i < n; i++)
		for (long j = 0; j <= i; j++) {
			double s = a[i * n + j];

			for (long k = 0; k < j; k++)
				s -= a[i * n + k] * a[j * n + k];
			a[i * n + j] = s / (i == j ? 1 : a[j * n + j]);
		}
}

static void add(void)
{
	for (long i = 0; i < n; i++)
		c[i] = a[i] + b[i];
}

static unsigned draw(void)
{
	static unsigned s = 1;

	s = s * 1103515245u + 12345;
	return s >> 8;
}

/* A sparse matrix with rows of random length, ten times. */
static void sparse(void)
{
	row = calloc((size_t)n + 1, sizeof(*row));
	for (long i = 0; i < n; i++)
		row[i + 1] = row[i] + 3 + (int)(draw() % 20);
	column = calloc((size_t)row[n], sizeof(*column));
	for (long k = 0; k < row[n]; k++)
		column[k] = (int)(draw() % (unsigned)n);
	for (int t = 0; t < 10; t++)
		for (long i = 0; i < n; i++) {
			double s = 0;

			for (int k = row[i]; k < row[i + 1]; k++)
				s += b[column[k]];
			c[i] = s;
		}
}

struct node {
	struct node *next;
	long value;
};

/* A list in random order. */
static void list(void)
{
	struct node *all = calloc((size_t)n, sizeof(*all)), *first = all;
	long sum = 0;

	for (long i = n - 1; i > 0; i--) {
		long k = (long)(draw() % (unsigned)i);

		all[i].next = all[k].next;
		all[k].next = &all[i];
	}
	for (int t = 0; t < 5; t++)
		for (struct node *p = first; p; p = p->next)
			sum += p->value++;
	c[0] = (double)sum;
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return 2;
	n = atol(argv[1]);
	threads = argc > 2 ? atol(argv[2]) : 1;
	a = calloc((size_t)ELEMENTS, sizeof(*a));
	b = calloc((size_t)ELEMENTS, sizeof(*b));
	c = calloc((size_t)ELEMENTS, sizeof(*c));
	KIND();
	printf("%g %g\n", a[ELEMENTS - 1], c[0]);
	return 0;
}
