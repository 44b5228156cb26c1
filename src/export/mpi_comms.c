/* SPDX-License-Identifier: BSD-3-Clause */
/* Process-independent numbers of communicators: a hash chain over the communicators with equal
 * members. */
#include "export/mpi_comms.h"
#include "base/search.h"

#include <stdlib.h>

struct known {
	uint64_t number, members, id;
};

struct bob_mpi_comms {
	size_t count;
	struct known known[]; /* sorted by number */
};

static uint64_t mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * 0x9e3779b97f4a7c15u;
	return h ^ h >> 29;
}

static uint64_t group_of(const uint32_t *member, uint32_t members)
{
	uint64_t h = mix(1, members);

	for (uint32_t i = 0; i < members; i++)
		h = mix(h, member[i]);
	return h;
}

/* Hash of the members. For an intercommunicator the sum over both groups, so both sides get the
 * same value. 0: unknown. */
static uint64_t members_of(const struct bob_mpi_comm *c)
{
	if (!c->member || (c->me == ~0u && !c->local))
		return 0;
	if (c->me != ~0u)
		return group_of(c->member, c->members) | 1;
	return mix(2, group_of(c->member, c->members) + group_of(c->local, c->locals)) | 1;
}

/* True if several threads created communicators with these members. Their order may differ between
 * processes. */
static int is_mixed(const struct bob_mpi_comm *comm, const struct bob_mpi_comms *c, size_t i)
{
	int mixed = 0;

	for (size_t k = 0; comm[i].made_by && k < c->count && !mixed; k++)
		mixed = comm[k].made_by && c->known[k].members == c->known[i].members &&
			comm[k].thread != comm[i].thread;
	return mixed;
}

bob_status bob_mpi_comms_create(const struct bob_mpi_objects *o, struct bob_mpi_comms **out)
{
	size_t count;
	const struct bob_mpi_comm *const comm = bob_mpi_objects_comms(o, &count);
	struct bob_mpi_comms *c = malloc(sizeof(*c) + count * sizeof(*c->known));

	if (!c)
		return BOB_ERR_NOMEM;
	c->count = count;
	for (size_t i = 0; i < count; i++) {
		struct known *k = &c->known[i];
		uint64_t before = 0;

		*k = (struct known){ comm[i].number, members_of(&comm[i]), 0 };
		for (size_t j = i; j-- > 0 && !before;) /* find the previous one with the same
							 * members */
			before = c->known[j].members == k->members ? c->known[j].id : 0;
		if (k->members)
			k->id = mix(k->members, before) | 1;
	}
	for (size_t i = 0; i < count; i++)
		if (is_mixed(comm, c, i))
			c->known[i].id = 0;
	*out = c;
	return BOB_OK;
}

void bob_mpi_comms_destroy(struct bob_mpi_comms *c)
{
	free(c);
}

uint64_t bob_mpi_comms_id(const struct bob_mpi_comms *c, uint64_t number)
{
	size_t lo;

	BOB_PARTITION_POINT(lo, c->count, mid, c->known[mid].number < number);
	return lo < c->count && c->known[lo].number == number ? c->known[lo].id : 0;
}
