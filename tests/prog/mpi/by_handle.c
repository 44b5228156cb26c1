/* SPDX-License-Identifier: BSD-3-Clause */
/* A program that is not linked with MPI: it opens the library and asks dlsym for each function,
 * like the foreign-function interfaces of Julia and Python. argv[1]: the library. argv[2]: for
 * itself alone. */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static void *mpi;

static void *get(const char *name)
{
	void *f = dlsym(mpi, name);
	const char *text = dlerror();

	if (!f || text) {
		printf("%s: %s\n", name, text ? text : "NULL");
		exit(1);
	}
	return f;
}

#ifdef OPEN_MPI
#define WORLD ((MPI_Comm)get("ompi_mpi_comm_world"))
#else
#define WORLD MPI_COMM_WORLD
#endif
#define CALL(name, ...) ((int (*)())get(#name))(__VA_ARGS__)

int main(int argc, char **argv)
{
	MPI_Comm world, comm;
	int rank;

	if (argc > 1)
		mpi = dlopen(argv[1], RTLD_NOW | (argc > 2 ? RTLD_LOCAL : RTLD_GLOBAL));
	if (!mpi)
		return 2;
	CALL(MPI_Init, &argc, &argv);
	world = WORLD;
	CALL(MPI_Comm_rank, world, &rank);
	CALL(MPI_Comm_dup, world, &comm);
	CALL(PMPI_Barrier, comm);
	for (int i = 0; i < 10; i++)
		CALL(MPI_Barrier, comm);
	CALL(MPI_Comm_free, &comm);
	const int none = !dlsym(mpi, "MPI_Nothing"), text = dlerror() != NULL;
	const int by_default = dlsym(RTLD_DEFAULT, "MPI_Nothing") != NULL;

	if (!rank)
		printf("none %d, text %d, default %d, twice %d\n", none, text, by_default,
		       dlsym(mpi, "MPI_Send") == dlsym(mpi, "MPI_Send"));
	return CALL(MPI_Finalize);
}
