/* SPDX-License-Identifier: BSD-3-Clause */
/* Table of incomplete requests: a hash map by id. */
#include "analysis/mpi/pending.h"

void bob_mpi_pendings_free(struct bob_mpi_pendings *p)
{
	BOB_MAP_FREE(p);
}

struct bob_mpi_pending *bob_mpi_pendings_find(const struct bob_mpi_pendings *p, uint64_t id)
{
	return id ? BOB_MAP_FIND(p, &id) : NULL;
}

struct bob_mpi_pending *bob_mpi_pendings_add(struct bob_mpi_pendings *p, uint64_t id)
{
	struct bob_mpi_pending *x = BOB_MAP_PUT(p, &id);

	if (x)
		*x = (struct bob_mpi_pending){ .id = id };
	return x;
}

void bob_mpi_pendings_remove(struct bob_mpi_pendings *p, const struct bob_mpi_pending *x)
{
	BOB_MAP_REMOVE(p, &x->id);
}
