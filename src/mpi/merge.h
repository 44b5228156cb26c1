/* SPDX-License-Identifier: BSD-3-Clause */
/* What the ranks have recorded becomes one file while they still run, right before MPI_Finalize: docs/mpi.md, "One file". */
#ifndef BOB_MPI_MERGE_H
#define BOB_MPI_MERGE_H

#include <stdbool.h>
#include <stdint.h>

struct bob_mpi_call;

/* All ranks are told the same things, so all want it or none: then MPI_Init makes the tool's own communicator (private.h). */
bool bob_mpi_merge_is_wanted(void);
/* How long any wait for another rank may take: BOBBIN_MERGE_WAIT. */
uint64_t bob_mpi_merge_wait_ns(void);
/* sets.c. On every rank, within MPI_Finalize: value sets of hooks go to rank 0. */
void bob_mpi_sets(void);
/* On every rank, within MPI_Finalize, of which `c` is the record (NULL: it has none), and before anything of MPI is given up. It comes back in bounded time, whatever other
 * ranks do, and nothing is lost if it does not work: the process's file has everything. errno stays. */
void bob_mpi_merge(struct bob_mpi_call *c);

#endif
