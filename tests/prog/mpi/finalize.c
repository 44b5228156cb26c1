/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks that call MPI_Finalize; they print what they do before and after it (oracle.h).
 *     finalize plain ROUNDS       and then some more
 *     finalize late RANK MS       one comes so much later
 *     finalize killed RANK US     one is killed with SIGKILL so long after others finalize
 * Each rank prints whether traces of the recorder are visible: signals, children, descriptors. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "oracle.h"

static struct comm world;
static volatile sig_atomic_t children;
static int after_us;
int sums[100];

static void child(int sig)
{
	(void)sig;
	children++;
}

static void *killer(void *arg)
{
	usleep((unsigned)after_us);
	kill(getpid(), SIGKILL);
	return arg;
}

static void work(int rounds)
{
	int right = (world.me + 1) % world.size, left = (world.me + world.size - 1) % world.size;
	int a = world.me, b;

	for (int i = 0; i < rounds; i++) {
		o_Sendrecv(&a, 1, &INT, right, i % 3, &b, 1, &INT, left, i % 3, &world);
		sums[i % 100] += b;
		if (i % 10 == 0)
			o_Barrier(&world);
	}
}

static void work_after(int rounds)
{
	int flag;

	for (int i = 0; i < rounds; i++) {
		MPI_Finalized(&flag);
		say("Finalized result=0 flag=%d", flag);
		for (int k = 0; k < 100; k++)
			sums[k] ^= k * i;
	}
}

static int lowest_free(void)
{
	int fd = open("/dev/null", O_RDONLY);

	close(fd);
	return fd;
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "plain";
	int who = argc > 2 ? atoi(argv[2]) : 0, much = argc > 3 ? atoi(argv[3]) : 0, fd;
	pthread_t t;

	signal(SIGCHLD, child);
	comm_world(&world);
	say_open(world.me, 0);
	MPI_Init(&argc, &argv);
	say("Init result=0");
	work(strcmp(how, "plain") ? 50 : who);
	o_Barrier(&world);
	if (!strcmp(how, "late") && world.me == who)
		usleep((unsigned)much * 1000);
	if (!strcmp(how, "killed") && world.me == who) {
		after_us = much;
		pthread_create(&t, NULL, killer, NULL);
	}
	fd = lowest_free();
	MPI_Finalize();
	say("Finalize result=0");
	work_after(7);
	if (!strcmp(how, "killed") && world.me == who)
		pause();
	printf("rank %d: %d signals, %s, descriptors %s\n", world.me, (int)children,
	       wait(NULL) < 0 && errno == ECHILD ? "no child" : "a child",
	       lowest_free() <= fd ? "free" : "open");
	return 0;
}
