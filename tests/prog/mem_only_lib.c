/* SPDX-License-Identifier: BSD-3-Clause */
/* An object that mem_only.c loads. */
double of_library[100];

double work_of_library(double *x, int n)
{
	double s = 0;

	for (int i = 0; i < n; i++) {
		of_library[i] = x[i] + i;
		s += of_library[i / 2];
	}
	return s;
}
