/* SPDX-License-Identifier: BSD-3-Clause */
/* The ring of README: a number travels around the ring, and a sum. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	int rank, ranks, steps = argc > 1 ? atoi(argv[1]) : 1000, given, got, sum = 0;
	MPI_Request request[2];

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	given = rank;
	for (int i = 0; i < steps; i++) {
		MPI_Irecv(&got, 1, MPI_INT, (rank + ranks - 1) % ranks, 7, MPI_COMM_WORLD,
			  &request[0]);
		MPI_Isend(&given, 1, MPI_INT, (rank + 1) % ranks, 7, MPI_COMM_WORLD, &request[1]);
		MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
		given = got;
		MPI_Allreduce(&got, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	}
	if (!rank)
		printf("%d\n", sum);
	MPI_Finalize();
	return given != ((rank - steps) % ranks + ranks) % ranks;
}
