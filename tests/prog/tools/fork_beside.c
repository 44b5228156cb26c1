/* SPDX-License-Identifier: BSD-3-Clause */
/* Forks while other threads work; each child starts a thread of its own. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int stop;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

__attribute__((noinline)) static int fib(int n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

static void *work(void *p)
{
	long s = 0;

	while (!stop) {
		pthread_mutex_lock(&mutex);
		s += fib(8);
		free(malloc(100 + s % 1000));
		pthread_mutex_unlock(&mutex);
	}
	return p;
}

static int in_child(void)
{
	pthread_t t;

	stop = 1;
	pthread_create(&t, NULL, work, NULL);
	pthread_join(t, NULL);
	return fib(10) == 55 ? 7 : 1;
}

int main(void)
{
	pthread_t t[3];
	int ok = 0;

	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, work, NULL);
	for (int i = 0; i < 10; i++) {
		int status;

		pthread_mutex_lock(&mutex);
		pid_t pid = fork();
		pthread_mutex_unlock(&mutex);
		if (pid == 0)
			_exit(in_child());
		waitpid(pid, &status, 0);
		ok += WIFEXITED(status) && WEXITSTATUS(status) == 7;
	}
	stop = 1;
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	printf("%d\n", ok);
	return 3;
}
