/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads that synchronise in a known way; test_sync.py has the expected marks of each mode.
 *
 *   locks       two threads, each five times: lock, add, unlock
 *   pingpong N  two threads write to one array in turns, N times each, by two semaphores: only one
 *               order is legal
 *   barrier     three threads, four rounds
 *   cond        one waits for a condition that the other makes true
 *   rest        rwlock, spin lock, trylock, futex by syscall(), each once or twice, one thread
 *   omp         a team of four: barrier, critical, named critical, single, a dynamic loop, an
 *               ordered one, tasks; twice
 *   reduction   a team of four with a reduction over its tasks; twice
 *   many N      eight threads, ten locks, N times in any order; prints what they counted
 *   storm N     the same, while handlers interrupt everything that goes on
 *   cancel      threads are cancelled in a wait, in a semaphore, in a join; their clean-up runs
 *   masks       threads print what signals they have blocked
 *   killed N    the same as many, and in the middle one kills the process */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define THREADS 8

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, ten[10];
static pthread_barrier_t barrier;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static sem_t ping, pong;
static volatile long sum, ready;
static volatile int board[1 << 20];
static int rounds, deadly;

static int join_all(void *(*f)(void *), long n)
{
	pthread_t t[THREADS];

	for (long i = 0; i < n; i++)
		if (pthread_create(&t[i], NULL, f, (void *)i))
			return 1;
	for (long i = 0; i < n; i++)
		pthread_join(t[i], NULL);
	return 0;
}

static void *locks(void *arg)
{
	for (int i = 0; i < 5; i++) {
		pthread_mutex_lock(&mutex);
		sum++;
		pthread_mutex_unlock(&mutex);
	}
	return arg;
}

/* Thread 0 writes board[0], [2], ..., thread 1 board[1], [3], ... */
static void *play(void *arg)
{
	sem_t *mine = arg ? &pong : &ping, *other = arg ? &ping : &pong;

	for (int i = 0; i < rounds; i++) {
		sem_wait(mine);
		board[2 * i + (arg != NULL)] = i;
		sem_post(other);
	}
	return NULL;
}

static void *meet(void *arg)
{
	for (int i = 0; i < 4; i++) {
		board[4 * (long)arg + i] = i;
		pthread_barrier_wait(&barrier);
	}
	return NULL;
}

static void *wait_or_bring(void *arg)
{
	pthread_mutex_lock(&mutex);
	if (arg) {
		ready = 1;
		pthread_cond_signal(&cond);
	} else {
		while (!ready)
			pthread_cond_wait(&cond, &mutex);
	}
	pthread_mutex_unlock(&mutex);
	return NULL;
}

static void rest(void)
{
	pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
	pthread_spinlock_t spin;
	static int word = 1;

	pthread_rwlock_rdlock(&rw);
	pthread_rwlock_unlock(&rw);
	pthread_rwlock_wrlock(&rw);
	if (!pthread_rwlock_tryrdlock(&rw))
		puts("read while it is written");
	pthread_rwlock_unlock(&rw);
	pthread_spin_init(&spin, 0);
	pthread_spin_lock(&spin);
	if (!pthread_spin_trylock(&spin))
		puts("spin lock taken twice");
	pthread_spin_unlock(&spin);
	if (pthread_mutex_trylock(&mutex))
		puts("not taken");
	if (!pthread_mutex_trylock(&mutex))
		puts("taken twice");
	pthread_mutex_unlock(&mutex);
	syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
	syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	/* the seventh argument, which lies on the stack, says who may wake it: no thread, which is
	 * refused */
	if (syscall(SYS_futex, &word, FUTEX_WAIT_BITSET_PRIVATE, 0, NULL, NULL, 0) != -1 ||
	    errno != EINVAL)
		puts("an empty bit set is taken");
	if (syscall(SYS_getpid) != getpid())
		puts("another process");
}

#ifdef _OPENMP
#include <omp.h>

static void team(void)
{
	long n = 0;

#pragma omp parallel num_threads(4) reduction(+ : n)
	{
		board[64 * omp_get_thread_num()] = 1;
#pragma omp barrier
#pragma omp critical
		sum++;
#pragma omp critical(named)
		sum++;
#pragma omp single
		sum++;
#pragma omp for schedule(dynamic, 1)
		for (int i = 0; i < 8; i++)
			board[i] = i;
#pragma omp for ordered schedule(dynamic, 1)
		for (int i = 0; i < 4; i++) {
#pragma omp ordered
			sum++;
		}
#pragma omp single
		{
#pragma omp task
			board[1] = 3;
#pragma omp taskwait
		}
		n += 1;
	}
	sum += n;
}

/* libgomp reads the data of such a region before its threads do. */
static void reduction(void)
{
	long n = 0;

#pragma omp parallel num_threads(4) reduction(task, + : n)
	{
		n += 1;
#pragma omp task in_reduction(+ : n)
		n += 10;
	}
	sum += n;
}
#endif

