/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks of a program that has no MPI: docs/ranks.md. Who a process is among others, and how they
 * reach each other, is said here by the program or a plug-in; then what hooks bring
 * (bobbin/hooks.h) is united, and what is recorded is merged, as in MPI_Init and MPI_Finalize.
 *
 *     static const struct bob_transport mine = { .size = sizeof(mine), .rank = r, .ranks = n, .send = send_to, .receive = receive_from };
 *     bob_ranks_init(&mine);
 *     ...
 *     bob_ranks_finalize();
 *
 * Without a recorder of events (bobbin record --events) both do nothing.
 *
 * Threads: any, one at a time. What is sent and received is done by the thread that finalizes, or
 * has an event that all ranks have. Nothing here changes errno. */
#ifndef BOBBIN_RANKS_H
#define BOBBIN_RANKS_H

#include "bobbin/events.h"

#ifdef __cplusplus
extern "C" {
#endif

enum bob_transport_flag {
	/* What is sent is kept for its receiver: sending never waits, and both need not be there at
	 * the same time. */
	BOB_TRANSPORT_STORES = 1,
	/* Ranks send to rank 0, which answers, and to no other rank; without it to each other along
	 * a binomial tree. */
	BOB_TRANSPORT_STAR = 2
};

/* None of these should throw, jump away or end the process: what throws or jumps is not called
 * again, and the trace says so. Tags are below 16. Messages of one rank to another with the same
 * tag come in the order in which they were sent. What comes from others is checked, so they may be
 * anybody. */
struct bob_transport {
	uint32_t size;		/* of this struct: later versions append */
	uint32_t flags;		/* enum bob_transport_flag */
	uint32_t rank, ranks;	/* this one, below how many */
	/* 1: it has gone. 0: it has not within `wait_ns`; nothing more is sent or received then,
	 * and the bytes stay as they are for ever. */
	int (*send)(void *ctx, uint32_t to, uint32_t tag, const void *bytes, uint64_t len,
		    uint64_t wait_ns);
	/* 1: the next message of that rank and tag, *len bytes of it. 0: none has come within
	 * `wait_ns`, or it is longer than `capacity`, or `from` has ended. */
	int (*receive)(void *ctx, uint32_t from, uint32_t tag, void *bytes, uint64_t capacity,
		       uint64_t *len, uint64_t wait_ns);
	/* Every rank has called it, or wait_ns are over: then what each waits for others begins.
	 * NULL: it begins when each comes. */
	int (*barrier)(void *ctx, uint64_t wait_ns);
	/* How many ranks there are by now, where they come one by one; NULL: as many as said
	 * above. */
	uint32_t (*count)(void *ctx);
	void *ctx;
};

#define BOB_RANKS_TABLE "bobbin_ranks_1"
struct bob_ranks_table {
	uint32_t size;
	uint32_t reserved;
	int (*init)(const struct bob_transport *t);
	int (*finalize)(void);
};

static inline const struct bob_ranks_table *bob_ranks_recorder(void)
{
	const struct bob_ranks_table *t =
		bob_events_dlsym ?
			(const struct bob_ranks_table *)bob_events_dlsym(NULL, BOB_RANKS_TABLE) :
			NULL;

	return t && t->size >= sizeof(*t) ? t : NULL;
}

/* This process is a rank from now on, once. NULL: of those that meet in the trace's directory, or
 * where bobbin record --ranks says. The struct is copied. A fork child is no rank before it calls
 * this itself. 1: it is; 0: nothing is recorded, MPI is (its ranks hold then), or it cannot be (the
 * trace says why). */
static inline int bob_ranks_init(const struct bob_transport *t)
{
	const struct bob_ranks_table *r = bob_ranks_recorder();

	return r ? r->init(t) : 0;
}

/* What hooks brought up to now goes to rank 0, and what was recorded up to now into one file. Comes
 * back in bounded time (BOBBIN_MERGE_WAIT), whatever others do; the trace says what did not work,
 * and nothing is lost. Recording goes on. 1: all has gone well; 0: else, or it is no rank. */
static inline int bob_ranks_finalize(void)
{
	const struct bob_ranks_table *r = bob_ranks_recorder();

	return r ? r->finalize() : 0;
}

#ifdef __cplusplus
}
#endif
#endif
