/* SPDX-License-Identifier: BSD-3-Clause */
/* What would have been called without us: the next definition of the name behind ours in the order of search. A program that loads
 * MPI by itself (Python) may have it where that order does not lead; then it is asked for by its own name. */
#define _GNU_SOURCE
#include <dlfcn.h>

#include "mpi/real.h"
#include "mpi/recorder.h"
#include "mpi/relink/relink.h"

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

/* Where MPI is a part of the program (relink/relink.h). */
static void *in_program(const char *name)
{
	bob_mpi_look_up *const look_up = (bob_mpi_look_up *)dlsym(RTLD_DEFAULT, BOB_MPI_RELINKED);

	return look_up ? look_up(name) : NULL;
}

bob_mpi_look_up bob_mpi_wrapper_1;

/* For a program that was relinked. By our own handle: the program may export functions of these names itself. */
__attribute__((visibility("default"))) void *bob_mpi_wrapper_1(const char *name)
{
	static void *self;
	Dl_info us;

	if (!self && dladdr(&self, &us))
		self = dlopen(us.dli_fname, RTLD_LAZY);
	return self ? dlsym(self, name) : NULL;
}

/* The first definition: a program that is not position independent has variables of the library in itself. */
void *bob_mpi_symbol(const char *name)
{
	void *at = find(RTLD_DEFAULT, name);

	return at ? at : in_program(name);
}

void *bob_mpi_next(const char *name)
{
	void *f = find(RTLD_NEXT, name);

	if (!f)
		f = in_program(name);

	return f ? f : (void *)(uintptr_t)missing;
}