static void *any_order(void *arg)
{
	unsigned seed = (unsigned)(long)arg + 1;

	for (int i = 0; i < rounds; i++) {
		seed = seed * 1103515245u + 12345u;
		unsigned k = seed >> 16 & 7;

		pthread_mutex_lock(&ten[k]);
		board[k * 64]++;
		pthread_mutex_unlock(&ten[k]);
		if (deadly && seed % 8 == 3 && i > rounds / 2)
			kill(getpid(), SIGKILL);
	}
	return NULL;
}

static volatile long handled;
static long ended;

static void on_tick(int sig)
{
	board[1000 + (handled++ & 7)] = sig;
}

static void *in_storm(void *arg)
{
	any_order(arg);
	__atomic_fetch_add(&ended, 1, __ATOMIC_SEQ_CST);
	return NULL;
}

/* One thread sends signals to all others until they are done. */
static int storm(void)
{
	struct sigaction a = { .sa_handler = on_tick };
	pthread_t t[THREADS];

	sigaction(SIGUSR1, &a, NULL);
	for (long i = 0; i < THREADS; i++)
		if (pthread_create(&t[i], NULL, in_storm, (void *)i))
			return 1;
	for (int i = 0; __atomic_load_n(&ended, __ATOMIC_SEQ_CST) < THREADS; i++)
		pthread_kill(t[i % THREADS], SIGUSR1);
	for (long i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	return 0;
}

static void unlock(void *arg)
{
	sum++;
	pthread_mutex_unlock(arg);
}

static void count(void *arg)
{
	sum += (long)arg;
}

static void *sleeper(void *arg)
{
	pthread_mutex_lock(&mutex);
	pthread_cleanup_push(unlock, &mutex);
	while (arg != &sum)
		pthread_cond_wait(&cond, &mutex);
	pthread_cleanup_pop(1);
	return NULL;
}

static void *taker(void *arg)
{
	pthread_cleanup_push(count, (void *)10);
	sem_wait(&ping);
	pthread_cleanup_pop(0);
	return arg;
}

static void *joiner(void *arg)
{
	pthread_cleanup_push(count, (void *)100);
	pthread_join(*(pthread_t *)arg, NULL);
	pthread_cleanup_pop(0);
	return NULL;
}

static int cancel(void)
{
	pthread_t t[3];
	void *result;

	sem_init(&ping, 0, 0);
	pthread_create(&t[0], NULL, sleeper, NULL);
	pthread_create(&t[1], NULL, taker, NULL);
	pthread_create(&t[2], NULL, joiner, &t[1]);
	usleep(20000);
	for (int i = 3; i-- > 0;) {
		pthread_cancel(t[i]);
		pthread_join(t[i], &result);
		printf("%d ", result == PTHREAD_CANCELED);
	}
	printf("%ld\n", sum);
	return pthread_mutex_trylock(&mutex);
}

static void *print_mask(void *arg)
{
	sigset_t mask;

	pthread_sigmask(SIG_BLOCK, NULL, &mask);
	for (int sig = 1; sig < NSIG; sig++)
		if (sigismember(&mask, sig) == 1)
			printf("%d ", sig);
	puts(arg);
	return NULL;
}

static int masks(void)
{
	pthread_attr_t attr;
	sigset_t set;
	pthread_t t;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	sigaddset(&set, SIGRTMIN + 3);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	pthread_create(&t, NULL, print_mask, "inherited");
	pthread_join(t, NULL);
	pthread_attr_init(&attr);
	sigfillset(&set);
	sigdelset(&set, SIGTRAP); /* which recording never blocks */
	sigdelset(&set, SIGUSR1);
	pthread_attr_setsigmask_np(&attr, &set);
	pthread_create(&t, &attr, print_mask, "asked for");
	pthread_join(t, NULL);
	print_mask("of the first");
	return 0;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";

	rounds = argc > 2 ? atoi(argv[2]) : 10;
	if (!strcmp(mode, "locks"))
		return join_all(locks, 2) || sum != 10;
	if (!strcmp(mode, "pingpong")) {
		sem_init(&ping, 0, 1);
		sem_init(&pong, 0, 0);
		return join_all(play, 2);
	}
	if (!strcmp(mode, "barrier")) {
		pthread_barrier_init(&barrier, NULL, 3);
		return join_all(meet, 3);
	}
	if (!strcmp(mode, "cond"))
		return join_all(wait_or_bring, 2);
	if (!strcmp(mode, "rest")) {
		rest();
		return 0;
	}
#ifdef _OPENMP
	if (!strcmp(mode, "omp") || !strcmp(mode, "reduction")) {
		void (*const region)(void) = strcmp(mode, "omp") ? reduction : team;

		region();
		region();
		printf("%ld\n", sum);
		return 0;
	}
#endif
	if (!strcmp(mode, "cancel"))
		return cancel();
	if (!strcmp(mode, "masks"))
		return masks();
	deadly = !strcmp(mode, "killed");
	if (deadly || !strcmp(mode, "storm") || !strcmp(mode, "many")) {
		for (int i = 0; i < 10; i++)
			pthread_mutex_init(&ten[i], NULL);
		if (strcmp(mode, "storm") ? join_all(any_order, THREADS) : storm())
			return 1;
		for (int i = 0; i < 8; i++)
			printf("%d ", board[i * 64]);
		puts("");
		return 0;
	}
	return 2;
}
