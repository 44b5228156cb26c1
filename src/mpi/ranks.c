/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI as a transport between ranks (events/ranks.h): the tool's own communicator. */
#include "events/ranks.h"
#include "mpi/private.h"
#include "mpi/recorder.h"

static int send_to(void *ctx, uint32_t to, uint32_t tag, const void *bytes, uint64_t len,
		   uint64_t wait_ns)
{
	(void)ctx;
	return bob_mpi_private_send(bytes, len, to, (int)tag, bob_ev_now_ns() + wait_ns);
}

static int receive_from(void *ctx, uint32_t from, uint32_t tag, void *bytes, uint64_t room,
			uint64_t *len, uint64_t wait_ns)
{
	(void)ctx;
	return bob_mpi_private_receive(bytes, room, len, from, (int)tag, bob_ev_now_ns() + wait_ns);
}

static void part(void *call)
{
	bob_mpi_part(call);
}

const struct bob_transport *bob_mpi_transport(void)
{
	static struct bob_transport t = {
		.size = sizeof(t),
		.send = send_to,
		.receive = receive_from,
	};

	t.rank = bob_mpi_private_rank();
	t.ranks = bob_mpi_private_ranks();
	return bob_mpi_private_is_open() ? &t : NULL;
}

void bob_mpi_unite(struct bob_mpi_call *c)
{
	const struct bob_transport *t = bob_mpi_transport();

	if (t)
		bob_ev_unite(t);
	if (t && bob_mpi_private_is_open())
		bob_ev_merge(t, part, c);
}
