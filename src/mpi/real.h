/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions of MPI that the shim itself asks, by their PMPI names, past everything that lies before
 * them. Only to be called between MPI_Init and MPI_Finalize, within a wrapper. */
#ifndef BOB_MPI_REAL_H
#define BOB_MPI_REAL_H

#include "mpi/predefined.h"
#include "mpi/shim.h"

/* A variable of the MPI library; NULL: it is not there (yet). */
void *bob_mpi_symbol(const char *name);

/* A handle that MPI has from the start, by its number in functions.txt; only of kinds that are
 * handles of MPI. */
#define BOB_MPI_ERRORS_RETURN 2u
#define BOB_MPI_BYTE 1u
uint64_t bob_mpi_predefined_handle(enum bob_mpi_kind kind, uint32_t number);

/* The next PMPI_`name`, looked up once. */
#define BOB_MPI_REAL(name)                                                                         \
	({                                                                                         \
		static __typeof__(&PMPI_##name) next_;                                             \
		if (!next_)                                                                        \
			next_ = (__typeof__(next_))bob_mpi_next("PMPI_" #name);                    \
		next_;                                                                             \
	})

#endif
