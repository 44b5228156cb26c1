/* SPDX-License-Identifier: BSD-3-Clause */
/* The order of operations determines which rank waits for which, on any machine.
 *     late ROUNDS */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define OWN __attribute__((noinline))

static int me, ranks, x;

/* Rank 1 sends what rank 0 waits for once it has got what rank 0 sends in the same call. */
static OWN void waits_for_answer(void)
{
	if (me == 0) {
		MPI_Sendrecv(&x, 1, MPI_INT, 1, 1, &x, 1, MPI_INT, 1, 1, MPI_COMM_WORLD,
			     MPI_STATUS_IGNORE);
	} else if (me == 1) {
		MPI_Recv(&x, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Send(&x, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
	}
}

/* The second message implies that the first has been sent; rank 0 waits for it by a wildcard. */
static OWN void finds_it_there(void)
{
	MPI_Request first, second;

	if (me == 0) {
		MPI_Irecv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &first);
		MPI_Irecv(&x, 1, MPI_INT, 1, 3, MPI_COMM_WORLD, &second);
		MPI_Wait(&second, MPI_STATUS_IGNORE);
		MPI_Waitall(1, &first, MPI_STATUSES_IGNORE);
	} else if (me == 1) {
		MPI_Send(&x, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
		MPI_Send(&x, 1, MPI_INT, 0, 3, MPI_COMM_WORLD);
	}
}

static OWN void meets(void)
{
	MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	for (int i = 0; i < atoi(argv[1]); i++) {
		waits_for_answer();
		finds_it_there();
		meets();
	}
	MPI_Finalize();
	if (!me)
		puts("ok");
	return 0;
}
