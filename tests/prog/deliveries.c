/* SPDX-License-Identifier: BSD-3-Clause */
/* How many signals reach the program? Counts the signals below until SIGRTMAX arrives, with which
 * the test marks the end: signals of higher numbers are delivered last. SIGRTMIN+1 is queued, so
 * none of these is merged with another.
 *     deliveries none        prints "ready", waits
 *     deliveries self        before, it sends SIGRTMIN+1 to its process group, 3 times
 *     deliveries child       before, its child does
 *     deliveries grandchild  before, its grandchild does
 * Prints at the end: group N hup N int N alrm N cont N */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TIMES = 3 };

static int counted[] = { 0, SIGHUP, SIGINT, SIGALRM, SIGCONT };
static volatile sig_atomic_t count[65], end;

static void on_signal(int sig)
{
	if (sig == SIGRTMAX)
		end = 1;
	else
		count[sig]++;
}

static void send_all(void)
{
	for (int i = 0; i < TIMES; i++)
		kill(0, counted[0]);
}

/* The sender stays until the counts are printed. */
static pid_t sender(int gate[2], int depth)
{
	pid_t pid = fork();
	char byte;

	if (pid)
		return pid;
	for (size_t i = 0; i < sizeof(counted) / sizeof(*counted); i++)
		signal(counted[i], SIG_IGN);
	close(gate[1]);
	if (depth) {
		sender(gate, depth - 1);
		wait(NULL);
		_exit(0);
	}
	send_all();
	if (read(gate[0], &byte, 1))
		_exit(1);
	_exit(0);
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "none";
	struct sigaction act = { .sa_handler = on_signal };
	sigset_t none, marked;
	int gate[2];
	pid_t pid = 0;

	counted[0] = SIGRTMIN + 1;
	for (size_t i = 0; i < sizeof(counted) / sizeof(*counted); i++)
		sigaction(counted[i], &act, NULL);
	sigaction(SIGRTMAX, &act, NULL);
	sigemptyset(&none);
	sigemptyset(&marked);
	sigaddset(&marked, SIGRTMAX);
	sigprocmask(SIG_BLOCK, &marked, NULL);
	if (pipe(gate))
		return 97;
	if (!strcmp(mode, "self"))
		send_all();
	else if (!strcmp(mode, "child"))
		pid = sender(gate, 0);
	else if (!strcmp(mode, "grandchild"))
		pid = sender(gate, 1);
	while (strcmp(mode, "none") && count[counted[0]] < TIMES)
		usleep(1000);
	puts("ready");
	fflush(stdout);
	while (!end)
		sigsuspend(&none);
	printf("group %d hup %d int %d alrm %d cont %d\n", count[counted[0]], count[SIGHUP],
	       count[SIGINT], count[SIGALRM], count[SIGCONT]);
	close(gate[1]);
	if (pid)
		waitpid(pid, NULL, 0);
	return 0;
}
