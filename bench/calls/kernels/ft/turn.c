/* SPDX-License-Identifier: BSD-3-Clause */
/* The exchange between slabs of z and slabs of y. A slab of y arrives in order; only the other
 * side needs packing. */
#include "ft.h"

#include <mpi.h>
#include <string.h>

static long rows_at(const struct ft_box *b, int rank, int z)
{
	return ((long)rank * b->share + z) * b->share * b->n;
}

void ft_turn(const struct ft_box *b, const double complex *by_z, double complex *by_y)
{
	size_t rows = (size_t)b->share * (size_t)b->n;
	int count = b->share * b->share * b->n;

	for (int to = 0; to < b->ranks; to++)
		for (int z = 0; z < b->share; z++)
			memcpy(b->packed + rows_at(b, to, z),
			       by_z + ((long)z * b->n + (long)to * b->share) * b->n,
			       rows * sizeof(*by_z));
	MPI_Alltoall(b->packed, count, MPI_C_DOUBLE_COMPLEX, by_y, count, MPI_C_DOUBLE_COMPLEX,
		     MPI_COMM_WORLD);
}

void ft_turn_back(const struct ft_box *b, const double complex *by_y, double complex *by_z)
{
	size_t rows = (size_t)b->share * (size_t)b->n;
	int count = b->share * b->share * b->n;

	MPI_Alltoall(by_y, count, MPI_C_DOUBLE_COMPLEX, b->packed, count, MPI_C_DOUBLE_COMPLEX,
		     MPI_COMM_WORLD);
	for (int from = 0; from < b->ranks; from++)
		for (int z = 0; z < b->share; z++)
			memcpy(by_z + ((long)z * b->n + (long)from * b->share) * b->n,
			       b->packed + rows_at(b, from, z), rows * sizeof(*by_z));
}
