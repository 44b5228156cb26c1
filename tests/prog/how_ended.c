/* SPDX-License-Identifier: BSD-3-Clause */
/* Ends in the given way: how_ended HOW [child|unseen]. With `child` a fork child ends so, and the
 * parent waits and returns 0; with `unseen` it does not end by a function call. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int sum;

__attribute__((noinline)) static void work(int n)
{
	sum += n;
}

static volatile int begun;

static void *run(void *forever)
{
	work(1);
	__atomic_fetch_add(&begun, 1, __ATOMIC_RELAXED);
	while (forever)
		pause();
	return NULL;
}

static void start(pthread_t *thread, void *forever)
{
	if (pthread_create(thread, NULL, run, forever))
		exit(96);
}

/* Threads one after the other, the last of which is not joined; and one that is alive when all are
 * killed. */
static void threads(void)
{
	pthread_t thread;

	start(&thread, &thread);
	for (int i = 0; i < 4; i++) {
		start(&thread, NULL);
		pthread_join(thread, NULL);
	}
	while (begun < 5)
		usleep(1000);
	kill(getpid(), SIGKILL);
}

static void end(const char *how)
{
	struct rlimit none = { 0, 0 };

	setrlimit(RLIMIT_CORE, &none);
	for (int i = 0; i < 10; i++)
		work(i);
	if (!strcmp(how, "exit"))
		exit(3);
	if (!strcmp(how, "_exit"))
		_exit(259); /* 3 is what arrives */
	if (!strcmp(how, "exit_group")) /* no function of libc that the agent knows */
		__asm__ volatile("syscall"
				 :
				 : "a"(SYS_exit_group), "D"(3)
				 : "rcx", "r11", "memory");
	if (!strcmp(how, "abort"))
		abort();
	if (!strcmp(how, "segv"))
		*(volatile int *)(uintptr_t)sum = 1;
	if (!strcmp(how, "kill"))
		kill(getpid(), SIGKILL);
	if (!strcmp(how, "threads"))
		threads();
	if (!strcmp(how, "exec")) {
		execl("/bin/sh", "sh", "-c", "exit 3", (char *)NULL);
		exit(99);
	}
	exit(98);
}

int main(int argc, char **argv)
{
	int status = -1;
	pid_t child;

	if (argc < 2)
		return 97;
	if (argc < 3)
		end(argv[1]);
	child = fork();
	if (child == 0)
		end(argv[1]);
	if ((strcmp(argv[2], "child") ? (pid_t)syscall(SYS_wait4, child, &status, 0, NULL) :
					waitpid(child, &status, 0)) != child)
		return 96;
	printf("%x\n", (unsigned)status);
	return 0;
}
