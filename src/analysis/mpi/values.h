/* SPDX-License-Identifier: BSD-3-Clause */
/* Text of the words of MPI calls. */
#ifndef BOB_ANALYSIS_MPI_VALUES_H
#define BOB_ANALYSIS_MPI_VALUES_H

#include <stdio.h>

#include "archive/events/mpi_functions.h"

/* "COMM_WORLD", "comm#1", "INT", "ANY_SOURCE", "last-1", "7", ... */
void bob_mpi_value_print(enum bob_mpi_role role, uint64_t v, FILE *out);
/* Is a word of that role a number that one can calculate with, from rank to rank? */
int bob_mpi_value_is_number(enum bob_mpi_role role, uint64_t v);
/* A text of `bytes` bytes in words, quoted; what is no printable ASCII as \xNN, zeros between texts
 * as spaces. */
void bob_mpi_text_print(const uint64_t *word, uint64_t words, uint64_t bytes, FILE *out);
/* "from 3, tag 7, 4 B", or "-" for three zeros: nothing was received. */
void bob_mpi_status_print(const uint64_t word[3], FILE *out);
/* "0-3, 8-16 by 2, 20" of ascending numbers. */
void bob_mpi_ranges_print(const uint32_t *number, uint32_t count, FILE *out);

#endif
