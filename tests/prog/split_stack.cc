/* SPDX-License-Identifier: BSD-3-Clause */
/* Split stacks, compiled with -fsplit-stack: functions whose frames do not fit are called by
 * __morestack, on a new stack, and return to it. Deep recursion, variadic functions that call code
 * without split stacks (gold replaces __morestack there), exceptions through several stacks; with
 * an argument, in three threads at once, too. */
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <pthread.h>
#include <stdexcept>

#define OWN __attribute__((noinline, noclone))
#define USED(p) __asm__ volatile("" : : "r"(p) : "memory")

OWN static int down(int i)
{
	char b[4096];

	USED(b);
	b[i & 4095] = (char)i;
	return i ? down(i - 1) + b[0] * 0 + 1 : 1;
}

OWN static int sum(int n, ...)
{
	char big[8192], text[32];
	int s = 0;
	va_list a;

	USED(big);
	va_start(a, n);
	while (n--)
		s += va_arg(a, int);
	va_end(a);
	big[s & 8191] = 1;
	snprintf(text, sizeof(text), "%d", s);
	return atoi(text);
}

OWN static int deep_sum(int i)
{
	char b[2048];

	USED(b);
	b[i] = 1;
	return i ? deep_sum(i - 1) + b[i] : sum(9, 1, 2, 3, 4, 5, 6, 7, 8, 9);
}

OWN static int thrower(int i)
{
	char b[4096];

	USED(b);
	b[i] = 1;
	if (!i)
		throw std::runtime_error("bottom");
	return thrower(i - 1) + b[i];
}

OWN static int catcher(int i)
{
	char b[4096];

	USED(b);
	b[1] = 2;
	try {
		return thrower(i) + b[1];
	} catch (const std::exception &e) {
		return e.what()[0] + b[1];
	}
}

static void *work(void *)
{
	return (void *)(long)(down(300) + deep_sum(40) + catcher(50));
}

int main(int argc, char **)
{
	pthread_t t[3];
	void *result;

	printf("%d %d %d\n", down(500), deep_sum(100), sum(3, 1, 2, 3));
	printf("%d\n", catcher(100));
	for (int i = 0; i < 20; i++)
		down(i * 10);
	if (argc == 1)
		return 0;
	for (auto &one : t)
		pthread_create(&one, nullptr, work, nullptr);
	for (auto &one : t) {
		pthread_join(one, &result);
		printf("%ld\n", (long)result);
	}
	return catcher(3) & 7;
}
