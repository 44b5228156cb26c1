/* SPDX-License-Identifier: BSD-3-Clause */
/* Several processes become one trace while they run: over a tree of ranks that reach each other by
 * a transport, MPI's (src/mpi/ranks.c), the one that is there for processes of one recording
 * (place.c), or a user's (bobbin/ranks.h).
 *
 *   unite.c  value sets of hooks go up the tree     merge.c  what is recorded does     ranks.c  when, outside MPI
 *   exchange.c  a set goes up, and what is made of it comes down again
 *
 * Threads: the one that is in MPI_Finalize, or in its like, or at an event that all ranks have. */
#ifndef BOB_EVENTS_RANKS_H
#define BOB_EVENTS_RANKS_H

#include "bobbin/ranks.h"
#include "events/recorder.h"

#define BOB_EV_RANKS_MAX 65536u

/* Tags of messages: who sends what. */
enum bob_ev_tag {
	BOB_EV_TAG_CLOCKS = 1,
	BOB_EV_TAG_MERGE = 2,
	BOB_EV_TAG_SETS = 3,
	BOB_EV_TAG_EXCHANGE = 4,
};

/* --- the tree: a rank's parent is the rank without its lowest bit; in a star it is rank 0 --- */
static inline uint32_t bob_ev_parent(const struct bob_transport *t)
{
	return t->flags & BOB_TRANSPORT_STAR ? 0 : t->rank & (t->rank - 1);
}

/* The i-th one right below; 0: there are no more. Later ones have more below them. */
static inline uint32_t bob_ev_child(const struct bob_transport *t, uint32_t i)
{
	const uint64_t step = i < 32 ? 1ull << i : 0, rank = t->rank;

	if (t->flags & BOB_TRANSPORT_STAR)
		return !rank && i + 1ull < t->ranks ? i + 1 : 0;
	if (!step || rank & (2 * step - 1) || rank + step >= t->ranks)
		return 0;
	return (uint32_t)(rank + step);
}

/* Until when a rank waits for its i-th child, having begun then: one that has others below it may
 * have waited, an eighth more for each level. */
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

/* *got <= capacity. */
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
/* bob_ranks_init, bob_ranks_finalize. Not to be called while a record is open. */
bool bob_ev_ranks_init(const struct bob_transport *t);
bool bob_ev_ranks_finalize(void);
/* How this process reaches other ranks now, from this thread, which is in a call of MPI or not;
 * NULL: it does not. */
const struct bob_transport *bob_ev_transport_now(bool in_mpi_call);
/* Its number among those outside MPI; false: it is not one of them. */
bool bob_ev_ranks_number(uint32_t *rank);
/* It may be one of several, whether it reaches them or not. */
bool bob_ev_is_rank(void);
/* A message was not sent: no rank can be reached any more. */
void bob_ev_ranks_lose(void);

/* --- flush.c --- all that the calling thread has recorded so far is a part of its own, complete in
 * the file; for bob_ev_merge */
void bob_ev_part_all(void *unused);

/* --- transport.c --- */
/* The user's, whose functions are called under guard (guard.h): one that throws, or is left by a
 * jump, is not called again, and the trace says so. Not at once in several threads. */
void bob_ev_transport_guarded(struct bob_transport *to, const struct bob_transport *users);
/* A jump has left one of its functions: releases what the calling thread held. */
void bob_ev_transport_left(void);
void bob_ev_transport_end(void); /* the process ends, perhaps in one of them */
/* ranks.c, merge.c: the same for what these have */
void bob_ev_ranks_left(void);
void bob_ev_merge_left(void);

/* --- place.c --- this process is a rank of those that meet there. False, and *why: it cannot
 * be. */
bool bob_ev_place_open(struct bob_transport *t, const char **why);

/* --- merge.c --- */
/* Is what is recorded of a kind that can be merged while the program runs, and shall it? The same
 * on all ranks. */
bool bob_ev_merge_is_wanted(void);
/* How long any wait for another rank may take: BOBBIN_MERGE_WAIT. */
uint64_t bob_ev_merge_wait_ns(void);
/* On every rank: all that is complete in the ranks' files is in one when rank 0 comes back. `part`
 * makes what the calling thread has recorded a part of its own, complete in the file. In bounded
 * time, whatever other ranks do, and nothing is lost if it does not work: the process's file has
 * everything. errno stays. False: not all of it has worked; the trace says why. */
bool bob_ev_merge(const struct bob_transport *t, void (*part)(void *ctx), void *ctx);

/* --- exchange.c --- */
/* In Finalize, on every rank, first: who waits for this rank in an exchange need not any more. In
 * bounded time. */
void bob_ev_exchange_end(const struct bob_transport *t);

/* --- unite.c --- */
/* On every rank: value sets go to rank 0, and hooks get their results there. False: of some ranks
 * they did not come in time. */
bool bob_ev_unite(const struct bob_transport *t);

#endif
