/* SPDX-License-Identifier: BSD-3-Clause */
/* A program of four ranks, for tests of the verbs that read MPI calls: a ring with varying tags, a
 * row of neighbours with ends, two communicators of two ranks, a derived type, persistent requests,
 * vectors, a master that receives from any source. "stuck": rank 0 waits for a message that no rank
 * sends. "now-and-then": calls only in some rounds. "chance": messages of random length. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, ranks;

static void ring(int steps)
{
	int out = rank, in = 0;

	for (int i = 0; i < steps; i++) {
		MPI_Request request[2];

		MPI_Irecv(&in, 1, MPI_INT, (rank + ranks - 1) % ranks, i, MPI_COMM_WORLD,
			  &request[0]);
		MPI_Isend(&out, 1, MPI_INT, (rank + 1) % ranks, i, MPI_COMM_WORLD, &request[1]);
		MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
	}
}

static void row(int steps)
{
	int left = rank ? rank - 1 : MPI_PROC_NULL,
	    right = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL;
	double out[8] = { 0 }, in[8];

	for (int i = 0; i < steps; i++)
		MPI_Sendrecv(out, 8, MPI_DOUBLE, right, 1, in, 8, MPI_DOUBLE, left, 1,
			     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void halves(int steps)
{
	MPI_Comm half;
	MPI_Datatype column;
	double cells[16] = { 0 };
	int me;

	MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &half);
	MPI_Type_vector(4, 1, 4, MPI_DOUBLE, &column);
	MPI_Type_commit(&column);
	MPI_Comm_rank(half, &me);
	for (int i = 0; i < steps; i++)
		if (me)
			MPI_Recv(cells, 1, column, 0, 2, half, MPI_STATUS_IGNORE);
		else
			MPI_Send(cells, 1, column, 1, 2, half);
	MPI_Type_free(&column);
	MPI_Comm_free(&half);
}

static void persistent(int steps)
{
	MPI_Request request[2];
	float out[3] = { 0 }, in[3];

	MPI_Send_init(out, 3, MPI_FLOAT, rank ^ 1, 3, MPI_COMM_WORLD, &request[0]);
	MPI_Recv_init(in, 3, MPI_FLOAT, rank ^ 1, 3, MPI_COMM_WORLD, &request[1]);
	for (int i = 0; i < steps; i++) {
		MPI_Startall(2, request);
		MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
	}
	MPI_Request_free(&request[0]);
	MPI_Request_free(&request[1]);
}

static void together(void)
{
	int count[4], at[4], out[16] = { 0 }, in[16], one = rank, all[4];

	for (int i = 0; i < 4; i++) {
		count[i] = 1 + (i + rank) % 2;
		at[i] = 2 * i;
	}
	MPI_Bcast(&one, 1, MPI_INT, 1, MPI_COMM_WORLD);
	MPI_Alltoallv(out, count, at, MPI_INT, in, count, at, MPI_INT, MPI_COMM_WORLD);
	MPI_Gather(&one, 1, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD);
	MPI_Allreduce(MPI_IN_PLACE, &one, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
}

static void stuck(void)
{
	int x;

	alarm(2);
	if (rank)
		MPI_Barrier(MPI_COMM_WORLD);
	else
		MPI_Recv(&x, 1, MPI_INT, 1, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* A sum every tenth round, and in two rounds. */
static void now_and_then(void)
{
	int a = 0, b;

	for (int i = 0; i < 100; i++) {
		MPI_Barrier(MPI_COMM_WORLD);
		if (i % 10 == 9)
			MPI_Allreduce(&a, &b, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
		MPI_Bcast(&a, 1, MPI_INT, 0, MPI_COMM_WORLD);
		if (i == 30 || i == 70)
			MPI_Reduce(&a, &b, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
	}
}

/* The same lengths in each run; no rule says what the next one is. */
static void by_chance(int steps)
{
	static char out[1 << 16], in[1 << 16];
	unsigned x = 12345;

	for (int i = 0; i < steps; i++) {
		int n;

		x = x * 1103515245u + 12345u;
		n = (int)(x >> 16);
		MPI_Sendrecv(out, n, MPI_CHAR, (rank + 1) % ranks, 5, in, 1 << 16, MPI_CHAR,
			     (rank + ranks - 1) % ranks, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
}

int main(int argc, char **argv)
{
	int steps = argc > 2 ? atoi(argv[2]) : 10;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	if (argc > 1 && !strcmp(argv[1], "stuck")) {
		ring(3);
		stuck();
	}
	if (argc > 1 && (!strcmp(argv[1], "now-and-then") || !strcmp(argv[1], "chance"))) {
		if (argv[1][0] == 'n')
			now_and_then();
		else
			by_chance(steps);
		MPI_Finalize();
		return 0;
	}
	ring(steps);
	row(steps);
	halves(steps);
	persistent(steps);
	together();
	MPI_Finalize();
	return 0;
}
