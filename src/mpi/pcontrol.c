/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_Pcontrol, the one function with arguments of any number: what MPI does with more than the
 * level is nothing, and there is no way to pass them on. The event is like others: the level, the
 * result. */
#include "mpi/words.h"

/* The function's number in functions.txt, which generate.py compares with that of its line. */
#define PCONTROL 238u

typedef int next_pcontrol(const int level, ...);

BOB_MPI_EXPORT int MPI_Pcontrol(const int level, ...);
BOB_MPI_EXPORT int PMPI_Pcontrol(const int level, ...);

static int record(next_pcontrol *next, const void *caller, const void *cfa, int level)
{
	struct bob_mpi_call c;
	int r;

	if (level)
		bob_mpi_control(level); /* what is switched on is recorded, too */
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
