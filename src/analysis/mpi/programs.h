/* SPDX-License-Identifier: BSD-3-Clause */
/* The MPI calls of each thread as loops, and sets of threads with equal calls. The calls are folded
 * again with names that all processes share. An item of a folded trace here is a whole call
 * including vectors, so equal programs have equal items.
 *
 * A leaf's words are those of its event, followed by a number per vector: equal vectors have equal
 * numbers. Reads every call once; memory depends on the number of distinct vectors, not of calls.
 *
 * Owner: the caller. Threads: one. */
#ifndef BOB_ANALYSIS_MPI_PROGRAMS_H
#define BOB_ANALYSIS_MPI_PROGRAMS_H

#include "analysis/mpi/objects.h"
#include "analysis/mpi/call_places.h"
#include "bobbin/fold.h"

struct bob_mpi_program {
	const struct bob_trace *trace;
	uint32_t thread;
	uint32_t rank;		/* ~0: unknown */
	const struct bob_folded *folded; /* with one participant */
	uint64_t calls;
	int open;		/* the last call did not return */
	int damaged;		/* some calls were unreadable */
};

struct bob_mpi_leaf {
	const struct bob_mpi_function *function;
	uint32_t path;		/* in bob_mpi_programs_places */
	int open;
};

struct bob_mpi_programs;

/* Folds these threads; threads without calls are omitted. Errors: BOB_ERR_NOMEM. */
bob_status bob_mpi_programs_create(const struct bob_trace *t, const uint32_t *threads,
				   uint32_t count, struct bob_mpi_programs **out,
				   struct bob_error *err);
void bob_mpi_programs_destroy(struct bob_mpi_programs *p); /* NULL is allowed */

/* Sets of threads whose calls are the same loops of the same functions at the same places;
 * parameters and trip counts may differ. Ordered by their first threads. Borrowed. */
uint32_t bob_mpi_programs_groups(const struct bob_mpi_programs *p);
const struct bob_mpi_program *const *bob_mpi_programs_group(const struct bob_mpi_programs *p,
							    uint32_t group, uint32_t *count);
/* Returns 0 if there is no such leaf. */
int bob_mpi_programs_leaf(const struct bob_mpi_program *program, uint32_t shape,
			  struct bob_mpi_leaf *out);
/* The *count values of vector `number`. NULL: not stored, because there were too many. */
const uint64_t *bob_mpi_programs_vector(const struct bob_mpi_programs *p, uint64_t number,
					uint64_t *count);
const struct bob_mpi_places *bob_mpi_programs_places(const struct bob_mpi_programs *p);

#endif
