/* SPDX-License-Identifier: BSD-3-Clause */
/* Ends inside a wrapped function (ends_wrapped.spec): ends_wrapped WHO WHAT HOW. WHO called it:
 * own, the thread that ends the program in it, or other, a second thread that stays in it. WHAT was
 * the argument: string, long (does not fit next to the words), nested (a string, and it has called
 * another function), none. HOW the program ends: finish.h. */
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "../finish.h"

static const char *how; /* NULL: threads in the function stay there */
static int there, steps;

__attribute__((noinline)) int step(int n)
{
	__atomic_add_fetch(&steps, n, __ATOMIC_RELAXED);
	return n + 1;
}

static int stay(void)
{
	__atomic_store_n(&there, 1, __ATOMIC_RELEASE);
	if (how)
		finish(how);
	while (pause())
		;
	return 0;
}

__attribute__((noinline)) int none(int fd)
{
	return stay() + fd;
}

__attribute__((noinline)) int wait_for(int fd, const char *what)
{
	return stay() + fd + what[0];
}

__attribute__((noinline)) int wait_deeper(int fd, const char *what)
{
	step(10);
	return wait_for(fd + 1, "in it") + what[0];
}

static void *begin(void *what)
{
	static char text[200];

	memset(text, 0xc0, sizeof(text) - 1);
	for (int i = 0; i < 10; i++)
		step(i);
	if (!strcmp(what, "none"))
		none(7);
	else if (!strcmp(what, "nested"))
		wait_deeper(7, "for work");
	else
		wait_for(7, !strcmp(what, "long") ? text : "for work");
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t;

	if (argc != 4)
		return 1;
	if (!strcmp(argv[1], "own")) {
		how = argv[3];
		begin(argv[2]);
	}
	if (pthread_create(&t, NULL, begin, argv[2]))
		return 1;
	while (!__atomic_load_n(&there, __ATOMIC_ACQUIRE))
		usleep(1000);
	finish(argv[3]);
	return 1;
}
