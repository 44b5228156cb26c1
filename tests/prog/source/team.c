/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads, processes, handlers: team KERNEL. See oracle.h. */
#define _GNU_SOURCE
#define ORACLE_MAIN
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "library.h"
#include "oracle.h"

#define THREADS 6
#define N 64

enum { READ_A, WRITE_OWN, READ_OWN, UPDATE_A, HANDLER, HANDLER_OWN, SEQUENCE, SITES };
static const char *const units[] = { "worker", "handler", "sequence" };
static const struct bob_probe_site sites[] = {
	[READ_A] = { .line = 5, .kind = BOB_PROBE_READ, .size = 8 },
	[WRITE_OWN] = { .line = 6, .kind = BOB_PROBE_WRITE, .size = 4 },
	[READ_OWN] = { .line = 7, .kind = BOB_PROBE_READ, .size = 4 },
	[UPDATE_A] = { .line = 8, .kind = BOB_PROBE_UPDATE, .size = 8 },
	[HANDLER] = { .line = 20, .kind = BOB_PROBE_UPDATE, .size = 4, .unit = 1 },
	[HANDLER_OWN] = { .line = 21, .kind = BOB_PROBE_WRITE, .size = 8, .unit = 1 },
	[SEQUENCE] = { .line = 30, .kind = BOB_PROBE_WRITE, .size = 4, .unit = 2 },
};
static const struct bob_probe_nest nests[] = { { .first = READ_A, .count = 1, .depth = 2 } };

enum { V_A, V_OWN, V_COUNT, V_HANDLER_OWN, V_SEQUENCE, VARIABLES };
static double a[N];
static int32_t count[4];
static int32_t sequence[4096];
static const int64_t bounds_a[][2] = { { 0, N } }, bounds_4[][2] = { { 0, 4 } },
		     bounds_own[][2] = { { 0, 16 } }, bounds_sequence[][2] = { { 0, 4096 } };
static const struct bob_probe_variable variables[] = {
	[V_A] = { .name = "a", .element = 8, .rank = 1, .bounds = bounds_a },
	[V_OWN] = { .name = "own in worker", .element = 4, .rank = 1, .bounds = bounds_own },
	[V_COUNT] = { .name = "count", .element = 4, .rank = 1, .bounds = bounds_4 },
	[V_HANDLER_OWN] = { .name = "own in handler", .element = 8 },
	[V_SEQUENCE] = { .name = "sequence", .element = 4, .rank = 1, .bounds = bounds_sequence },
};
static struct bob_probe_file bob_probe_here = {
	.size = sizeof(bob_probe_here), .path = "team.c", .digest = 5, .unit = units,
	.variable = variables, .site = sites, .nest = nests,
	.units = 3, .variables = VARIABLES, .sites = SITES, .nests = 1,
};
#define X(site, lvalue) BOB_PROBE_X(site, lvalue)

/* library.c, which this program is linked with, is there before. */
static void want(int v, uint64_t offset, uint32_t site)
{
	oracle_want(1, sites, v, offset, site);
}

__attribute__((constructor)) static void begin(void)
{
	bob_probe_begin(&bob_probe_here);
	bob_probe_declare(&bob_probe_here, V_A, a, NULL);
	bob_probe_declare(&bob_probe_here, V_COUNT, count, NULL);
	bob_probe_declare(&bob_probe_here, V_SEQUENCE, sequence, NULL);
}

/* --- threads --- */

NOINLINE static void frame(int number, int turn)
{
	int32_t own[16];
	unsigned at = (unsigned)(number + turn) % 16;

	bob_probe_declare(&bob_probe_here, V_OWN, own, NULL);
	want(V_OWN, 4 * at, WRITE_OWN);
	X(WRITE_OWN, own[at]) = turn;
	want(V_A, 8u * (unsigned)(turn % N), READ_A);
	own[0] = (int)X(READ_A, a[turn % N]);
	want(V_OWN, 4 * at, READ_OWN);
	own[0] += X(READ_OWN, own[at]);
	bob_probe_forget(&bob_probe_here, V_OWN, own);
}

