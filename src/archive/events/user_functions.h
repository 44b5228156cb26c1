/* SPDX-License-Identifier: BSD-3-Clause */
/* A program's own events as entries of the table that functions of MPI have (mpi_functions.h): so
 * everything that can be asked of calls of MPI can be asked of them. An entry is made for each key
 * that is met, and stays for the life of the process: about half a kilobyte for each.
 *
 * Threads: any. */
#ifndef BOB_ARCHIVE_USER_FUNCTIONS_H
#define BOB_ARCHIVE_USER_FUNCTIONS_H

#include "archive/events/mpi_functions.h"

#define BOB_USER_FUNCTION_FIRST 4096u	/* their numbers, up to ... */
#define BOB_USER_FUNCTION_LAST 65535u

/* Of an event's key (user_key.h); NULL: it is none, or there is no room for more. */
const struct bob_mpi_function *bob_user_function_of_key(const uint8_t *key, size_t len);
/* The first one that was met of the same event, in whatever phase; a function of MPI is its own. */
const struct bob_mpi_function *bob_event_function_first(const struct bob_mpi_function *f);
/* Of either kind; NULL: there is none. */
const struct bob_mpi_function *bob_event_function_of(uint32_t number);

#endif
