/* SPDX-License-Identifier: BSD-3-Clause */
/* Which functions of MPI are recorded: selected by patterns of their names, and by the handles that
 * these use.
 *
 * A pattern is a class of functions.txt (p2p, collective, ...), or a name with *, ? and [set], with
 * or without MPI_, in upper or lower case. Patterns are separated by ':' or ','.
 *
 * Handles have numbers in the order of their making, so the functions that make or free them are
 * *followed* where they are not recorded: their effect is tracked, nothing is written. Readers need
 * the ranks of communicators and the sizes of types: the functions that make these are recorded if
 * a selected function uses such handles. MPI_Init, MPI_Init_thread and MPI_Finalize always are.
 *
 * Freestanding. Threads: any; nothing is kept. */
#ifndef BOB_ARCHIVE_MPI_CHOICE_H
#define BOB_ARCHIVE_MPI_CHOICE_H

#include "archive/events/mpi_functions.h"

enum bob_mpi_how {
	BOB_MPI_RECORD,
	BOB_MPI_FOLLOW,
	BOB_MPI_PASS	/* nothing is done about it */
};

#define BOB_MPI_NUMBERS 4096u	/* a function's number is below */

/* How each function is treated, by its number. `patterns` NULL: all are recorded. */
void bob_mpi_choose(const char *patterns, uint8_t how[BOB_MPI_NUMBERS]);
/* Does one of the patterns match? */
int bob_mpi_is_chosen(const struct bob_mpi_function *f, const char *patterns);
/* The first pattern that is of no function, and its length; NULL: there is none. */
const char *bob_mpi_choice_bad(const char *patterns, size_t *len);

#endif
