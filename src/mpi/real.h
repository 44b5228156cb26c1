/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI functions that the shim itself calls, by their PMPI names, bypassing tools that precede them.
 * Call them only between MPI_Init and MPI_Finalize, within a wrapper. */
#ifndef BOB_MPI_REAL_H
#define BOB_MPI_REAL_H

#include "mpi/predefined.h"
#include "mpi/shim.h"

/* Address of a variable of the MPI library; NULL: not there (yet). */
void *bob_mpi_symbol(const char *name);

/* A predefined handle, by its number in functions.txt; only of kinds that have handles in MPI. */
#define BOB_MPI_ERRORS_RETURN 2u
#define BOB_MPI_BYTE 1u
uint64_t bob_mpi_predefined_handle(enum bob_mpi_kind kind, uint32_t number);

/* Next definition of PMPI_`name`, looked up once. */
#define BOB_MPI_REAL(name)                                                                         \
	({                                                                                         \
		static __typeof__(&PMPI_##name) next_;                                             \
		if (!next_)                                                                        \
			next_ = (__typeof__(next_))bob_mpi_next("PMPI_" #name);                    \
		next_;                                                                             \
	})

#endif
