/* SPDX-License-Identifier: BSD-3-Clause */
/* Receives that are cancelled, and messages between groups. What each receive gets is
 * deterministic. Two ranks, except for groups.
 *     follow wait|free|groups ROUNDS
 * wait: cancelled requests are waited for; free: they are freed at the end; groups:
 * intercommunicators between the lower and the upper half of the ranks. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OWN __attribute__((noinline))

static int me, ranks, x[4];
static MPI_Comm world;

static void send(int count, int tag)
{
	MPI_Send(x, count, MPI_INT, !me, tag, world);
}

static OWN void receive(int tag)
{
	MPI_Recv(x, 4, MPI_INT, !me, tag, world, MPI_STATUS_IGNORE);
}

static OWN void wait_for(MPI_Request *r)
{
	MPI_Wait(r, MPI_STATUS_IGNORE);
}

/* The first one and the wildcard get nothing; the second one is there when it is waited for. */
static OWN void too_early(void)
{
	MPI_Request any, first, second;

	if (me == 1) {
		receive(1);
		send(1, 2);
		send(1, 3);
		return;
	}
	MPI_Irecv(x, 4, MPI_INT, 1, 2, world, &first);
	MPI_Irecv(x, 4, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, world, &any);
	MPI_Irecv(x, 4, MPI_INT, 1, 2, world, &second);
	MPI_Cancel(&any);
	MPI_Cancel(&first);
	wait_for(&any);
	send(1, 1);
	receive(3);
	wait_for(&second);
	wait_for(&first);
}

/* The message is there before the receive is cancelled; it may be empty. */
static OWN void too_late(int count)
{
	MPI_Request first, second;

	if (me == 1) {
		send(count, 4);
		send(1, 5);
		send(1, 4);
		send(1, 5);
		return;
	}
	MPI_Irecv(x, 4, MPI_INT, 1, 4, world, &first);
	MPI_Irecv(x, 4, MPI_INT, 1, 4, world, &second);
	receive(5);
	MPI_Cancel(&first);
	wait_for(&first);
	receive(5);
	wait_for(&second);
}

/* A persistent receive is cancelled, and started again. */
static OWN void again(void)
{
	MPI_Request r;

	if (me == 1) {
		receive(1);
		send(1, 6);
		send(1, 5);
		return;
	}
	MPI_Recv_init(x, 4, MPI_INT, 1, 6, world, &r);
	MPI_Start(&r);
	MPI_Cancel(&r);
	wait_for(&r);
	MPI_Start(&r);
	send(1, 1);
	receive(5);
	wait_for(&r);
	MPI_Request_free(&r);
}

/* Whether a receive that is cancelled and freed got a message is unknown: 5 more messages are not
	 * followed. */
static OWN void freed(void)
{
	MPI_Request r;

	if (me == 1) {
		send(1, 7);
		for (int i = 0; i < 4; i++)
			send(1, 5);
		return;
	}
	MPI_Irecv(x, 4, MPI_INT, 1, 7, world, &r);
	MPI_Cancel(&r);
	MPI_Request_free(&r);
	for (int i = 0; i < 4; i++)
		receive(5);
}

/* Each message is in its place before it is waited for. */
static OWN void between(MPI_Comm inter, int rounds)
{
	const int half = ranks / 2, low = me < half, peer = low ? me : me - half;

	for (int i = 0; i < rounds; i++) {
		MPI_Request r[2];

		MPI_Irecv(&x[0], 1, MPI_INT, MPI_ANY_SOURCE, 8, inter, &r[0]);
		MPI_Irecv(&x[1], 1, MPI_INT, peer, 9, inter, &r[1]);
		MPI_Send(&x[2], 1, MPI_INT, peer, 8, inter);
		MPI_Send(&x[3], 1, MPI_INT, peer, 9, inter);
		MPI_Wait(&r[1], MPI_STATUS_IGNORE);
		wait_for(&r[0]);
	}
}

static void groups(int rounds)
{
	const int half = ranks / 2, low = me < half;
	MPI_Comm local, inter[3];

	MPI_Comm_split(MPI_COMM_WORLD, low, me, &local);
	MPI_Intercomm_create(local, 0, MPI_COMM_WORLD, low ? half : 0, 1, &inter[0]);
	MPI_Intercomm_create(local, 0, MPI_COMM_WORLD, low ? half : 0, 2, &inter[1]);
	MPI_Comm_dup(inter[0], &inter[2]);
	for (int i = 2; i >= 0; i--) {
		between(inter[i], rounds);
		MPI_Barrier(inter[i]);
		MPI_Comm_free(&inter[i]);
	}
	MPI_Comm_free(&local);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	world = MPI_COMM_WORLD;
	if (!strcmp(argv[1], "groups"))
		groups(atoi(argv[2]));
	for (int i = 0; i < atoi(argv[2]) && me < 2 && strcmp(argv[1], "groups"); i++) {
		too_early();
		too_late(i % 2);
		again();
	}
	if (!strcmp(argv[1], "free") && me < 2)
		freed();
	MPI_Finalize();
	if (!me)
		puts("ok");
	return 0;
}
