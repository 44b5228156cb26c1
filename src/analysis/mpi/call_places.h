/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers of call paths that several processes share. Images of two processes are equal if path and
 * build id are.
 *
 * Owner: the caller. Threads: one. */
#ifndef BOB_ANALYSIS_MPI_CALL_PLACES_H
#define BOB_ANALYSIS_MPI_CALL_PLACES_H

#include "bobbin/trace.h"

struct bob_mpi_places;

#define BOB_MPI_NO_PATH 0u

/* The last call of a path, in the process where it was seen first. */
struct bob_mpi_place {
	uint32_t parent;	/* the path without it */
	uint32_t process, image; /* image ~0: none */
	uint64_t pc;		/* link address */
};

bob_status bob_mpi_places_create(const struct bob_trace *t, struct bob_mpi_places **out);
void bob_mpi_places_destroy(struct bob_mpi_places *p); /* NULL is allowed */
/* The number of the path with these `depth` places of `process`, outermost first. BOB_MPI_NO_PATH:
 * empty path, or no memory. */
uint32_t bob_mpi_places_path(struct bob_mpi_places *p, uint32_t process, const uint64_t *place,
			     uint32_t depth);
/* Returns 0 for the empty path. */
int bob_mpi_places_last(const struct bob_mpi_places *p, uint32_t path, struct bob_mpi_place *out);

#endif
