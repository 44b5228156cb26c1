/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls and accesses until a signal ends the process. For tests/fuzz/trace_corpus.py. */
#include <signal.h>
#include <unistd.h>
static volatile int v[64];
static void f(int i)
{
	v[i & 63] += i;
}
int main(void)
{
	for (int i = 0; i < 200; i++)
		f(i);
	kill(getpid(), SIGKILL);
	return 0;
}