static void *worker(void *arg)
{
	const int number = (int)(intptr_t)arg;
	const int64_t trips[2] = { 3, N }, step[2] = { 0, 8 };
	const volatile void *const at[1] = { a };

	if (!oracle_own)
		oracle_thread();
	for (int turn = 0; turn < 400 + 10 * number; turn++)
		frame(number, turn);
	bob_probe_nest(&bob_probe_here, 0, trips, at, step);
	for (unsigned k = 0; k < 3 * N; k++)
		want(V_A, 8 * (k % N), READ_A);
	return NULL;
}

static void threads(void)
{
	pthread_t t[THREADS];

	for (int k = 0; k < THREADS; k++)
		if (pthread_create(&t[k], NULL, worker, (void *)(intptr_t)k))
			abort();
	for (int k = 0; k < THREADS; k++)
		pthread_join(t[k], NULL);
}

#ifdef _OPENMP
static void team(void)
{
#pragma omp parallel num_threads(4)
	{
		if (!oracle_own)
			oracle_thread();
#pragma omp for schedule(static)
		for (int k = 0; k < N; k++) {
			want(V_A, 8u * (unsigned)k, READ_A);
			if (X(READ_A, a[k]) < 0)
				abort();
			frame(0, k);
		}
	}
}
#endif

/* --- processes --- */

static void some(int n)
{
	for (int k = 0; k < n; k++)
		frame(n, k);
}

static void forks(void)
{
	int status;
	pid_t pid;

	some(20);
	pid = fork();
	if (!pid) {
		oracle_child();
		some(30);
		worker(NULL);
		oracle_write(".child");
		_exit(7);
	}
	some(10);
	if (waitpid(pid, &status, 0) != pid || WEXITSTATUS(status) != 7)
		abort();
}

/* A thread forks; in the child it ends as a thread does, and the process with it. */
static void *forks_and_ends(void *unused)
{
	double beside = 0;
	int status;
	pid_t pid;

	oracle_thread();
	some(5);
	X(UPDATE_A, beside) += 1; /* counted only */
	pid = fork();
	if (!pid) {
		oracle_child();
		some(8);
		oracle_write(".child");
		return unused;
	}
	if (waitpid(pid, &status, 0) != pid || status)
		abort();
	return unused;
}

static void forks_in_thread(void)
{
	pthread_t t;

	if (pthread_create(&t, NULL, forks_and_ends, NULL))
		abort();
	pthread_join(t, NULL);
}

/* The child makes a file known that the parent did not. */
static void loads_in_child(char *path)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		void *l;
		void (*work)(int);

		oracle_child();
		some(5);
		l = dlopen(path, RTLD_NOW);
		if (!l)
			_exit(1);
		*(void **)&work = dlsym(l, "plugin_work");
		work(2);
		some(5);
		oracle_write(".child");
		exit(7);
	}
	if (waitpid(pid, &status, 0) != pid || WEXITSTATUS(status) != 7)
		abort();
}

/* Twice: the recorder drops the library's description, and learns it again. */
static void loads(char *path)
{
	for (int turn = 0; turn < 2; turn++) {
		void *l = dlopen(path, RTLD_NOW);
		void (*work)(int);

		if (!l)
			abort();
		*(void **)&work = dlsym(l, "plugin_work");
		work(2 + turn);
		some(5);
		dlclose(l);
	}
}

static void replaced(char **argv)
{
	char *next[] = { argv[0], (char *)"linked", NULL };

	some(12);
	oracle_write(".before");
	execv("/proc/self/exe", next);
	abort();
}

static void linked(void)
{
	for (int k = 0; k < 20; k++) {
		some(1);
		library_work(k);
	}
}

static void *ends_process(void *how)
{
	oracle_thread();
	some(15);
	oracle_write("");
	if (!strcmp(how, "exit-in-thread"))
		exit(0);
	if (!strcmp(how, "quick_exit"))
		quick_exit(0);
	_exit(0);
}

