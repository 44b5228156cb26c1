/* SPDX-License-Identifier: BSD-3-Clause */
/* Allocates by every function of malloc's family, and looks up what is not there, which allocates,
 * too: before any constructor (.preinit_array), so before a wrapper has looked up what it wraps;
 * then in main, in a thread and in a child. Says what goes wrong. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int wrong;

static void *filled(void *p, size_t n)
{
	if (!p)
		wrong++;
	else
		memset(p, 'a', n);
	return p;
}

static void look_up(void)
{
	for (int i = 0; i < 3; i++)
		if (dlsym(RTLD_DEFAULT, "a_function_that_is_not_there"))
			wrong++;
}

static void allocate(void)
{
	void *aligned = NULL;
	char *p = filled(realloc(NULL, 10), 10), *q;

	look_up();
	p = realloc(p, 5000);
	if (!p || memcmp(p, "aaaaaaaaaa", 10))
		wrong++;
	q = calloc(10, 10);
	for (int i = 0; i < 100; i++)
		if (!q || q[i])
			wrong++;
	if (posix_memalign(&aligned, 256, 100) || (uintptr_t)filled(aligned, 100) % 256)
		wrong++;
	free(aligned);
	aligned = aligned_alloc(64, 128);
	if ((uintptr_t)filled(aligned, 128) % 64)
		wrong++;
	free(aligned);
	free(filled(memalign(32, 40), 40));
	free(filled(malloc(100), 100));
	free(p);
	free(q);
	free(NULL);
}

static void early(void)
{
	look_up();
	allocate();
}
__attribute__((section(".preinit_array"), used)) static void (*const first)(void) = early;

static void *work(void *arg)
{
	for (int i = 0; i < 100; i++)
		allocate();
	return arg;
}

int main(void)
{
	pthread_t t;
	int status;

	early();
	pthread_create(&t, NULL, work, NULL);
	pthread_join(t, NULL);
	if (!fork()) {
		allocate();
		_exit(wrong != 0);
	}
	wait(&status);
	printf("%s, %d wrong, child %d\n", dlerror() ? "an error" : "no error", wrong, status);
	return wrong != 0;
}
