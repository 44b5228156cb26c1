/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory accesses with known cache misses: a matrix walked by rows and by columns, a list in random
 * order, and, with the argument "threads", two threads that count in one line and in two. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define N 200
#define ROUNDS 10000

static volatile double matrix[N][N];
static volatile unsigned next[4096];
static struct {
	volatile long a, b;
} together __attribute__((aligned(128)));
static struct {
	volatile long a;
	char padding[120];
	volatile long b;
} apart __attribute__((aligned(128)));

static void *first(void *p)
{
	for (int i = 0; i < ROUNDS; i++) {
		together.a++;
		apart.a++;
	}
	return p;
}

static void *second(void *p)
{
	for (int i = 0; i < ROUNDS; i++) {
		together.b++;
		apart.b++;
	}
	return p;
}

static double walk(void)
{
	double sum = 0;

	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++)
			matrix[i][j] = sum++;
	for (int j = 0; j < N; j++)
		for (int i = 0; i < N; i++)
			sum += matrix[i][j];
	for (unsigned i = 0; i < 4096; i++)
		next[i] = (i * 1229 + 3) % 4096;
	for (unsigned i = 0, at = 0; i < 20000; i++)
		at = next[at];
	return sum;
}

int main(int argc, char **argv)
{
	pthread_t a, b;

	if (argc > 1 && !strcmp(argv[1], "threads")) {
		pthread_create(&a, NULL, first, NULL);
		pthread_create(&b, NULL, second, NULL);
		pthread_join(a, NULL);
		pthread_join(b, NULL);
	} else {
		printf("%g\n", walk());
	}
	return 0;
}
