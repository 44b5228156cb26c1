/* SPDX-License-Identifier: BSD-3-Clause */
/* Internal to the files of late.h:
 *
 *   late.c          calls of all threads, merged by time
 *   late_calls.c    interpretation of calls; late_comms.c: of communicators
 *   late_match.c    messages: receives of each process, channels between two processes
 *   late_all.c      collective calls
 *   late_rows.c     results: rows, causes; maps with two keys */
#ifndef BOB_ANALYSIS_MPI_LATE_PRIVATE_H
#define BOB_ANALYSIS_MPI_LATE_PRIVATE_H

#include "analysis/mpi/late.h"
#include "base/host/map.h"

#define BOB_LATE_ANY ((uint64_t)-1)	/* MPI_ANY_SOURCE, MPI_ANY_TAG */

/* --- late_rows.c: maps from pairs of numbers --- */

struct bob_late_entry {
	uint64_t key[2];
	void *value;
};

struct bob_late_map {
	BOB_MAP(struct bob_late_entry);
};

/* NULL: not found. */
void *bob_late_map_get(const struct bob_late_map *m, uint64_t a, uint64_t b);
/* The key must be new and `value` not NULL. Returns 0 if memory is exhausted. */
int bob_late_map_put(struct bob_late_map *m, uint64_t a, uint64_t b, void *value);
void bob_late_map_drop(struct bob_late_map *m, uint64_t a, uint64_t b);

/* --- calls --- */

struct bob_late_site {
	const struct bob_mpi_function *function;
	uint32_t path;
	uint32_t process;
};

struct bob_late_call {
	struct bob_late_site site;
	uint64_t begin_ns,
		end_ns; /* on the clock of rank 0; end: UINT64_MAX if it did not return */
};

/* A call that receives messages, until all of them are matched; or a collective call. */
struct bob_late_wait {
	struct bob_late_call call;
	uint32_t pending;	/* messages, + 1 while the call is being processed */
	uint64_t lost_ns;
	struct bob_late_site cause; /* of lost_ns */
};

struct bob_mpi_late;

/* Adds waiting time: the call `w` waited for `from`, which began at from_ns. */
void bob_late_judge(struct bob_mpi_late *l, struct bob_late_wait *w,
		    const struct bob_late_site *from, uint64_t from_ns);
/* Adds the completed wait to the rows. */
void bob_late_done(struct bob_mpi_late *l, const struct bob_late_wait *w);

/* --- late_comms.c --- */

struct bob_late_comm {		/* an intercommunicator as seen by one of its groups */
	const uint32_t *member;	/* ranks in MPI_COMM_WORLD; of an intercommunicator: of the remote
				 * group */
	const uint32_t *local;	/* of an intercommunicator: the own group; otherwise NULL */
	uint32_t members, locals, ordinal;
	uint32_t number;	/* equal for both groups */
};

/* The process's communicator `number`; *own: the process's description of it. NULL: its messages
 * cannot be matched, because its members, or a group of the intercommunicator, are unknown. */
const struct bob_late_comm *bob_late_comm_of(struct bob_mpi_late *l, uint32_t process,
					     uint64_t number, const struct bob_mpi_comm **own);
/* The process of a rank in `c`; ~0: not recorded, or its messages cannot be matched. */
uint32_t bob_late_peer(const struct bob_mpi_late *l, const struct bob_late_comm *c, uint64_t rank);

/* --- late_match.c --- */

struct bob_late_receive;	/* list of posted receives */

struct bob_late_posted {
	struct bob_late_receive *first, *last;
};

struct bob_late_slot {		/* one message of a channel */
	struct bob_late_site from;
	uint64_t sent_ns;
	struct bob_late_wait *wait;
	uint8_t sent, received, unclaimed;
};

struct bob_late_channel {
	/* settled receives that are not complete, by number */
	struct bob_late_posted settled;
	struct bob_late_slot *slot; /* ring buffer; messages before `base` are done */
	uint64_t base, sends, receives;
	size_t capacity;		/* power of two */
};

/* Posts a receive of `source` (rank in MPI_COMM_WORLD, or ANY) and `tag`. NULL: no memory. */
struct bob_late_receive *bob_late_post(struct bob_mpi_late *l, uint32_t process, uint32_t comm,
				       uint64_t source, uint64_t tag);
/* Completes the receive with that message in the call `w`. The receive is freed. */
void bob_late_receive(struct bob_mpi_late *l, struct bob_late_receive *r, uint64_t source,
		      uint64_t tag, struct bob_late_wait *w);
/* MPI_Cancel was called: its completion shows whether it gets a message. */
void bob_late_cancel(struct bob_mpi_late *l, struct bob_late_receive *r);
/* Completes the receive without a matched message. */
void bob_late_ignore(struct bob_mpi_late *l, struct bob_late_receive *r);
/* The result of the receive stays unknown; `ends`: no further calls of the process follow. */
void bob_late_forget(struct bob_mpi_late *l, struct bob_late_receive *r, int ends);
void bob_late_send(struct bob_mpi_late *l, const struct bob_late_call *c, uint32_t comm,
		   uint32_t to, uint64_t tag);
void bob_late_waited(struct bob_mpi_late *l, struct bob_late_wait *w);
/* All calls have been read: ends all channels. */
void bob_late_match_end(struct bob_mpi_late *l);

/* --- late_all.c --- */

void bob_late_all_end(struct bob_mpi_late *l);

/* --- late.c --- */

struct bob_late_process {
	struct bob_mpi_objects *objects;
	uint64_t uncertainty_ns;
	uint32_t rank;		/* in MPI_COMM_WORLD; ~0: unknown */
	int doubtful;		/* its messages can no longer be matched */
	int deaf;		/* its receives can no longer be matched, its sends can */
	uint64_t posts;		/* number of posted receives */
	struct bob_late_posted posted;
};

struct bob_mpi_late {
	const struct bob_trace *trace;
	struct bob_late_process *process;
	uint32_t processes;
	uint32_t *process_of;	/* process by rank; ~0: none */
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
