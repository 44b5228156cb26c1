/* SPDX-License-Identifier: BSD-3-Clause */
/* Table of incomplete requests and probed messages by id. Owner: the caller. Threads: one. */
#ifndef BOB_ANALYSIS_MPI_PENDING_H
#define BOB_ANALYSIS_MPI_PENDING_H

#include "base/host/map.h"

struct bob_mpi_function;

enum bob_mpi_pending_kind {
	BOB_MPI_PENDING_SEND = 1, /* bit set */
	BOB_MPI_PENDING_RECV = 2,
	BOB_MPI_PENDING_COLLECTIVE = 4,
	BOB_MPI_PENDING_MESSAGE = 8,
};

struct bob_mpi_pending {
	uint64_t id;		/* 0: none */
	const struct bob_mpi_function *function;
	uint64_t comm, sent, received;
	int64_t peer, tag, root;
	int64_t source, receive_tag; /* RECV: as requested */
	uint8_t kind, persistent, active, probed, cancelled;
};

struct bob_mpi_pendings {
	BOB_MAP(struct bob_mpi_pending);
};

void bob_mpi_pendings_free(struct bob_mpi_pendings *p);
/* NULL: not found. Borrowed until an addition or removal. */
struct bob_mpi_pending *bob_mpi_pendings_find(const struct bob_mpi_pendings *p, uint64_t id);
/* Adds a zeroed entry, or resets the existing one. NULL: no memory. */
struct bob_mpi_pending *bob_mpi_pendings_add(struct bob_mpi_pendings *p, uint64_t id);
void bob_mpi_pendings_remove(struct bob_mpi_pendings *p, const struct bob_mpi_pending *x);

#endif
