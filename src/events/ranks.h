/* SPDX-License-Identifier: BSD-3-Clause */
/* Merges several processes' data into one trace while they run, over a tree of ranks. Ranks reach
 * each other by a transport: MPI's (src/mpi/ranks.c), the built-in one for processes of one
 * recording (ranks_directory.c), or a user's (bobbin/ranks.h).
 *
 *   unite.c     sends value sets up the tree
 *   merge.c     sends recorded data up the tree
 *   ranks.c     starts both, outside MPI
 *   exchange.c  sends a set up the tree, and its result down
 *
 * Threads: the one in MPI_Finalize or its equivalent, or at an event that all ranks have. */
#ifndef BOB_EVENTS_RANKS_H
#define BOB_EVENTS_RANKS_H

#include "bobbin/ranks.h"
#include "events/recorder.h"

#define BOB_EV_RANKS_MAX 65536u

/* Tags of messages, by the module that sends them. */
enum bob_ev_tag {
	BOB_EV_TAG_CLOCKS = 1,
	BOB_EV_TAG_MERGE = 2,
	BOB_EV_TAG_SETS = 3,
	BOB_EV_TAG_EXCHANGE = 4,
};

/* --- the tree: the parent's rank is the rank without its lowest bit; in a star it is 0 --- */
static inline uint32_t bob_ev_parent(const struct bob_transport *t)
{
	return t->flags & BOB_TRANSPORT_STAR ? 0 : t->rank & (t->rank - 1);
}

/* The i-th child; 0: none. Later children have larger subtrees. */
static inline uint32_t bob_ev_child(const struct bob_transport *t, uint32_t i)
{
	const uint64_t step = i < 32 ? 1ull << i : 0, rank = t->rank;

	if (t->flags & BOB_TRANSPORT_STAR)
		return !rank && i + 1ull < t->ranks ? i + 1 : 0;
	if (!step || rank & (2 * step - 1) || rank + step >= t->ranks)
		return 0;
	return (uint32_t)(rank + step);
}

/* Deadline for the i-th child, if waiting began at begin_ns: a child that has children may have
 * waited for them, so each level adds an eighth. */
static inline uint64_t bob_ev_child_deadline(const struct bob_transport *t, uint32_t i,
					     uint64_t begin_ns, uint64_t wait_ns)
{
	return begin_ns + wait_ns + (t->flags & BOB_TRANSPORT_STAR ? 0 : i) * (wait_ns / 8);
}

static inline uint64_t bob_ev_left_ns(uint64_t deadline_ns)
{
	const uint64_t now = bob_ev_now_ns();

	return now < deadline_ns ? deadline_ns - now : 0;
}

static inline bool bob_ev_send(const struct bob_transport *t, uint32_t to, enum bob_ev_tag tag,
			       const void *bytes, uint64_t len, uint64_t deadline_ns)
{
	return t->send(t->ctx, to, tag, bytes, len, bob_ev_left_ns(deadline_ns)) == 1;
}

/* On true, *got <= capacity. */
static inline bool bob_ev_receive(const struct bob_transport *t, uint32_t from, enum bob_ev_tag tag,
				  void *bytes, uint64_t capacity, uint64_t *got,
				  uint64_t deadline_ns)
{
	*got = 0;
	return t->receive(t->ctx, from, tag, bytes, capacity, got, bob_ev_left_ns(deadline_ns)) ==
		       1 &&
	       *got <= capacity;
}

/* --- ranks.c --- */
/* Implement bob_ranks_init and bob_ranks_finalize. Not to be called while a record is open. */
bool bob_ev_ranks_init(const struct bob_transport *t);
bool bob_ev_ranks_finalize(void);
/* The transport to other ranks for this thread, now, in a call of MPI or not; NULL: none. */
const struct bob_transport *bob_ev_transport_now(bool in_mpi_call);
/* The process's rank outside MPI; false: it is not such a rank. */
bool bob_ev_ranks_number(uint32_t *rank);
/* Whether the process may be one of several ranks, reachable or not. */
bool bob_ev_is_rank(void);
/* A message was not sent: the transport is not used any more. */
void bob_ev_ranks_lose(void);

/* --- flush_part.c --- Ends a part of the calling thread's stream, and completes it in the file;
 * the argument `part` of bob_ev_merge. */
void bob_ev_part_all(void *unused);

/* --- transport.c --- */
/* The user's transport, with its functions called under guard (guard.h): one that throws, or is
 * left by a jump, is not called again, and the trace records that. One thread at a time. */
void bob_ev_transport_guarded(struct bob_transport *to, const struct bob_transport *users);
/* A jump has left one of its functions: releases the calling thread's lock. */
void bob_ev_transport_left(void);
void bob_ev_transport_end(void); /* the process ends, perhaps in one of them */
/* The same for the state of ranks.c and merge.c. */
void bob_ev_ranks_left(void);
void bob_ev_merge_left(void);

/* --- ranks_directory.c --- Makes this process a rank of the built-in transport. False, with the
 * reason in *why. */
bool bob_ev_place_open(struct bob_transport *t, const char **why);

/* --- merge.c --- */
/* Whether the recorded data can be merged while the program runs, and the settings request it. The
 * same on all ranks. */
bool bob_ev_merge_is_wanted(void);
/* Timeout of any wait for another rank: BOBBIN_MERGE_WAIT. */
uint64_t bob_ev_merge_wait_ns(void);
/* On every rank: merges the completed parts of all ranks' files into one, which is ready when rank
 * 0 returns. `part` ends a part of the calling thread's stream and completes it in the file.
 * Bounded by timeouts, whatever other ranks do. On failure nothing is lost: the process's file has
 * everything. Preserves errno. False: not all of it succeeded; the trace records why. */
bool bob_ev_merge(const struct bob_transport *t, void (*part)(void *ctx), void *ctx);

/* --- exchange.c --- */
/* In Finalize, on every rank, first: ends all other ranks' waits for this rank in an exchange.
 * Bounded by timeouts. */
void bob_ev_exchange_end(const struct bob_transport *t);

/* --- unite.c --- */
/* On every rank: sends value sets to rank 0, where hooks receive the results. False: sets of some
 * ranks did not arrive in time. */
bool bob_ev_unite(const struct bob_transport *t);

#endif
