/* SPDX-License-Identifier: BSD-3-Clause */
/* Internals of the table of places, shared by places.c, subscript_range.c (selected elements) and
 * asleep.c (variables whose lifetime ended and that may return to the same address).
 *
 * A place is free, awake (a variable is there) or asleep: its variable has ended, but its key stays
 * in the table, because the local variables of a unit usually return to the same place. Falling
 * asleep and waking up are a store of the place's state and a new version, without a lock and
 * without blocking signals. Only a place that no other overlaps may fall asleep; declaring a
 * variable that overlaps a sleeping place removes it. A state includes a generation number, which
 * increases when the place gets another variable, so a compare-and-swap of the state fails if the
 * place was reused meanwhile.
 *
 * Threads: any may access states, `since` and `alone`; everything else only under the lock of
 * places.c, or while the state cannot change. */
#ifndef BOB_PROBE_PLACES_H
#define BOB_PROBE_PLACES_H

#include "probe/probe.h"

#define BOB_PR_PLACES_MAX 65536u
#define BOB_PR_BYTES_MAX (1ull << BOB_PR_VARIABLE_SHIFT)

enum bob_pr_state { BOB_PR_FREE, BOB_PR_AWAKE, BOB_PR_ASLEEP };
#define BOB_PR_STATE_MASK 3ull

struct bob_pr_place {
	uint64_t state;		/* enum bob_pr_state and, in the higher bits, the generation
				 * number */
	uint64_t address;	/* address of `lo` in the trace */
	uint64_t declared;	/* as passed to bob_pr_declare */
	uint64_t since;		/* order of declaration: smaller numbers are older */
	uintptr_t base;
	uint32_t element, rank;
	bool whole;		/* all elements are selected */
	bool alone;		/* no other place overlaps it, or did so */
	uint8_t own;		/* as in struct bob_probe_variable */
	uint32_t next;		/* next free place */
	int64_t extent[BOB_PROBE_DIMENSIONS_MAX];
	/* the box, as subscripts from 0: `from` is at most the extent, `to` at least -1 */
	int64_t from[BOB_PROBE_DIMENSIONS_MAX], to[BOB_PROBE_DIMENSIONS_MAX];
};

/* --- places.c --- */
extern struct bob_pr_place *bob_pr_places; /* BOB_PR_PLACES_MAX of them; NULL: not allocated yet */
extern uint64_t bob_pr_declared;	/* number of declarations so far: source of `since` */
static inline enum bob_pr_state bob_pr_state(const struct bob_pr_place *p)
{
	return (enum bob_pr_state)(__atomic_load_n(&p->state, __ATOMIC_ACQUIRE) &
				   BOB_PR_STATE_MASK);
}

/* --- subscript_range.c --- */
/* Clip the requested subscripts to a dimension that starts at `lower` and has `extent` elements.
 * The result is relative to 0. */
void bob_pr_measure_wanted(const int64_t wanted[2], int64_t lower, int64_t extent, int64_t *from,
			   int64_t *to);
/* Set the dimensions of the place and zero the rest. Returns the size of the variable in bytes; 0:
 * it has no elements. */
uint64_t bob_pr_measure(struct bob_pr_place *p, const struct bob_probe_variable *v,
			const int64_t (*bounds)[2]);
/* Subscripts (from 0) of the element at the offset. False: the place is being changed. */
bool bob_pr_subscripts(const struct bob_pr_place *p, uint64_t offset, int64_t *s);
bool bob_pr_wants(const struct bob_pr_place *p, uint64_t offset);
/* The range of bytes around the offset with the same selection. */
void bob_pr_narrow(const struct bob_pr_place *p, uint64_t offset, bool wanted, uint64_t *from,
		   uint64_t *to);

/* --- asleep.c --- */
/* Cache where a variable with this address and base is or was, for the next look-up. */
void bob_pr_remember(const struct bob_pr_place *p);
/* Wake up the variable if it sleeps there with these bounds. False: it must be declared. */
bool bob_pr_wake(const struct bob_probe_variable *v, const void *base, const int64_t (*bounds)[2],
		 uint64_t address);
/* Put the variable to sleep if it is awake and alone. False: it must be removed. */
bool bob_pr_sleep(const void *base, uint64_t address);

#endif
