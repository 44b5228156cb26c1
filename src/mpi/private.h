/* SPDX-License-Identifier: BSD-3-Clause */
/* The tool's own communicator: a duplicate of MPI_COMM_WORLD, made in MPI_Init (or Init_thread),
 * with MPI_ERRORS_RETURN. Nothing on it is recorded, and it does not change the numbers of the
 * program's communicators.
 *
 * Duplicating is collective, so it is done only if every rank of MPI_COMM_WORLD is known to take
 * part: each announces this in the trace's directory before it calls MPI_Init, which returns after
 * all ranks have called it. Otherwise (some ranks are not recorded, have other settings, or do not
 * share the directory) there is no such communicator, and all ranks come to that decision
 * independently.
 *
 * ranks.c makes a transport of it (events/ranks.h). Threads: the one in MPI_Init or MPI_Finalize,
 * or at an event that all ranks have. Deadlines are on the clock of bob_ev_now_ns. */
#ifndef BOB_MPI_PRIVATE_H
#define BOB_MPI_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>

#define BOB_MPI_PRIVATE_BYTES_MAX 0x7fffffffull /* of one message */

/* On every rank directly before MPI_Init: announces that this rank takes part, if it is set to. */
void bob_mpi_private_announce(void);
/* Directly after MPI_Init. Waits up to a second for ranks that have not announced themselves, then
 * until all have arrived. */
void bob_mpi_private_open(void);
/* False: there is no such communicator, or an error has made it unusable. */
bool bob_mpi_private_is_open(void);
uint32_t bob_mpi_private_rank(void);
uint32_t bob_mpi_private_ranks(void);
/* On every rank before MPI_Finalize. Collective, as MPI_Finalize is: waits for all ranks, with a
 * timeout, and drops messages that were not received. */
void bob_mpi_private_close(void);

/* False: timeout or error; the communicator is unusable from then on. MPI may read `bytes` at any
 * later time: the caller must not free it. */
bool bob_mpi_private_send(const void *bytes, uint64_t len, uint32_t to, int tag,
			  uint64_t deadline_ns);
/* Receives the next message of that rank and tag, and sets *len to its size in bytes. False: it did
 * not arrive in time, is longer than `capacity`, or another error occurred. In the last two cases
 * the communicator is unusable, and the caller must never free `bytes`. */
bool bob_mpi_private_receive(void *bytes, uint64_t capacity, uint64_t *len, uint32_t from, int tag,
			     uint64_t deadline_ns);

#endif
