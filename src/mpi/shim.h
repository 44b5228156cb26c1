/* SPDX-License-Identifier: BSD-3-Clause */
/* What the generated wrappers of MPI functions call, and the parts of the shim that does the rest.
 *
 *   functions.txt  every function and what its parameters are: the meaning of an event's words
 *   generate.py    wrappers from it and from an mpi.h
 *   call.c         one call; what records it is src/events
 *   handles.c      communicators, datatypes, ... by number; requests.c requests; numbers.c their table
 *   values.c       words of what is no handle; words.c of vectors and texts; layout.c how an event's words lie
 *   comms.c        what MPI is asked: sizes, topologies; members.c who is in a communicator
 *   next.c         the function that a call reaches without the shim
 *   private.c      the tool's own communicator
 *   spawn.c        MPI_Comm_spawn: what it starts is recorded, too
 *   life.c         Init, Finalize, Pcontrol; start.c the library is loaded
 *   fortran.c      entry points of Fortran that call nothing in C; pcontrol.c the one function with arguments of any number
 *
 * A wrapper defines both MPI_X and PMPI_X. Fortran's entry points call one or the other, and so
 * does another tool that lies before us; a thread that is in a wrapper already is not recorded (its
 * *depth*), so each call is recorded once, as it came from the program. What is called then is the
 * next definition of the same name: tools after the shim see everything. Arguments are passed on
 * as they are, but for statuses that the program ignores.
 *
 * An event is what docs/mpi.md says: first words for the parameters that go in, in the order of
 * functions.txt, then what the function returned, then those that come out; elements of vectors
 * after them all.
 *
 * Built once for each MPI, with its mpi.h. Threads: a call belongs to its thread. */
#ifndef BOB_MPI_SHIM_H
#define BOB_MPI_SHIM_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "events/recorder.h"

/* A call that is being recorded; on the wrapper's stack. */
struct bob_mpi_call {
	struct bob_ev_event e;
	bool silent;		/* it is followed, not recorded */
	uint64_t hooks;		/* that are called at it: events/hooks.h */
	bool passed;		/* neither, but what MPI calls in it is not the program's */
};

/* Where a wrapper was called: its return address and canonical frame address. */
#define BOB_MPI_HERE __builtin_return_address(0), __builtin_dwarf_cfa()

/* The next definition of `name`, which is that of the wrapper; never NULL: where MPI has no such
 * function, one that fails. */
void *bob_mpi_next(const char *name);

/* False: the call is not recorded (nothing is, it was not chosen, or the thread is in another one)
 * and must just be made, and bob_mpi_passed called after it. True: it is recorded up to
 * bob_mpi_leave, with space for BOB_EV_FIXED_WORDS. It may be that it is only followed
 * (archive/events/mpi_choice.h): then nothing that is put is kept. */
bool bob_mpi_enter(struct bob_mpi_call *c, uint32_t function, const void *caller, const void *cfa);
static inline void bob_mpi_passed(const struct bob_mpi_call *c)
{
	if (c->passed)
		bob_ev_depth = 0;
}

/* Elements of vectors that go in are put twice: before the call, after all fixed words of the
 * event (`words`), so that they are known of a call that never ends; and where all others are.
 * `ahead` returns what `back` takes when they have been put. */
uint32_t bob_mpi_ahead(struct bob_mpi_call *c, uint32_t words);
void bob_mpi_back(struct bob_mpi_call *c, uint32_t in);
/* Directly before and directly after the call itself. */
void bob_mpi_before(struct bob_mpi_call *c);
void bob_mpi_after(struct bob_mpi_call *c, int result);
void bob_mpi_leave(struct bob_mpi_call *c);

/* Makes space for `more` words, which have to be put by bob_mpi_put. It may fail. The record may
 * move. */
void bob_mpi_more(struct bob_mpi_call *c, uint32_t more);

static inline void bob_mpi_put(struct bob_mpi_call *c, uint64_t word)
{
	if (__builtin_expect(c->e.words == c->e.capacity, 0))
		bob_mpi_more(c, 1);
	c->e.word[c->e.words++] = word;
}

/* One of an event's words that are not elements of vectors: they come first, and there is space for
 * them. */
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
/* Of a session, where there are any: by its bytes. */
uint64_t bob_mpi_session(uint64_t h);
uint64_t bob_mpi_keyval(int keyval);
uint64_t bob_mpi_function(const void *f); /* a callback of the program: its place */
uint64_t bob_mpi_pointer(const void *p);
/* A constant, and several in one; `role` is that of the parameter
 * (archive/events/mpi_functions.h). */
uint64_t bob_mpi_code(uint32_t role, int value);
uint64_t bob_mpi_bits(uint32_t role, int value);

