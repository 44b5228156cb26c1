/* SPDX-License-Identifier: BSD-3-Clause */
/* Records events with values inside a traced process: calls of MPI (src/mpi) and the program's own
 * events (user.c), in sequence, in one stream for each thread, with the place that they come from,
 * their times, and their positions among the thread's calls or memory accesses.
 *
 *   start.c   the agent, its settings        thread.c   a thread's stream and what it works in
 *   site.c    where an event comes from      event.c    one event, from its beginning to its end
 *   user.c    the program's own events       names.c    what these are called and have
 *   table.c   what bobbin/events.h finds     hooks.h    hooks, what they bring, plug-ins
 *   function.c calls of functions that are hooked by name   so_far.c   the trace so far, for hooks
 *   exchange.c what ranks exchange at an event        board.c    what hooks found out, by name
 *   when.c    events that are left out                hot.h      what most events do, in line
 *
 * It is a part of each library that is preloaded after the agent: libbobbin-mpi-*.so, which
 * records both, and libbobbin-events.so. There is only one of them in a process.
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

/* What an event is: a function of MPI, by its number in functions.txt, or BOB_EV_USER and a
 * program's own one. */
#define BOB_EV_USER 4096u
/* Words of an event that are not elements of vectors. */
#define BOB_EV_FIXED_WORDS 32u

/* --- start.c --- */
/* The agent; NULL: nothing is recorded. */
extern const struct bob_agent_streams *bob_ev_agent;
/* How far what is recorded is worked on, BOBBIN_MPI_LEVEL: rank: not merged with other ranks';
 * flat: not even folded. */
enum bob_ev_level { BOB_EV_LEVEL_FLAT, BOB_EV_LEVEL_RANK, BOB_EV_LEVEL_ALL };
extern enum bob_ev_level bob_ev_level;
/* Asks the agent, once; constructors need not come in order. What is recorded is for the caller to
 * say. */
const struct bob_agent_streams *bob_ev_ask_agent(void);
/* Zeroed pages, never freed but by bob_ev_unmap; NULL: none. They are not swapped in before they
 * are touched. */
void *bob_ev_map(size_t bytes);
void bob_ev_unmap(void *p, size_t bytes);
/* Memory of bob_ev_map becomes zeros again; whole pages are released. errno stays. */
void bob_ev_zero(void *p, size_t bytes);
/* A lock that a fork child finds open, whichever thread held it at the fork. All zeros: open. */
struct bob_ev_lock {
	pthread_mutex_t mutex;
	pid_t of;
};
void bob_ev_lock(struct bob_ev_lock *l);
void bob_ev_unlock(struct bob_ev_lock *l);
extern uint64_t bob_ev_shift_ns; /* 0, but in tests */
uint64_t bob_ev_now_ns(void);
/* A record of `len` bytes, at most BOB_EV_RECORD_MAX, for the process's META; nothing if the file
 * has no space. */
#define BOB_EV_RECORD_MAX 64u
void bob_ev_put_record(enum bob_record_kind kind, const void *body, uint32_t len);
/* A line for who reads the trace, with a newline. */
void bob_ev_log(const char *line);
/* Recording is switched off and on by the program, for the process. */
void bob_ev_switch(bool is_on);
extern uint32_t bob_ev_off;	/* of start.c alone */
static inline bool bob_ev_is_off(void)
{
	return __atomic_load_n(&bob_ev_off, __ATOMIC_RELAXED) != 0;
}

struct bob_mpi_function;
struct bob_transport;
/* What a recorder of MPI adds; NULL: there is none. Set before the first event. */
struct bob_ev_mpi {
	void (*first)(void);		/* before the first thread's first event */
	/* The call is one that a library makes for itself. */
	bool (*ignores)(const void *caller, uint32_t what);
	/* The return address lies in a tool's definition of function `what`, + 1; 0: it does not.
	 * What that calls beside the function is not the program's. */
	uint32_t (*tool_at)(uint64_t ip);
	bool (*has_tools)(void);
	const struct bob_event_layout *(*layout)(uint32_t what);
	const struct bob_mpi_function *(*function)(uint32_t what); /* NULL: there is none */
	bool (*rank)(uint32_t *rank); /* false: not known yet */
	/* Between ranks, for the calling thread, which is in a call of MPI or not; NULL: no
	 * transport now. */
	const struct bob_transport *(*transport)(bool in_call);
};
extern const struct bob_ev_mpi *bob_ev_mpi;
/* This process's rank as the launcher's environment says it; -1: it does not. */
long bob_ev_launched_rank(void);
/* The same, or as MPI or a transport says it. False: it is not known. */
bool bob_ev_rank(uint32_t *rank);

