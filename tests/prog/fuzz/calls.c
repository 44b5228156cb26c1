/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls that recur. For tests/fuzz/trace_corpus.py. */
static int odd(int n);
static int even(int n)
{
	return n ? odd(n - 1) : 1;
}
static int odd(int n)
{
	return n ? even(n - 1) : 0;
}
int main(void)
{
	int s = 0;
	for (int i = 0; i < 20; i++)
		s += even(i % 3);
	return s < 0;
}
