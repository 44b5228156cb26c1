/* SPDX-License-Identifier: BSD-3-Clause */
/* The static structure of a folded sequence (bobbin/fold.h). Folding keeps what happened, so one
 * loop of the program may be several loops and single items of the spine: iterations that differ
 * are separate. Here each shape and each loop has one *home*, the loop (or the spine) that executes
 * it most often. The homes form a forest that has each shape once.
 *
 * Loops that have the same home and an item in common are alternatives of one loop of the program.
 * They are united: the one with more iterations gets the items of both.
 *
 * A loop whose first iterations are separate may begin in the middle of the program's loop. In
 *
 *     A, loop 0: B, A
 *
 * the first A belongs to the loop. So the items of a loop begin with the first one that is executed
 * directly before it: A, B.
 *
 * Items of the spine that are executed repeatedly are in a loop of the program that could not be
 * folded, because no two of its iterations are equal. Such a loop is added, with a number after
 * those of the folded sequence. Shapes that are not code of one place (marks of synchronisation,
 * say) are no evidence of it.
 *
 * Owner: the caller; bob_homes_destroy. Immutable, any thread. */
#ifndef BOB_ANALYSIS_HOMES_H
#define BOB_ANALYSIS_HOMES_H

#include "bobbin/fold.h"

#define BOB_HOME_SPINE UINT32_MAX	/* the home of items that are in no loop */
#define BOB_HOME_NO_ITEM UINT32_MAX

struct bob_home {
	uint32_t loop;		/* its home: a loop's number, or BOB_HOME_SPINE */
	uint32_t next;		/* the next item of the same home, or BOB_HOME_NO_ITEM */
	uint32_t first;		/* of a loop: the first item whose home it is */
	/* of a shape: its events, in all places; of a loop: its iterations, as far as they were
	 * folded as such. 0: not in this part, or united with another loop */
	uint64_t count;
	uint64_t entries;	/* of a loop: how often it began */
	/* of a loop: others were united with it. Its count is the sum, which may count an iteration
	 * of the program twice. */
	int is_united;
};

struct bob_homes;

/* Of one part of one participant. `is_code`: whether all events of a shape happen at one place of
 * the program; NULL: all do. Time is linear in the stored items, but for sorting. Errors:
 * BOB_ERR_NOMEM, BOB_ERR_CORRUPT, BOB_ERR_INVAL (no such part). */
bob_status bob_homes_create(const struct bob_folded *f, uint32_t participant, uint32_t part,
			    int (*is_code)(void *ctx, uint32_t shape), void *ctx,
			    struct bob_homes **out);
void bob_homes_destroy(struct bob_homes *h); /* NULL is allowed */
/* Of an item of `f`: 2 * shape, or 2 * loop + 1. */
const struct bob_home *bob_home_of(const struct bob_homes *h, uint32_t item);
/* The first item of the spine, or BOB_HOME_NO_ITEM. */
uint32_t bob_homes_first(const struct bob_homes *h);
/* Loops of `f`, and those added. */
uint32_t bob_homes_loops(const struct bob_homes *h);

#endif
