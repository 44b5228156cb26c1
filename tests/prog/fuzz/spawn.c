/* SPDX-License-Identifier: BSD-3-Clause */
/* Rank 0 starts one more process of the program. For tests/fuzz/trace_corpus.py. */
#include <mpi.h>
int main(int argc, char **argv)
{
	MPI_Comm p, c;
	double x = 1;
	MPI_Init(&argc, &argv);
	MPI_Comm_get_parent(&p);
	if (p == MPI_COMM_NULL) {
		MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &c,
			       MPI_ERRCODES_IGNORE);
		MPI_Send(&x, 1, MPI_DOUBLE, 0, 3, c);
		MPI_Comm_disconnect(&c);
	} else {
		MPI_Recv(&x, 1, MPI_DOUBLE, 0, 3, p, MPI_STATUS_IGNORE);
		MPI_Comm_disconnect(&p);
	}
	MPI_Finalize();
	return 0;
}
