/* SPDX-License-Identifier: BSD-3-Clause */
/* Inlined functions in C: nested, several times in a function, in loops, recursive, with a part
 * that the compiler splits off, in a function that exists inlined and not. Prints a sum. argv: kill
 * itself before */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "mem_inlined.h"

#define N 30

struct node {
	struct node *left, *right;
	long key;
};

struct field {
	double *v;
	int n;
};

static double grid[N][N];
static struct node nodes[N];
static long counts[4];
volatile int never;

static inline struct node *insert(struct node *root, struct node *n)
{
	if (!root)
		return n;
	if (n->key < root->key)
		root->left = insert(root->left, n);
	else
		root->right = insert(root->right, n);
	return root;
}

static inline void count(long x)
{
	counts[x & 3]++;
	if (__builtin_expect(x < 0, 0)) {
		counts[0] = 0;
		counts[1] = 0;
		fprintf(stderr, "%ld\n", counts[2]);
		abort();
	}
}

static long walk(const struct node *n)
{
	if (!n)
		return 0;
	count(n->key);
	return walk(n->left) + n->key + walk(n->right);
}

static inline void row(double *a)
{
	for (int i = 0; i + 2 < N; i++) {
		if (i % 3)
			put(a, i, at(a, i + 1));
		else
			put(a, i, 1);
	}
}

__attribute__((noinline)) static double sweep(int steps)
{
	double sum = 0;

	for (int s = 0; s < steps; s++)
		for (int i = 0; i < N; i++) {
			row(grid[i]);
			sum += pair(grid[i], s);
		}
	return sum;
}

/* With OpenMP the compiler makes a function of the loop; debug information has it in the block. */
__attribute__((noinline)) static void region(struct field *f)
{
	if (f->n > 3) {
		const int last = f->n - 2;
#pragma omp parallel for num_threads(2)
		for (int i = 0; i < last; i++)
			put(f->v, i, at(f->v, i + 1));
	}
}

/* Also called through a pointer: it is inlined, and has code of its own. */
static void (*volatile fill)(double *a);
static void clear(double *a)
{
	for (int i = 0; i < N; i++) {
		a[i] = i;
		count(i);
	}
}

int main(int argc, char **argv)
{
	struct node *root = NULL;

	(void)argv;
	fill = clear;
	for (int i = 0; i < N; i++) {
		nodes[i].key = i * 7 % N;
		root = insert(root, &nodes[i]);
	}
	for (int i = 0; i < N; i++)
		(i & 1 ? fill : clear)(grid[i]);
	clear(grid[1]);
	if (never)
		count(-1);
	struct field f = { calloc(N, sizeof(double)), N };
	region(&f);
	free(f.v);
	double sum = sweep(5);
	long keys = walk(root);
	if (argc > 1)
		raise(SIGKILL);
	printf("%.3f %ld %ld\n", sum, keys, counts[1]);
	return 0;
}