/* Handles that the call made: they get a number. */
uint64_t bob_mpi_new_comm(struct bob_mpi_call *c, MPI_Comm h);
/* How many processes a new communicator has, remote ones if it is an intercommunicator (0: not
 * known, or the null handle), and their ranks in MPI_COMM_WORLD: as many elements. */
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
/* Handles that the call may have taken away (set to the null handle): `was` is the handle before
 * the call, `word` its word. Returns the word for the handle that is there now. */
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

/* Requests: how many have been made since (0: the newest), see requests.c. `receives`: a status of
 * it says something. */
uint64_t bob_mpi_request(MPI_Request h);
uint64_t bob_mpi_new_request(MPI_Request h, bool receives);

/* A request that the call may complete: before the call it is taken out, since MPI may give the
 * handle to another thread before the call returns; after it a request that still exists is put in
 * again. */
struct bob_mpi_was {
	MPI_Request request;
	bool receives;
	uint64_t word;
	uint64_t number;	/* in the table; requests.c */
};

struct bob_mpi_was bob_mpi_take_request(MPI_Request h);
void bob_mpi_left_request(const struct bob_mpi_was *was, MPI_Request now);

/* --- statuses and vectors --- */

/* Three words: source, tag, bytes; zeros if `says_something` is false. */
void bob_mpi_status(struct bob_mpi_call *c, const MPI_Status *s, bool says_something);
/* Of a request: if that was cancelled, the words are those of a message from MPI_PROC_NULL,
 * whatever MPI leaves in the status. */
void bob_mpi_request_status(struct bob_mpi_call *c, const MPI_Status *s, bool receives);
uint64_t
bob_mpi_status_bytes(const MPI_Status *s); /* of a file operation: nothing else is said in it */
bool bob_mpi_receives(MPI_Request h);
/* Memory of the thread, for what the program ignores or what must be known as it was before the
 * call; valid up to bob_mpi_leave. NULL: there is none, then the parameter is recorded as an empty
 * vector. */
void *bob_mpi_keep(struct bob_mpi_call *c, uint64_t count, uint64_t size);

/* Processes to or from which a vector of this communicator has an element each. */
uint64_t bob_mpi_peers(MPI_Comm comm); /* remote ones, of an intercommunicator */
uint64_t bob_mpi_ranks(MPI_Comm comm); /* local ones */
uint64_t bob_mpi_sources(MPI_Comm comm); /* neighbours of its topology: 0 if it has none */
uint64_t bob_mpi_destinations(MPI_Comm comm);
/* Own rank, and whether it is `root`: between groups, whether root is MPI_ROOT. */
uint64_t bob_mpi_me(MPI_Comm comm);
bool bob_mpi_at(MPI_Comm comm, int root);
/* Sizes of topologies, 0 where there is none. */
uint64_t bob_mpi_dims(MPI_Comm comm);
uint64_t bob_mpi_nodes(MPI_Comm comm);
uint64_t bob_mpi_edges(MPI_Comm comm);
uint64_t bob_mpi_neighbors(MPI_Comm comm, int rank);
/* False: MPI_UNWEIGHTED or MPI_WEIGHTS_EMPTY, which are no arrays. */
bool bob_mpi_weighted(const int *weights);
/* What a type was made from: MPI_Type_get_envelope, and _c where there is one. */
uint64_t bob_mpi_integers(MPI_Datatype h);
uint64_t bob_mpi_addresses(MPI_Datatype h);
uint64_t bob_mpi_datatypes(MPI_Datatype h);
uint64_t bob_mpi_integers_c(MPI_Datatype h);
uint64_t bob_mpi_addresses_c(MPI_Datatype h);
uint64_t bob_mpi_large_counts_c(MPI_Datatype h);
uint64_t bob_mpi_datatypes_c(MPI_Datatype h);

/* --- what happens besides --- */

/* Directly before and after MPI_Init, MPI_Init_thread; directly before MPI_Finalize. In any of
 * their calls, recorded or not. */
void bob_mpi_starting(void);
void bob_mpi_started(int result);
void bob_mpi_finishing(struct bob_mpi_call *c); /* NULL: it is not recorded */
void bob_mpi_control(int level); /* MPI_Pcontrol */

/* MPI_Comm_spawn and its like: between these two the call, with `command` and `argv` in the place
 * of what the program passed, unless they are NULL. What was passed counts at the root alone. */
struct bob_mpi_spawn {
	uint64_t token;		/* 0: nothing is recorded */
	uint32_t count;
	char **command, ***argv; /* each, and the arrays themselves, NULL: as the program says */
	char ***owned;
};
void bob_mpi_spawning(struct bob_mpi_spawn *s, int count, char *const *command, char **const *argv,
		      const MPI_Info *info, int root, MPI_Comm comm);
void bob_mpi_spawned(struct bob_mpi_spawn *s, int result, MPI_Comm made);

#endif
