/* SPDX-License-Identifier: BSD-3-Clause */
/* What certain calls mean for recording: MPI has begun, is about to end; the program switches recording off and on. */
#include "archive/write.h"
#include "mpi/merge.h"
#include "mpi/private.h"
#include "mpi/real.h"
#include "mpi/recorder.h"

void bob_mpi_put_record(enum bob_record_kind kind, const void *body, uint32_t len)
{
	uint64_t off, bytes[1 + BOB_MPI_RECORD_MAX / 8] = { 0 };
	struct bob_chunk_head *c;
	struct bob_meta m;

	bob_meta_init(&m, bytes, sizeof(bytes));
	bob_meta_put(&m, kind, body, len);
	c = bob_mpi_agent->chunk(NULL, BOB_CHUNK_META, BOB_STREAM_NONE, m.len, 0, &off);
	if (!c)
		return;
	__builtin_memcpy(bob_chunk_data(c), bytes, m.len);
	bob_chunk_seal(c, m.len);
}

/* The process's rank in the world, for who reads the trace: a META record. What the launcher's environment said stands there already; that
 * of a program that was spawned says nothing. */
static void put_rank(void)
{
	uint32_t r[2] = { (uint32_t)bob_mpi_me(bob_mpi_world()),
			  (uint32_t)bob_mpi_ranks(bob_mpi_world()) };

	bob_mpi_put_record(BOB_REC_RANK, r, sizeof(r));
}

void bob_mpi_starting(void)
{
	if (bob_mpi_agent)
		bob_mpi_private_announce();
}

/* Also where the call is not recorded: what ranks do together all must do. Once, however many definitions of the function there are. */
void bob_mpi_started(int result)
{
	static bool is_done;
	const uint32_t depth = bob_mpi_depth;

	if (result != MPI_SUCCESS || !bob_mpi_agent || is_done)
		return;
	is_done = true;
	bob_mpi_depth = 1;
	bob_mpi_predefine();
	put_rank();
	bob_mpi_private_open();
	if (bob_mpi_time_is_exact())
		bob_mpi_clocks(0);
	bob_mpi_depth = depth;
}

void bob_mpi_finishing(struct bob_mpi_call *c)
{
	const uint32_t depth = bob_mpi_depth;

	if (!bob_mpi_agent)
		return;
	bob_mpi_depth = 1;
	if (bob_mpi_time_is_exact())
		bob_mpi_clocks(1);
	bob_mpi_merge(c);
	bob_mpi_private_close();
	bob_mpi_depth = depth;
}

static uint32_t off;

bool bob_mpi_is_off(void)
{
	return __atomic_load_n(&off, __ATOMIC_RELAXED) != 0;
}

/* 0: off; 1: on; others are marks of the program's own. */
void bob_mpi_control(int level)
{
	if (level == 0 || level == 1)
		__atomic_store_n(&off, !level, __ATOMIC_RELAXED);
}
