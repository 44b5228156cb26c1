/* SPDX-License-Identifier: BSD-3-Clause */
/* The communication of the programs. Without -DWITH_MPI there is one rank, and no MPI. Threads:
 * call from one. Failures end the program with a message. */
#ifndef BENCH_COMM_H
#define BENCH_COMM_H

#include <stddef.h>

extern int comm_rank, comm_size;

void comm_begin(int *argc, char ***argv);
void comm_end(void);
double comm_sum(double x);
/* `count` longs of each rank to all, in the order of ranks. */
void comm_gather(const long *mine, int count, long *all);
/* send[r] longs to rank r, recv[r] from it; both lists are in the order of ranks. */
void comm_counts(const int *send, int *recv);
void comm_lists(const long *from, const int *send, long *to, const int *recv);

/* Values of other ranks that a matrix needs. */
struct halo {
	int peers;
	int *peer;
	int *send_at, *recv_at;		/* peers + 1 each; into `send`, and after the own rows */
	int *send;			/* own rows that others need */
	double *buffer;
};

/* Fills the ghosts of `x`, which follow its `rows` own values. */
void comm_exchange(const struct halo *h, double *x, int rows);

/* Zeroed; never NULL. */
void *need(size_t count, size_t size);
/* A number of the command line. */
long argument(int argc, char **argv, int at, long otherwise);

#endif
