/* SPDX-License-Identifier: BSD-3-Clause */
/* Members of a new communicator: ranks in MPI_COMM_WORLD and, for processes started by
 * MPI_Comm_spawn, ranks in the MPI_COMM_WORLD of the other side. Only local MPI calls. */
#include "archive/format.h"
#include "mpi/real.h"
#include "mpi/recorder.h"

/* Known remote groups, by slot. They are never removed: communicators derived from them live on. */
static struct bob_ev_lock lock;
static MPI_Group others[BOB_MPI_OTHER_SLOTS];
static uint32_t other_count;

static bool group_of(MPI_Comm h, MPI_Group *group)
{
	return (bob_mpi_is_inter(h) ? BOB_MPI_REAL(Comm_remote_group)(h, group) :
				      BOB_MPI_REAL(Comm_group)(h, group)) == MPI_SUCCESS;
}

/* Translates ranks 0 .. n - 1 of `from` to ranks in `to`; negative: not a member. `ranks` is
 * scratch. */
static bool translate(MPI_Group from, int n, int *ranks, MPI_Group to, int *found)
{
	for (int i = 0; i < n; i++)
		ranks[i] = i;
	return BOB_MPI_REAL(Group_translate_ranks)(from, n, ranks, to, found) == MPI_SUCCESS;
}

static bool translate_to_world(MPI_Group from, int n, int *ranks, int *found)
{
	MPI_Group all;
	bool ok;

	if (BOB_MPI_REAL(Comm_group)(bob_mpi_world(), &all) != MPI_SUCCESS)
		return false;
	ok = translate(from, n, ranks, all, found);
	BOB_MPI_REAL(Group_free)(&all);
	return ok;
}

bool bob_mpi_world_ranks(MPI_Comm comm, int n, int *ranks, int *found)
{
	MPI_Group group;
	bool ok;

	if (BOB_MPI_REAL(Comm_group)(comm, &group) != MPI_SUCCESS)
		return false;
	ok = translate_to_world(group, n, ranks, found);
	BOB_MPI_REAL(Group_free)(&group);
	return ok;
}

void bob_mpi_others_add(MPI_Comm comm, uint64_t token, bool is_started)
{
	struct bob_rec_spawn r = { .token = token,
				   .others = (uint32_t)bob_mpi_peers(comm),
				   .me = (uint32_t)bob_mpi_me(comm),
				   .started = is_started };
	MPI_Group group;
	bool known = false;

	if (!bob_mpi_is_inter(comm) || !group_of(comm, &group))
		return;
	bob_ev_lock(&lock);
	r.slot = other_count;
	if (other_count < BOB_MPI_OTHER_SLOTS) {
		others[other_count] = group;
		__atomic_store_n(&other_count, other_count + 1, __ATOMIC_RELEASE);
		known = true;
	}
	bob_ev_unlock(&lock);
	if (known)
		bob_ev_put_record(BOB_REC_SPAWN, &r, sizeof(r));
	else
		BOB_MPI_REAL(Group_free)(&group);
}

uint64_t bob_mpi_members(struct bob_mpi_call *c, MPI_Comm h)
{
	(void)c;
	return bob_mpi_comm(h) ? bob_mpi_peers(h) : 0;
}

/* Looks for members outside MPI_COMM_WORLD in the known remote groups. Words of unknown members get
 * all bits set. */
static void find_others(MPI_Group group, int n, int *ranks, int *found, uint64_t *word)
{
	const uint32_t slots = __atomic_load_n(&other_count, __ATOMIC_ACQUIRE);

	for (uint32_t s = 0; s < slots; s++) {
		if (!translate(group, n, ranks, others[s], found))
			continue;
		for (int i = 0; i < n; i++)
			if (word[i] == UINT64_MAX && found[i] >= 0)
				word[i] = BOB_MPI_OTHER + ((uint64_t)s << BOB_MPI_OTHER_SHIFT) +
					  (uint64_t)found[i];
	}
}

void bob_mpi_put_members(struct bob_mpi_call *c, MPI_Comm h)
{
	const uint64_t n = bob_mpi_members(c, h);
	int *ranks = bob_mpi_keep(c, n, sizeof(*ranks)),
	    *found = bob_mpi_keep(c, n, sizeof(*found));
	uint64_t *word = bob_mpi_keep(c, n, sizeof(*word));
	bool all = false;
	MPI_Group group;

	if (n && ranks && found && word && group_of(h, &group)) {
		all = translate_to_world(group, (int)n, ranks, found);
		for (uint64_t i = 0; i < n; i++)
			word[i] = all && found[i] >= 0 ? (uint64_t)found[i] : UINT64_MAX;
		find_others(group, (int)n, ranks, found, word);
		BOB_MPI_REAL(Group_free)(&group);
		all = true;
	}
	for (uint64_t i = 0; i < n; i++)
		bob_mpi_put(c, all ? word[i] : UINT64_MAX);
}
