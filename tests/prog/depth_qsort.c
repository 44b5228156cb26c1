/* SPDX-License-Identifier: BSD-3-Clause */
/* Callbacks through libc: qsort, bsearch, a comparator that sorts, and twalk. */
#include <search.h>

#include "truth.h"

static int inner[4];

TFN int t_less(int a, int b)
{
	ENTER(t_less);
	LEAVE;
	return (a > b) - (a < b);
}

TFN int t_compare(const void *a, const void *b)
{
	int r;

	ENTER(t_compare);
	r = t_less(*(const int *)a, *(const int *)b);
	LEAVE;
	return r;
}

TFN int t_compare_deep(const void *a, const void *b)
{
	int r;

	ENTER(t_compare_deep);
	for (int i = 0; i < 4; i++)
		inner[i] = (*(const int *)a * (i + 3)) % 7;
	qsort(inner, 4, sizeof(int), t_compare);
	r = t_less(*(const int *)a, *(const int *)b);
	LEAVE;
	return r;
}

static int visited;

TFN void t_visit(const void *node, VISIT which, int level)
{
	(void)node;
	(void)level;
	ENTER(t_visit);
	visited += which == postorder || which == leaf;
	LEAVE;
}

TFN int t_sort(int n, int deep)
{
	static int v[500];
	void *root = NULL;
	unsigned seed = 12345;
	int key = 250 * 7, sorted = 1;

	ENTER(t_sort);
	for (int i = 0; i < n; i++) {
		seed = seed * 1103515245u + 12345u;
		v[i] = (int)(seed >> 16) % 1000;
	}
	v[n / 2] = key;
	qsort(v, (size_t)n, sizeof(int), deep ? t_compare_deep : t_compare);
	for (int i = 1; i < n; i++)
		sorted &= v[i - 1] <= v[i];
	sorted &= bsearch(&key, v, (size_t)n, sizeof(int), t_compare) != NULL;
	for (int i = 0; i < 20; i++)
		tsearch(&v[i * n / 20], &root, t_compare);
	twalk(root, t_visit);
	LEAVE;
	return sorted;
}

int main(void)
{
	int ok;

	truth_begin(0, 1 << 18);
	ok = t_sort(500, 0) && t_sort(60, 1) && visited > 20 && visited <= 40;
	return truth_end(0, ok);
}
