/* SPDX-License-Identifier: BSD-3-Clause */
/* Interface between the generated wrappers of MPI functions and the shim.
 *
 *   functions.txt  every function and the roles of its parameters: the meaning of an event's words
 *   generate.py    generates wrappers from it and from mpi.h
 *   call.c         records one call; the recorder itself is src/events
 *   handles.c      numbers of communicators, datatypes, ...; requests.c of requests;
 *                  handle_numbers.c the table of numbers
 *   constants.c    words of plain values; argument_words.c of vectors and texts; layout.c
 *                  layout of words
 *   communicators.c  queries of communicators and types; members.c members of a communicator
 *   next.c         finds the next definition of a function
 *   private.c      the tool's own communicator
 *   spawn.c        MPI_Comm_spawn: makes the agent record the started programs
 *   life.c         Init, Finalize, Pcontrol; start.c constructor of the library
 *   fortran.c      Fortran entry points that call no C function; pcontrol.c variable arguments
 *
 * A wrapper defines both MPI_X and PMPI_X. Fortran entry points, and PMPI tools that precede the
 * shim, call one or the other; calls of a thread that is already in a wrapper are not recorded (its
 * *depth*). So each call is recorded once, as the program made it. The wrapper calls the next
 * definition of the same name, so tools after the shim see every call. Arguments are passed on
 * unchanged, except for statuses that the program ignores.
 *
 * docs/mpi.md specifies an event: words of input parameters in the order of functions.txt, the
 * function's result, words of output parameters, then the elements of all vectors.
 *
 * Compiled once per MPI, with its mpi.h. Threads: a call belongs to its thread. */
#ifndef BOB_MPI_SHIM_H
#define BOB_MPI_SHIM_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "events/recorder.h"

/* A call in progress; on the wrapper's stack. */
struct bob_mpi_call {
	struct bob_ev_event e;
	bool silent;		/* followed, not recorded */
	uint64_t hooks;		/* bit set of hooks to call: events/hooks.h */
	bool passed;		/* not recorded; nested calls are MPI's own, not the program's */
};

/* The caller of a wrapper: its return address and canonical frame address. */
#define BOB_MPI_HERE __builtin_return_address(0), __builtin_dwarf_cfa()

/* The next definition of `name`, a function that the shim wraps. Never NULL: where MPI lacks it,
 * returns a function that fails. */
void *bob_mpi_next(const char *name);

/* False: the call is not recorded (recording is off, the function is not selected, or the thread is
 * in another call); the wrapper makes the call and then calls bob_mpi_passed. True: the call is
 * recorded until bob_mpi_leave, with space for BOB_EV_FIXED_WORDS; or it is only followed
 * (archive/events/mpi_choice.h), and all words put are discarded. */
bool bob_mpi_enter(struct bob_mpi_call *c, uint32_t function, const void *caller, const void *cfa);
static inline void bob_mpi_passed(const struct bob_mpi_call *c)
{
	if (c->passed)
		bob_ev_depth = 0;
}

/* Elements of input vectors are put twice: before the call, after the space of all fixed words
 * (`words`), so that a call that never returns has them; and after the call, at their final place.
 * `back` takes the result of `ahead`. */
uint32_t bob_mpi_ahead(struct bob_mpi_call *c, uint32_t words);
void bob_mpi_back(struct bob_mpi_call *c, uint32_t in);
/* Called directly before and directly after the MPI function. */
void bob_mpi_before(struct bob_mpi_call *c);
void bob_mpi_after(struct bob_mpi_call *c, int result);
void bob_mpi_leave(struct bob_mpi_call *c);

/* Reserves space for `more` words, which must be filled by bob_mpi_put. Fails without memory. May
 * move the record. */
void bob_mpi_more(struct bob_mpi_call *c, uint32_t more);

static inline void bob_mpi_put(struct bob_mpi_call *c, uint64_t word)
{
	if (__builtin_expect(c->e.words == c->e.capacity, 0))
		bob_mpi_more(c, 1);
	c->e.word[c->e.words++] = word;
}

/* Puts one of the fixed words, which precede all elements of vectors; space for them is
 * reserved. */
