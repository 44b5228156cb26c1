/* SPDX-License-Identifier: BSD-3-Clause */
/* Unpredictable calls of one thread, and what may interrupt them; the mode is argv[1]. Each mode
 * once hung or killed a recorded program:
 *   limit FILE    the trace reached RLIMIT_FSIZE and the program died by SIGXFSZ
 *   exit N        a handler called _exit (or exec) while the agent held its lock: the child hung
 *   jump N        a handler left by siglongjmp while the agent held its lock: the next chunk hung
 *   cancel N      the same by asynchronous cancellation
 *   flood FILE    a handler made more calls than could wait for the interrupted recording, which
 *                 was then taken for abandoned although it came back: crash or damaged trace
 *   altstack FILE the alternate stack lies in main's frame, above what was interrupted: a handler
 *                 there looked like one left by siglongjmp: hang, and a damaged trace
 * flood and altstack write the number of calls of functions hard_* into FILE. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define CALLS __attribute__((noinline, aligned(32)))
#define LEAVES(x)                                                                                  \
	x(0) x(1) x(2) x(3) x(4) x(5) x(6) x(7) x(8) x(9) x(10) x(11) x(12) x(13) x(14) x(15)
#define DEFINE(n)                                                                                  \
	CALLS static void hard_##n(void)                                                           \
	{                                                                                          \
		sink += n;                                                                         \
	}
#define NAME(n) hard_##n,

static volatile unsigned seed = 1, handler_seed = 7;
static volatile long sink;
static volatile int hits;
static int handler_calls;
static sigjmp_buf back;
LEAVES(DEFINE)
static void (*const leaf[16])(void) = { LEAVES(NAME) };

static void call(volatile unsigned *random)
{
	*random = *random * 1664525u + 1013904223u;
	leaf[*random >> 28]();
}

static void alarm_after(long us)
{
	struct itimerval it = { { 0, 0 }, { 0, us } };

	setitimer(ITIMER_REAL, &it, NULL);
}

static void on_signal(int sig, void (*handler)(int), int flags)
{
	struct sigaction sa = { .sa_handler = handler, .sa_flags = flags };

	sigaction(sig, &sa, NULL);
}

static void write_count(const char *path, long count)
{
	FILE *f = fopen(path, "w");

	if (!f || fprintf(f, "%ld\n", count) < 0 || fclose(f))
		exit(3);
}

/* --- limit: the program's own file must meet the limit as it does untraced --- */

static void on_limit(int sig)
{
	(void)sig;
	hits++;
}

static int mode_limit(const char *path)
{
	static char page[4096];
	long pages = 0;

	for (long i = 0; i < 3000000; i++)
		call(&seed);
	on_signal(SIGXFSZ, on_limit, 0);
	FILE *f = fopen(path, "w");
	if (!f)
		return 3;
	setvbuf(f, NULL, _IONBF, 0);
	while (fwrite(page, sizeof(page), 1, f) == 1 && pages < 1000)
		pages++;
	printf("%ld pages, then errno %d and %d signals\n", pages, errno, hits);
	return 0;
}

/* --- exit --- */

static void leave_by_exit(int sig)
{
	(void)sig;
	_exit(7);
}

static void leave_by_exec(int sig)
{
	char *const argv[] = { (char *)"false", NULL };

	(void)sig;
	execve("/bin/false", argv, argv + 1);
	_exit(9);
}

static int mode_exit(int rounds)
{
	for (int i = 0; i < rounds; i++) {
		int exec = i % 16 == 15, st = 0;
		pid_t pid = fork();

		if (pid == 0) {
			on_signal(SIGALRM, exec ? leave_by_exec : leave_by_exit, 0);
			alarm_after(1500 + i * 137 % 9000);
			for (;;)
				call(&seed);
		}
		if (waitpid(pid, &st, 0) != pid || !WIFEXITED(st) ||
		    WEXITSTATUS(st) != (exec ? 1 : 7)) {
			printf("child %d: status %#x\n", i, st);
			return 1;
		}
	}
	puts("done");
	return 0;
}

/* --- jump --- */

static void leave_by_jump(int sig)
{
	(void)sig;
	siglongjmp(back, 1);
}

static int mode_jump(int rounds)
{
	volatile int i = 0;

	on_signal(SIGALRM, leave_by_jump, 0);
	while (i < rounds) {
		i++;
		if (!sigsetjmp(back, 1)) {
			alarm_after(300 + i * 37 % 700);
			for (;;)
				call(&seed);
		}
	}
	puts("done");
	return 0;
}

/* --- cancel --- */

static void *call_until_cancelled(void *ready)
{
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	__atomic_store_n((int *)ready, 1, __ATOMIC_RELEASE);
	for (;;)
		call(&seed);
	return NULL;
}

static int mode_cancel(int rounds)
{
	for (int i = 0; i < rounds; i++) {
		pthread_t thread;
		void *result = NULL;
		int ready = 0;

		if (pthread_create(&thread, NULL, call_until_cancelled, &ready))
			return 3;
		while (!__atomic_load_n(&ready, __ATOMIC_ACQUIRE))
			usleep(50);
		usleep((useconds_t)(300 + i * 37 % 700));
		pthread_cancel(thread);
		pthread_join(thread, &result);
		if (result != PTHREAD_CANCELED)
			return 1;
	}
	puts("done");
	return 0;
}

/* --- flood, altstack --- */

CALLS static void hard_handler(int sig)
{
	(void)sig;
	hits++;
	for (int i = 0; i < handler_calls; i++)
		call(&handler_seed);
}

/* The next alarm is set here and not by the handler, so that a slow one does not starve us. */
CALLS static void hard_calls(const char *path, int rounds, long us)
{
	long n = 0;

	for (int i = 0; i < rounds; i++) {
		alarm_after(us + i % 97);
		for (; hits == i; n++)
			call(&seed);
	}
	write_count(path, 1 + n + hits * (handler_calls + 1L));
	puts("done");
}

static int mode_flood(const char *path)
{
	handler_calls = 100000;
	on_signal(SIGALRM, hard_handler, 0);
	hard_calls(path, 60, 1000);
	return 0;
}

static int mode_altstack(const char *path)
{
	char stack[65536];
	stack_t alternate = { .ss_sp = stack, .ss_size = sizeof(stack) };

	handler_calls = 20;
	sigaltstack(&alternate, NULL);
	on_signal(SIGALRM, hard_handler, SA_ONSTACK);
	hard_calls(path, 2000, 300);
	alternate.ss_flags = SS_DISABLE;
	sigaltstack(&alternate, NULL);
	return 0;
}

int main(int argc, char **argv)
{
	const char *mode = argc == 3 ? argv[1] : "";

	if (!strcmp(mode, "limit"))
		return mode_limit(argv[2]);
	if (!strcmp(mode, "exit"))
		return mode_exit(atoi(argv[2]));
	if (!strcmp(mode, "jump"))
		return mode_jump(atoi(argv[2]));
	if (!strcmp(mode, "cancel"))
		return mode_cancel(atoi(argv[2]));
	if (!strcmp(mode, "flood"))
		return mode_flood(argv[2]);
	if (!strcmp(mode, "altstack"))
		return mode_altstack(argv[2]);
	return 2;
}
