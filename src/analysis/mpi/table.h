/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI calls and their bytes by function, call site, communicator or rank, and how evenly the
 * processes share them.
 *
 * Owner: the caller. Threads: one. */
#ifndef BOB_ANALYSIS_MPI_TABLE_H
#define BOB_ANALYSIS_MPI_TABLE_H

#include <stddef.h>

#include "analysis/mpi/bytes.h"
#include "analysis/mpi/places.h"

enum bob_mpi_by {
	BOB_MPI_BY_FUNCTION,
	BOB_MPI_BY_SITE, /* function and the call of it, wherever that was called from */
	/* by the process's number of it: communicators made at the same point of the program, if
	 * all make the same ones */
	BOB_MPI_BY_COMM,
	BOB_MPI_BY_RANK, /* process */
};

struct bob_mpi_share {
	uint64_t sum, most;
	uint32_t most_process;	/* the first that has so many */
};

/* Of events that end with a number called trips: loops of instrumented sources (docs/source.md). */
struct bob_mpi_trips {
	uint64_t loops, sum, least, most; /* loops: that have ended; the rest: of their trips */
};

struct bob_mpi_row {
	const struct bob_mpi_function *function; /* by function and site; that made it, by comm */
	uint32_t path;		/* by site: of bob_mpi_table_places */
	uint32_t process;	/* by rank */
	uint64_t comm;		/* by comm; BOB_MPI_UNKNOWN: calls of none */
	uint32_t members_least, members_most; /* by comm: processes of it */
	/* An event of the program's own that has others in it is two events, and counts where it
	 * begins. */
	struct bob_mpi_share calls, sent, received;
	struct bob_mpi_trips trips;
	uint64_t own;		/* events of the program's own among the calls */
	uint64_t unknown;	/* calls among them whose bytes are not known */
	uint64_t open;		/* calls that were in progress when recording ended */
	int64_t left;		/* events of the program's own that began and never ended */
	uint32_t processes;	/* that have such calls */
	/* by function and site: in all these calls; 0: not known. In the sum: in calls of MPI */
	uint64_t time_ns;
};

/* A call that had not come back. `call` is valid during the visit. */
typedef void (*bob_mpi_open_fn)(void *ctx, uint32_t thread, const struct bob_mpi_objects *o,
				const struct bob_mpi_call *call);

struct bob_mpi_table;

bob_status bob_mpi_table_create(const struct bob_trace *t, enum bob_mpi_by by,
				struct bob_mpi_table **out);
void bob_mpi_table_destroy(struct bob_mpi_table *m); /* NULL is allowed */
/* The calls of these threads, all of one process; a process once. `open` may be NULL.
 * BOB_ERR_CORRUPT at the end, if something was: the rest is counted. BOB_ERR_NOMEM. */
bob_status bob_mpi_table_add(struct bob_mpi_table *m, uint32_t process, const uint32_t *threads,
			     uint32_t count, bob_mpi_open_fn open, void *ctx,
			     struct bob_error *err);
/* How long the calls took, by function and site. The trace has that for all its threads together:
 * call it if these were all added. */
bob_status bob_mpi_table_add_times(struct bob_mpi_table *m);
/* Those with most calls first, then in an order that depends on the program only. By rank: in that
 * order. Borrowed. */
const struct bob_mpi_row *bob_mpi_table_rows(struct bob_mpi_table *m, size_t *count);
enum bob_mpi_by bob_mpi_table_by(const struct bob_mpi_table *m);
/* Of all rows together. */
const struct bob_mpi_row *bob_mpi_table_sum(const struct bob_mpi_table *m);
/* Processes that were added and called MPI; those of them that did not call MPI_Finalize. */
uint32_t bob_mpi_table_processes(const struct bob_mpi_table *m);
const uint32_t *bob_mpi_table_unfinished(const struct bob_mpi_table *m, uint32_t *count);
const struct bob_mpi_places *bob_mpi_table_places(const struct bob_mpi_table *m);

#endif
