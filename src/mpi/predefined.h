/* SPDX-License-Identifier: BSD-3-Clause */
/* Handles that every MPI has from the start, with the numbers that functions.txt gives them. Of one
 * MPI: generated. */
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
	/* the handle is the address of this symbol of the MPI library ... */
	const char *symbol;
	uint64_t value;		/* ... or, where symbol is NULL, (uint64_t)handle is this */
	uint32_t size_bytes;	/* of a type */
	uint16_t number;	/* 0: the null handle of its kind */
	uint8_t kind;		/* enum bob_mpi_kind */
};

/* Constants, by the value that this MPI has for them. */
struct bob_mpi_code {
	int value;
	uint16_t number;
	uint8_t role;		/* enum bob_mpi_role */
};
extern const struct bob_mpi_code bob_mpi_codes[];
extern const uint32_t bob_mpi_code_count;

/* Names that MPI has for the same handle: the first one is its number. */
extern const struct bob_mpi_predefined bob_mpi_predefined[];
extern const uint32_t bob_mpi_predefined_count;

#endif