/* --- handlers --- */

static volatile sig_atomic_t handled;
static int nesting;

static void handler(int sig)
{
	const int error = errno;
	double own;
	unsigned at = (unsigned)nesting++;

	(void)sig;
	bob_probe_declare(&bob_probe_here, V_HANDLER_OWN, &own, NULL);
	want(V_COUNT, 4 * (at % 4), HANDLER);
	X(HANDLER, count[at % 4])++;
	want(V_HANDLER_OWN, 0, HANDLER_OWN);
	X(HANDLER_OWN, own) = at;
	bob_probe_forget(&bob_probe_here, V_HANDLER_OWN, &own);
	nesting--;
	handled++;
	errno = error;
}

/* Two timers, whose handlers may interrupt each other, while the program probes, declares and
 * reports nests. The handlers have rows of their own, in any order. */
static void signals(void)
{
	static const int which[] = { ITIMER_REAL, ITIMER_PROF };
	static const int sig[] = { SIGALRM, SIGPROF };
	const int64_t trips[2] = { 2, N }, step[2] = { 8, 0 };
	const volatile void *const at[1] = { a };

	for (int k = 0; k < 2; k++) {
		struct sigaction act = { .sa_handler = handler, .sa_flags = SA_RESTART };
		struct itimerval t = { { 0, 190 + 40 * k }, { 0, 150 } };

		sigaction(sig[k], &act, NULL);
		setitimer(which[k], &t, NULL);
	}
	for (int turn = 0; turn < 12000; turn++) {
		frame(1, turn % 200);
		want(V_A, 8u * (unsigned)(turn % N), UPDATE_A);
		X(UPDATE_A, a[turn % N]) += 1;
		if (turn % 50)
			continue;
		bob_probe_nest(&bob_probe_here, 0, trips, at, step);
		for (unsigned k = 0; k < 2 * N; k++)
			want(V_A, 8 * (k / N), READ_A);
	}
	for (int k = 0; k < 2; k++) {
		const struct itimerval off = { { 0, 0 }, { 0, 0 } };

		setitimer(which[k], &off, NULL);
	}
}

/* The accesses are known: element x, and the file has the progress. Then it waits to be killed. */
static void for_ever(const char *path)
{
	int fd = open(path, O_RDWR);
	uint64_t *done = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	uint32_t x = 1;

	if (done == MAP_FAILED)
		abort();
	for (;;) {
		X(SEQUENCE, sequence[x]) = 1;
		__atomic_store_n(done, *done + 1, __ATOMIC_RELAXED);
		x = (x * 5 + 3) % 4096;
		while (*done == 100000)
			pause();
	}
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	pthread_t t;

	if (!strcmp(what, "for-ever"))
		for_ever(argv[2]);
	if (!strcmp(what, "exit-in-thread") || !strcmp(what, "quick_exit") ||
	    !strcmp(what, "_exit")) {
		if (!pthread_create(&t, NULL, ends_process, argv[1]))
			for (;;)
				pause();
		abort();
	}
	oracle_thread();
	if (!strcmp(what, "threads"))
		threads();
	else if (!strcmp(what, "fork"))
		forks();
	else if (!strcmp(what, "fork-in-thread"))
		forks_in_thread();
	else if (!strcmp(what, "load-in-child"))
		loads_in_child(argv[2]);
	else if (!strcmp(what, "load"))
		loads(argv[2]);
	else if (!strcmp(what, "exec"))
		replaced(argv);
	else if (!strcmp(what, "linked"))
		linked();
	else if (!strcmp(what, "signals"))
		signals();
	else if (!strcmp(what, "many"))
		some(atoi(argv[2]));
#ifdef _OPENMP
	else if (!strcmp(what, "openmp"))
		team();
#endif
	else
		abort();
	oracle_write("");
	puts("ok");
	return 0;
}
