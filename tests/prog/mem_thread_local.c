/* SPDX-License-Identifier: BSD-3-Clause */
/* Thread-local variables of two threads: a number, an array, a structure with a pointer, a variable
 * of a function, and one before an array that is accessed from its second element on. Prints for
 * each: thread, name, address, size. */
#include <pthread.h>
#include <stdio.h>

#define N 20

static __thread long first;
__thread double row[N];
__thread double after[N];
__thread struct {
	int n;
	long *p;
} st;
static long heap[N];

static __thread int *own_at;

__attribute__((noinline)) long step(int i)
{
	static __thread int own;

	own_at = &own;
	own += 2;
	first += i;
	row[i] += i;
	st.n++;
	return st.p[i] + (long)row[3];
}

/* From one element before `after` on, as far as its address goes. */
__attribute__((noinline)) double shifted(long i)
{
	return after[i - N];
}

static void *work(void *name)
{
	long s = 0;

	st.p = heap;
	for (int i = 0; i < N; i++)
		s += step(i);
	s += (long)shifted(N + 1);
	printf("%s first %p %zu\n%s row %p %zu\n%s after %p %zu\n%s st %p %zu\n%s own_at %p %zu\n"
	       "%s step::own %p %zu\n",
	       (char *)name, (void *)&first, sizeof(first), (char *)name, (void *)row, sizeof(row),
	       (char *)name, (void *)after, sizeof(after), (char *)name, (void *)&st, sizeof(st),
	       (char *)name, (void *)&own_at, sizeof(own_at), (char *)name, (void *)own_at,
	       sizeof(int));
	return (void *)s;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, work, "one");
	pthread_join(t, NULL);
	work("main");
	return 0;
}
