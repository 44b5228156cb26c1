/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages, collective operations, a communicator. For tests/fuzz/trace_corpus.py. */
#include <mpi.h>
static double a[8], b[8];
int main(int argc, char **argv)
{
	int r, n, to, from;
	MPI_Comm c;
	MPI_Request q[2];
	MPI_Status s[2];
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &r);
	MPI_Comm_size(MPI_COMM_WORLD, &n);
	to = (r + 1) % n;
	from = (r + n - 1) % n;
	MPI_Comm_split(MPI_COMM_WORLD, r & 1, r, &c);
	for (int i = 0; i < 6; i++) {
		MPI_Irecv(b, 8, MPI_DOUBLE, from, i & 1, MPI_COMM_WORLD, &q[0]);
		MPI_Isend(a, 1 + (i & 3), MPI_DOUBLE, to, i & 1, MPI_COMM_WORLD, &q[1]);
		MPI_Waitall(2, q, s);
	}
	MPI_Allreduce(a, b, 4, MPI_DOUBLE, MPI_SUM, c);
	MPI_Bcast(a, 3, MPI_DOUBLE, 0, MPI_COMM_WORLD);
	MPI_Comm_free(&c);
	MPI_Finalize();
	return 0;
}
