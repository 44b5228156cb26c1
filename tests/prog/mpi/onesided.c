/* SPDX-License-Identifier: BSD-3-Clause */
/* One-sided calls of each kind, from rank 0 to the others and from rank 1 to itself;
 * test_mpi_show.py has the amounts of data. */
#include <mpi.h>

int main(void)
{
	double in[64] = { 0 }, out[64] = { 0 }, *at;
	long one = 1, zero = 0, was;
	int rank;
	MPI_Win w;
	MPI_Request r;

	MPI_Init(0, 0);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Win_allocate(sizeof(in), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &at, &w);
	MPI_Win_lock_all(0, w);
	for (int i = 0; rank == 0 && i < 100; i++) {
		MPI_Get(in, 64, MPI_DOUBLE, 1, 0, 64, MPI_DOUBLE, w);
		MPI_Win_flush(1, w);
	}
	if (rank == 0) {
		MPI_Put(out, 3, MPI_DOUBLE, 2, 0, 3, MPI_DOUBLE, w);
		MPI_Accumulate(out, 5, MPI_DOUBLE, 2, 0, 5, MPI_DOUBLE, MPI_SUM, w);
		MPI_Get_accumulate(out, 7, MPI_DOUBLE, in, 7, MPI_DOUBLE, 2, 0, 7, MPI_DOUBLE,
				   MPI_SUM, w);
		MPI_Get_accumulate(0, 0, MPI_DOUBLE, in, 9, MPI_DOUBLE, 2, 0, 9, MPI_DOUBLE,
				   MPI_NO_OP, w);
		MPI_Get_accumulate(out, 13, MPI_DOUBLE, in, 13, MPI_DOUBLE, 2, 0, 13, MPI_DOUBLE,
				   MPI_NO_OP, w);
		MPI_Rget(in, 11, MPI_DOUBLE, 2, 0, 11, MPI_DOUBLE, w, &r);
		MPI_Wait(&r, MPI_STATUS_IGNORE);
		MPI_Get(in, 64, MPI_DOUBLE, MPI_PROC_NULL, 0, 64, MPI_DOUBLE, w);
	} else if (rank == 1) {
		MPI_Fetch_and_op(&one, &was, MPI_LONG, 2, 0, MPI_SUM, w);
		for (int i = 0; i < 10; i++)
			MPI_Fetch_and_op(&one, &was, MPI_LONG, 2, 0, i % 2 ? MPI_SUM : MPI_NO_OP,
					 w);
		MPI_Compare_and_swap(&one, &zero, &was, MPI_LONG, 2, 0, w);
		MPI_Get(in, 2, MPI_DOUBLE, 1, 0, 2, MPI_DOUBLE, w);
	}
	MPI_Win_unlock_all(w);
	MPI_Win_free(&w);
	MPI_Finalize();
	return 0;
}
