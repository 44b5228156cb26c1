/* SPDX-License-Identifier: BSD-3-Clause */
/* OpenMP: threads that share an array, a reduction and a critical section. */
#include <stdio.h>

int main(void)
{
	static double a[20000];
	double s = 0;
	long h = 0;

#pragma omp parallel for reduction(+ : s)
	for (int i = 0; i < 20000; i++) {
		a[i] = i * 0.5;
		s += a[i];
	}
#pragma omp parallel for schedule(dynamic, 100)
	for (int i = 0; i < 20000; i++)
#pragma omp critical
		h += (long)a[i];
	printf("%g %ld\n", s, h);
	return 0;
}
