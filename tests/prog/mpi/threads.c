/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads that call MPI at the same time: `threads ROUNDS`. Each of three exchanges messages with
 * the thread of its number in the next rank, by its own tag, and completes the later receive first.
 * Then all send to all by one tag, and each thread communicates on a communicator that it
 * created. */
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>

#define THREADS 3
#define COMMON 99

static int rank, ranks, rounds;
static MPI_Comm own[THREADS];

static void exchange(int tag)
{
	const int next = (rank + 1) % ranks, last = (rank + ranks - 1) % ranks;
	MPI_Request r[3];
	int in[2], out = tag;

	MPI_Irecv(&in[0], 1, MPI_INT, last, tag, MPI_COMM_WORLD, &r[0]);
	MPI_Irecv(&in[1], 1, MPI_INT, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &r[1]);
	MPI_Isend(&out, 1, MPI_INT, next, tag, MPI_COMM_WORLD, &r[2]);
	MPI_Send(&out, 1, MPI_INT, next, tag, MPI_COMM_WORLD);
	MPI_Wait(&r[1], MPI_STATUS_IGNORE);
	MPI_Wait(&r[0], MPI_STATUS_IGNORE);
	MPI_Wait(&r[2], MPI_STATUS_IGNORE);
}

static void *run(void *arg)
{
	const int me = (int)(long)arg, next = (rank + 1) % ranks;
	int in, out = me;
	MPI_Request r;

	for (int i = 0; i < rounds; i++)
		exchange(me);
	for (int i = 0; i < rounds; i++) {
		MPI_Irecv(&in, 1, MPI_INT, MPI_ANY_SOURCE, COMMON, MPI_COMM_WORLD, &r);
		MPI_Send(&out, 1, MPI_INT, next, COMMON, MPI_COMM_WORLD);
		MPI_Wait(&r, MPI_STATUS_IGNORE);
	}
	MPI_Sendrecv(&out, 1, MPI_INT, next, 7, &in, 1, MPI_INT, MPI_ANY_SOURCE, 7, own[me],
		     MPI_STATUS_IGNORE);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t[THREADS];
	int level;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	rounds = atoi(argv[1]);
	for (int i = 0; i < THREADS; i++)
		MPI_Comm_dup(MPI_COMM_WORLD, &own[i]);
	for (long i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, run, (void *)i);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	MPI_Finalize();
	return level != MPI_THREAD_MULTIPLE;
}
