/* A library with a function NAME, which calls MPI. */
#include <mpi.h>

int NAME(void);

int NAME(void)
{
	int n;

	MPI_Comm_size(MPI_COMM_WORLD, &n);
	return n;
}
