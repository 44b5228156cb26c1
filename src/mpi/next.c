/* SPDX-License-Identifier: BSD-3-Clause */
/* What would have been called without us: the next definition of the name behind ours in the order of search. A program that loads
 * MPI by itself (Python) may have it where that order does not lead; then it is asked for by its own name. */
#define _GNU_SOURCE
#include <dlfcn.h>

#include "mpi/real.h"
#include "mpi/recorder.h"

/* Of any function: MPI functions return int, and what they are passed is the caller's business. */
static int missing(void)
{
	return MPI_ERR_OTHER;
}

static void *find(void *where, const char *name)
{
	void *f = dlsym(where, name);

	if (!f) {
		void *mpi = dlopen(BOB_MPI_LIBRARY, RTLD_LAZY | RTLD_NOLOAD);

		if (mpi)
			f = dlsym(mpi, name);
	}
	return f;
}

/* The first definition: a program that is not position independent has variables of the library in itself. */
void *bob_mpi_symbol(const char *name)
{
	return find(RTLD_DEFAULT, name);
}

void *bob_mpi_next(const char *name)
{
	void *f = find(RTLD_NEXT, name);

	return f ? f : (void *)(uintptr_t)missing;
}