static inline void bob_mpi_fix(struct bob_mpi_call *c, uint64_t word)
{
	c->e.word[c->e.words++] = word;
}

/* --- words of parameters: see the roles in functions.txt --- */

uint64_t bob_mpi_buf(const void *p);
uint64_t bob_mpi_rank(int rank);
uint64_t bob_mpi_tag(int tag);
uint64_t bob_mpi_comm(MPI_Comm h);
uint64_t bob_mpi_group(MPI_Group h);
uint64_t bob_mpi_type(MPI_Datatype h);
uint64_t bob_mpi_op(MPI_Op h);
uint64_t bob_mpi_win(MPI_Win h);
uint64_t bob_mpi_file(MPI_File h);
uint64_t bob_mpi_errh(MPI_Errhandler h);
uint64_t bob_mpi_info(MPI_Info h);
uint64_t bob_mpi_message(MPI_Message h);
/* A session by its bytes, in an MPI that has sessions. */
uint64_t bob_mpi_session(uint64_t h);
uint64_t bob_mpi_keyval(int keyval);
uint64_t bob_mpi_function(const void *f); /* a callback of the program: its position in the code */
uint64_t bob_mpi_pointer(const void *p);
/* A constant, and a set of constants; `role` is the parameter's
 * (archive/events/mpi_functions.h). */
uint64_t bob_mpi_code(uint32_t role, int value);
uint64_t bob_mpi_bits(uint32_t role, int value);

/* Handles that the call created: assigns a number. */
uint64_t bob_mpi_new_comm(struct bob_mpi_call *c, MPI_Comm h);
/* Size of a new communicator (the remote group's, for an intercommunicator; 0: unknown, or the null
 * handle), and the ranks of its processes in MPI_COMM_WORLD, one element each. */
uint64_t bob_mpi_members(struct bob_mpi_call *c, MPI_Comm h);
void bob_mpi_put_members(struct bob_mpi_call *c, MPI_Comm h);
uint64_t bob_mpi_type_size(MPI_Datatype h);
uint64_t bob_mpi_new_group(MPI_Group h);
uint64_t bob_mpi_new_type(MPI_Datatype h);
uint64_t bob_mpi_new_op(MPI_Op h);
uint64_t bob_mpi_new_win(MPI_Win h);
uint64_t bob_mpi_new_file(MPI_File h);
uint64_t bob_mpi_new_errh(MPI_Errhandler h);
uint64_t bob_mpi_new_info(MPI_Info h);
uint64_t bob_mpi_new_message(MPI_Message h);
uint64_t bob_mpi_new_session(uint64_t h);
uint64_t bob_mpi_new_keyval(int keyval);
/* Handles that the call may have released (set to the null handle): `was` is the handle before the
 * call, `word` its word. Returns the word of the handle after the call. */
uint64_t bob_mpi_left_comm(MPI_Comm was, MPI_Comm now, uint64_t word);
uint64_t bob_mpi_left_group(MPI_Group was, MPI_Group now, uint64_t word);
uint64_t bob_mpi_left_type(MPI_Datatype was, MPI_Datatype now, uint64_t word);
uint64_t bob_mpi_left_op(MPI_Op was, MPI_Op now, uint64_t word);
uint64_t bob_mpi_left_win(MPI_Win was, MPI_Win now, uint64_t word);
uint64_t bob_mpi_left_file(MPI_File was, MPI_File now, uint64_t word);
uint64_t bob_mpi_left_errh(MPI_Errhandler was, MPI_Errhandler now, uint64_t word);
uint64_t bob_mpi_left_info(MPI_Info was, MPI_Info now, uint64_t word);
uint64_t bob_mpi_left_message(MPI_Message was, MPI_Message now, uint64_t word);
uint64_t bob_mpi_left_session(uint64_t was, uint64_t now, uint64_t word);
uint64_t bob_mpi_left_keyval(int was, int now, uint64_t word);

/* Requests: the word is relative to the thread's newest request, see requests.c. `receives`: its
 * status is meaningful. */
uint64_t bob_mpi_request(MPI_Request h);
uint64_t bob_mpi_new_request(MPI_Request h, bool receives);

/* A request that the call may complete. It is taken out of the table before the call, because MPI
 * may give the handle to another thread before the call returns; if it is still active after the
 * call, it is put back. */
