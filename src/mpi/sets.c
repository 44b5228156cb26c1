/* SPDX-License-Identifier: BSD-3-Clause */
/* The user's value sets of all ranks are united over a binomial tree in MPI_Finalize, in the program's own memory, since what unites them is the
 * program's or a plug-in's. Every rank takes part, with sets or without. */
#include <string.h>

#include "events/hooks.h"
#include "mpi/merge.h"
#include "mpi/private.h"
#include "mpi/recorder.h"

#define SETS_MOST (1ull << 30) /* bytes of a message */

static uint64_t size; /* static, since MPI may have it for ever */

static bool take_from(uint32_t from, uint64_t deadline_ns)
{
	uint64_t got = 0;
	void *bytes;

	if (!bob_mpi_private_receive(&size, sizeof(size), &got, from, BOB_MPI_TAG_SETS,
				     deadline_ns) ||
	    got != sizeof(size) || size > SETS_MOST)
		return false;
	if (!size)
		return true;
	bytes = bob_ev_map(size);
	if (!bytes ||
	    !bob_mpi_private_receive(bytes, size, &got, from, BOB_MPI_TAG_SETS, deadline_ns))
		return false; /* MPI may have the bytes */
	bob_ev_sets_unite(bytes, got);
	bob_ev_unmap(bytes, size);
	return true;
}

static bool send_up(uint32_t to, uint64_t deadline_ns)
{
	size_t len = 0, room = 0;
	void *bytes = bob_ev_sets_pack(&len, &room);
	bool sent;

	size = len <= SETS_MOST ? len : 0;
	sent = bob_mpi_private_send(&size, sizeof(size), to, BOB_MPI_TAG_SETS, deadline_ns) &&
	       (!size || bob_mpi_private_send(bytes, size, to, BOB_MPI_TAG_SETS, deadline_ns));
	if (sent)
		bob_ev_unmap(bytes, room);
	return sent && len == size;
}

void bob_mpi_sets(void)
{
	const uint64_t begin = bob_ev_now_ns(), wait = bob_mpi_merge_wait_ns();
	bool whole = true;
	uint32_t rank, ranks, level = 0;

	if (!bob_mpi_private_is_open())
		return;
	rank = bob_mpi_private_rank();
	ranks = bob_mpi_private_ranks();
	if (bob_ev_thread_now())
		bob_ev_sets_end(bob_ev_thread_now());
	for (uint64_t step = 1; step < ranks; step *= 2, level++) {
		const uint64_t deadline = begin + wait + level * (wait / 8);

		if (rank & step) {
			const bool sent = send_up(rank - (uint32_t)step, deadline + wait);

			bob_ev_sets_given(sent);
			whole &= sent;
			break;
		}
		if (rank + step < ranks)
			whole &= take_from(rank + (uint32_t)step, deadline);
	}
	if (!whole)
		bob_ev_log("value sets of some ranks were not united in time\n");
	if (!rank)
		bob_ev_sets_finish();
}
