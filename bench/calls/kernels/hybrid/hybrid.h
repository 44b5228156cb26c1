/* SPDX-License-Identifier: BSD-3-Clause */
/* Hybrid: heat in a plate with MPI, OpenMP and pthreads in one program. Ranks own strips of rows,
 * OpenMP threads share the rows of a strip, and one more thread per rank, started by
 * pthread_create, digests snapshots while the next steps run. */
#ifndef HYBRID_H
#define HYBRID_H

#include <pthread.h>
#include <stdint.h>

struct heat_strip {
	int n, rows, first;	/* points 1..n of a row, rows 1..rows, rows before them */
	int rank, ranks;
	double *now, *next;	/* (rows + 2) x (n + 2), walls fixed */
};

void heat_strip_create(struct heat_strip *s, int n, int rows, int rank, int ranks);
void heat_strip_destroy(struct heat_strip *s);
void heat_row(const double *above, const double *row, const double *below, double *out, int n);
void heat_step(struct heat_strip *s);		/* by the main thread, with OpenMP inside */

/* One snapshot at a time is handed over; give waits until the last one was taken. The digest is a
 * sum of hashes of rows, so it does not depend on the distribution of rows. */
struct digest {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	int full, stop;		/* under lock */
	uint64_t sum;		/* the digester's until digest_end */
	int n, rows;
	double *snapshot;	/* the process that `full` selects */
};

int digest_begin(struct digest *d, int n, int rows);
void digest_give(struct digest *d, const struct heat_strip *s);
uint64_t digest_end(struct digest *d);	/* waits for the thread */

#endif