struct bob_mpi_was {
	MPI_Request request;
	bool receives;
	uint64_t word;
	uint64_t number;	/* as in the table, see requests.c */
};

struct bob_mpi_was bob_mpi_take_request(MPI_Request h);
void bob_mpi_left_request(const struct bob_mpi_was *was, MPI_Request now);

/* --- statuses and vectors --- */

/* Puts three words: source, tag, bytes; zeros unless `says_something`. */
void bob_mpi_status(struct bob_mpi_call *c, const MPI_Status *s, bool says_something);
/* Status of a request. If it was cancelled, puts the words of a message from MPI_PROC_NULL,
 * whatever MPI leaves in the status. */
void bob_mpi_request_status(struct bob_mpi_call *c, const MPI_Status *s, bool receives);
uint64_t
bob_mpi_status_bytes(const MPI_Status *s); /* of a file operation, the only defined field */
bool bob_mpi_receives(MPI_Request h);
/* Scratch memory of the thread, for outputs that the program ignores and for values before the
 * call; valid until bob_mpi_leave. NULL: out of memory; the parameter is then recorded as an empty
 * vector. */
void *bob_mpi_keep(struct bob_mpi_call *c, uint64_t count, uint64_t size);

/* Number of processes for which a vector of this communicator has an element each. */
uint64_t bob_mpi_peers(MPI_Comm comm); /* size of the remote group, for an intercommunicator */
uint64_t bob_mpi_ranks(MPI_Comm comm); /* size of the local group */
uint64_t bob_mpi_sources(MPI_Comm comm); /* neighbours in its topology; 0 without one */
uint64_t bob_mpi_destinations(MPI_Comm comm);
/* Own rank, and whether it is `root` (for an intercommunicator: whether root is MPI_ROOT). */
uint64_t bob_mpi_me(MPI_Comm comm);
bool bob_mpi_at(MPI_Comm comm, int root);
/* Sizes of topologies; 0 without one. */
uint64_t bob_mpi_dims(MPI_Comm comm);
uint64_t bob_mpi_nodes(MPI_Comm comm);
uint64_t bob_mpi_edges(MPI_Comm comm);
uint64_t bob_mpi_neighbors(MPI_Comm comm, int rank);
/* False for MPI_UNWEIGHTED and MPI_WEIGHTS_EMPTY, which are no arrays. */
bool bob_mpi_weighted(const int *weights);
/* Sizes of a type's contents: MPI_Type_get_envelope, and its _c variant where MPI has it. */
uint64_t bob_mpi_integers(MPI_Datatype h);
uint64_t bob_mpi_addresses(MPI_Datatype h);
uint64_t bob_mpi_datatypes(MPI_Datatype h);
uint64_t bob_mpi_integers_c(MPI_Datatype h);
uint64_t bob_mpi_addresses_c(MPI_Datatype h);
uint64_t bob_mpi_large_counts_c(MPI_Datatype h);
uint64_t bob_mpi_datatypes_c(MPI_Datatype h);

/* --- actions at particular functions --- */

/* Directly before and after MPI_Init and MPI_Init_thread; directly before MPI_Finalize. In every
 * call, recorded or not. */
void bob_mpi_starting(void);
void bob_mpi_started(int result);
void bob_mpi_finishing(struct bob_mpi_call *c); /* NULL: not recorded */
void bob_mpi_control(int level); /* MPI_Pcontrol */

/* MPI_Comm_spawn and MPI_Comm_spawn_multiple: the wrapper calls MPI between these two, with
 * `command` and `argv` in place of the program's arguments, unless they are NULL. Arguments matter
 * at the root only. */
struct bob_mpi_spawn {
	uint64_t token;		/* 0: not recorded */
	uint32_t count;
	char **command, ***argv; /* NULL, or NULL elements: the program's own */
	char ***owned;
};
void bob_mpi_spawning(struct bob_mpi_spawn *s, int count, char *const *command, char **const *argv,
		      const MPI_Info *info, int root, MPI_Comm comm);
void bob_mpi_spawned(struct bob_mpi_spawn *s, int result, MPI_Comm made);

#endif
