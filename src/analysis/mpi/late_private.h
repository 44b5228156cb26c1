/* SPDX-License-Identifier: BSD-3-Clause */
/* Private to the files of late.h:
 *
 *   late.c          calls of all threads in the order of time, one after the other
 *   late_calls.c    what a call means; late_comms.c which communicator it is on
 *   late_match.c    messages: receives of each process, channels between two
 *   late_all.c      collective calls
 *   late_rows.c     what comes of them: rows, causes, and tables by key */
#ifndef BOB_ANALYSIS_MPI_LATE_PRIVATE_H
#define BOB_ANALYSIS_MPI_LATE_PRIVATE_H

#include "analysis/mpi/late.h"
#include "base/host/map.h"

#define BOB_LATE_ANY ((uint64_t)-1)	/* MPI_ANY_SOURCE, MPI_ANY_TAG */

/* --- late_rows.c: tables of numbers by two numbers --- */

struct bob_late_entry {
	uint64_t key[2];
	void *value;
};

struct bob_late_map {
	BOB_MAP(struct bob_late_entry);
};

/* NULL: none. */
void *bob_late_map_get(const struct bob_late_map *m, uint64_t a, uint64_t b);
/* It has none yet; `value` is not NULL. 0: no memory. */
int bob_late_map_put(struct bob_late_map *m, uint64_t a, uint64_t b, void *value);
void bob_late_map_drop(struct bob_late_map *m, uint64_t a, uint64_t b);

/* --- a call, as a moment of the run --- */

struct bob_late_site {
	const struct bob_mpi_function *function;
	uint32_t path;
	uint32_t process;
};

struct bob_late_call {
	struct bob_late_site site;
	uint64_t begin_ns,
		end_ns; /* by the clock of rank 0; end: UINT64_MAX if it never came back */
};

/* A call that received messages, until they are all known; one that was collective, in one
 * piece. */
struct bob_late_wait {
	struct bob_late_call call;
	uint32_t pending;	/* messages, + 1 while the call is being read */
	uint64_t lost_ns;
	struct bob_late_site cause; /* of that */
};

struct bob_mpi_late;

/* `from` began at from_ns, and the call is one that waits for it. */
void bob_late_judge(struct bob_mpi_late *l, struct bob_late_wait *w,
		    const struct bob_late_site *from, uint64_t from_ns);
/* What the call has lost is known. */
void bob_late_done(struct bob_mpi_late *l, const struct bob_late_wait *w);

/* --- late_comms.c --- */

struct bob_late_comm {		/* an intercommunicator: as one of its groups sees it */
	const uint32_t *member;	/* ranks in MPI_COMM_WORLD; of the remote group */
	const uint32_t *local;	/* of an intercommunicator: of the own group; else NULL */
	uint32_t members, locals, ordinal;
	uint32_t number;	/* the same for both groups */
};

/* The process's communicator `number`, and how the process sees it. NULL: its messages cannot be
 * followed: its processes are not known, or, of an intercommunicator, one of its groups. */
const struct bob_late_comm *bob_late_comm_of(struct bob_mpi_late *l, uint32_t process,
					     uint64_t number, const struct bob_mpi_comm **own);
/* The process of a rank of it; ~0: none that was recorded, or that can be followed. */
uint32_t bob_late_peer(const struct bob_mpi_late *l, const struct bob_late_comm *c, uint64_t rank);

/* --- late_match.c --- */

struct bob_late_receive;	/* posted; and the list of those whose channel is not known yet */

struct bob_late_posted {
	struct bob_late_receive *first, *last;
};

struct bob_late_slot {		/* of a channel: one message */
	struct bob_late_site from;
	uint64_t sent_ns;
	struct bob_late_wait *wait;
	uint8_t sent, received, unclaimed;
};

struct bob_late_channel {
	/* receives of it that are not complete, in the order of their numbers */
	struct bob_late_posted settled;
	struct bob_late_slot *slot; /* a ring; those before `base` are done */
	uint64_t base, sends, receives;
	size_t capacity;		/* a power of two */
};

/* A receive of `source` (rank in MPI_COMM_WORLD, or ANY) and `tag` is posted. NULL: no memory. */
struct bob_late_receive *bob_late_post(struct bob_mpi_late *l, uint32_t process, uint32_t comm,
				       uint64_t source, uint64_t tag);
/* It got that message, in the call (NULL: in an unknown one). The receive is freed. */
void bob_late_receive(struct bob_mpi_late *l, struct bob_late_receive *r, uint64_t source,
		      uint64_t tag, struct bob_late_wait *w);
/* MPI_Cancel was called for it: it gets its message or none, which is known when it is complete. */
void bob_late_cancel(struct bob_mpi_late *l, struct bob_late_receive *r);
/* It got something that is not followed, or nothing. */
void bob_late_ignore(struct bob_mpi_late *l, struct bob_late_receive *r);
/* What it got stays unknown; `ends`: and nothing follows it. */
void bob_late_forget(struct bob_mpi_late *l, struct bob_late_receive *r, int ends);
void bob_late_send(struct bob_mpi_late *l, const struct bob_late_call *c, uint32_t comm,
		   uint32_t to, uint64_t tag);
void bob_late_waited(struct bob_mpi_late *l, struct bob_late_wait *w);
/* All calls have been read. */
void bob_late_match_end(struct bob_mpi_late *l);

/* --- late_all.c --- */

void bob_late_all_end(struct bob_mpi_late *l);

/* --- late.c --- */

struct bob_late_process {
	struct bob_mpi_objects *objects;
	uint64_t uncertainty_ns;
	uint32_t rank;		/* in MPI_COMM_WORLD; ~0: not known */
	int doubtful;		/* its messages cannot be followed any more ... */
	int deaf;		/* ... what it receives cannot, what it sends can */
	uint64_t posts;		/* receives */
	struct bob_late_posted posted;
};

struct bob_mpi_late {
	const struct bob_trace *trace;
	struct bob_late_process *process;
	uint32_t processes;
	uint32_t *process_of;	/* by rank; ~0: none */
	uint32_t ranks;
	struct bob_mpi_places *places;
	struct bob_late_map comms, comm_numbers, collectives, requests, channels, instances, rows,
		causes;
	uint32_t comm_count;
	struct bob_mpi_late_row *row; /* sorted copies */
	size_t row_count;
	struct bob_mpi_late_cause *cause;
	struct bob_mpi_late_sum sum;
	int no_memory;
};

/* late_rows.c */
void bob_late_rows_finish(struct bob_mpi_late *l);
void bob_late_map_free(struct bob_late_map *m, void (*release)(void *value));

#endif
