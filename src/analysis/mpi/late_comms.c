/* SPDX-License-Identifier: BSD-3-Clause */
/* Communicators under numbers that all processes share. One is known by its members, and by which one of those with the same
 * members it is: they are made in the same order everywhere. */
#include "analysis/mpi/late_calls.h"

#include <stdlib.h>
#include <string.h>

#define NUMBER_MAX (1u << 20) /* of a communicator */

static uint64_t hash_of(const struct bob_mpi_comm *c, uint32_t ordinal)
{
	uint64_t h = ordinal + 1ull;

	for (uint32_t i = 0; i < c->members; i++)
		h = (h ^ c->member[i] ^ h >> 29) * 0x9e3779b97f4a7c15u;
	return h;
}

static int same_members(const struct bob_mpi_comm *a, const uint32_t *member, uint32_t members)
{
	return a->members == members && a->member &&
	       !memcmp(a->member, member, members * sizeof(*member));
}

static struct bob_late_comm *find_comm(struct bob_mpi_late *l, const struct bob_mpi_comm *c,
				       uint32_t ordinal)
{
	const uint64_t hash = hash_of(c, ordinal);
	struct bob_late_comm *x;

	for (uint64_t turn = 0;; turn++) { /* others of the same hash: practically never */
		x = bob_late_map_get(&l->comms, hash, turn);
		if (!x || (x->ordinal == ordinal && same_members(c, x->member, x->members)))
			break;
		if (turn == UINT32_MAX)
			return NULL;
	}
	if (x)
		return x;
	x = calloc(1, sizeof(*x));
	for (uint64_t turn = 0; x; turn++) {
		if (bob_late_map_get(&l->comms, hash, turn))
			continue;
		*x = (struct bob_late_comm){ c->member, c->members, ordinal, ++l->comm_count };
		if (bob_late_map_put(&l->comms, hash, turn, x))
			return x;
		break;
	}
	free(x);
	l->no_memory = 1;
	return NULL;
}

const struct bob_late_comm *bob_late_comm_of(struct bob_mpi_late *l, uint32_t process,
					     uint64_t number, const struct bob_mpi_comm **own)
{
	const struct bob_mpi_objects *o = l->process[process].objects;
	struct bob_late_comm *x = bob_late_map_get(&l->comm_numbers, process, number);
	uint32_t ordinal = 0;

	*own = bob_mpi_objects_comm(o, number);
	if (x || !*own || !(*own)->member || (*own)->me == ~0u || number > NUMBER_MAX)
		return x;
	for (uint64_t k = 1; k < number; k = k == 2 ? BOB_MPI_FIRST_NEW : k + 1) {
		const struct bob_mpi_comm *c = bob_mpi_objects_comm(o, k);

		ordinal += c && same_members(c, (*own)->member, (*own)->members);
	}
	x = find_comm(l, *own, ordinal);
	if (x && !bob_late_map_put(&l->comm_numbers, process, number, x))
		l->no_memory = 1;
	return x;
}

uint32_t bob_late_peer(const struct bob_mpi_late *l, const struct bob_late_comm *c, uint64_t rank)
{
	uint32_t world = rank < c->members ? c->member[rank] : ~0u, process;

	if (world >= l->ranks)
		return ~0u;
	process = l->process_of[world];
	return process == ~0u || l->process[process].doubtful ? ~0u : process;
}

const struct bob_late_comm *bob_late_comm_of_call(struct bob_mpi_late *l,
						  const struct bob_late_event *e,
						  const struct bob_mpi_comm **own)
{
	const struct bob_mpi_param *p = bob_mpi_param_of(e->call->function, BOB_MPI_ROLE_COMM);

	return p ? bob_late_comm_of(l, e->at.site.process, bob_mpi_in(e->call, p), own) : NULL;
}
