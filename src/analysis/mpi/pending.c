/* SPDX-License-Identifier: BSD-3-Clause */
/* Linear probing; what is removed is filled up from behind, so no marks are left and the table is
 * as large as it has to be. */
#include "analysis/mpi/pending.h"

#include <stdlib.h>
#include <string.h>

void bob_mpi_pendings_free(struct bob_mpi_pendings *p)
{
	free(p->slot);
}

static size_t home_of(const struct bob_mpi_pendings *p, uint64_t id)
{
	return (size_t)(id * 0x9e3779b97f4a7c15u >> 20) & (p->room - 1);
}

static struct bob_mpi_pending *place_of(const struct bob_mpi_pendings *p, uint64_t id)
{
	size_t i = home_of(p, id);

	while (p->slot[i].id && p->slot[i].id != id)
		i = (i + 1) & (p->room - 1);
	return &p->slot[i];
}

struct bob_mpi_pending *bob_mpi_pendings_find(const struct bob_mpi_pendings *p, uint64_t id)
{
	struct bob_mpi_pending *x = p->room && id ? place_of(p, id) : NULL;

	return x && x->id ? x : NULL;
}

static int grow(struct bob_mpi_pendings *p)
{
	struct bob_mpi_pendings to = { .room = p->room ? 2 * p->room : 64, .used = p->used };

	to.slot = calloc(to.room, sizeof(*to.slot));
	if (!to.slot)
		return 0;
	for (size_t i = 0; i < p->room; i++)
		if (p->slot[i].id)
			*place_of(&to, p->slot[i].id) = p->slot[i];
	free(p->slot);
	*p = to;
	return 1;
}

struct bob_mpi_pending *bob_mpi_pendings_add(struct bob_mpi_pendings *p, uint64_t id)
{
	struct bob_mpi_pending *x;

	if (2 * (p->used + 1) > p->room && !grow(p))
		return NULL;
	x = place_of(p, id);
	p->used += !x->id;
	memset(x, 0, sizeof(*x));
	x->id = id;
	return x;
}

void bob_mpi_pendings_remove(struct bob_mpi_pendings *p, struct bob_mpi_pending *x)
{
	size_t gap = (size_t)(x - p->slot), i = gap;

	for (;;) {
		size_t home;

		i = (i + 1) & (p->room - 1);
		if (!p->slot[i].id)
			break;
		home = home_of(p, p->slot[i].id);
		/* it may move to the gap if its home is not behind that, going around */
		if (((i - home) & (p->room - 1)) < ((i - gap) & (p->room - 1)))
			continue;
		p->slot[gap] = p->slot[i];
		gap = i;
	}
	memset(&p->slot[gap], 0, sizeof(p->slot[gap]));
	p->used--;
}
