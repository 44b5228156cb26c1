/* SPDX-License-Identifier: BSD-3-Clause */
/* Actions at MPI_Init, MPI_Finalize and MPI_Pcontrol: opens and closes what all ranks share, and
 * switches recording off and on. */
#include "mpi/private.h"
#include "mpi/real.h"
#include "mpi/recorder.h"

#define NOT_KNOWN (~0u)

static uint32_t known_rank = NOT_KNOWN;

/* Records the process's rank in MPI_COMM_WORLD for the META chunk. The launcher's environment may
 * have given it already; not all launchers do. */
static void put_rank(void)
{
	uint32_t r[2] = { (uint32_t)bob_mpi_me(bob_mpi_world()),
			  (uint32_t)bob_mpi_ranks(bob_mpi_world()) };
	const uint64_t world = bob_ev_agent->world();

	bob_ev_put_record(BOB_REC_RANK, r, sizeof(r));
	if (world)
		bob_ev_put_record(BOB_REC_WORLD, &world, sizeof(world));
	known_rank = r[0];
}

bool bob_mpi_own_rank(uint32_t *rank)
{
	if (known_rank == NOT_KNOWN)
		return false;
	*rank = known_rank;
	return true;
}

void bob_mpi_starting(void)
{
	if (bob_mpi_is_recorded)
		bob_mpi_private_announce();
}

/* Also runs where the call is not recorded, because all ranks must take part in collective actions.
 * Runs once, however many definitions of the function call it. */
void bob_mpi_started(int result)
{
	static bool is_done;
	const uint32_t depth = bob_ev_depth;

	if (result != MPI_SUCCESS || !bob_mpi_is_recorded || is_done)
		return;
	is_done = true;
	bob_ev_depth = 1;
	bob_mpi_predefine();
	put_rank();
	bob_mpi_was_spawned();
	bob_mpi_private_open();
	if (bob_ev_time_is_exact())
		bob_mpi_clocks(0);
	bob_ev_depth = depth;
}

void bob_mpi_finishing(struct bob_mpi_call *c)
{
	const uint32_t depth = bob_ev_depth;

	if (!bob_mpi_is_recorded)
		return;
	bob_ev_depth = 1;
	if (bob_ev_time_is_exact())
		bob_mpi_clocks(1);
	bob_mpi_unite(c);
	bob_mpi_private_close();
	bob_ev_depth = depth;
}

/* Level 0 switches off, 1 on; the program may use other levels for itself. */
void bob_mpi_control(int level)
{
	if (level == 0 || level == 1)
		bob_ev_switch(level);
}
