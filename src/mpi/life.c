/* SPDX-License-Identifier: BSD-3-Clause */
/* What certain calls mean for recording: MPI has begun, is about to end; the program switches
 * recording off and on. */
#include "mpi/private.h"
#include "mpi/real.h"
#include "mpi/recorder.h"

#define NOT_KNOWN (~0u)

static uint32_t known_rank = NOT_KNOWN;

/* The process's rank in the world, for readers of the trace: META records. What the launcher's
 * environment said is there already; some launchers say nothing. */
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

/* Also where the call is not recorded: what ranks do together all must do. Once, however many
 * definitions of the function there are. */
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

/* 0: off; 1: on; others are marks of the program's own. */
void bob_mpi_control(int level)
{
	if (level == 0 || level == 1)
		bob_ev_switch(level);
}
