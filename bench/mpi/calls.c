/* SPDX-License-Identifier: BSD-3-Clause */
/* Cost of an MPI call: processor time of the calling thread, ns, the best of ROUNDS rounds; one
 * line for each: name, calls per round, ns per call. On one rank, partners are MPI_PROC_NULL or the
 * rank itself, so there is no network time; on two, ranks 0 and 1. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define ROUNDS 40
#define TIMES 5000

static int rank, ranks;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void probe(void)
{
	int flag;

	MPI_Iprobe(MPI_PROC_NULL, 1, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
}

static void receive(void)
{
	MPI_Status s;
	int x;

	MPI_Recv(&x, 1, MPI_INT, MPI_PROC_NULL, 3, MPI_COMM_WORLD, &s);
}

static void halo(void)
{
	MPI_Request q[2];
	int x = 1, y;

	MPI_Irecv(&y, 1, MPI_INT, MPI_PROC_NULL, 2, MPI_COMM_WORLD, q);
	MPI_Isend(&x, 1, MPI_INT, MPI_PROC_NULL, 2, MPI_COMM_WORLD, q + 1);
	MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
}

static void sum(void)
{
	int x = 1, y;

	MPI_Allreduce(&x, &y, 1, MPI_INT, MPI_SUM, ranks > 1 ? MPI_COMM_WORLD : MPI_COMM_SELF);
}

static void ping_pong(void)
{
	int x = 1;

	if (rank) {
		MPI_Recv(&x, 1, MPI_INT, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Send(&x, 1, MPI_INT, 0, 4, MPI_COMM_WORLD);
	} else {
		MPI_Send(&x, 1, MPI_INT, 1, 4, MPI_COMM_WORLD);
		MPI_Recv(&x, 1, MPI_INT, 1, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
}

/* At a call depth that programs have. */
__attribute__((noinline)) static void measure(const char *name, void (*body)(void), int calls,
					      int depth)
{
	double best = 1e18;

	if (depth) {
		measure(name, body, calls, depth - 1);
		__asm__ volatile("");
		return;
	}
	for (int r = 0; r < ROUNDS; r++) {
		double begin = now(), ns;

		for (int i = 0; i < TIMES; i++)
			body();
		ns = (now() - begin) / (TIMES * calls);
		best = ns < best ? ns : best;
	}
	if (!rank)
		printf("%s,%d,%.1f\n", name, calls, best);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	if (ranks == 2) {
		measure("ping-pong", ping_pong, 2, 8);
		measure("Allreduce", sum, 1, 8);
	} else {
		measure("Iprobe", probe, 1, 8);
		measure("Recv", receive, 1, 8);
		measure("Irecv+Isend+Waitall", halo, 3, 8);
		measure("Allreduce on self", sum, 1, 8);
	}
	MPI_Finalize();
	return 0;
}
