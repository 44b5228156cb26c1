/* SPDX-License-Identifier: BSD-3-Clause */
/* Private to the shim's run time: threads, places, numbers. */
#ifndef BOB_MPI_RECORDER_H
#define BOB_MPI_RECORDER_H

#include "agent/streams.h"
#include "archive/event_write.h"
#include "archive/exact_write.h"
#include "archive/mpi_choice.h"
#include "archive/time_write.h"
#include "mpi/predefined.h"
#include "mpi/shim.h"

/* --- start.c --- */
/* The agent; NULL: nothing is recorded. */
extern const struct bob_agent_streams *bob_mpi_agent;
/* What is done about a function, by its number: enum bob_mpi_how. */
extern uint8_t bob_mpi_how[BOB_MPI_NUMBERS];
/* How far what is recorded is worked on, BOBBIN_MPI_LEVEL: rank: not merged with other ranks'; flat: not even folded. */
enum bob_mpi_level { BOB_MPI_LEVEL_FLAT, BOB_MPI_LEVEL_RANK, BOB_MPI_LEVEL_ALL };
extern enum bob_mpi_level bob_mpi_level;
/* Zeroed pages, never freed but by bob_mpi_unmap; NULL: none. They are not swapped in before they are touched. */
void *bob_mpi_map(size_t bytes);
void bob_mpi_unmap(void *p, size_t bytes);
uint64_t bob_mpi_now_ns(void);

/* --- life.c --- */
/* A record of `len` bytes, at most BOB_MPI_RECORD_MAX, for the process's META; nothing if the file has no room. */
#define BOB_MPI_RECORD_MAX 64u
void bob_mpi_put_record(enum bob_record_kind kind, const void *body, uint32_t len);

/* --- thread.c --- */
struct bob_mpi_sites;
struct bob_mpi_thread {
	volatile uint64_t alive; /* alone on a page that a fork child finds wiped */
	uint8_t rest_of_page[4096 - 8];
	struct bob_event_writer *writer;
	void *work;		/* what it works in */
	struct bob_mpi_sites *sites;
	uint32_t requests;	/* made by this thread */
	uint32_t number;	/* of the thread among those that call MPI */
	uint64_t nowhere[BOB_MPI_FIXED_WORDS]; /* words of calls that are followed */
	struct kept *kept;	/* call.c */
	uint64_t kept_used;
	struct bob_times *times; /* NULL: they are not wanted, or there is no memory */
	uint32_t before;	/* definition of the newest call */
	uint64_t end_ns;	/* of it */
	bool is_exact;		/* each call's times are kept as well */
	struct bob_exact exact;
	bool places;		/* events have a place among calls or memory accesses */
	uint64_t unplaced;	/* so many since the last one have none */
};
/* The calling thread's; NULL: it is not recorded. */
struct bob_mpi_thread *bob_mpi_thread(void);
/* Is each call's begin and end to be kept (--time=exact:mpi)? There is an agent. */
bool bob_mpi_time_is_exact(void);
/* No more can be recorded of it: the trace says why. */
void bob_mpi_thread_stop(bob_status why);

/* --- clocks.c --- on every rank, where the tool's own communicator is open. `when`: of struct bob_rec_clock */
void bob_mpi_clocks(uint32_t when);
uint64_t bob_mpi_test_shift_ns(void);

/* --- call.c --- memory of bob_mpi_keep: a new call has none yet; the thread has ended */
void bob_mpi_keep_begin(struct bob_mpi_thread *t);
void bob_mpi_keep_end(struct bob_mpi_thread *t);
/* What the calling thread has recorded so far is a part of its own, and complete in the file. `c` is under way, and stays so; NULL: none is. */
void bob_mpi_part(struct bob_mpi_call *c);

/* --- site.c --- */
struct bob_mpi_sites *bob_mpi_sites_open(void);
void bob_mpi_sites_close(struct bob_mpi_sites *s);
/* The number of the definition of `function`, called from there, and where the caller's own return address lies (0: not
 * known). BOB_NONE: MPI's Fortran library calls it for itself. BOB_ERR_FULL: nothing more can be recorded. */
bob_status bob_mpi_site(struct bob_mpi_thread *t, uint32_t function, const void *caller,
			const void *cfa, uint32_t *number, uint64_t *frame);

/* --- layout.c: how the words of a function's events lie --- */
const struct bob_event_layout *bob_mpi_layout(uint32_t function);

/* --- numbers.c --- */
/* Numbers of what MPI has from the start. */
void bob_mpi_predefine(void); /* handles.c */
MPI_Comm bob_mpi_world(void); /* comms.c */
bool bob_mpi_is_off(void); /* life.c: by MPI_Pcontrol */
/* A number for a handle, whatever it had; found again by it. False: no memory. */
bool bob_mpi_numbers_set(enum bob_mpi_kind kind, uint64_t handle, uint64_t number);
/* The handle has been given out once more: *number is what it has. False: it has none. */
bool bob_mpi_numbers_share(enum bob_mpi_kind kind, uint64_t handle, uint64_t *number);
/* The same, and what has one gets the bits `mark` besides. False: no memory, or *number is 0. */
bool bob_mpi_numbers_add(enum bob_mpi_kind kind, uint64_t handle, uint64_t *number, uint64_t mark);
/* As get, and drops it once, unless the number is 0. */
bool bob_mpi_numbers_take(enum bob_mpi_kind kind, uint64_t handle, uint64_t *number);
bool bob_mpi_numbers_get(enum bob_mpi_kind kind, uint64_t handle, uint64_t *number);
/* Once for each time it was given out; not if it has another number now. */
void bob_mpi_numbers_drop(enum bob_mpi_kind kind, uint64_t handle, uint64_t number);

#endif
