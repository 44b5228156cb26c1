/* SPDX-License-Identifier: BSD-3-Clause */
/* Split stacks that are completely filled. A function whose frame has less than 256 bytes compares
 * the stack pointer itself with the guard, so its callees return through __morestack with 256 bytes
 * less than libgcc guarantees: too few for a signal frame and its handler. Other code reads the
 * code of a variadic function after `call __morestack`, so that code keeps its bytes, and the `ret`
 * between has few jumps to choose from. Prints a sum of all frames. */
#include <alloca.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>

static __attribute__((noinline)) unsigned leaf(const volatile unsigned char *p, unsigned n)
{
	return p[n] * 3u + n;
}

static __attribute__((noinline)) unsigned down(unsigned depth)
{
	volatile unsigned char frame[200];
	unsigned sum = 0;

	for (unsigned i = 0; i < sizeof(frame); i += 8)
		frame[i] = (unsigned char)(depth + i);
	if (depth)
		sum = down(depth - 1);
	for (unsigned i = 0; i < sizeof(frame); i += 8)
		sum = sum * 5 + leaf(frame, i);
	return sum;
}

static __attribute__((noinline)) unsigned variadic(int depth, ...)
{
	volatile char frame[1];
	unsigned sum = 0;
	va_list list;

	va_start(list, depth);
	for (int i = 0; i < 10; i++)
		sum = sum * 5 + va_arg(list, unsigned);
	va_end(list);
	frame[0] = (char)sum;
	if (depth)
		sum += variadic(depth - 1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
	return sum * 3 + (unsigned)frame[0];
}

/* Moves the brim by 16 bytes with each call. A thread's first segment has 16 kB. */
static __attribute__((noinline)) unsigned from(unsigned bytes)
{
	volatile unsigned char *p = alloca(bytes + 16);

	*p = 1;
	return down(150) + variadic(300, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10) + *p;
}

static void *thread(void *unused)
{
	unsigned sum = 0;

	(void)unused;
	for (unsigned i = 0; i < 64; i++)
		sum = sum * 7 + from(i * 16);
	printf("%u\n", sum);
	return NULL;
}

int main(void)
{
	pthread_t t;

	return pthread_create(&t, NULL, thread, NULL) || pthread_join(t, NULL);
}
