/* SPDX-License-Identifier: BSD-3-Clause */
/* Signals while memory accesses are recorded, one test a line: "name ok", or what was wrong. */
#define _GNU_SOURCE
#include <execinfo.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

static int failed;

static void say(const char *name, int ok)
{
	printf("%s %s\n", name, ok ? "ok" : "WRONG");
	fflush(stdout);
	failed |= !ok;
}

/* --- what the program asks for is what it set --- */

static void plain(int sig)
{
	(void)sig;
}

static void test_queries(void)
{
	struct sigaction sa = { .sa_handler = plain, .sa_flags = SA_RESTART }, old;

	sigaddset(&sa.sa_mask, SIGUSR2);
	sigaction(SIGUSR1, &sa, NULL);
	sigaction(SIGUSR1, NULL, &old);
	say("handler", old.sa_handler == plain && (old.sa_flags & SA_RESTART) &&
			       !(old.sa_flags & SA_SIGINFO) &&
			       sigismember(&old.sa_mask, SIGUSR2) == 1 &&
			       sigismember(&old.sa_mask, SIGTERM) == 0);
	say("signal", signal(SIGUSR1, SIG_IGN) == plain && signal(SIGUSR1, SIG_DFL) == SIG_IGN);
	say("refused", sigaction(SIGKILL, &sa, NULL) == -1 && sigaction(200, &sa, NULL) == -1);
	say("trap", sigaction(SIGTRAP, NULL, &old) == 0 && old.sa_handler == SIG_DFL);
	sa.sa_flags = (int)SA_RESETHAND;
	sigaction(SIGUSR1, &sa, NULL);
	raise(SIGUSR1);
	sigaction(SIGUSR1, NULL, &old);
	say("reset", old.sa_handler == SIG_DFL);
}

/* --- masks while a handler runs --- */

static sigset_t during;

static void ask_mask(int sig)
{
	(void)sig;
	pthread_sigmask(SIG_BLOCK, NULL, &during);
}

static void test_masks(void)
{
	struct sigaction sa = { .sa_handler = ask_mask };
	sigset_t all, now;

	sigaddset(&sa.sa_mask, SIGUSR2);
	sigaction(SIGUSR1, &sa, NULL);
	raise(SIGUSR1);
	say("mask", sigismember(&during, SIGUSR1) == 1 && sigismember(&during, SIGUSR2) == 1 &&
			    sigismember(&during, SIGTERM) == 0);
	sa.sa_flags = SA_NODEFER;
	sigemptyset(&sa.sa_mask);
	sigaction(SIGUSR1, &sa, NULL);
	raise(SIGUSR1);
	say("nodefer", sigismember(&during, SIGUSR1) == 0);
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &now);
	raise(SIGUSR1);
	sigfillset(&during);
	sigdelset(&all, SIGUSR1);
	sigsuspend(&all);
	say("suspend", sigismember(&during, SIGTERM) == 1 && sigismember(&during, SIGUSR1) == 0);
	sigprocmask(SIG_SETMASK, &now, NULL);
}

/* --- faults within a row of accesses --- */

static char *page;
static volatile sig_atomic_t faults;
static unsigned long fault_pc;
static sigjmp_buf back;

static void open_page(int sig, siginfo_t *info, void *context)
{
	const ucontext_t *uc = context;

	(void)sig;
	faults++;
	fault_pc = (unsigned long)uc->uc_mcontext.gregs[REG_RIP];
	if ((char *)info->si_addr < page || (char *)info->si_addr >= page + 4096)
		_exit(3);
	mprotect(page, 4096, PROT_READ | PROT_WRITE);
}

__attribute__((noinline)) static long touch(long *a, long *b, long *c)
{
	long s = a[0] + a[1];

	b[3] = s;
	s += c[0];
	a[2] = s + b[3];
	return s + a[2];
}

static void jump_back(int sig)
{
	(void)sig;
	siglongjmp(back, 1);
}

