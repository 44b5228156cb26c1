/* SPDX-License-Identifier: BSD-3-Clause */
/* Wrapper of MPI_Pcontrol, the only function with variable arguments. Implementations ignore all
 * but the level, and the others cannot be passed on. The event has the level and the result. */
#include "mpi/argument_words.h"

/* The function's number in functions.txt; generate.py checks that both are equal. */
#define PCONTROL 238u

typedef int next_pcontrol(const int level, ...);

BOB_MPI_EXPORT int MPI_Pcontrol(const int level, ...);
BOB_MPI_EXPORT int PMPI_Pcontrol(const int level, ...);

static int record(next_pcontrol *next, const void *caller, const void *cfa, int level)
{
	struct bob_mpi_call c;
	int r;

	if (level)
		bob_mpi_control(level); /* first: the call that switches on is recorded */
	if (!bob_mpi_enter(&c, PCONTROL, caller, cfa)) {
		r = next(level);
		bob_mpi_passed(&c);
	} else {
		bob_mpi_fix(&c, bob_mpi_int(level));
		bob_mpi_before(&c);
		r = next(level);
		bob_mpi_after(&c, r);
		bob_mpi_fix(&c, bob_mpi_int(r));
		bob_mpi_leave(&c);
	}
	if (!level)
		bob_mpi_control(level);
	return r;
}

int MPI_Pcontrol(const int level, ...)
{
	static next_pcontrol *next;

	return record(BOB_MPI_NEXT(next, "MPI_Pcontrol"), BOB_MPI_HERE, level);
}

int PMPI_Pcontrol(const int level, ...)
{
	static next_pcontrol *next;

	return record(BOB_MPI_NEXT(next, "PMPI_Pcontrol"), BOB_MPI_HERE, level);
}
