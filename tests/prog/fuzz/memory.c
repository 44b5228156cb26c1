/* SPDX-License-Identifier: BSD-3-Clause */
/* Loops over arrays, some of which no rule describes. For tests/fuzz/trace_corpus.py. */
static double a[12][10];
static int order[16], n;
static void fill(int k)
{
	for (int i = 0; i < 12 - k; i++)
		for (int j = 0; j < 10; j++)
			a[i][j] += a[j][i % 10] + k;
}
int main(void)
{
	for (int k = 0; k < 2; k++)
		fill(k);
	for (unsigned i = 0, x = 7; i < 16; i++) {
		x = x * 1103515245 + 12345;
		order[x >> 28] += (x & 64) ? n++ : 1;
	}
	return a[1][1] < 0;
}
