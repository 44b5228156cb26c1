/* SPDX-License-Identifier: BSD-3-Clause */
/* Internal interfaces between the files of the shim. They are listed per file. */
#ifndef BOB_MPI_RECORDER_H
#define BOB_MPI_RECORDER_H

#include "archive/events/mpi_choice.h"
#include "events/recorder.h"
#include "mpi/predefined.h"
#include "mpi/shim.h"

/* --- start.c --- */
/* Idempotent: a library that calls MPI in its constructor may come before the shim's
 * constructor. */
void bob_mpi_start(void);
/* Whether MPI calls are recorded: the agent is loaded, and its settings request it. */
extern bool bob_mpi_is_recorded;
/* How calls of a function are treated, by its number: enum bob_mpi_how. */
extern uint8_t bob_mpi_how[BOB_MPI_NUMBERS];

/* --- tools.c --- Number + 1 of the function whose definition by a PMPI tool before the shim
 * contains this return address; 0: none. */
uint32_t bob_mpi_tool_at(uint64_t ip);
bool bob_mpi_has_tools(void);	/* that precede the shim */

/* --- life.c --- Rank in MPI_COMM_WORLD; false: MPI is not initialised. */
bool bob_mpi_own_rank(uint32_t *rank);

/* --- spawn.c --- In MPI_Init: records which group started this process, if MPI_Comm_spawn did. */
void bob_mpi_was_spawned(void);

/* --- members.c --- */
/* Ranks in MPI_COMM_WORLD of the `n` processes of a communicator's local group; negative: not a
 * member. `scratch` and `found` have n elements. */
bool bob_mpi_world_ranks(MPI_Comm comm, int n, int *scratch, int *found);
/* Registers the remote group of an MPI_Comm_spawn, and records it in the trace. */
void bob_mpi_others_add(MPI_Comm comm, uint64_t token, bool is_started);

/* --- clocks.c --- On every rank, where the tool's own communicator is open. `when` as in struct
 * bob_rec_clock. */
void bob_mpi_clocks(uint32_t when);
uint64_t bob_mpi_test_shift_ns(void);

/* --- call.c --- */
/* Ends a part of the calling thread's stream and completes it in the file. `c` is the open call,
 * which continues in the next part; NULL: none. */
void bob_mpi_part(struct bob_mpi_call *c);

/* --- ranks.c --- */
/* On every rank, within MPI_Finalize, before the shim gives up any of MPI: sends value sets of
 * hooks to rank 0, and merges the recorded files into one. `c` is the record of MPI_Finalize (NULL:
 * not recorded). Bounded by timeouts, whatever other ranks do. Preserves errno. */
void bob_mpi_unite(struct bob_mpi_call *c);
/* For the calling thread, inside an MPI call of the program or not. NULL: there is no transport
 * (any more), or the thread may not call MPI. */
const struct bob_transport *bob_mpi_transport(bool in_call);

/* --- hooks.c --- */
void bob_mpi_hooks_before(struct bob_mpi_call *c);
void bob_mpi_hooks_leave(struct bob_mpi_call *c);

/* --- layout.c: layout of the words of a function's events --- */
const struct bob_event_layout *bob_mpi_layout(uint32_t function);

/* --- handle_numbers.c --- */
/* Numbers the predefined handles. */
void bob_mpi_predefine(void); /* handles.c */
MPI_Comm bob_mpi_world(void); /* communicators.c */
bool bob_mpi_is_inter(MPI_Comm comm); /* communicators.c */
/* Sets a handle's number, replacing an older one. False: out of memory. */
bool bob_mpi_numbers_set(enum bob_mpi_kind kind, uint64_t handle, uint64_t number);
/* Counts another return of the handle: *number becomes its number. False: it has none. */
bool bob_mpi_numbers_share(enum bob_mpi_kind kind, uint64_t handle, uint64_t *number);
/* As share, but also sets the bits `mark` in an existing number, or else adds *number. False: out
 * of memory, or *number is 0. */
bool bob_mpi_numbers_add(enum bob_mpi_kind kind, uint64_t handle, uint64_t *number, uint64_t mark);
/* As get, and drops one reference, unless the number is 0. */
bool bob_mpi_numbers_take(enum bob_mpi_kind kind, uint64_t handle, uint64_t *number);
bool bob_mpi_numbers_get(enum bob_mpi_kind kind, uint64_t handle, uint64_t *number);
/* Drops one reference, unless the handle has another number now. */
void bob_mpi_numbers_drop(enum bob_mpi_kind kind, uint64_t handle, uint64_t number);

#endif
