/* SPDX-License-Identifier: BSD-3-Clause */
/* What builds differ in: calls, recursion, an exception, longjmp, a handler, a callback of libc,
 * threads. */
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <pthread.h>

#define FUNCTION extern "C" __attribute__((noinline, noclone))
static volatile int sink;
static volatile sig_atomic_t seen;
static jmp_buf env;

FUNCTION int leaf(int x)
{
	sink = sink + x;
	return x * 3 + sink % 7;
}

FUNCTION int mid(int n)
{
	int s = 0;

	for (int i = 0; i < n; i++)
		s += leaf(i);
	return s;
}

FUNCTION int fib(int n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

FUNCTION int fails(int n)
{
	if (n == 0)
		throw 42;
	return fails(n - 1) + 1;
}

FUNCTION void jumps(int n)
{
	char text[64];

	snprintf(text, sizeof(text), "%d", n);
	if (n == 0)
		longjmp(env, 3);
	jumps(n - 1);
	sink = sink + text[0];
}

static void on_usr1(int)
{
	seen = seen + 1 + leaf(1) * 0;
}

static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static void *run(void *p)
{
	int *n = (int *)p;

	*n = fib(*n);
	return NULL;
}

int main()
{
	printf("%d %d\n", mid(1000), fib(15));
	try {
		fails(20);
	} catch (int x) {
		printf("caught %d\n", x);
	}
	int r = setjmp(env);
	if (r == 0)
		jumps(10);
	printf("%d\n", r);
	signal(SIGUSR1, on_usr1);
	for (int i = 0; i < 20; i++)
		raise(SIGUSR1);
	int v[50];
	for (int i = 0; i < 50; i++)
		v[i] = i * 37 % 50;
	qsort(v, 50, sizeof(*v), compare);
	pthread_t t[4];
	int out[4];
	for (int i = 0; i < 4; i++) {
		out[i] = 10 + i;
		pthread_create(&t[i], NULL, run, &out[i]);
#ifdef ONE_BY_ONE
		pthread_join(t[i], NULL);
	}
#else
	}
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
#endif
	printf("%d %d %d %d\n", (int)seen, v[7], out[0], out[3]);
	fflush(stdout);
	return 3;
}
