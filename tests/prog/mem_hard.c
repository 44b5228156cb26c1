/* SPDX-License-Identifier: BSD-3-Clause */
/* Cases that are hard for the transparent execution of translated code: children that are not
 * created by fork, handlers at odd moments, libc's own signals, small stacks. Each mode prints its
 * result. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define WORDS 5000
#define THREADS 4

static volatile uint64_t words[WORDS];
static volatile int prepared;

/* Functions of one byte, so close together that nothing fits in their place. */
void one_byte(void), other_byte(void);
__asm__(".text\n"
	".globl one_byte, other_byte\n"
	".type one_byte, @function\n.type other_byte, @function\n"
	"one_byte:\n.cfi_startproc\nret\n.cfi_endproc\n.size one_byte, 1\n"
	"other_byte:\n.cfi_startproc\nret\n.cfi_endproc\n.size other_byte, 1\n");

static void (*volatile bytes[2])(void) = { one_byte, other_byte };

/* Stores that depend on all that came before: lost or foreign registers show. */
static uint64_t __attribute__((noinline)) churn(uint64_t seed, volatile uint64_t *to, int n)
{
	uint64_t a = seed, b = ~seed, c = seed * 3;

	for (int i = 0; i < n; i++) {
		a = a * 6364136223846793005u + b;
		b ^= a >> 17;
		c += to[i % WORDS] ^ b;
		to[(i * 7) % WORDS] = c;
		if (i % 64 == 0)
			bytes[i / 64 % 2]();
	}
	return a ^ b ^ c;
}

static int wait_for(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int child(void)
{
	return (int)(churn(5, words, 20000) & 63);
}

static void prepare(void)
{
	prepared++;
	words[0] = 0;
	churn(1, words + 1, 10);
	memset((void *)(uintptr_t)words, 0, sizeof(words));
}

static int in_clone(void *arg)
{
	(void)arg;
	_exit(child());
}

/* Five children: by fork with handlers that run translated code, by system calls and by clone. */
static int mode_children(void)
{
	static char stack[65536] __attribute__((aligned(16)));
	int status[5];
	pid_t pid;

	memset((void *)(uintptr_t)words, 0, sizeof(words));
	pthread_atfork(prepare, NULL, NULL);
	for (int i = 0; i < 5; i++) {
		if (i < 2)
			pid = fork();
		else if (i == 2)
			pid = (pid_t)syscall(SYS_fork);
		else if (i == 3)
			pid = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
		else
			pid = clone(in_clone, stack + sizeof(stack), SIGCHLD, NULL);
		if (pid == 0)
			_exit(child());
		for (int k = 0; k < 1000; k++) /* at the same time */
			words[WORDS - 1] = (uint64_t)k;
		words[WORDS - 1] = 0;
		status[i] = wait_for(pid);
	}
	for (int i = 0; i < 5; i++)
		printf("child %d: %d\n", i, status[i]);
	printf("%d prepared\n", prepared);
	return 0;
}

static volatile sig_atomic_t handled, trapped;

static void on_signal(int sig)
{
	(void)sig;
	handled++;
	bytes[0]();
	bytes[1]();
}

static void on_trap(int sig)
{
	(void)sig;
	trapped++;
	bytes[0]();
	bytes[1]();
}

/* Handlers that run while SIGTRAP would be blocked: in sigsuspend, for SIGTRAP itself, by the
 * handler's mask, and by all of these. */
static int mode_masks(void)
{
	struct sigaction sa = { .sa_handler = on_signal };
	sigset_t all, usr1;

	sigfillset(&sa.sa_mask);
	sigaction(SIGUSR1, &sa, NULL);
	sa.sa_handler = on_trap;
	sigaction(SIGTRAP, &sa, NULL);
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	bytes[0]();
	raise(SIGUSR1);
	usr1 = all;
	sigdelset(&usr1, SIGUSR1);
	sigsuspend(&usr1);
	sigemptyset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	raise(SIGTRAP);
	raise(SIGUSR1);
	printf("%d handled, %d trapped\n", (int)handled, (int)trapped);
	return 0;
}

/* Every number there is gets a handler, also those that libc refuses. */
static int mode_every_signal(void)
{
	int refused = 0;

	for (int sig = 0; sig < 70; sig++) {
		struct sigaction sa = { .sa_handler = on_signal }, old;

		memset(&old, 0x55, sizeof(old));
		if (sigaction(sig, &sa, &old)) {
			refused++;
			if (old.sa_flags != 0x55555555)
				printf("signal %d was refused, and reported\n", sig);
		} else if (old.sa_handler != SIG_DFL && old.sa_handler != SIG_IGN) {
			printf("signal %d had a handler\n", sig);
		}
	}
	printf("%d refused\n", refused);
	return 0;
}

static volatile int stop, rounds = 40;

static void *compute(void *arg)
{
	uint64_t *result = arg;

	*result = 0;
	for (int i = 0; i < rounds; i++) {
		volatile uint64_t *to = calloc(WORDS, sizeof(*to));

		*result ^= churn((uint64_t)i, to, 3000);
		free((void *)(uintptr_t)to);
	}
	return NULL;
}

/* setuid is done by all threads: libc sends a signal of its own to each. */
static void *all_ids(void *arg)
{
	(void)arg;
	while (!stop)
		if (setresuid((uid_t)-1, (uid_t)-1, (uid_t)-1))
			abort();
	return NULL;
}

static int mode_setxid(void)
{
	pthread_t id[THREADS], other;
	uint64_t result[THREADS];

	rounds = 200;
	pthread_create(&other, NULL, all_ids, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&id[i], NULL, compute, &result[i]);
	for (int i = 0; i < THREADS; i++)
		pthread_join(id[i], NULL);
	stop = 1;
	pthread_join(other, NULL);
	for (int i = 0; i < THREADS; i++)
		printf("%llx\n", (unsigned long long)result[i]);
	return 0;
}

/* Threads that are not to be cancelled: the handler of libc runs in them and returns. */
static void *not_now(void *arg)
{
	int old;

	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old);
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
	*(volatile int *)&prepared = 1;
	return compute(arg);
}

