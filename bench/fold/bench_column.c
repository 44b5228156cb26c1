/* SPDX-License-Identifier: BSD-3-Clause */
/* Cost of a value of a column, by kind: ns, the best of PASSES, and the resulting pieces. The loop
 * that makes the values is included (about 0.4 ns).
 *
 *     tools/build.sh release
 *     gcc -O2 -Isrc -Iinclude bench/fold/bench_column.c -Lbuild/release/lib -lbob_mem -lbob_fold \
 *         -lbob_base -o bench_column && ./bench_column */
#include <stdio.h>
#include <time.h>

#include "fold/column.h"

#define PASSES 5
#define VALUES 20000000u

static void count(void *ctx, const struct bob_piece *p)
{
	(void)p;
	++*(unsigned long *)ctx;
}

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void rows(struct bob_column *c, uint64_t length)
{
	for (uint64_t i = 0; c->values < VALUES; i++)
		for (uint64_t j = 0; j < length; j++)
			bob_column_put(c, i * 10000 + j * 8);
}

static void triangles(struct bob_column *c, uint64_t size)
{
	while (c->values < VALUES)
		for (uint64_t i = 0; i < size; i++)
			for (uint64_t j = 0; j < i; j++)
				bob_column_put(c, i * 10000 + j * 8);
}

static void random_values(struct bob_column *c, uint64_t bits)
{
	uint64_t s = 1;

	while (c->values < VALUES) {
		s = s * 6364136223846793005u + 1442695040888963407u;
		bob_column_put(c, s >> (64 - bits));
	}
}

static void measure(const char *name, void (*make)(struct bob_column *, uint64_t), uint64_t arg)
{
	static struct bob_column c;
	unsigned long pieces = 0;
	double best = 1e18;

	for (int pass = 0; pass < PASSES; pass++) {
		pieces = 0;
		bob_column_init(&c, count, &pieces);
		double t = now_ns();
		make(&c, arg);
		t = (now_ns() - t) / (double)c.values;
		if (t < best)
			best = t;
		bob_column_finish(&c);
	}
	printf("%-22s %6.2f ns %10lu pieces\n", name, best, pieces);
}

int main(void)
{
	printf("%u values each, column of %zu bytes\n", VALUES, sizeof(struct bob_column));
	measure("rows of 3", rows, 3);
	measure("rows of 9", rows, 9);
	measure("rows of 100", rows, 100);
	measure("rows of 1000", rows, 1000);
	measure("triangles of 300 rows", triangles, 300);
	measure("random, 24 bits", random_values, 24);
	measure("random, 2 bits", random_values, 2);
	return 0;
}
