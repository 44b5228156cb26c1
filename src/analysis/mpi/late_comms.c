/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers of communicators that are equal in all processes. A communicator is identified by its
 * members and its ordinal among those with the same members, which all members create in the same
 * order. An intercommunicator is identified by both groups, each of which has its own view of
 * it. */
#include "analysis/mpi/late_calls.h"

#include <stdlib.h>
#include <string.h>

#define NUMBER_MAX (1u << 20) /* of a communicator; bounds the work */

static uint64_t hash_of(const struct bob_late_comm *c)
{
	uint64_t h = c->ordinal + 1ull;

	for (uint32_t i = 0; i < c->members; i++)
		h = (h ^ c->member[i] ^ h >> 29) * 0x9e3779b97f4a7c15u;
	for (uint32_t i = 0; i < c->locals; i++)
		h = (h ^ ~(uint64_t)c->local[i] ^ h >> 29) * 0x9e3779b97f4a7c15u;
	return h;
}

static int same_ranks(const uint32_t *a, uint32_t as, const uint32_t *b, uint32_t bs)
{
	return as == bs && !a == !b && (!a || !memcmp(a, b, as * sizeof(*a)));
}

static int same_groups(const struct bob_late_comm *a, const struct bob_late_comm *b)
{
	return same_ranks(a->member, a->members, b->member, b->members) &&
	       same_ranks(a->local, a->locals, b->local, b->locals);
}

/* NULL: unknown. */
static struct bob_late_comm *known(const struct bob_mpi_late *l, const struct bob_late_comm *c)
{
	const uint64_t hash = hash_of(c);
	struct bob_late_comm *x = NULL;

	for (uint64_t turn = 0; turn < UINT32_MAX;
	     turn++) { /* hash collisions are practically absent */
		x = bob_late_map_get(&l->comms, hash, turn);
		if (!x || (x->ordinal == c->ordinal && same_groups(x, c)))
			break;
	}
	return x;
}

static struct bob_late_comm *add_comm(struct bob_mpi_late *l, const struct bob_late_comm *c)
{
	const struct bob_late_comm other = { c->local,	 c->member,  c->locals,
					     c->members, c->ordinal, 0 };
	const struct bob_late_comm *const mirror = c->local ? known(l, &other) : NULL;
	struct bob_late_comm *x = calloc(1, sizeof(*x));
	const uint64_t hash = hash_of(c);

	for (uint64_t turn = 0; x; turn++) {
		if (bob_late_map_get(&l->comms, hash, turn))
			continue;
		*x = *c;
		x->number = mirror ? mirror->number : ++l->comm_count;
		if (bob_late_map_put(&l->comms, hash, turn, x))
			return x;
		break;
	}
	free(x);
	l->no_memory = 1;
	return NULL;
}

static struct bob_late_comm view_of(const struct bob_mpi_comm *c)
{
	return (struct bob_late_comm){ c->member, c->local, c->members, c->locals, 0, 0 };
}

const struct bob_late_comm *bob_late_comm_of(struct bob_mpi_late *l, uint32_t process,
					     uint64_t number, const struct bob_mpi_comm **own)
{
	const struct bob_mpi_objects *o = l->process[process].objects;
	struct bob_late_comm *x = bob_late_map_get(&l->comm_numbers, process, number);
	struct bob_late_comm view;

	*own = bob_mpi_objects_comm(o, number);
	if (x || !*own || !(*own)->member || ((*own)->me == ~0u && !(*own)->local) ||
	    number > NUMBER_MAX)
		return x;
	view = view_of(*own);
	for (uint64_t k = 1; k < number; k = k == 2 ? BOB_MPI_FIRST_NEW : k + 1) {
		const struct bob_mpi_comm *c = bob_mpi_objects_comm(o, k);
		const struct bob_late_comm before = c ? view_of(c) : (struct bob_late_comm){ 0 };

		view.ordinal += c && c->member && same_groups(&before, &view);
	}
	x = known(l, &view);
	if (!x)
		x = add_comm(l, &view);
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
