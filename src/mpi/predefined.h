/* SPDX-License-Identifier: BSD-3-Clause */
/* Predefined handles and constants of one MPI, with their numbers in functions.txt. Generated. */
#ifndef BOB_MPI_PREDEFINED_H
#define BOB_MPI_PREDEFINED_H

#include <stdint.h>

#include "archive/events/mpi_functions.h"

enum bob_mpi_kind {
	BOB_MPI_KIND_COMM,
	BOB_MPI_KIND_GROUP,
	BOB_MPI_KIND_TYPE,
	BOB_MPI_KIND_OP,
	BOB_MPI_KIND_WIN,
	BOB_MPI_KIND_FILE,
	BOB_MPI_KIND_ERRH,
	BOB_MPI_KIND_INFO,
	BOB_MPI_KIND_REQUEST,
	BOB_MPI_KIND_MESSAGE,
	BOB_MPI_KIND_SESSION,
	BOB_MPI_KIND_KEYVAL,
};

struct bob_mpi_predefined {
	/* Handle: address of this symbol of the MPI library ... */
	const char *symbol;
	uint64_t value;		/* ... or, where symbol is NULL, (uint64_t)handle */
	uint32_t size_bytes;	/* of a type; else 0 */
	uint16_t number;	/* 0: null handle of the kind */
	uint8_t kind;		/* enum bob_mpi_kind */
};

/* Constant, by its value in this MPI. */
struct bob_mpi_code {
	int value;
	uint16_t number;
	uint8_t role;		/* enum bob_mpi_role */
};
extern const struct bob_mpi_code bob_mpi_codes[];
extern const uint32_t bob_mpi_code_count;

/* Where several names have the same handle, the first one's number counts. */
extern const struct bob_mpi_predefined bob_mpi_predefined[];
extern const uint32_t bob_mpi_predefined_count;

#endif
