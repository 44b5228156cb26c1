/* SPDX-License-Identifier: BSD-3-Clause */
/* Perturbation between two ranks: rank 1 works (traced calls) and sends a message, rank 0 polls for
 * it, with MPI_Iprobe and MPI_Test by turns. Otherwise as poll.c.
 *     mpi_poll ROUNDS        rank 0 prints the mean of the rounds (poll.h), and of the polls as
 *                            they were */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "poll.h"

__attribute__((noinline)) int poll_probe(void)
{
	int there = 0;

	between_polls();
	MPI_Iprobe(1, 0, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
	return there;
}

__attribute__((noinline)) int poll_test(MPI_Request *request)
{
	int there = 0;

	between_polls();
	MPI_Test(request, &there, MPI_STATUS_IGNORE);
	return there;
}

static void poller(int rounds)
{
	double polls = 0, raw = 0, work_time;

	for (int r = 0; r < rounds; r++) {
		double before, n = 0, mine;
		MPI_Request request;

		if (r & 1)
			MPI_Irecv(&work_time, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, &request);
		MPI_Send(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD);
		before = processor_time();
		do
			n++;
		while (!(r & 1 ? poll_test(&request) : poll_probe()));
		mine = processor_time() - before;
		if (!(r & 1))
			MPI_Recv(&work_time, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD,
				 MPI_STATUS_IGNORE);
		polls += n * work_time / mine;
		raw += n;
	}
	printf("%.0f %.0f\n", polls / rounds, raw / rounds);
}

static void worker(int rounds)
{
	for (int r = 0; r < rounds; r++) {
		double took;

		MPI_Recv(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		took = work();
		MPI_Send(&took, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
	}
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 100;
	int rank, size;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (size != 2 || rounds < 1)
		MPI_Abort(MPI_COMM_WORLD, 97);
	if (rank == 0)
		poller(rounds);
	else
		worker(rounds);
	MPI_Finalize();
	return 0;
}
