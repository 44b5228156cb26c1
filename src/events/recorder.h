/* SPDX-License-Identifier: BSD-3-Clause */
/* Recorder of events with values inside a traced process: MPI calls (src/mpi) and the program's own
 * events (user.c). Each thread has one stream of events, with their call paths, times, and
 * positions among the thread's calls or memory accesses.
 *
 *   start.c      the agent and its settings        thread.c    a thread's stream and state
 *   site.c       call paths of events              event.c     one event, from begin to end
 *   user.c       the program's own events          event_names.c     their names and parameters
 *   entry_table.c      implements bobbin/events.h        hooks.h     hooks, their data, plug-ins
 *   function.c   functions hooked by name          so_far.c    the trace so far, for hooks
 *   exchange.c   exchange of ranks at an event     board.c     named results of hooks
 *   when.c       conditions of events              hot.h       inline fast path
 *
 * It is part of each library that is preloaded after the agent: libbobbin-mpi-*.so, which records
 * both kinds, and libbobbin-events.so. A process has only one of them.
 *
 * Threads: an event belongs to its thread, the one of bob_ev_thread. Nothing is recorded in signal
 * handlers. */
#ifndef BOB_EVENTS_RECORDER_H
#define BOB_EVENTS_RECORDER_H

#include <pthread.h>
#include <sys/types.h>

#include "agent/streams.h"
#include "archive/write/event_write.h"
#include "archive/write/exact_write.h"
#include "archive/write/time_write.h"
#include "archive/events/user_key.h"
#include "base/ticks.h"
#include "bobbin/events.h"

/* `what` of an event: the number of an MPI function in functions.txt, or BOB_EV_USER and more for
 * the program's own. */
#define BOB_EV_USER 4096u
/* Fixed words of an event: those that are not elements of vectors. */
#define BOB_EV_FIXED_WORDS 32u

/* --- start.c --- */
/* The agent; NULL: nothing is recorded. */
extern const struct bob_agent_streams *bob_ev_agent;
/* Processing of recorded events, BOBBIN_MPI_LEVEL: FLAT: not folded; RANK: folded, not merged with
 * other ranks; ALL: merged. */
enum bob_ev_level { BOB_EV_LEVEL_FLAT, BOB_EV_LEVEL_RANK, BOB_EV_LEVEL_ALL };
extern enum bob_ev_level bob_ev_level;
/* Finds the agent, once; constructors may run in any order. The caller decides what is recorded. */
const struct bob_agent_streams *bob_ev_ask_agent(void);
/* Zeroed pages, freed only by bob_ev_unmap; NULL: out of memory. Pages use no memory before they
 * are touched. */
void *bob_ev_map(size_t bytes);
void bob_ev_unmap(void *p, size_t bytes);
/* Zeros memory of bob_ev_map and releases whole pages. Preserves errno. */
void bob_ev_zero(void *p, size_t bytes);
/* A lock that is open in a fork child, whichever thread held it at the fork. Initialise with
 * zeros. */
struct bob_ev_lock {
	pthread_mutex_t mutex;
	pid_t of;
};
void bob_ev_lock(struct bob_ev_lock *l);
void bob_ev_unlock(struct bob_ev_lock *l);
extern uint64_t bob_ev_shift_ns; /* 0, except in tests */
uint64_t bob_ev_now_ns(void);
/* Appends a record of `len` bytes, at most BOB_EV_RECORD_MAX, to the process's META; drops it if
 * the file is full. */
#define BOB_EV_RECORD_MAX 64u
void bob_ev_put_record(enum bob_record_kind kind, const void *body, uint32_t len);
/* Logs a line for users of the trace; it ends with a newline. */
void bob_ev_log(const char *line);
/* The program switches recording on or off, for the process. */
void bob_ev_switch(bool is_on);
extern uint32_t bob_ev_off;	/* private to start.c */
static inline bool bob_ev_is_off(void)
{
	return __atomic_load_n(&bob_ev_off, __ATOMIC_RELAXED) != 0;
}

