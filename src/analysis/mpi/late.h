/* SPDX-License-Identifier: BSD-3-Clause */
/* Wait states: receives that waited until the message was sent (late sender), and collective calls
 * that some processes entered later than others. Computed from the times of each call (record
 * --time=exact:mpi), on the clock of rank 0; docs/mpi-reading.md has the rules.
 *
 * Messages are matched offline: those with equal sender, receiver, communicator and tag are
 * received in the order in which they were sent, by receives in the order of posting. The source
 * and tag that a wildcard matched were recorded.
 *
 * Reads every call twice, in the order of time. Memory depends on the number of simultaneous
 * operations, not of calls.
 *
 * Owner: the caller. Threads: one. */
#ifndef BOB_ANALYSIS_MPI_LATE_H
#define BOB_ANALYSIS_MPI_LATE_H

#include "analysis/mpi/objects.h"
#include "analysis/mpi/call_places.h"

/* Cause of waiting: the call that sent the message, or the collective call of the last process to
 * enter. */
struct bob_mpi_late_cause {
	const struct bob_mpi_function *function;
	uint32_t path;		/* in bob_mpi_late_places */
	uint32_t process;
	uint64_t calls;		/* number of calls that waited longest for it */
	uint64_t lost_ns;
};

struct bob_mpi_late_row {
	const struct bob_mpi_function *function;
	uint32_t path;
	uint64_t times;		/* received messages, or collective calls */
	uint64_t late;		/* of these: waited for an operation that began later */
	uint64_t undecided;	/* of these: the clocks are too inaccurate to decide */
	/* waiting time; a call that waits for several messages counts once */
	uint64_t lost_ns;
	uint64_t most_ns;	/* maximum in one call */
	uint32_t most_process;
	const struct bob_mpi_late_cause *cause; /* in descending order of time */
	uint32_t causes;
};

struct bob_mpi_late_sum {
	uint64_t messages, late_messages; /* received messages whose send was found */
	uint64_t sent;		/* all messages; reasons why some are not in `messages`: */
	/* unknown communicator, or unknown group of an intercommunicator */
	uint64_t unknown_groups;
	/* sender or receiver is not in the trace, or its messages could not be matched to the
	 * end */
	uint64_t not_followed;
	uint64_t collectives, late_collectives; /* calls */
	uint64_t lost_ns, undecided;
	/* receives without a matching send, and incomplete collective calls */
	uint64_t unmatched;
	uint64_t uncertainty_ns; /* maximum over all clocks; BOB_CLOCK_UNKNOWN */
	uint32_t doubtful;	/* processes whose messages could not be matched to the end */
};

struct bob_mpi_late;

/* BOB_NONE: impossible for the reason in err->text. Errors: BOB_ERR_NOMEM. */
bob_status bob_mpi_late_create(const struct bob_trace *t, struct bob_mpi_late **out,
			       struct bob_error *err);
void bob_mpi_late_destroy(struct bob_mpi_late *l); /* NULL is allowed */
/* In descending order of time, then in an order that depends only on the program. Borrowed. */
const struct bob_mpi_late_row *bob_mpi_late_rows(const struct bob_mpi_late *l, size_t *count);
const struct bob_mpi_late_sum *bob_mpi_late_sums(const struct bob_mpi_late *l);
const struct bob_mpi_places *bob_mpi_late_places(const struct bob_mpi_late *l);

#endif
