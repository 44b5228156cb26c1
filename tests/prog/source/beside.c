/* SPDX-License-Identifier: BSD-3-Clause */
/* Accesses to untraced data, and ways to leave code with probes while they are counted: beside HOW.
 * One access in a thousand is to traced data. See oracle.h. */
#include <setjmp.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#define ORACLE_MAIN
#include "oracle.h"

#define TIMES 20000u /* of a loop */

enum { BESIDE, ELSEWHERE, HANDLER, SITES };
static const char *const units[] = { "work" };
#define SITE(k) [k] = { .line = 10 + (k), .kind = BOB_PROBE_WRITE, .size = 4 }
static const struct bob_probe_site sites[] = { SITE(BESIDE), SITE(ELSEWHERE), SITE(HANDLER) };
static const int64_t bounds[][2] = { { 0, 8 } };
static const struct bob_probe_variable variables[] = {
	{ .name = "traced", .element = 4, .rank = 1, .bounds = bounds },
};
static int traced[8], before[1000];
static struct bob_probe_file bob_probe_here = {
	.size = sizeof(bob_probe_here), .path = "beside.c", .digest = 1, .unit = units,
	.variable = variables, .site = sites, .units = 1, .variables = 1, .sites = SITES,
};
static jmp_buf out;

static void count(unsigned n)
{
	__atomic_fetch_add(&oracle_outside, n, __ATOMIC_RELAXED);
}

static void work(unsigned times)
{
	for (unsigned i = 0; i < times; i++) {
		if (i % 1000 == 999) {
			oracle_want(0, sites, 0, 4 * (i % 8), BESIDE);
			BOB_PROBE_X(BESIDE, traced[i % 8]) = 1;
		} else {
			count(1);
			BOB_PROBE_X(BESIDE, before[i % 1000]) = 1;
		}
		count(1);
		BOB_PROBE_X(ELSEWHERE, before[i % 10]) = 2;
	}
}

static void *thread(void *until)
{
	oracle_thread();
	work(TIMES);
	if (until) {
		close(*(int *)until);
		for (;;)
			pause(); /* it never ends */
	}
	return NULL;
}

/* More than there are at a time: they go on where others have ended. */
static void threads(void)
{
	for (unsigned k = 0; k < 10; k++) {
		pthread_t id[3];

		for (unsigned i = 0; i < 3; i++)
			if (pthread_create(&id[i], NULL, thread, NULL))
				abort();
		for (unsigned i = 0; i < 3; i++)
			pthread_join(id[i], NULL);
	}
}

static void stays(void)
{
	pthread_t id;
	int ends[2];
	char c;

	if (pipe(ends) || pthread_create(&id, NULL, thread, &ends[1]) || read(ends[0], &c, 1))
		abort();
}

static void jumps(void)
{
	for (volatile unsigned k = 0; k < 100; k++)
		if (!setjmp(out)) {
			work(200 + k);
			longjmp(out, 1);
		}
}

static void interrupted(int number)
{
	(void)number;
	for (unsigned i = 0; i < 3; i++) {
		count(1);
		BOB_PROBE_X(HANDLER, before[i]) = 3;
	}
}

static void handlers(void)
{
	const struct sigaction a = { .sa_handler = interrupted };

	sigaction(SIGUSR1, &a, NULL);
	for (unsigned k = 0; k < 1000; k++) {
		work(k % 20);
		raise(SIGUSR1);
	}
}

static void forks(void)
{
	work(TIMES);
	if (fork()) {
		wait(NULL);
		work(TIMES);
		return;
	}
	oracle_outside = 0;
	oracle_child();
	work(TIMES / 2);
	threads();
	oracle_write(".child");
	printf("child %llu\n", (unsigned long long)oracle_outside);
	exit(0);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} how[] = { { "threads", threads },
		    { "stays", stays },
		    { "jumps", jumps },
		    { "handlers", handlers },
		    { "forks", forks } };

	oracle_thread();
	bob_probe_begin(&bob_probe_here);
	bob_probe_declare(&bob_probe_here, 0, traced, NULL);
	for (unsigned k = 0; k < sizeof(how) / sizeof(how[0]); k++)
		if (argc > 1 && !strcmp(argv[1], how[k].name))
			how[k].run();
	work(TIMES);
	oracle_write("");
	printf("outside %llu\n", (unsigned long long)oracle_outside);
	exit(0);
}