/* --- event.c --- */
/* One that is under way. */
struct bob_ev_event {
	struct bob_ev_thread *thread;
	uint32_t what;
	uint32_t number;	/* of its definition in the thread's stream */
	uint64_t *word;		/* the record's words ... */
	uint32_t words;		/* ... so far */
	uint32_t capacity;
	bool lost;		/* there is no space for its words */
	bool has_place;		/* among the thread's calls or memory accesses */
	uint64_t sp,
		/* of the function that records it, of its caller: as of the agent's event_begins */
		frame;
	uint64_t *mark;
	uint64_t begin_ns;
};

struct bob_ev_thread;
/* It begins, with space for BOB_EV_FIXED_WORDS. `caller`, `cfa`: the return address and the
 * canonical frame address of the function that records it. False: it is not recorded. */
bool bob_ev_open(struct bob_ev_event *e, struct bob_ev_thread *t, uint32_t what, const void *caller,
		 const void *cfa);
/* The same, of a definition that is known. */
bool bob_ev_open_as(struct bob_ev_event *e, struct bob_ev_thread *t, uint32_t what,
		    uint32_t number);
/* The words that go in are there: readers see it as it is. What it does begins. */
void bob_ev_begun(struct bob_ev_event *e);
/* What it does has ended: its time. */
void bob_ev_done(struct bob_ev_event *e);
/* The two halves of that: the times of an event of this definition, which took from `since_ns` to
 * `end_ns`; where it ends among calls. */
void bob_ev_took(struct bob_ev_event *e, uint32_t number, uint64_t since_ns, uint64_t end_ns);
void bob_ev_leave_place(struct bob_ev_event *e);
/* All its words are there. False: it is lost, and the thread's memory freed. */
bool bob_ev_put(struct bob_ev_event *e);
/* Makes space for `more` words. The record may move. */
void bob_ev_more(struct bob_ev_event *e, uint32_t more);
/* What the thread has recorded so far is a part of its own, and complete in the file. `e` is under
 * way, has no words yet, and stays so. */
void bob_ev_part(struct bob_ev_event *e);

/* --- thread.c --- */
/* The calling thread is in something that is recorded as a whole: nothing in it is. */
extern __thread uint32_t bob_ev_depth;
/* The frame of ours that it is in, if that is known: of an event of the program's own. */
extern __thread const void *bob_ev_entered;
/* True: a signal handler has jumped out of it. How far it had come is unknown, so the thread is not
 * recorded any more, as if it had been killed there; hooks are called. */
bool bob_ev_thread_left(void);
/* The thread is on the stack that it has for signal handlers, or cannot be asked. Costs a system
 * call. */
bool bob_ev_is_in_handler(void);
/* sets.c: it is not any more: a jump has left a function of the user's (guard.h) that was called
 * there. */
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
	void *work;		/* what it works in */
	struct bob_ev_sites *sites;
	/* counts up when numbers of definitions that were given before are not valid any more */
	uint32_t sites_age;
	/* definitions of events that come from nowhere, by their number: the newest */
	struct bob_ev_nowhere {
		uint32_t what, number, age;
	} nowhere_def[BOB_EV_NOWHERE];
	struct bob_ev_sets *sets; /* sets.c; NULL: none yet */
	struct bob_ev_nest *nest; /* user.c: the program's own events that are under way */
	uint32_t number;	/* of the thread among those that record */
	uint32_t before;	/* definition of the newest event */
	uint64_t end_ns;	/* of it */
	struct bob_ticks clock;
	struct bob_times *times; /* NULL: they are not wanted, or there is no memory */
	bool is_exact;		/* each event's times are kept as well */
	bool places;		/* events have a place among calls or memory accesses */
	uint64_t flushed;	/* flush.c: when, or how many events ago */
	bool pending;		/* the record that is open is of an event of `nest` */
	struct bob_exact exact;
	uint64_t unplaced;	/* so many since the last one have none */
	/* src/mpi */
	uint32_t requests;	/* made by this thread */
	uint64_t nowhere[BOB_EV_FIXED_WORDS]; /* words of calls that are followed */
	struct kept *kept;	/* keep.c */
	uint64_t kept_used;
};
extern __thread struct bob_ev_thread *bob_ev_self; /* of thread.c; user.c looks */
struct bob_ev_thread *bob_ev_thread_begin(void);
/* The calling thread's; NULL: it is not recorded. */
static inline struct bob_ev_thread *bob_ev_thread(void)
{
	struct bob_ev_thread *const t = bob_ev_self;

	return __builtin_expect(t && t->alive == BOB_EV_ALIVE, 1) ? t : bob_ev_thread_begin();
}

/* The same, but one that has recorded nothing stays so. */
struct bob_ev_thread *bob_ev_thread_now(void);
/* Is each event's begin and end to be kept (--time=exact:mpi)? There is an agent. */
bool bob_ev_time_is_exact(void);
/* No more can be recorded of it: the trace says why. */
void bob_ev_thread_stop(bob_status why);

