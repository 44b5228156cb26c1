/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers of communicators on which all their processes agree without communication. A number is
 * derived from the members and from the count of earlier communicators with the same members,
 * because all members create them in the same order.
 *
 * Owner: the caller. Threads: constant once made. */
#ifndef BOB_EXPORT_MPI_COMMS_H
#define BOB_EXPORT_MPI_COMMS_H

#include "analysis/mpi/objects.h"

struct bob_mpi_comms;

/* Of the process of `o`, which has to stay. BOB_ERR_NOMEM. */
bob_status bob_mpi_comms_create(const struct bob_mpi_objects *o, struct bob_mpi_comms **out);
void bob_mpi_comms_destroy(struct bob_mpi_comms *c); /* NULL is allowed */
/* 0: not known, an intercommunicator one of whose groups is not known, or several threads made
 * communicators of these members. */
uint64_t bob_mpi_comms_id(const struct bob_mpi_comms *c, uint64_t number);

#endif
