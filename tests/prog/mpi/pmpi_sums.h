/* SPDX-License-Identifier: BSD-3-Clause */
/* A preloaded PMPI tool that counts calls, messages and bytes. tests/e2e/mpi_counter.py generates
 * its wrappers, which count the program's calls and call the functions below; pmpi_sums.c adds up.
 * A wrapper calls them after its MPI call has succeeded; sums_forget, before it.
 * Threads: any number may call these functions at once if MPI allows that for its own. */
#ifndef PMPI_SUMS_H
#define PMPI_SUMS_H

#include <dlfcn.h>
#include <mpi.h>

/* Defined by the generated wrappers. */
extern const char *const sums_name[];
extern unsigned long sums_calls[];
extern const int sums_functions;

/* Nesting depth of wrappers in this thread. Only calls at depth 0 are the program's: MPI itself or
 * a callback makes the others. */
extern __thread int sums_inside;

/* MPI_Init, MPI_Init_thread. */
void sums_begin(void);
/* A message to rank `dest` of the communicator; of its remote group if it has one. */
void sums_send(MPI_Count count, MPI_Datatype type, int dest, MPI_Comm comm);
/* A persistent request was made. MPI_DATATYPE_NULL: starting it sends nothing. */
void sums_persistent(MPI_Count count, MPI_Datatype type, int dest, MPI_Comm comm,
		     const MPI_Request *request);
void sums_start(int count, const MPI_Request *request);
void sums_forget(const MPI_Request *request);
/* One-sided data to the target, and from it. Transfers of zero bytes are not counted. */
void sums_put(MPI_Count count, MPI_Datatype type, int target, MPI_Win win);
void sums_get(MPI_Count count, MPI_Datatype type, int target, MPI_Win win);
/* Collective: both sides of MPI_Comm_spawn exchange their process ids. */
void sums_spawned(MPI_Comm inter);

/* MPI's own definition, found after this library's. Calls through it bypass Bobbin, so the tool's
 * own queries are not recorded. */
#define SUMS_NEXT(name)                                                                            \
	({                                                                                         \
		static __typeof__(&name) next;                                                     \
		if (!next)                                                                         \
			next = (__typeof__(&name))dlsym(RTLD_NEXT, #name);                         \
		next;                                                                              \
	})

#endif