static void test_faults(void)
{
	struct sigaction sa = { .sa_sigaction = open_page, .sa_flags = SA_SIGINFO }, old;
	long a[4] = { 3, 4, 5, 6 }, c[4] = { 7 };

	page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	sigaction(SIGSEGV, &sa, &old);
	say("fault", touch(a, (long *)(void *)page, c) == 14 + 14 + 7 && faults == 1 &&
			     a[2] == 21 && ((long *)(void *)page)[3] == 7);
	say("place", fault_pc >= (unsigned long)touch && fault_pc < (unsigned long)touch + 256);
	signal(SIGSEGV, jump_back);
	mprotect(page, 4096, PROT_NONE);
	volatile long reached = 0;
	for (int i = 0; i < 3; i++)
		if (!sigsetjmp(back, 1)) {
			touch(a, (long *)(void *)page, c);
			reached = -100;
		} else {
			reached++;
		}
	say("jump", reached == 3);
	sigaction(SIGSEGV, &old, NULL);
}

/* --- a storm from another thread --- */

static volatile sig_atomic_t ticks;
static volatile int storm_over;
static long noted[64];

static void tick(int sig)
{
	(void)sig;
	noted[ticks & 63] += ticks;
	ticks++;
}

static void *storm(void *main_thread)
{
	while (!storm_over)
		pthread_kill(*(pthread_t *)main_thread, SIGUSR1);
	return NULL;
}

__attribute__((noinline)) static unsigned work(unsigned *v, unsigned n)
{
	unsigned s = 1;

	for (unsigned i = 0; i < n; i++) {
		v[i] = s;
		if (s & 1)
			s = s * 1664525u + v[i / 2];
		else
			s = s / 2 + v[n - 1 - i] + 1013904223u;
	}
	for (unsigned i = 0; i < n; i++)
		s += v[i];
	memmove(v + 1, v, (n - 1) * sizeof(*v));
	return s + v[n / 3];
}

static void test_storm(void)
{
	static unsigned v[2000];
	struct sigaction sa = { .sa_handler = tick, .sa_flags = SA_RESTART };
	pthread_t self = pthread_self(), other;
	unsigned expected, s = 0;

	memset(v, 0, sizeof(v));
	for (int i = 0; i < 300; i++)
		s = s * 31 + work(v, 2000);
	expected = s;
	sigaction(SIGUSR1, &sa, NULL);
	pthread_create(&other, NULL, storm, &self);
	while (ticks < 10)
		;
	memset(v, 0, sizeof(v));
	s = 0;
	for (int i = 0; i < 300; i++)
		s = s * 31 + work(v, 2000);
	storm_over = 1;
	pthread_join(other, NULL);
	say("storm", s == expected && ticks >= 10);
}

/* --- looking out of a handler --- */

static volatile int found_main;

static void look(int sig)
{
	void *at[32];
	int n = backtrace(at, 32);

	(void)sig;
	for (int i = 0; i < n; i++) {
		char **name = backtrace_symbols(&at[i], 1);

		found_main |= name && strstr(name[0], "(main+") != NULL;
		free(name);
	}
}

static void test_backtrace(void)
{
	void *warm[2];

	backtrace(warm, 2);
	signal(SIGUSR2, look);
	raise(SIGUSR2);
	say("backtrace", found_main);
}

/* --- children --- */

static void test_fork(void)
{
	int status = -1;
	pid_t pid;

	ticks = 0;
	signal(SIGUSR1, tick);
	pid = fork();
	if (pid == 0) {
		raise(SIGUSR1);
		_exit(ticks == 1 ? 42 : 1);
	}
	waitpid(pid, &status, 0);
	raise(SIGUSR1);
	say("fork", WIFEXITED(status) && WEXITSTATUS(status) == 42 && ticks == 1);
	pid = fork();
	if (pid == 0) {
		signal(SIGSEGV, SIG_DFL);
		*(volatile int *)8 = 1;
	}
	waitpid(pid, &status, 0);
	say("death", WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
	pid = fork();
	if (pid == 0)
		__asm__ volatile("int3");
	waitpid(pid, &status, 0);
	say("int3", WIFSIGNALED(status) && WTERMSIG(status) == SIGTRAP);
}

int main(void)
{
	test_queries();
	test_masks();
	test_faults();
	test_storm();
	test_backtrace();
	test_fork();
	return failed;
}