struct bob_mpi_function;
struct bob_transport;
/* Functions that a recorder of MPI adds; NULL: none. Set before the first event. */
struct bob_ev_mpi {
	void (*first)(void);		/* before the first thread's first event */
	/* Whether a library makes the call for itself. */
	bool (*ignores)(const void *caller, uint32_t what);
	/* Number + 1 if the return address lies in a PMPI tool's definition of function `what`;
	 * else 0. Other calls in that definition are not the program's. */
	uint32_t (*tool_at)(uint64_t ip);
	bool (*has_tools)(void);
	const struct bob_event_layout *(*layout)(uint32_t what);
	const struct bob_mpi_function *(*function)(uint32_t what); /* NULL: unknown */
	bool (*rank)(uint32_t *rank); /* false: not known yet */
	/* Transport for the calling thread, which is in a call of MPI or not; NULL: none now. */
	const struct bob_transport *(*transport)(bool in_call);
};
extern const struct bob_ev_mpi *bob_ev_mpi;
/* The process's rank from the launcher's environment; -1: not there. */
long bob_ev_launched_rank(void);
/* The same, or from MPI or a transport. False: unknown. */
bool bob_ev_rank(uint32_t *rank);

/* --- event.c --- */
/* An event in progress. */
struct bob_ev_event {
	struct bob_ev_thread *thread;
	uint32_t what;
	uint32_t number;	/* of its definition in the thread's stream */
	uint64_t *word;		/* words of the record ... */
	uint32_t words;		/* ... and their number so far */
	uint32_t capacity;
	bool lost;		/* no space for its words */
	bool has_place;		/* among the thread's calls or memory accesses */
	uint64_t sp,
		/* of the recording function and of its caller: see the agent's event_begins */
		frame;
	uint64_t *mark;
	uint64_t begin_ns;
};

struct bob_ev_thread;
/* Begins an event, with space for BOB_EV_FIXED_WORDS. `caller`, `cfa`: return address and canonical
 * frame address of the function that records it. False: it is not recorded. */
bool bob_ev_open(struct bob_ev_event *e, struct bob_ev_thread *t, uint32_t what, const void *caller,
		 const void *cfa);
/* The same, with a known definition. */
bool bob_ev_open_as(struct bob_ev_event *e, struct bob_ev_thread *t, uint32_t what,
		    uint32_t number);
/* The input words are complete: readers see the event from now on. Its duration begins. */
void bob_ev_begun(struct bob_ev_event *e);
/* Its duration ends. */
void bob_ev_done(struct bob_ev_event *e);
/* The two halves of that: adds the duration, from `since_ns` to `end_ns`, to the times of the
 * definition; records the position of the end among calls. */
void bob_ev_took(struct bob_ev_event *e, uint32_t number, uint64_t since_ns, uint64_t end_ns);
void bob_ev_leave_place(struct bob_ev_event *e);
/* All words are complete: ends the event. False: it is lost, and the thread's memory is freed. */
bool bob_ev_put(struct bob_ev_event *e);
/* Reserves space for `more` words. May move the record. */
void bob_ev_more(struct bob_ev_event *e, uint32_t more);
/* Ends a part of the thread's stream, and completes it in the file. `e` is open without words, and
 * continues in the next part. */
void bob_ev_part(struct bob_ev_event *e);

/* --- thread.c --- */
/* Nonzero while the calling thread is in a call that is recorded as a whole: nested calls are not
 * recorded. */
extern __thread uint32_t bob_ev_depth;
/* The recorder's frame that the thread is in, if known: for the program's own events. */
extern __thread const void *bob_ev_entered;
/* Whether a signal handler has jumped out of that frame. The state is then unknown, so the thread
 * is not recorded any more, as after a kill; hooks are still called. */