static int mode_cancel(void)
{
	rounds = 2;
	for (int round = 0; round < 60; round++) {
		pthread_t id;
		uint64_t result = 0;

		prepared = 0;
		pthread_create(&id, NULL, not_now, &result);
		while (!prepared)
			usleep(50);
		pthread_cancel(id);
		pthread_join(id, NULL);
		if (round == 0)
			printf("%llx\n", (unsigned long long)result);
	}
	return 0;
}

/* Threads whose stacks are as small as libc allows. */
static int mode_small_stacks(void)
{
	pthread_attr_t attr;
	uint64_t result[THREADS];

	pthread_attr_init(&attr);
	if (pthread_attr_setstacksize(&attr, (size_t)sysconf(_SC_THREAD_STACK_MIN)))
		return 1;
	for (int round = 0; round < 4; round++) {
		pthread_t id[THREADS];

		for (int i = 0; i < THREADS; i++)
			if (pthread_create(&id[i], &attr, compute, &result[i]))
				return 2;
		for (int i = 0; i < THREADS; i++)
			pthread_join(id[i], NULL);
	}
	printf("%llx\n", (unsigned long long)result[0]);
	return 0;
}

static void on_alarm(int sig)
{
	volatile uint64_t few[8];

	(void)sig;
	for (int i = 0; i < 1000; i++)
		few[i % 8] = (uint64_t)i;
	handled++;
}

/* Handlers on a stack with space for one and little else; the memory below it must not change. */
static int mode_small_altstack(void)
{
	struct itimerval every = { { 0, 300 }, { 0, 300 } }, off = { { 0, 0 }, { 0, 0 } };
	struct sigaction sa = { .sa_handler = on_alarm, .sa_flags = SA_ONSTACK };
	size_t need = getauxval(AT_MINSIGSTKSZ), guard = 65536, size, touched = 0;
	unsigned char *memory;
	uint64_t result = 0;
	stack_t ss;

	size = (need ? need : 2048) + 1024;
	if (size < 2048)
		size = 2048;
	memory = mmap(NULL, guard + size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		      0);
	memset(memory, 0xa5, guard + size);
	ss = (stack_t){ .ss_sp = memory + guard, .ss_size = size };
	if (memory == MAP_FAILED || sigaltstack(&ss, NULL))
		return 1;
	sigaction(SIGALRM, &sa, NULL);
	setitimer(ITIMER_REAL, &every, NULL);
	while (handled < 500)
		result ^= churn(3, words, 1000);
	setitimer(ITIMER_REAL, &off, NULL);
	for (size_t i = 0; i < guard; i++)
		touched += memory[i] != 0xa5;
	printf("%zu bytes below the stack were written\n", touched);
	return touched != 0 || result == 1;
}

static const struct {
	const char *name;
	int (*run)(void);
} modes[] = {
	{ "children", mode_children },
	{ "masks", mode_masks },
	{ "every_signal", mode_every_signal },
	{ "setxid", mode_setxid },
	{ "cancel", mode_cancel },
	{ "small_stacks", mode_small_stacks },
	{ "small_altstack", mode_small_altstack },
};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc > 1 && i < sizeof(modes) / sizeof(modes[0]); i++)
		if (!strcmp(argv[1], modes[i].name))
			return modes[i].run();
	return 99;
}
