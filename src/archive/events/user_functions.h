/* SPDX-License-Identifier: BSD-3-Clause */
/* A program's own events as entries of the table that functions of MPI have (mpi_functions.h): so
 * the same queries work on them and on calls of MPI. A trace has a table of the keys that were
 * looked up; an entry takes about half a kilobyte and lives as long as the table.
 *
 * Threads: any. */
#ifndef BOB_ARCHIVE_USER_FUNCTIONS_H
#define BOB_ARCHIVE_USER_FUNCTIONS_H

#include "archive/events/mpi_functions.h"

#define BOB_USER_FUNCTION_FIRST 4096u	/* their numbers, up to ... */
#define BOB_USER_FUNCTION_LAST 65535u

struct bob_trace;
struct bob_user_functions;

/* An empty table, the caller's; NULL: no memory. */
struct bob_user_functions *bob_user_functions_create(void);
void bob_user_functions_destroy(struct bob_user_functions *u); /* NULL is allowed */
/* The table of a trace, borrowed. */
struct bob_user_functions *bob_archive_user_functions(const struct bob_trace *t);

/* Of an event's key (user_key.h); NULL: it is invalid, or the table is full. */
const struct bob_mpi_function *bob_user_function_of_key(struct bob_user_functions *u,
							const uint8_t *key, size_t len);
/* The first entry of the same event, in whatever phase; a function of MPI is its own. */
const struct bob_mpi_function *bob_event_function_first(const struct bob_mpi_function *f);
/* Of MPI or of the table; NULL: no such function. */
const struct bob_mpi_function *bob_event_function_of(struct bob_user_functions *u, uint32_t number);

#endif
