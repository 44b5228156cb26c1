/* SPDX-License-Identifier: BSD-3-Clause */
/* Arrows: sender and receiver come to the same number for the same message, in whatever order
 * receives are complete. What a process's communicators are is said here, so no trace is needed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "analysis/mpi/pending.h"
#include "export/mpi_flows.h"

#define WORLD 1u
#define ANY -1
#define SENT_MAX 16u

/* --- a process of a world of four, with a copy of it and another one of half of them --- */

struct bob_mpi_objects {
	uint32_t rank;
};

static const uint32_t world[] = { 0, 1, 2, 3 };

uint32_t bob_mpi_objects_rank(const struct bob_mpi_objects *o)
{
	return o->rank;
}

const struct bob_mpi_comm *bob_mpi_objects_comms(const struct bob_mpi_objects *o, size_t *count)
{
	static struct bob_mpi_comm comm[4];

	comm[0] = (struct bob_mpi_comm){ 1, NULL, world, 4, o->rank, ~0u, 0, NULL, 0 };
	comm[1] = (struct bob_mpi_comm){ 256, NULL, world, 4, o->rank, ~0u, 0, NULL, 0 };
	/* rank 2 and 3 made their half before that copy */
	comm[2] = (struct bob_mpi_comm){ 257,  NULL, &world[o->rank & 2], 2, o->rank & 1, ~0u, 0,
					 NULL, 0 };
	comm[3] = (struct bob_mpi_comm){
		258, NULL, world, 2, ~0u, ~0u, 0, NULL, 0
	}; /* between groups */
	*count = 4;
	return comm;
}

uint32_t bob_mpi_objects_member(const struct bob_mpi_objects *o, uint64_t comm, uint64_t rank)
{
	return comm == 257 ? (uint32_t)((o->rank & 2) + rank) : (uint32_t)rank;
}

/* --- acts --- */

struct arrived {
	uint32_t count;
	uint64_t id[SENT_MAX], time[SENT_MAX];
};

static void arrive(void *ctx, uint64_t id, const struct bob_mpi_arrival *at)
{
	struct arrived *a = ctx;

	a->id[a->count] = id;
	a->time[a->count++] = at->time;
}

static struct bob_mpi_flows *flows_of(uint32_t rank, struct arrived *a)
{
	static struct bob_mpi_objects o;
	struct bob_mpi_flows *f;

	o.rank = rank;
	memset(a, 0, sizeof(*a));
	assert_int_equal(bob_mpi_flows_create(arrive, a, &f), BOB_OK);
	assert_int_equal(bob_mpi_flows_begin(f, &o), BOB_OK);
	return f;
}

static uint64_t act(struct bob_mpi_flows *f, enum bob_mpi_act_kind kind, uint64_t comm,
		    int64_t peer, int64_t tag, uint64_t request, uint64_t time)
{
	const struct bob_mpi_act a = {
		.kind = kind, .comm = comm, .peer = peer, .tag = tag, .request = request
	};
	const struct bob_mpi_arrival at = { .time = time };
	uint64_t id;

	assert_int_equal(bob_mpi_flows_act(f, &a, &at, &id), BOB_OK);
	return id;
}

/* When the message was received; 0: never. */
static uint64_t time_of(const struct arrived *a, uint64_t id)
{
	uint64_t time = 0;

	for (uint32_t i = 0; i < a->count; i++)
		if (a->id[i] == id) {
			assert_int_equal(time, 0);
			time = a->time[i];
		}
	return time;
}

/* Rank 1 sends five to rank 0: tags 7, 7, 8, 7 and, in the copy of the world, 7. */
static void send(uint64_t id[5])
{
	static const int64_t tag[] = { 7, 7, 8, 7, 7 };
	struct arrived a;
	struct bob_mpi_flows *f = flows_of(1, &a);

	for (uint32_t i = 0; i < 5; i++) {
		id[i] = act(f, BOB_MPI_ACT_SEND, i < 4 ? WORLD : 256, 0, tag[i], 0, 0);
		assert_true(id[i] != 0);
		for (uint32_t k = 0; k < i; k++)
			assert_true(id[i] != id[k]);
	}
	assert_int_equal(act(f, BOB_MPI_ACT_ISEND, 258, 0, 7, 9, 0), 0);
	assert_int_equal(bob_mpi_flows_lost(f), 1);
	bob_mpi_flows_destroy(f);
}

/* Receives are posted for anything, for tag 7 of rank 1, and for tag 7 of anyone; they are complete
 * in another order. */
