/* SPDX-License-Identifier: BSD-3-Clause */
/* Private to the shim's run time. */
#ifndef BOB_MPI_RECORDER_H
#define BOB_MPI_RECORDER_H

#include "archive/events/mpi_choice.h"
#include "events/recorder.h"
#include "mpi/predefined.h"
#include "mpi/shim.h"

/* --- start.c --- */
/* Once, by the first caller: a library that calls MPI in its constructor may come before the
 * shim's. */
void bob_mpi_start(void);
/* MPI is recorded: there is an agent, and it wants that. */
extern bool bob_mpi_is_recorded;
/* What is done about a function, by its number: enum bob_mpi_how. */
extern uint8_t bob_mpi_how[BOB_MPI_NUMBERS];

/* --- tools.c --- the function, + 1, whose definition by a tool before the shim has the instruction
 * at this return address; 0: none */
uint32_t bob_mpi_tool_at(uint64_t ip);
bool bob_mpi_has_tools(void);	/* that lie before us */

/* --- life.c --- in MPI_COMM_WORLD; false: MPI has not begun */
bool bob_mpi_own_rank(uint32_t *rank);

/* --- spawn.c --- in MPI_Init: who started this process, if MPI_Comm_spawn did */
void bob_mpi_was_spawned(void);

/* --- members.c --- */
/* The ranks in MPI_COMM_WORLD of the `n` processes of a communicator's own group; negative: not in
 * it. `scratch` and `found` have n elements. */
bool bob_mpi_world_ranks(MPI_Comm comm, int n, int *scratch, int *found);
/* The other side of what MPI_Comm_spawn made is known from now on, to the trace as well. */
void bob_mpi_others_add(MPI_Comm comm, uint64_t token, bool is_started);

/* --- clocks.c --- on every rank, where the tool's own communicator is open. `when`: of struct
 * bob_rec_clock */
void bob_mpi_clocks(uint32_t when);
uint64_t bob_mpi_test_shift_ns(void);

/* --- call.c --- */
/* What the calling thread has recorded so far is a part of its own, and complete in the file. `c`
 * is under way, and stays so; NULL: none is. */
void bob_mpi_part(struct bob_mpi_call *c);

/* --- ranks.c --- */
/* On every rank, within MPI_Finalize, of which `c` is the record (NULL: it has none), and before
 * anything of MPI is given up: value sets of hooks go to rank 0, what is recorded into one file. In
 * bounded time, whatever other ranks do. errno stays. */
void bob_mpi_unite(struct bob_mpi_call *c);
/* For the calling thread, which is in a call of the program's or not; NULL: there is none (any
 * more), or it may not call MPI. */
const struct bob_transport *bob_mpi_transport(bool in_call);

/* --- hooks.c --- */
void bob_mpi_hooks_before(struct bob_mpi_call *c);
void bob_mpi_hooks_leave(struct bob_mpi_call *c);

/* --- layout.c: how the words of a function's events lie --- */
const struct bob_event_layout *bob_mpi_layout(uint32_t function);

/* --- numbers.c --- */
/* Numbers of what MPI has from the start. */
void bob_mpi_predefine(void); /* handles.c */
MPI_Comm bob_mpi_world(void); /* comms.c */
bool bob_mpi_is_inter(MPI_Comm comm); /* comms.c */
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
