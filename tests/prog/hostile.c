/* SPDX-License-Identifier: BSD-3-Clause */
/* Names that test_hostile.py changes in the program file: of a function, a variable, a source, a
 * thread. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

static int evilvariable[100];

__attribute__((noinline)) static int evilfunction(int x)
{
	return x * 3;
}

static void *run(void *name)
{
	int sum = 0;

	pthread_setname_np(pthread_self(), name);
	for (int i = 0; i < 100; i++) {
		sum += evilfunction(i);
		evilvariable[i] = sum;
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t;

	pthread_create(&t, NULL, run, "t\033]0;x\a\nfake");
	pthread_join(t, NULL);
	run("m\033[1m\177\nfake");
	return argc != 2 || !argv[1][0] || evilvariable[99] != 14850;
}
