/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers of communicators that are equal in all member processes, without communication. A number
 * is a hash of the members and of the count of earlier communicators with the same members. This is
 * well defined because all members create these communicators in the same order.
 *
 * Owner: the caller. Threads: constant once created. */
#ifndef BOB_EXPORT_MPI_COMMS_H
#define BOB_EXPORT_MPI_COMMS_H

#include "analysis/mpi/objects.h"

struct bob_mpi_comms;

/* Communicators of the process of `o`. Borrows `o`. Errors: BOB_ERR_NOMEM. */
bob_status bob_mpi_comms_create(const struct bob_mpi_objects *o, struct bob_mpi_comms **out);
void bob_mpi_comms_destroy(struct bob_mpi_comms *c); /* NULL is allowed */
/* Returns 0 if the number is unknown: unknown communicator, intercommunicator with an unknown
 * group, or communicators of these members that several threads created. */
uint64_t bob_mpi_comms_id(const struct bob_mpi_comms *c, uint64_t number);

#endif
