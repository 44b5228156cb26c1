/* SPDX-License-Identifier: BSD-3-Clause */
/* What a C library does besides calls: compat_process LIBRARY FUNCTION. Threads that are joined,
 * detached and cancelled, a handler, fork, vfork, posix_spawn, exec of a new environment, a library
 * that comes and goes, calls back from qsort. POSIX only, so that other C libraries than glibc can
 * build it. */
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
static volatile int sum;
static sigjmp_buf back;

__attribute__((noinline)) static int work(int n)
{
	sum += n;
	return n < 2 ? n : work(n - 1) + work(n - 2);
}

static void *body(void *argument)
{
	work(5);
	return argument;
}

static void *endless(void *argument)
{
	for (;;)
		sleep(1);
	return argument;
}

static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static void handler(int sig)
{
	work(3);
	if (sig == SIGUSR2)
		siglongjmp(back, 1);
}

static int status_of(pid_t pid)
{
	int status = -1;

	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static void threads(void)
{
	pthread_attr_t detached;
	pthread_t t[8];
	void *result = NULL;

	for (int i = 0; i < 8; i++)
		pthread_create(&t[i], NULL, body, &t[i]);
	for (int i = 0; i < 8; i++)
		pthread_join(t[i], NULL);
	pthread_attr_init(&detached);
	pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
	for (int i = 0; i < 8; i++)
		pthread_create(&t[i], &detached, body, NULL);
	pthread_create(&t[0], NULL, endless, NULL);
	pthread_cancel(t[0]);
	pthread_join(t[0], &result);
	printf("cancelled %d\n", result == PTHREAD_CANCELED);
}

static void children(char *self)
{
	char *argv[] = { self, NULL, NULL }, *env[] = { NULL }, child[] = "child";
	pid_t pid = fork();

	argv[1] = child;
	if (!pid)
		_exit(work(4));
	printf("fork %d\n", status_of(pid));
	pid = fork();
	if (!pid) {
		work(5);
		raise(SIGTERM);
	}
	printf("killed %d\n", status_of(pid));
	pid = vfork();
	if (!pid) {
		execve(self, argv, env);
		_exit(99);
	}
	printf("vfork %d\n", status_of(pid));
	posix_spawn(&pid, self, NULL, NULL, argv, environ);
	printf("spawn %d\n", status_of(pid));
	fflush(stdout);
	printf("system %d\n", system("exit 4") >> 8);
}

static void library(const char *path, const char *name)
{
	int (*function)(int) = NULL;
	void *l = dlopen(path, RTLD_NOW), *symbol = l ? dlsym(l, name) : NULL;

	if (!symbol) {
		puts("no such library");
		exit(98);
	}
	memcpy(&function, &symbol, sizeof(function));
	printf("library %d\n", function(3));
	dlclose(l);
}

int main(int argc, char **argv)
{
	int numbers[] = { 5, 3, 9, 1, 7, 2, 8 };

	if (argc == 2) {
		work(6);
		exit(7);
	}
	if (argc < 3)
		return 2;
	threads();
	signal(SIGUSR1, handler);
	signal(SIGUSR2, handler);
	raise(SIGUSR1);
	if (!sigsetjmp(back, 1))
		raise(SIGUSR2);
	qsort(numbers, 7, sizeof(numbers[0]), compare);
	printf("sorted %d %d\n", numbers[0], numbers[6]);
	library(argv[1], argv[2]);
	fflush(stdout);
	children(argv[0]);
	printf("work %d\n", work(10));
	fflush(stdout);
	return 3;
}
