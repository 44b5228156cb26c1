/* SPDX-License-Identifier: BSD-3-Clause */
/* Ends inside a call of MPI that never completes: waits WHO WHAT HOW, one rank. WHO ends it: own, a
 * signal handler of the waiting thread; other, a second thread. WHAT it waits in: vector
 * (MPI_Waitall), none (MPI_Recv). HOW: finish.h. */
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "../finish.h"

#define REQUESTS 3

static const char *how;

static void on_signal(int sig)
{
	(void)sig;
	finish(how);
}

static void *second(void *main_thread)
{
	usleep(200000);
	if (main_thread)
		pthread_kill(*(pthread_t *)main_thread, SIGUSR1);
	else
		finish(how);
	return NULL;
}

int main(int argc, char **argv)
{
	MPI_Request request[REQUESTS];
	pthread_t self = pthread_self(), thread;
	int got[REQUESTS], provided, own;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
	if (argc < 4)
		return 2;
	own = !strcmp(argv[1], "own");
	how = argv[3];
	signal(SIGUSR1, on_signal);
	if (pthread_create(&thread, NULL, second, own ? &self : NULL))
		return 2;
	if (!strcmp(argv[2], "none"))
		MPI_Recv(got, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	for (int i = 0; i < REQUESTS; i++)
		MPI_Irecv(&got[i], 1, MPI_INT, 0, i, MPI_COMM_WORLD, &request[i]);
	MPI_Waitall(REQUESTS, request, MPI_STATUSES_IGNORE);
	return 1;
}
