/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI calls and their bytes by function, call site, communicator or rank, and their balance over
 * the processes.
 *
 * Owner: the caller. Threads: one. */
#ifndef BOB_ANALYSIS_MPI_CALL_COUNTS_H
#define BOB_ANALYSIS_MPI_CALL_COUNTS_H

#include <stddef.h>

#include "analysis/mpi/call_bytes.h"
#include "analysis/mpi/call_places.h"

enum bob_mpi_by {
	BOB_MPI_BY_FUNCTION,
	BOB_MPI_BY_SITE, /* function and innermost call site, for all outer paths */
	/* the process's number of the communicator: the same communicator in all processes if all
	 * create the same ones */
	BOB_MPI_BY_COMM,
	BOB_MPI_BY_RANK, /* process */
};

struct bob_mpi_share {
	uint64_t sum, most;
	uint32_t most_process;	/* the first process with the maximum */
};

/* Trip counts of events whose result is called "trips": loops of instrumented sources
 * (docs/source.md). */
struct bob_mpi_trips {
	uint64_t loops, sum, least, most; /* loops: completed ones; the others are of their trip
					   * counts */
};

struct bob_mpi_row {
	const struct bob_mpi_function *function; /* by function and site; by comm: the function that
						  * created it */
	uint32_t path;		/* by site: in bob_mpi_table_places */
	uint32_t process;	/* by rank */
	uint64_t comm;		/* by comm; BOB_MPI_UNKNOWN: calls without a communicator */
	uint32_t members_least, members_most; /* by comm: number of its processes */
	/* An event of the program that contains others is recorded as two events and counted at its
	 * beginning. */
	struct bob_mpi_share calls, sent, received;
	struct bob_mpi_trips trips;
	uint64_t own;		/* events of the program among `calls` */
	uint64_t unknown;	/* calls among these of unknown size */
	uint64_t open;		/* calls that had not returned when recording ended */
	int64_t left;		/* events of the program that began and did not end */
	uint32_t processes;	/* number of processes with such calls */
	/* by function and site: total time of these calls; 0: unknown. In the sum: only MPI
	 * calls */
	uint64_t time_ns;
};

/* Called for a call that did not return. `call` is valid during the callback. */
typedef void (*bob_mpi_open_fn)(void *ctx, uint32_t thread, const struct bob_mpi_objects *o,
				const struct bob_mpi_call *call);

struct bob_mpi_table;

bob_status bob_mpi_table_create(const struct bob_trace *t, enum bob_mpi_by by,
				struct bob_mpi_table **out);
void bob_mpi_table_destroy(struct bob_mpi_table *m); /* NULL is allowed */
/* Adds the calls of these threads, all of one process; once per process. `open` may be NULL. Damage
 * is skipped, and BOB_ERR_CORRUPT is returned at the end. Errors: BOB_ERR_NOMEM. */
bob_status bob_mpi_table_add(struct bob_mpi_table *m, uint32_t process, const uint32_t *threads,
			     uint32_t count, bob_mpi_open_fn open, void *ctx,
			     struct bob_error *err);
/* Adds the durations of calls, by function and site. The trace has them only for all threads
 * together, so all threads must have been added. */
bob_status bob_mpi_table_add_times(struct bob_mpi_table *m);
/* In descending order of calls, then in an order that depends only on the program. By rank: in the
 * order of ranks. Borrowed. */
const struct bob_mpi_row *bob_mpi_table_rows(struct bob_mpi_table *m, size_t *count);
enum bob_mpi_by bob_mpi_table_by(const struct bob_mpi_table *m);
/* Sum of all rows. */
const struct bob_mpi_row *bob_mpi_table_sum(const struct bob_mpi_table *m);
/* Number of added processes that called MPI; and those that did not call MPI_Finalize. */
uint32_t bob_mpi_table_processes(const struct bob_mpi_table *m);
const uint32_t *bob_mpi_table_unfinished(const struct bob_mpi_table *m, uint32_t *count);
const struct bob_mpi_places *bob_mpi_table_places(const struct bob_mpi_table *m);

#endif