/* --- keep.c --- memory of a call: a new one has none yet; the thread has ended; `size` bytes
 * `count` times, up to the call's end */
void bob_ev_keep_begin(struct bob_ev_thread *t);
void bob_ev_keep_end(struct bob_ev_thread *t);
void *bob_ev_keep(struct bob_ev_thread *t, uint64_t count, uint64_t size);

/* --- site.c --- */
struct bob_ev_sites *bob_ev_sites_open(void);
void bob_ev_sites_close(struct bob_ev_sites *s);
/* The number of the definition of `what`, from there, and where the caller's own return address
 * lies (0: not known). `nowhere`: where it comes from does not matter. BOB_NONE: a library does it
 * for itself. BOB_ERR_FULL: nothing more can be recorded. */
bob_status bob_ev_site(struct bob_ev_thread *t, uint32_t what, bool nowhere, const void *caller,
		       const void *cfa, uint32_t *number, uint64_t *frame);
/* A call of function `what` of MPI that is not to be recorded: is it a tool's (struct bob_ev_mpi)?
 * Not remembered: microseconds where there is one. */
bool bob_ev_is_of_tool(uint32_t what, const void *caller);

/* --- flush.c --- --flush-every: there is an agent; an event of this kind has ended, and no record
 * is open */
extern bool bob_ev_flushes;
void bob_ev_flush_begin(void);
void bob_ev_flush_look(uint32_t what);
static inline void bob_ev_flush_after(uint32_t what)
{
	if (__builtin_expect(bob_ev_flushes, 0))
		bob_ev_flush_look(what);
}

/* --- names.c --- */
struct bob_ev_name {
	struct bob_user_key key;
	bool is_counter;
	/* of a function, by name: the code that is called then has no frame information */
	bool is_hooked;
	struct bob_ev_condition *when; /* when.c; NULL: always */
};
extern struct bob_ev_name *bob_ev_names; /* [id]; 0 is not used */
extern uint32_t bob_ev_name_count; /* ids that are valid are up to it */
/* A number, or 0: bob_event_register. A counter has one parameter, and is instant. */
uint32_t bob_ev_register(const char *name, uint32_t flags, const char *parameters, bool is_counter);
static inline bool bob_ev_is_registered(uint32_t id)
{
	return id && id <= __atomic_load_n(&bob_ev_name_count, __ATOMIC_ACQUIRE);
}

/* Which phase it is when it has no duration. */
static inline uint32_t bob_ev_instant_phase(uint32_t id)
{
	return bob_ev_names[id].is_counter ? BOB_USER_COUNTER : BOB_USER_INSTANT;
}

/* --- when.c: an event is recorded only where a condition is true of what it begins with --- */
/* bob_event_when. */
bool bob_ev_when(uint32_t id, const char *condition);
bool bob_ev_when_holds(uint32_t id, const union bob_arg *in, uint32_t count);
void bob_ev_when_say(void); /* the process ends */
/* thread.c: when the process ends, it is said what was left out, even if nothing else was
 * recorded. */
void bob_ev_watch_end(void);

/* `what` of event `id` in a phase (enum bob_user_phase), and back. */
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

/* Of one that is registered. */
static inline const struct bob_user_key *bob_ev_user(uint32_t what)
{
	return &bob_ev_names[bob_ev_user_id(what)].key;
}

static inline bool bob_ev_user_is_nowhere(uint32_t what)
{
	return bob_ev_user(what)->flags & BOB_EVENT_NO_SIGNATURE;
}

/* --- user.c --- errno stays */
void bob_ev_begin(uint32_t id, const union bob_arg *in, uint32_t count, const void *caller,
		  const void *cfa);
void bob_ev_end(uint32_t id, const union bob_arg *out, uint32_t count);
void bob_ev_instant(uint32_t id, const union bob_arg *in, uint32_t count, const void *caller,
		    const void *cfa);
/* The event whose record is open has others in it: its beginning is an event of its own. False: as
 * of bob_ev_put. */
bool bob_ev_settle(struct bob_ev_thread *t);
void bob_ev_say_missed(void); /* the process ends */
void bob_ev_nest_close(struct bob_ev_thread *t);

/* --- function.c --- */
/* There is an agent: from now on functions that are hooked by name are events. */
void bob_ev_hook_functions(void);
extern bool bob_ev_has_functions; /* there are some */
/* Before an event of a function whose canonical frame address this is: hooked functions that have
 * been left end first. */
static inline void bob_ev_end_left(const void *cfa)
{
	if (__builtin_expect(bob_ev_has_functions, 0))
		bob_ev_agent->functions_left((uint64_t)(uintptr_t)cfa);
}

#endif
