/* SPDX-License-Identifier: BSD-3-Clause */
/* Ways to call MPI. -DEARLY: a library that calls it in its constructor. -DTOOL: definitions of a
 * tool, which call other functions of MPI by their PMPI names. Otherwise the program, which is
 * linked with one of these or with none. */
#include <mpi.h>

#ifdef EARLY
__attribute__((constructor)) static void begin(void)
{
	MPI_Comm c;

	MPI_Init(0, 0);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Comm_dup(MPI_COMM_WORLD, &c);
	MPI_Comm_free(&c);
}

int entry_library;
#elif defined(TOOL)
static __attribute__((noinline)) void look(MPI_Comm c)
{
	MPI_Comm d;
	int r;

	PMPI_Comm_dup(c, &d);
	PMPI_Comm_rank(d, &r);
	PMPI_Comm_free(&d);
}

int MPI_Init(int *argc, char ***argv)
{
	int st = PMPI_Init(argc, argv);

	look(MPI_COMM_WORLD);
	return st;
}

int MPI_Barrier(MPI_Comm c)
{
	int n;

	PMPI_Comm_size(c, &n);
	look(c);
	return PMPI_Barrier(c);
}
#else
#ifdef LIBRARY
extern int entry_library;
#else
static int entry_library;
#endif

int main(void)
{
	int flag, rank, version, more;
	MPI_Comm c;

	MPI_Get_version(&version, &more);
	MPI_Initialized(&flag);
	if (!flag)
		MPI_Init(0, 0);
	PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_dup(MPI_COMM_WORLD, &c);
	for (int i = 0; i < 10; i++)
		MPI_Barrier(c);
	MPI_Comm_free(&c);
	MPI_Finalize();
	MPI_Finalized(&flag);
	return !flag + entry_library;
}
#endif
