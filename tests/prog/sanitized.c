/* SPDX-License-Identifier: BSD-3-Clause */
/* sanitized WHAT: work, or one mistake for a sanitizer to find. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define CALL __attribute__((noinline))

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long sum, shared;

static CALL long fib(int n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

static CALL int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static void *body(void *argument)
{
	for (int i = 0; i < 200; i++) {
		pthread_mutex_lock(&lock);
		sum += fib(i % 8);
		pthread_mutex_unlock(&lock);
		free(malloc((size_t)i + 1));
	}
	return argument;
}

static void in_threads(void *(*f)(void *))
{
	pthread_t t[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, f, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
}

static int work(void)
{
	int v[64], status = 0;
	char *text;
	pid_t pid;

	in_threads(body);
	for (int i = 0; i < 64; i++)
		v[i] = i * 37 % 64;
	qsort(v, 64, sizeof(v[0]), compare);
	fflush(stdout);
	pid = fork();
	if (!pid) {
		printf("child %ld\n", fib(10));
		fflush(stdout);
		_exit(3);
	}
	waitpid(pid, &status, 0);
	text = strdup("text");
	printf("%s %ld %d %d\n", text, sum, v[5], WEXITSTATUS(status));
	free(text);
	return 0;
}

static CALL int beyond(const int *p)
{
	return p[10];
}

static CALL void *leak(void)
{
	return malloc(77);
}

static CALL int overflow(int a)
{
	return a + 0x7fffffff;
}

static CALL int undecided(const int *p)
{
	return p[3] ? 1 : 2;
}

static void *race(void *argument)
{
	for (int i = 0; i < 1000; i++)
		shared++;
	return argument;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	int *volatile p = malloc(40);
	int r = 0;

	if (!strcmp(what, "work"))
		r = work();
	else if (!strcmp(what, "beyond"))
		r = beyond(p) & 1;
	else if (!strcmp(what, "leak"))
		*(void *volatile *)p = leak(), memset(p, 0, 40);
	else if (!strcmp(what, "overflow"))
		printf("%d\n", overflow(argc));
	else if (!strcmp(what, "undecided"))
		printf("%d\n", undecided(p));
	else if (!strcmp(what, "race"))
		in_threads(race);
	free(p);
	return r;
}
