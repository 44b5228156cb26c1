/* SPDX-License-Identifier: BSD-3-Clause */
/* The tool's own communicator: MPI_COMM_WORLD once more, duplicated in MPI_Init (or Init_thread),
 * with errors that return. Nothing that happens on it is recorded, and the program's communicators
 * have the numbers that they have without it.
 *
 * Duplicating is collective, so it is done only if every rank of MPI_COMM_WORLD is known to take
 * part: each says so in the trace's directory before it calls MPI_Init, which comes back when all
 * have been there. Else there is no such communicator -- some ranks are not recorded, or want other
 * things, or do not share the directory -- and all ranks find that out by themselves.
 *
 * ranks.c makes a transport of it (events/ranks.h). Threads: the one that is in MPI_Init or
 * MPI_Finalize, or at an event that all ranks have. Times are moments of bob_ev_now_ns. */
#ifndef BOB_MPI_PRIVATE_H
#define BOB_MPI_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>

#define BOB_MPI_PRIVATE_BYTES_MAX 0x7fffffffull /* of one message */

/* Right before MPI_Init, on every rank: this one will take part, if it wants to. */
void bob_mpi_private_announce(void);
/* Directly after MPI_Init. Waits up to a second for ranks that have not announced themselves; then
 * for all of them to come. */
void bob_mpi_private_open(void);
/* False: there is none, or something has gone wrong on it: then it is of no use any more. */
bool bob_mpi_private_is_open(void);
uint32_t bob_mpi_private_rank(void);
uint32_t bob_mpi_private_ranks(void);
/* Before MPI_Finalize, on every rank. Collective, as MPI_Finalize is: waits for all ranks, in
 * bounded time; then drops messages that were not received. */
void bob_mpi_private_close(void);

/* False: it did not work in time, and the communicator is of no use any more. MPI may still read
 * `bytes` then, for ever: they are not to be freed. */
bool bob_mpi_private_send(const void *bytes, uint64_t len, uint32_t to, int tag,
			  uint64_t deadline_ns);
/* The next message of that rank and tag, *len bytes of it. False: it did not come in time; or, and
 * then the communicator is not open any more and `bytes` are MPI's for ever, it is longer than
 * `capacity`, or something is wrong. */
bool bob_mpi_private_receive(void *bytes, uint64_t capacity, uint64_t *len, uint32_t from, int tag,
			     uint64_t deadline_ns);

#endif
