/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks of a program without MPI: docs/ranks.md. The program or a plug-in declares the rank of a
 * process and how ranks exchange messages. Then value sets of hooks (bobbin/hooks.h) are combined,
 * and records are merged, as in MPI_Init and MPI_Finalize.
 *
 *     static const struct bob_transport mine = {
 *         .size = sizeof(mine), .rank = r, .ranks = n,
 *         .send = send_to, .receive = receive_from
 *     };
 *     bob_ranks_init(&mine);
 *     ...
 *     bob_ranks_finalize();
 *
 * Without a recorder of events (bobbin record --events) both functions have no effect.
 *
 * Threads: any, one at a time. Messages are sent and received by the thread that finalises, or that
 * has an event of all ranks. No function here changes errno. */
#ifndef BOBBIN_RANKS_H
#define BOBBIN_RANKS_H

#include "bobbin/events.h"

#ifdef __cplusplus
extern "C" {
#endif

enum bob_transport_flag {
	/* Messages are stored for the receiver: sending never waits, and sender and receiver need
	 * not exist at the same time. */
	BOB_TRANSPORT_STORES = 1,
	/* Ranks exchange messages with rank 0 only. Without this flag, they communicate along a
	 * binomial tree. */
	BOB_TRANSPORT_STAR = 2
};

/* None of these should throw, jump away or end the process: a function that throws or jumps is not
 * called again, and the trace says so. Tags are below 16. Messages from one rank to another with
 * the same tag arrive in the order in which they were sent. Received bytes are checked, so the
 * senders need not be trusted. */
struct bob_transport {
	uint32_t size;		/* of this struct: later versions append */
	uint32_t flags;		/* enum bob_transport_flag */
	uint32_t rank, ranks;	/* this rank; the number of ranks */
	/* Returns 1 if sent; 0: not sent within `wait_ns`. After that nothing more is sent or
	 * received, and the bytes are never changed or freed. */
	int (*send)(void *ctx, uint32_t to, uint32_t tag, const void *bytes, uint64_t len,
		    uint64_t wait_ns);
	/* Returns 1 with the next message of that rank and tag, *len bytes. 0: none arrived within
	 * `wait_ns`, or it is longer than `capacity`, or `from` has ended. */
	int (*receive)(void *ctx, uint32_t from, uint32_t tag, void *bytes, uint64_t capacity,
		       uint64_t *len, uint64_t wait_ns);
	/* Returns when every rank has called it, or after wait_ns: time limits for other ranks
	 * start then. NULL: they start at each rank's own call. */
	int (*barrier)(void *ctx, uint64_t wait_ns);
	/* The current number of ranks, if they join one by one; NULL: `ranks`. */
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

/* Make this process a rank, once. NULL: one of the ranks that meet in the trace's directory, or
 * where bobbin record --ranks says. The struct is copied. A fork child is not a rank until it calls
 * this itself. Returns 1 on success; 0: nothing is recorded, the program uses MPI (whose ranks are
 * then used), or it failed (the trace has the reason). */
static inline int bob_ranks_init(const struct bob_transport *t)
{
	const struct bob_ranks_table *r = bob_ranks_recorder();

	return r ? r->init(t) : 0;
}

/* Send the value sets of hooks so far to rank 0, and merge the records so far into one file.
 * Returns in bounded time (BOBBIN_MERGE_WAIT), whatever other ranks do. If something fails, the
 * trace says so, and no data is lost. Recording continues. Returns 1 on success; 0: failure, or the
 * process is not a rank. */
static inline int bob_ranks_finalize(void)
{
	const struct bob_ranks_table *r = bob_ranks_recorder();

	return r ? r->finalize() : 0;
}

#ifdef __cplusplus
}
#endif
#endif
