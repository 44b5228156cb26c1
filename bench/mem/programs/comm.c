/* SPDX-License-Identifier: BSD-3-Clause */
/* Collective calls and halo exchange by MPI, or for a single rank without it. */
#include "comm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef WITH_MPI
#include <mpi.h>
#endif

int comm_rank, comm_size = 1;

void *need(size_t count, size_t size)
{
	void *p = calloc(count ? count : 1, size);

	if (!p) {
		fprintf(stderr, "no memory\n");
		exit(3);
	}
	return p;
}

long argument(int argc, char **argv, int at, long otherwise)
{
	return at < argc ? atol(argv[at]) : otherwise;
}

#ifdef WITH_MPI

void comm_begin(int *argc, char ***argv)
{
	int given;

	MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &given);
	MPI_Comm_rank(MPI_COMM_WORLD, &comm_rank);
	MPI_Comm_size(MPI_COMM_WORLD, &comm_size);
}

void comm_end(void)
{
	MPI_Finalize();
}

double comm_sum(double x)
{
	double sum;

	MPI_Allreduce(&x, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	return sum;
}

void comm_gather(const long *mine, int count, long *all)
{
	MPI_Allgather(mine, count, MPI_LONG, all, count, MPI_LONG, MPI_COMM_WORLD);
}

void comm_counts(const int *send, int *recv)
{
	MPI_Alltoall(send, 1, MPI_INT, recv, 1, MPI_INT, MPI_COMM_WORLD);
}

void comm_lists(const long *from, const int *send, long *to, const int *recv)
{
	size_t n = (size_t)comm_size;
	int *send_at = need(n, sizeof(int)), *recv_at = need(n, sizeof(int));

	for (int r = 1; r < comm_size; r++) {
		send_at[r] = send_at[r - 1] + send[r - 1];
		recv_at[r] = recv_at[r - 1] + recv[r - 1];
	}
	MPI_Alltoallv(from, send, send_at, MPI_LONG, to, recv, recv_at, MPI_LONG, MPI_COMM_WORLD);
	free(send_at);
	free(recv_at);
}

void comm_exchange(const struct halo *h, double *x, int rows)
{
	MPI_Request *wait = need((size_t)h->peers * 2, sizeof(*wait));

	for (int k = 0; k < h->send_at[h->peers]; k++)
		h->buffer[k] = x[h->send[k]];
	for (int p = 0; p < h->peers; p++) {
		MPI_Irecv(x + rows + h->recv_at[p], h->recv_at[p + 1] - h->recv_at[p], MPI_DOUBLE,
			  h->peer[p], 1, MPI_COMM_WORLD, &wait[2 * p]);
		MPI_Isend(h->buffer + h->send_at[p], h->send_at[p + 1] - h->send_at[p], MPI_DOUBLE,
			  h->peer[p], 1, MPI_COMM_WORLD, &wait[2 * p + 1]);
	}
	MPI_Waitall(2 * h->peers, wait, MPI_STATUSES_IGNORE);
	free(wait);
}

#else

void comm_begin(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
}

void comm_end(void)
{
}

double comm_sum(double x)
{
	return x;
}

void comm_gather(const long *mine, int count, long *all)
{
	memcpy(all, mine, (size_t)count * sizeof(*all));
}

void comm_counts(const int *send, int *recv)
{
	recv[0] = send[0];
}

void comm_lists(const long *from, const int *send, long *to, const int *recv)
{
	(void)recv;
	memcpy(to, from, (size_t)send[0] * sizeof(*to));
}

void comm_exchange(const struct halo *h, double *x, int rows)
{
	(void)h;
	(void)x;
	(void)rows;
}

#endif
