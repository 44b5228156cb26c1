/* SPDX-License-Identifier: BSD-3-Clause */
/* Words of MPI calls as text. */
#ifndef BOB_ANALYSIS_MPI_VALUES_H
#define BOB_ANALYSIS_MPI_VALUES_H

#include <stdio.h>

#include "archive/events/mpi_functions.h"

/* "COMM_WORLD", "comm#1", "INT", "ANY_SOURCE", "last-1", "7", ... */
void bob_mpi_value_print(enum bob_mpi_role role, uint64_t v, FILE *out);
/* Is a word of that role a number that can be compared between ranks? */
int bob_mpi_value_is_number(enum bob_mpi_role role, uint64_t v);
/* A string of `bytes` bytes stored in words, quoted; unprintable bytes as \xNN, zeros between
 * strings as spaces. */
void bob_mpi_text_print(const uint64_t *word, uint64_t words, uint64_t bytes, FILE *out);
/* "from 3, tag 7, 4 B", or "-" for three zeros: nothing received. */
void bob_mpi_status_print(const uint64_t word[3], FILE *out);
/* Ascending numbers as ranges: "0-3, 8-16 by 2, 20". */
void bob_mpi_ranges_print(const uint32_t *number, uint32_t count, FILE *out);

#endif
