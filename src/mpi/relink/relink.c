/* SPDX-License-Identifier: BSD-3-Clause */
/* Lookup of MPI's functions and variables in a relinked program, by name (relink.h). */
#define _GNU_SOURCE
#include "mpi/relink/relink.h"

#include <dlfcn.h>
#include <string.h>

extern const struct bob_mpi_relinked *const __start_bob_relink[], *const __stop_bob_relink[];

void *bob_mpi_relinked_1(const char *name);

__attribute__((visibility("default"))) void *bob_mpi_relinked_1(const char *name)
{
	for (const struct bob_mpi_relinked *const *r = __start_bob_relink; r < __stop_bob_relink;
	     r++)
		if (!strcmp((*r)->name, name))
			return (*r)->own;
	return NULL;
}

__attribute__((constructor)) static void start(void)
{
	bob_mpi_look_up *const wrapper = (bob_mpi_look_up *)dlsym(RTLD_DEFAULT, BOB_MPI_WRAPPER);

	for (const struct bob_mpi_relinked *const *r = __start_bob_relink;
	     wrapper && r < __stop_bob_relink; r++) {
		void *f = (*r)->goes_to ? wrapper((*r)->name) : NULL;

		if (f)
			*(*r)->goes_to = f;
	}
}
