/* SPDX-License-Identifier: BSD-3-Clause */
/* A program's own events as entries of the table of MPI functions (mpi_functions.h), so that the
 * same queries work on both. A trace has a table of the keys that were looked up; an entry takes
 * about half a kilobyte and lives as long as the table.
 *
 * Threads: any. */
#ifndef BOB_ARCHIVE_USER_FUNCTIONS_H
#define BOB_ARCHIVE_USER_FUNCTIONS_H

#include "archive/events/mpi_functions.h"

#define BOB_USER_FUNCTION_FIRST 4096u	/* range of their numbers */
#define BOB_USER_FUNCTION_LAST 65535u

struct bob_trace;
struct bob_user_functions;

/* Creates an empty table, owned by the caller; NULL: no memory. */
struct bob_user_functions *bob_user_functions_create(void);
void bob_user_functions_destroy(struct bob_user_functions *u); /* NULL is allowed */
/* The table of a trace, borrowed. */
struct bob_user_functions *bob_archive_user_functions(const struct bob_trace *t);

/* The entry of an event's key (user_key.h); NULL: the key is invalid, or the table is full. */
const struct bob_mpi_function *bob_user_function_of_key(struct bob_user_functions *u,
							const uint8_t *key, size_t len);
/* The first entry of the same event in any phase; for a function of MPI, the function itself. */
const struct bob_mpi_function *bob_event_function_first(const struct bob_mpi_function *f);
/* An MPI function or an entry of the table; NULL: unknown number. */
const struct bob_mpi_function *bob_event_function_of(struct bob_user_functions *u, uint32_t number);

#endif