static void test_posting_order(void **state)
{
	uint64_t id[5];
	struct arrived a;
	struct bob_mpi_flows *f;

	(void)state;
	send(id);
	f = flows_of(0, &a);
	act(f, BOB_MPI_ACT_IRECV, WORLD, ANY, ANY, 1, 0);
	act(f, BOB_MPI_ACT_IRECV, WORLD, 1, 7, 2, 0);
	act(f, BOB_MPI_ACT_IRECV, WORLD, ANY, 7, 3, 0);
	act(f, BOB_MPI_ACT_IRECV, 256, 1, 7, 4, 0);
	act(f, BOB_MPI_ACT_IRECV_DONE, 256, 1, 7, 4, 40);
	assert_int_equal(a.count, 1);	/* what is posted in another communicator is no matter */
	act(f, BOB_MPI_ACT_IRECV_DONE, WORLD, 1, 7, 3, 30);
	act(f, BOB_MPI_ACT_IRECV_DONE, WORLD, 1, 7, 2, 20);
	assert_int_equal(a.count, 1);	/* the first one may have got any of these */
	act(f, BOB_MPI_ACT_IRECV_DONE, WORLD, 1, 7, 1, 10);
	act(f, BOB_MPI_ACT_RECV, WORLD, 1, 8, 0, 50);
	bob_mpi_flows_end(f);
	assert_int_equal(a.count, 5);
	assert_int_equal(time_of(&a, id[0]), 10);
	assert_int_equal(time_of(&a, id[1]), 20);
	assert_int_equal(time_of(&a, id[2]), 50);
	assert_int_equal(time_of(&a, id[3]), 30);
	assert_int_equal(time_of(&a, id[4]), 40);
	bob_mpi_flows_destroy(f);
}

/* One that is dropped, or never complete, got nothing. A probe that takes a message does as if it
 * received it. */
static void test_dropped(void **state)
{
	uint64_t id[5];
	struct arrived a;
	struct bob_mpi_flows *f;

	(void)state;
	send(id);
	f = flows_of(0, &a);
	act(f, BOB_MPI_ACT_IRECV, WORLD, 1, 7, 1, 0);
	act(f, BOB_MPI_ACT_IRECV, WORLD, ANY, ANY, 2, 0);
	act(f, BOB_MPI_ACT_MATCHED, WORLD, 1, 7, 77, 10);
	act(f, BOB_MPI_ACT_RECV, WORLD, 1, 7, 0, 20);
	assert_int_equal(a.count, 0);
	act(f, BOB_MPI_ACT_DROPPED, WORLD, 1, 7, 1, 0);
	assert_int_equal(a.count, 0);
	bob_mpi_flows_end(f);
	assert_int_equal(a.count, 2);
	assert_int_equal(time_of(&a, id[0]), 10);
	assert_int_equal(time_of(&a, id[1]), 20);
	bob_mpi_flows_destroy(f);
}

/* The same number of a communicator is another one elsewhere. */
static void test_halves(void **state)
{
	struct arrived a;
	struct bob_mpi_flows *f = flows_of(1, &a);
	uint64_t low = act(f, BOB_MPI_ACT_SEND, 257, 0, 7, 0, 0), high;

	(void)state;
	bob_mpi_flows_destroy(f);
	f = flows_of(3, &a);
	high = act(f, BOB_MPI_ACT_SEND, 257, 0, 7, 0, 0);
	bob_mpi_flows_destroy(f);
	f = flows_of(2, &a);
	act(f, BOB_MPI_ACT_RECV, 257, 1, 7, 0, 10);
	assert_int_equal(a.count, 1);
	assert_true(a.id[0] == high && high != low);
	bob_mpi_flows_destroy(f);
}

/* --- requests --- */

#define IDS 200u

static void test_pending(void **state)
{
	struct bob_mpi_pendings p = { 0 };
	uint8_t there[IDS] = { 0 };
	uint64_t random = 1;

	(void)state;
	for (uint32_t i = 0; i < 100000; i++) {
		struct bob_mpi_pending *x;
		uint32_t n, used = 0;

		random = random * 6364136223846793005u + 1442695040888963407u;
		n = (uint32_t)(random >> 33) % (i % 1000 < 500 ? IDS : IDS / 8);
		x = bob_mpi_pendings_find(&p, (1ull << 32 | n) + 1);
		assert_int_equal(x != NULL, there[n]);
		if (x) {
			assert_int_equal(x->peer, n);
			bob_mpi_pendings_remove(&p, x);
		} else {
			x = bob_mpi_pendings_add(&p, (1ull << 32 | n) + 1);
			assert_non_null(x);
			x->peer = n;
		}
		there[n] = !there[n];
		for (uint32_t k = 0; k < IDS; k++)
			used += there[k];
		assert_int_equal(p.count, used);
	}
	assert_in_range(p.index.slots, 2 * IDS, 4 * IDS);
	bob_mpi_pendings_free(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_posting_order),
					    cmocka_unit_test(test_dropped),
					    cmocka_unit_test(test_halves),
					    cmocka_unit_test(test_pending) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
