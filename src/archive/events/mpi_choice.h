/* SPDX-License-Identifier: BSD-3-Clause */
/* Selection of the MPI functions to be recorded, by patterns of their names and by the handles that
 * they use.
 *
 * A pattern is a class of functions.txt (p2p, collective, ...), or a name with *, ? and [set], with
 * or without MPI_, in upper or lower case. Patterns are separated by ':' or ','.
 *
 * Handles are numbered in order of creation, so functions that create or free handles are
 * *followed* if they are not recorded: their effect is tracked, nothing is written. Readers need
 * the ranks of communicators and the sizes of types, so the functions that create these are
 * recorded if a selected function uses such handles. MPI_Init, MPI_Init_thread and MPI_Finalize are
 * always recorded.
 *
 * Freestanding. Threads: any; no state. */
#ifndef BOB_ARCHIVE_MPI_CHOICE_H
#define BOB_ARCHIVE_MPI_CHOICE_H

#include "archive/events/mpi_functions.h"

enum bob_mpi_how {
	BOB_MPI_RECORD,
	BOB_MPI_FOLLOW,
	BOB_MPI_PASS	/* not intercepted */
};

#define BOB_MPI_NUMBERS 4096u	/* upper bound of the functions' numbers */

/* Sets the treatment of each function, by number. `patterns` NULL: all are recorded. */
void bob_mpi_choose(const char *patterns, uint8_t how[BOB_MPI_NUMBERS]);
/* Does one of the patterns match? */
int bob_mpi_is_chosen(const struct bob_mpi_function *f, const char *patterns);
/* The first pattern that matches no function, and its length; NULL: none. */
const char *bob_mpi_choice_bad(const char *patterns, size_t *len);

#endif
