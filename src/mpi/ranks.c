/* SPDX-License-Identifier: BSD-3-Clause */
/* Transport between ranks (events/ranks.h) over the tool's own communicator (private.h). */
#include "events/ranks.h"
#include "mpi/private.h"
#include "mpi/real.h"
#include "mpi/recorder.h"

static int send_to(void *ctx, uint32_t to, uint32_t tag, const void *bytes, uint64_t len,
		   uint64_t wait_ns)
{
	(void)ctx;
	return bob_mpi_private_send(bytes, len, to, (int)tag, bob_ev_now_ns() + wait_ns);
}

static int receive_from(void *ctx, uint32_t from, uint32_t tag, void *bytes, uint64_t capacity,
			uint64_t *len, uint64_t wait_ns)
{
	(void)ctx;
	return bob_mpi_private_receive(bytes, capacity, len, from, (int)tag,
				       bob_ev_now_ns() + wait_ns);
}

static void part(void *call)
{
	bob_mpi_part(call);
}

/* With MPI_THREAD_SERIALIZED, events are chosen such that no other thread is in MPI. */
static bool may_call(void)
{
	int level = 0, is_main = 0;

	if (BOB_MPI_REAL(Query_thread)(&level) != MPI_SUCCESS)
		return false;
	return level == MPI_THREAD_MULTIPLE || level == MPI_THREAD_SERIALIZED ||
	       (BOB_MPI_REAL(Is_thread_main)(&is_main) == MPI_SUCCESS && is_main);
}

const struct bob_transport *bob_mpi_transport(bool in_call)
{
	static struct bob_transport t = {
		.size = sizeof(t),
		.send = send_to,
		.receive = receive_from,
	};

	if (!bob_mpi_private_is_open() || (!in_call && !may_call()))
		return NULL;
	t.rank = bob_mpi_private_rank();
	t.ranks = bob_mpi_private_ranks();
	return &t;
}

void bob_mpi_unite(struct bob_mpi_call *c)
{
	const struct bob_transport *t = bob_mpi_transport(true);

	if (t)
		bob_ev_exchange_end(t);
	if (t && bob_mpi_private_is_open())
		bob_ev_unite(t);
	if (t && bob_mpi_private_is_open())
		bob_ev_merge(t, part, c);
}
