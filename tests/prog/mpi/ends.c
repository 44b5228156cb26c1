/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks that do not end normally; they log their calls before that (oracle.h).
 *     ends killed MICROSECONDS    rank 1 is killed with SIGKILL after that time, during its calls
 *     ends abort                  rank 2 calls MPI_Abort, others wait for it
 *     ends exit                   all leave without MPI_Finalize
 *     ends never                  rank 3 never calls MPI; others do not use it
 *     ends deadlock               rank 0 waits for a message that no rank sends, others for rank 0;
 *                                 then rank 3 is killed
 *     ends full ROUNDS            many different calls, to the end */
#define _GNU_SOURCE
#include <signal.h>
#include <unistd.h>

#include "oracle.h"

static struct comm world;
static int after_us;

static void *killer(void *arg)
{
	usleep((unsigned)after_us);
	kill(getpid(), SIGKILL);
	return NULL;
}

static void kill_after(int us)
{
	pthread_t t;

	after_us = us;
	pthread_create(&t, NULL, killer, NULL);
}

static void round_of(int i)
{
	int a[64] = { 0 }, b[64], right = (world.me + 1) % world.size,
	    left = (world.me + world.size - 1) % world.size;
	struct req q[2], *v[2] = { &q[0], &q[1] };

	o_Irecv(b, 64, &INT, left, i, &world, &q[0]);
	o_Issend(a, i * 7 % 60, &INT, right, i, &world, &q[1]);
	if (i * i % 3)
		o_Waitall(v, 2, 0);
	else
		while (o_Waitany(v, 2) != MPI_UNDEFINED)
			;
	if (i % 5 == 0)
		o_Barrier(&world);
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	int n = argc > 2 ? atoi(argv[2]) : 100, b;

	if (!strcmp(mode, "never") && own_rank() == 3)
		return 0;
	comm_world(&world);
	say_open(world.me, 0);
	if (!strcmp(mode, "never")) {
		int flag, major, minor;

		MPI_Initialized(&flag);
		say("Initialized result=0 flag=0");
		MPI_Get_version(&major, &minor);
		say("Get_version result=0 version=%d subversion=%d", major, minor);
		return 0;
	}
	MPI_Init(&argc, &argv);
	say("Init result=0");
	if (!strcmp(mode, "killed") && world.me == 1)
		kill_after(n);
	for (int i = 0; !strcmp(mode, "killed") || i < n; i++)
		round_of(i % 30000);
	if (!strcmp(mode, "abort")) {
		if (world.me == 2)
			MPI_Abort(MPI_COMM_WORLD, 7);
		o_Barrier(&world);
	}
	if (!strcmp(mode, "deadlock")) {
		if (world.me == 3)
			kill_after(500000);
		if (world.me == 0)
			MPI_Recv(&b, 1, MPI_INT, 1, 4711, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		o_Barrier(&world);
	}
	if (!strcmp(mode, "exit"))
		return 0;
	MPI_Finalize();
	say("Finalize result=0");
	printf("rank %d is done\n", world.me);
	return 0;
}
