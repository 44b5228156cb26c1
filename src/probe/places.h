/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of places.c, for it, for box.c, and for asleep.c: variables that ended and may come
 * back where they were.
 *
 * A place is free, awake (a variable lies there) or asleep: it ended, and its key stays in the
 * table, for a unit's local variables mostly come back to the same place. Falling asleep and waking
 * are one store of the place's state and a new version, without a lock and with signals as they
 * are. Only a place that no other overlaps may fall asleep; what is declared over one that sleeps
 * takes it out. A state has a number that grows when its place becomes another's, so who saw it and
 * exchanges it has the place that was looked at.
 *
 * Threads: states, `since`, `alone` by anybody; all else under the lock of places.c, or while the
 * state cannot change. */
#ifndef BOB_PROBE_PLACES_H
#define BOB_PROBE_PLACES_H

#include "probe/probe.h"

#define BOB_PR_PLACES_MAX 65536u
#define BOB_PR_BYTES_MAX (1ull << BOB_PR_VARIABLE_SHIFT)

enum bob_pr_state { BOB_PR_FREE, BOB_PR_AWAKE, BOB_PR_ASLEEP };
#define BOB_PR_STATE_MASK 3ull

struct bob_pr_place {
	uint64_t state;		/* enum bob_pr_state, and above it a number: of whose place it is */
	uint64_t address;	/* of `lo`, in the trace */
	uint64_t declared;	/* as passed to bob_pr_declare */
	uint64_t since;		/* a smaller number was there before */
	uintptr_t base;
	uint32_t element, rank;
	bool whole;		/* all of it is wanted */
	bool alone;		/* nothing overlaps it, and nothing did */
	uint8_t own;		/* as struct bob_probe_variable's */
	uint32_t next;		/* free ones */
	int64_t extent[BOB_PROBE_DIMENSIONS_MAX];
	int64_t from[BOB_PROBE_DIMENSIONS_MAX],
		/* subscripts from 0, at most the extent, and -1 to the last one */
		to[BOB_PROBE_DIMENSIONS_MAX];
};

/* --- places.c --- */
extern struct bob_pr_place *bob_pr_places; /* BOB_PR_PLACES_MAX of them; NULL: not yet */
extern uint64_t bob_pr_declared;	/* how often something was: numbers of `since` */
static inline enum bob_pr_state bob_pr_state(const struct bob_pr_place *p)
{
	return (enum bob_pr_state)(__atomic_load_n(&p->state, __ATOMIC_ACQUIRE) &
				   BOB_PR_STATE_MASK);
}

/* --- box.c --- */
/* What is wanted of a dimension of which there is `extent` from `lower` on, as subscripts from
 * 0. */
void bob_pr_measure_wanted(const int64_t wanted[2], int64_t lower, int64_t extent, int64_t *from,
			   int64_t *to);
/* Bytes of the variable, and the place's dimensions; all else of the place is zero. 0: none. */
uint64_t bob_pr_measure(struct bob_pr_place *p, const struct bob_probe_variable *v,
			const int64_t (*bounds)[2]);
/* Subscripts of what lies at the offset, from 0. False: the place is being changed. */
bool bob_pr_subscripts(const struct bob_pr_place *p, uint64_t offset, int64_t *s);
bool bob_pr_wants(const struct bob_pr_place *p, uint64_t offset);
/* Bytes around the offset of which the same can be said. */
void bob_pr_narrow(const struct bob_pr_place *p, uint64_t offset, bool wanted, uint64_t *from,
		   uint64_t *to);

/* --- asleep.c --- */
/* Where a variable of this address and base is or was, so that it is found again. */
void bob_pr_remember(const struct bob_pr_place *p);
/* The variable sleeps there, with these bounds: it is awake. False: it has to be declared. */
bool bob_pr_wake(const struct bob_probe_variable *v, const void *base, const int64_t (*bounds)[2],
		 uint64_t address);
/* It is awake and alone: it sleeps. False: it has to be taken out. */
bool bob_pr_sleep(const void *base, uint64_t address);

#endif
