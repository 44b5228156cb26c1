/* SPDX-License-Identifier: BSD-3-Clause */
/* Wait states: receives that waited before the message was sent (late sender), and collective calls
 * that some processes entered later than others. Computed from the times of each call (record
 * --time=exact:mpi), by the clock of rank 0; docs/mpi-reading.md has the rules.
 *
 * Messages are matched by the trace alone: those of one sender, receiver, communicator and tag are
 * received in the order in which they were sent, by receives in the order in which these were
 * posted; whose message a wildcard got was recorded.
 *
 * Reads every call twice, in the order of time; memory depends on what is under way at a time, not
 * on how many calls there are.
 *
 * Owner: the caller. Threads: one. */
#ifndef BOB_ANALYSIS_MPI_LATE_H
#define BOB_ANALYSIS_MPI_LATE_H

#include "analysis/mpi/objects.h"
#include "analysis/mpi/places.h"

/* The cause of waiting: for a message the call that sent it, for a collective call the call of the
 * last process to enter. */
struct bob_mpi_late_cause {
	const struct bob_mpi_function *function;
	uint32_t path;		/* of bob_mpi_late_places */
	uint32_t process;
	uint64_t calls;		/* that waited for it longest */
	uint64_t lost_ns;
};

struct bob_mpi_late_row {
	const struct bob_mpi_function *function;
	uint32_t path;
	uint64_t times;		/* messages received there; or calls, of a collective function */
	uint64_t late;		/* of them: one was there before what it waited for had begun */
	uint64_t undecided;	/* of them: the clocks are not known well enough to say */
	/* in these calls; a call that waits for several messages counts once */
	uint64_t lost_ns;
	uint64_t most_ns;	/* in one call */
	uint32_t most_process;
	const struct bob_mpi_late_cause *cause; /* those with the most time first */
	uint32_t causes;
};

struct bob_mpi_late_sum {
	uint64_t messages, late_messages; /* received and found to be sent */
	uint64_t sent;		/* all messages; not received by `messages`: */
	/* their communicator is not known, or a group of the intercommunicator */
	uint64_t unknown_groups;
	/* to or from processes that are not in the trace, or not followed to the end */
	uint64_t not_followed;
	uint64_t collectives, late_collectives; /* calls */
	uint64_t lost_ns, undecided;
	/* receives whose sending was not found, or collective calls that not all came to */
	uint64_t unmatched;
	uint64_t uncertainty_ns; /* of the clock that is known worst; BOB_CLOCK_UNKNOWN */
	uint32_t doubtful;	/* processes whose messages could not be followed to the end */
};

struct bob_mpi_late;

/* BOB_NONE: it cannot be said, err->text has why. BOB_ERR_NOMEM. */
bob_status bob_mpi_late_create(const struct bob_trace *t, struct bob_mpi_late **out,
			       struct bob_error *err);
void bob_mpi_late_destroy(struct bob_mpi_late *l); /* NULL is allowed */
/* Those with the most time first, then in an order that depends on the program only. Borrowed. */
const struct bob_mpi_late_row *bob_mpi_late_rows(const struct bob_mpi_late *l, size_t *count);
const struct bob_mpi_late_sum *bob_mpi_late_sums(const struct bob_mpi_late *l);
const struct bob_mpi_places *bob_mpi_late_places(const struct bob_mpi_late *l);

#endif
