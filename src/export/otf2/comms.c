/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers communicators of all processes consistently (export/mpi_comms.h). */
#include <stdlib.h>

#include "export/otf2/archive.h"

static uint32_t *slot_of(const struct bob_otf2 *o, uint64_t id)
{
	uint32_t mask = 2 * o->comm_capacity - 1, i = (uint32_t)(id >> 24) & mask;

	while (o->comm_slot[i] && o->comm[o->comm_slot[i] - 1].id != id)
		i = (i + 1) & mask;
	return &o->comm_slot[i];
}

static int grow(struct bob_otf2 *o)
{
	uint32_t capacity = o->comm_capacity ? 2 * o->comm_capacity : 16;
	struct bob_otf2_comm *comm = realloc(o->comm, capacity * sizeof(*comm));
	uint32_t *slot;

	if (!comm)
		return 0;
	o->comm = comm;
	slot = calloc(2ull * capacity, sizeof(*slot));
	if (!slot)
		return 0;
	free(o->comm_slot);
	o->comm_slot = slot;
	o->comm_capacity = capacity;
	for (uint32_t i = 0; i < o->comms; i++)
		*slot_of(o, o->comm[i].id) = i + 1;
	return 1;
}

static int add(struct bob_otf2 *o, const struct bob_mpi_comm *c, uint64_t id)
{
	struct bob_otf2_comm *to;
	uint64_t *member;

	if (o->comms == o->comm_capacity && !grow(o))
		return 0;
	member = malloc((c->members + 1ull) * sizeof(*member));
	if (!member)
		return 0;
	to = &o->comm[o->comms];
	*to = (struct bob_otf2_comm){ id, member, c->members, c->number };
	for (uint32_t i = 0; i < c->members; i++) {
		member[i] = c->member[i];
		if (c->member[i] >= o->world && c->member[i] < BOB_OTF2_RANKS_MAX)
			o->world = c->member[i] + 1;
	}
	*slot_of(o, id) = ++o->comms;
	return 1;
}

bob_status bob_otf2_comms_begin(struct bob_otf2 *o, const struct bob_mpi_objects *objects)
{
	bob_mpi_comms_destroy(o->ids);
	o->ids = NULL;
	return bob_mpi_comms_create(objects, &o->ids);
}

bob_status bob_otf2_comm(struct bob_otf2 *o, const struct bob_mpi_objects *objects, uint64_t number,
			 OTF2_CommRef *comm)
{
	const struct bob_mpi_comm *const own = bob_mpi_objects_comm(objects, number);
	const uint64_t id = bob_mpi_comms_id(o->ids, number);

	*comm = BOB_OTF2_NO_COMM;
	if (!id || own->local)
		return BOB_OK; /* intercommunicators are not exported */
	if ((!o->comms || !*slot_of(o, id)) && !add(o, own, id))
		return BOB_ERR_NOMEM;
	*comm = *slot_of(o, id) - 1;
	return BOB_OK;
}

void bob_otf2_comms_free(struct bob_otf2 *o)
{
	for (uint32_t i = 0; i < o->comms; i++)
		free(o->comm[i].member);
	free(o->comm);
	free(o->comm_slot);
	bob_mpi_comms_destroy(o->ids);
}
