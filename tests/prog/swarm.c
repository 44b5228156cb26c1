/* SPDX-License-Identifier: BSD-3-Clause */
/* Many short lives, one kind a run. Every life makes a known number of calls of swarm_step; the
 * program prints how many lives went wrong.
 *     swarm threads N     N threads, 16 alive at a time, 3 calls each
 *     swarm forks N       N children one after the other, 5 calls each
 *     swarm nested N      a child of a child of ... N deep, 2 calls each
 *     swarm vforks N      N times vfork and exec of /bin/true, 1 call before each
 *     swarm exec N        executes itself N times, 4 calls in each program
 *     swarm signals N     an interval timer of 200 us until N handlers have run, 1 call in each
 *     swarm deep N        N frames deep, twice, and back */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define ALIVE 16

static volatile long total;
static volatile sig_atomic_t handled;

__attribute__((noinline)) long swarm_step(long n)
{
	total = total + 1;
	return n + total;
}

static void steps(int n)
{
	while (n--)
		swarm_step(n);
}

static void *life(void *arg)
{
	steps(3);
	return arg;
}

static int threads(int n)
{
	pthread_t id[ALIVE];
	int bad = 0;

	for (int i = 0; i < n; i += ALIVE) {
		int k = 0;

		for (; k < ALIVE && i + k < n; k++)
			if (pthread_create(&id[k], NULL, life, NULL))
				return 1;
		while (k--)
			bad += pthread_join(id[k], NULL) != 0;
	}
	return bad;
}

static int forks(int n)
{
	int bad = 0, st;

	for (int i = 0; i < n; i++) {
		pid_t pid = fork();

		if (pid == 0) {
			steps(5);
			_exit(i & 63);
		}
		bad += pid < 0 || waitpid(pid, &st, 0) != pid || WEXITSTATUS(st) != (i & 63);
	}
	return bad;
}

static int nested(int n)
{
	int st = 0;
	pid_t pid;

	steps(2);
	if (n <= 1)
		return 0;
	pid = fork();
	if (pid == 0)
		_exit(nested(n - 1));
	return pid < 0 || waitpid(pid, &st, 0) != pid || WEXITSTATUS(st);
}

static int vforks(int n)
{
	int bad = 0, st;

	for (int i = 0; i < n; i++) {
		steps(1);
		pid_t pid = vfork();

		if (pid == 0) {
			execl("/bin/true", "true", (char *)NULL);
			_exit(99);
		}
		bad += pid < 0 || waitpid(pid, &st, 0) != pid || WEXITSTATUS(st);
	}
	return bad;
}

static int again(int n)
{
	char left[16];

	steps(4);
	if (n <= 1)
		return 0;
	snprintf(left, sizeof(left), "%d", n - 1);
	execl("/proc/self/exe", "swarm", "exec", left, (char *)NULL);
	return 1;
}

static void on_alarm(int sig)
{
	(void)sig;
	swarm_step(0);
	handled = handled + 1;
}

static int signals(int n)
{
	struct itimerval every = { { 0, 200 }, { 0, 200 } }, never = { { 0, 0 }, { 0, 0 } };
	struct sigaction sa = { .sa_handler = on_alarm };
	char text[64];

	sigaction(SIGALRM, &sa, NULL);
	setitimer(ITIMER_REAL, &every, NULL);
	for (long i = 0; handled < n; i++)
		snprintf(text, sizeof(text), "%ld %s %g", i, "calls of the C library",
			 (double)i / 3);
	setitimer(ITIMER_REAL, &never, NULL);
	return 0;
}

__attribute__((noinline)) static long down(int n)
{
	volatile long here = n;

	swarm_step(n);
	if (n > 1)
		here = here + down(n - 1);
	return here;
}

static int deep(int n)
{
	long want = (long)n * (n + 1) / 2;

	return down(n) != want || down(n) != want;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(int n);
	} modes[] = { { "threads", threads }, { "forks", forks }, { "nested", nested },
		      { "vforks", vforks },   { "exec", again },  { "signals", signals },
		      { "deep", deep } };

	for (size_t i = 0; argc == 3 && i < sizeof(modes) / sizeof(modes[0]); i++) {
		if (!strcmp(argv[1], modes[i].name)) {
			int bad = modes[i].run(atoi(argv[2]));

			printf("%d wrong\n", bad);
			return bad != 0;
		}
	}
	return 2;
}