bool bob_ev_thread_left(void);
/* Whether the thread is on its alternate signal stack, or that is unknown. Costs a system call. */
bool bob_ev_is_in_handler(void);
/* sets.c: whether a jump has left a user function (guard.h) that was called there. */
bool bob_ev_sets_left(void);
static inline bool bob_ev_is_within(void)
{
	return __builtin_expect(bob_ev_depth != 0, 0) && !bob_ev_sets_left();
}

#define BOB_EV_ALIVE 0x626f62626d706931ull

struct bob_ev_sites;
struct bob_ev_nest;
#define BOB_EV_NOWHERE 64u
struct bob_ev_thread {
	volatile uint64_t alive; /* alone on a page that a fork child finds wiped */
	uint8_t rest_of_page[4096 - 8];
	struct bob_event_writer *writer;
	void *work;		/* memory of its writer */
	struct bob_ev_sites *sites;
	/* incremented when earlier numbers of definitions become invalid */
	uint32_t sites_age;
	/* newest definitions of events without a call path, by number */
	struct bob_ev_nowhere {
		uint32_t what, number, age;
	} nowhere_def[BOB_EV_NOWHERE];
	struct bob_ev_sets *sets; /* sets.c; NULL: none yet */
	struct bob_ev_nest *nest; /* user.c: the program's events in progress */
	uint32_t number;	/* of the thread among recorded threads */
	uint32_t before;	/* definition of the newest event */
	uint64_t end_ns;	/* its end */
	struct bob_ticks clock;
	struct bob_times *times; /* NULL: not requested, or no memory */
	bool is_exact;		/* also keep the times of each event */
	bool places;		/* record positions among calls or memory accesses */
	uint64_t flushed;	/* flush_part.c: time, or number of events since */
	bool pending;		/* the open record is of an event of `nest` */
	struct bob_exact exact;
	uint64_t unplaced;	/* events without position since the last with one */
	/* src/mpi */
	uint32_t requests;	/* created by this thread */
	uint64_t nowhere[BOB_EV_FIXED_WORDS]; /* scratch words of calls that are followed only */
	struct kept *kept;	/* keep.c */
	uint64_t kept_used;
};
extern __thread struct bob_ev_thread *bob_ev_self; /* use bob_ev_thread */
struct bob_ev_thread *bob_ev_thread_begin(void);
/* The calling thread's state; NULL: it is not recorded. */
static inline struct bob_ev_thread *bob_ev_thread(void)
{
	struct bob_ev_thread *const t = bob_ev_self;

	return __builtin_expect(t && t->alive == BOB_EV_ALIVE, 1) ? t : bob_ev_thread_begin();
}

/* The same, without creating it. */
struct bob_ev_thread *bob_ev_thread_now(void);
/* Whether begin and end of each event are kept (--time=exact:mpi). Requires an agent. */
bool bob_ev_time_is_exact(void);
/* Ends the recording of the thread; the trace records why. */
void bob_ev_thread_stop(bob_status why);

/* --- keep.c --- Scratch memory of a call: _begin empties it for a new call; _end frees it with the
 * thread; _keep allocates `count` times `size` bytes until the call's end. */
void bob_ev_keep_begin(struct bob_ev_thread *t);
void bob_ev_keep_end(struct bob_ev_thread *t);
void *bob_ev_keep(struct bob_ev_thread *t, uint64_t count, uint64_t size);

/* --- site.c --- */
struct bob_ev_sites *bob_ev_sites_open(void);
void bob_ev_sites_close(struct bob_ev_sites *s);
/* Finds or creates the definition of `what` with the caller's path. *frame: location of the
 * caller's own return address (0: unknown). `nowhere`: without a path. BOB_NONE: a library's
 * internal call. BOB_ERR_FULL: nothing more can be recorded. */
bob_status bob_ev_site(struct bob_ev_thread *t, uint32_t what, bool nowhere, const void *caller,
		       const void *cfa, uint32_t *number, uint64_t *frame);
/* Whether a call of MPI function `what` that is not recorded is a PMPI tool's (struct bob_ev_mpi).
 * Not cached: microseconds if there is a tool. */
bool bob_ev_is_of_tool(uint32_t what, const void *caller);

/* --- flush_part.c --- --flush-every: call with an agent, at the end of an event of this kind, and
 * with no record open. */
extern bool bob_ev_flushes;
void bob_ev_flush_begin(void);
void bob_ev_flush_look(uint32_t what);
static inline void bob_ev_flush_after(uint32_t what)
{
	if (__builtin_expect(bob_ev_flushes, 0))
		bob_ev_flush_look(what);
}

/* --- event_names.c --- */
struct bob_ev_name {
	struct bob_user_key key;
	bool is_counter;
	/* a function hooked by name: its caller has no frame information at the event */
	bool is_hooked;
	struct bob_ev_condition *when; /* when.c; NULL: always */
};
extern struct bob_ev_name *bob_ev_names; /* [id]; 0 is not used */
extern uint32_t bob_ev_name_count; /* ids up to it are valid */
/* An id, or 0: implements bob_event_register. A counter has one parameter, and is instant. */
uint32_t bob_ev_register(const char *name, uint32_t flags, const char *parameters, bool is_counter);
static inline bool bob_ev_is_registered(uint32_t id)
{
	return id && id <= __atomic_load_n(&bob_ev_name_count, __ATOMIC_ACQUIRE);
}

/* Phase of an event without duration. */
static inline uint32_t bob_ev_instant_phase(uint32_t id)
{
	return bob_ev_names[id].is_counter ? BOB_USER_COUNTER : BOB_USER_INSTANT;
}

/* --- when.c: conditions on input parameters, for which an event is recorded --- */
/* Implements bob_event_when. */
bool bob_ev_when(uint32_t id, const char *condition);
bool bob_ev_when_holds(uint32_t id, const union bob_arg *in, uint32_t count);
void bob_ev_when_say(void); /* when the process ends */
/* thread.c: at the end of the process, logs the number of events left out, even if nothing else was
 * recorded. */
void bob_ev_watch_end(void);

/* Converts an event id and phase (enum bob_user_phase) to `what`, and back. */
static inline uint32_t bob_ev_user_what(uint32_t id, uint32_t phase)
{
	return BOB_EV_USER + (id << 3 | phase);
}

static inline uint32_t bob_ev_user_phase(uint32_t what)
{
	return (what - BOB_EV_USER) & 7u;
}

static inline uint32_t bob_ev_user_id(uint32_t what)
{
	return (what - BOB_EV_USER) >> 3;
}

/* `what` must be registered. */
static inline const struct bob_user_key *bob_ev_user(uint32_t what)
{
	return &bob_ev_names[bob_ev_user_id(what)].key;
}

static inline bool bob_ev_user_is_nowhere(uint32_t what)
{
	return bob_ev_user(what)->flags & BOB_EVENT_NO_SIGNATURE;
}

/* --- user.c --- Preserves errno. */
void bob_ev_begin(uint32_t id, const union bob_arg *in, uint32_t count, const void *caller,
		  const void *cfa);
void bob_ev_end(uint32_t id, const union bob_arg *out, uint32_t count);
void bob_ev_instant(uint32_t id, const union bob_arg *in, uint32_t count, const void *caller,
		    const void *cfa);
/* The open event contains others: makes its begin an event of its own. False as for bob_ev_put. */
bool bob_ev_settle(struct bob_ev_thread *t);
void bob_ev_say_missed(void); /* when the process ends */
void bob_ev_nest_close(struct bob_ev_thread *t);

/* --- function.c --- */
/* Starts recording functions that are hooked by name. Requires an agent. */
void bob_ev_hook_functions(void);
extern bool bob_ev_has_functions; /* any functions are hooked */
/* Before an event of a function with this canonical frame address: ends hooked functions that have
 * been left. */
static inline void bob_ev_end_left(const void *cfa)
{
	if (__builtin_expect(bob_ev_has_functions, 0))
		bob_ev_agent->functions_left((uint64_t)(uintptr_t)cfa);
}

#endif
