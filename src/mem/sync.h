/* SPDX-License-Identifier: BSD-3-Clause */
/* Synchronisation of threads, as marks in their streams (BOB_MEM_SYNC, mem/record.h). An engine
 * calls bob_sync_enter where the program enters one of the functions of bob_sync_hook_of, and
 * bob_sync_leave where it returns; what that means is decided here, so that all engines record the
 * same. docs/memory.md has the rules by which a reader finds the order between threads again.
 *
 * A mark has one word or two: an object, and a number. What the number means is the kind's rule.
 * All numbers are chosen so that regular programs have regular ones: what all threads of a team do
 * has the same words in each.
 *
 * Freestanding. Threads: struct bob_syncs is shared, struct bob_sync_thread is its thread's, but
 * for its teams, which the threads of the team use while their region lasts. Nothing here waits or
 * asks the system. */
#ifndef BOB_MEM_SYNC_H
#define BOB_MEM_SYNC_H

#include <stddef.h>
#include <stdint.h>

/* What orders the marks of several threads. */
enum bob_sync_rule {
	BOB_SYNC_NOTE = 0,	/* nothing */
	/* Marks whose objects have the same place (bob_sync_place) came in the order of their
	 * numbers, which count from 0. */
	BOB_SYNC_TURN = 1,
	/* One more has come to the object (of the kind's group). */
	BOB_SYNC_GIVE = 2,
	/* By now as many have come to the object as the number says; without a number, one. */
	BOB_SYNC_AWAIT = 3
};

/* Objects of GIVE and AWAIT are the same if group and object are. */
enum bob_sync_group {
	BOB_SYNC_NO_GROUP = 0,
	BOB_SYNC_THREADS = 1,	/* object: a thread's number; it was made */
	BOB_SYNC_ENDS = 2,	/* ...; it has ended: given by the end of the stream */
	BOB_SYNC_BARRIERS = 3,
	BOB_SYNC_REGIONS = 4,	/* object: a team; parallel regions begun */
	BOB_SYNC_REGION_ENDS = 5, /* threads that came to the end of one */
	BOB_SYNC_TEAM_BARRIERS = 6
};

/* kind, rule, group, words, name as `show` prints it */
#define BOB_SYNC_KINDS(X)                                                                          \
	X(CREATE, GIVE, THREADS, 1, "create thread")                                               \
	X(BEGIN, AWAIT, THREADS, 1, "thread begins")                                               \
	X(JOIN, AWAIT, ENDS, 1, "join thread")                                                     \
	X(LOCK, TURN, NO_GROUP, 2, "lock")                                                         \
	X(UNLOCK, TURN, NO_GROUP, 2, "unlock")                                                     \
	X(READ_LOCK, TURN, NO_GROUP, 2, "read lock")                                               \
	X(WRITE_LOCK, TURN, NO_GROUP, 2, "write lock")                                             \
	X(RW_UNLOCK, TURN, NO_GROUP, 2, "read/write unlock")                                       \
	X(SPIN_LOCK, TURN, NO_GROUP, 2, "spin lock")                                               \
	X(SPIN_UNLOCK, TURN, NO_GROUP, 2, "spin unlock")                                           \
	X(COND_WAIT, TURN, NO_GROUP, 2, "wait for condition")                                      \
	X(COND_WOKEN, TURN, NO_GROUP, 2, "woken by condition")                                     \
	X(COND_SIGNAL, TURN, NO_GROUP, 2, "signal condition")                                      \
	X(COND_BROADCAST, TURN, NO_GROUP, 2, "broadcast condition")                                \
	X(SEM_WAIT, TURN, NO_GROUP, 2, "take from semaphore")                                      \
	X(SEM_POST, TURN, NO_GROUP, 2, "post to semaphore")                                        \
	X(ARRIVE, GIVE, BARRIERS, 1, "at barrier")                                                 \
	X(LEAVE, AWAIT, BARRIERS, 2, "after barrier")                                              \
	X(FUTEX_WAIT, TURN, NO_GROUP, 2, "futex waited")                                           \
	X(FUTEX_WAKE, TURN, NO_GROUP, 2, "futex wake")                                             \
	X(FORK, GIVE, REGIONS, 1, "parallel region")                                               \
	X(TEAM_BEGIN, AWAIT, REGIONS, 2, "part of region begins")                                  \
	X(TEAM_END, GIVE, REGION_ENDS, 1, "part of region ends")                                   \
	X(TEAM_JOIN, AWAIT, REGION_ENDS, 2, "parallel region ends")                                \
	X(TEAM_ARRIVE, GIVE, TEAM_BARRIERS, 1, "at barrier of team")                               \
	X(TEAM_LEAVE, AWAIT, TEAM_BARRIERS, 2, "after barrier of team")                            \
	X(CRITICAL_BEGIN, TURN, NO_GROUP, 2, "critical begins")                                    \
	X(CRITICAL_END, TURN, NO_GROUP, 2, "critical ends")                                        \
	X(ATOMIC_BEGIN, TURN, NO_GROUP, 2, "atomic begins")                                        \
	X(ATOMIC_END, TURN, NO_GROUP, 2, "atomic ends")                                            \
	X(ORDERED_BEGIN, TURN, NO_GROUP, 2, "ordered begins")                                      \
	X(ORDERED_END, TURN, NO_GROUP, 2, "ordered ends")                                          \
	X(TASK, TURN, NO_GROUP, 2, "task")                                                         \
	X(TASKWAIT, TURN, NO_GROUP, 2, "waited for tasks")                                         \
	X(SHARE, NOTE, NO_GROUP, 1, "share of loop or sections")                                   \
	X(SINGLE, NOTE, NO_GROUP, 1, "single")                                                     \
	X(ARRIVED, TURN, NO_GROUP, 2, "at barrier, participants unknown")                          \
	X(LEFT, TURN, NO_GROUP, 2, "after barrier, participants unknown")

enum bob_sync_kind {
	BOB_SYNC_NOTHING = 0,
#define X(kind, rule, group, words, name) BOB_SYNC_##kind,
	BOB_SYNC_KINDS(X)
#undef X
		BOB_SYNC_KIND_COUNT
};

struct bob_sync_kind_info {
	uint8_t rule;		/* enum bob_sync_rule */
	uint8_t group;		/* enum bob_sync_group */
	uint8_t words;		/* of its marks */
	char name[37];
};
/* By kind; kind 0 is not used. */
extern const struct bob_sync_kind_info bob_sync_kinds[BOB_SYNC_KIND_COUNT];

#define BOB_SYNC_PLACES 4096u
/* Of an object whose kind has the rule TURN. Two objects may have one place: the order of their
 * marks is the one in which they came, too. */
static inline uint32_t bob_sync_place(uint64_t object)
{
	return (uint32_t)(object * 0x9e3779b97f4a7c15ull >> 52);
}

/* --- what engines keep --- */

#define BOB_SYNC_BARRIERS_MAX 256u /* of pthread_barrier_init; further ones are ARRIVED and LEFT */
#define BOB_SYNC_TEAMS 8u	/* parallel regions in each other, begun by one thread */

struct bob_sync_barrier {
	uint64_t object;	/* 0: free */
	uint64_t count;		/* threads that meet */
	uint64_t arrived;	/* so far */
	uint64_t before;	/* ... when `count` was set */
};

/* Threads that run a parallel region. A team is used again by the next region of its master. */
struct bob_sync_team {
	/* number of the master * BOB_SYNC_TEAMS + regions around this one */
	uint64_t object;
	uint64_t forks;		/* regions so far */
	uint64_t ends;		/* threads that ended regions, of those that are over */
	uint64_t arrivals;	/* at barriers, of regions that are over */
	uint64_t begun;		/* threads in this region */
	uint64_t rounds;	/* barriers in this region */
};

struct bob_sync_thread {
	uint64_t number;	/* of the thread, in the process */
	struct bob_sync_team team[BOB_SYNC_TEAMS];
	uint32_t depth;		/* teams in use */
	struct bob_sync_team *now; /* whose region this thread is in; NULL: none */
	uint64_t rounds;	/* barriers it passed there */
};

#define BOB_SYNC_HANDLES 4096u	/* of threads; where there are more, some joins are not recorded */

/* All zero at the beginning. */
struct bob_syncs {
	struct {
		uint64_t next;
		uint64_t apart[7]; /* cache lines are not shared */
	} place[BOB_SYNC_PLACES];
	struct {
		uint64_t handle; /* pthread_t; 0: free */
		uint64_t number; /* of the last thread that had it */
	} thread[BOB_SYNC_HANDLES];
	struct bob_sync_barrier barrier[BOB_SYNC_BARRIERS_MAX];
};

/* A mark for the calling thread's stream, now. `words` of `word` belong to it. */
typedef void (*bob_sync_put_fn)(void *ctx, enum bob_sync_kind kind, const uint64_t *word,
				uint32_t words);

struct bob_sync {		/* of one call; all are borrowed */
	struct bob_syncs *all;
	struct bob_sync_thread *thread;
	bob_sync_put_fn put;
	void *ctx;
};

/* What a function that is watched does. */
enum bob_sync_hook {
	BOB_HOOK_NONE = 0,
	/* These are the engine's, see below. */
	BOB_HOOK_CREATE,	/* pthread_create */
	BOB_HOOK_PARALLEL,	/* GOMP_parallel and others with the same first two arguments */
	/* GOMP_parallel_reductions: the same, and it reads the first word of what the second one
	 * points to */
	BOB_HOOK_REDUCTIONS,
	/* These are bob_sync_enter's. */
	BOB_HOOK_JOIN,
	BOB_HOOK_LOCK,
	BOB_HOOK_UNLOCK,
	BOB_HOOK_READ_LOCK,
	BOB_HOOK_WRITE_LOCK,
	BOB_HOOK_RW_UNLOCK,
	BOB_HOOK_SPIN_LOCK,
	BOB_HOOK_SPIN_UNLOCK,
	BOB_HOOK_COND_WAIT,
	BOB_HOOK_COND_SIGNAL,
	BOB_HOOK_COND_BROADCAST,
	BOB_HOOK_SEM_WAIT,
	BOB_HOOK_SEM_POST,
	BOB_HOOK_BARRIER_INIT,
	BOB_HOOK_BARRIER_WAIT,
	BOB_HOOK_SYSCALL,	/* futex */
	BOB_HOOK_TEAM_BARRIER,
	BOB_HOOK_CRITICAL_BEGIN,
	BOB_HOOK_CRITICAL_END,
	BOB_HOOK_NAMED_BEGIN,
	BOB_HOOK_NAMED_END,
	BOB_HOOK_ATOMIC_BEGIN,
	BOB_HOOK_ATOMIC_END,
	BOB_HOOK_ORDERED_BEGIN,
	BOB_HOOK_ORDERED_END,
	BOB_HOOK_TASK,
	BOB_HOOK_TASKWAIT,
	BOB_HOOK_SHARE,
	BOB_HOOK_SINGLE,
	BOB_HOOKS
};

/* Who calls, by the file's name. What the loader does is not the program: it locks its list
 * whenever a thread is made. Nor is what MPI and the libraries under it do for themselves, which
 * take locks for each message; but the threads they make count. */
enum bob_sync_caller { BOB_SYNC_PROGRAM, BOB_SYNC_TRANSPORT, BOB_SYNC_LOADER };
enum bob_sync_caller bob_sync_caller_of(const char *base_name);
static inline int bob_sync_counts(enum bob_sync_caller caller, enum bob_sync_hook hook)
{
	return caller == BOB_SYNC_PROGRAM ||
	       (caller == BOB_SYNC_TRANSPORT && hook == BOB_HOOK_CREATE);
}

/* Libraries whose functions are watched, by soname; and the function of that name. BOB_HOOK_NONE:
 * it is not. */
int bob_sync_is_library(const char *soname);
enum bob_sync_hook bob_sync_hook_of(const char *name);

/* What must be known of a call when it returns. */
struct bob_sync_call {
	uint64_t hook;
	uint64_t word[4];
};

/* The function is entered, with its first three arguments. 0: its return is of no interest. */
int bob_sync_enter(const struct bob_sync *s, enum bob_sync_hook hook, const uint64_t arg[3],
		   struct bob_sync_call *call);
/* ... has returned `result`. */
void bob_sync_leave(const struct bob_sync *s, const struct bob_sync_call *call, uint64_t result);

/* The parent has made thread number `child`, that thread begins; `handle` is what it is joined by,
 * as soon as that is known. */
void bob_sync_created(const struct bob_sync *s, uint64_t child);
void bob_sync_handle(struct bob_syncs *all, uint64_t handle, uint64_t number);
void bob_sync_begins(const struct bob_sync *s);

/* A parallel region: the master forks it (NULL: nested too deeply, it is not recorded), each thread
 * of the team begins and ends its part, then the master has passed its end. */
struct bob_sync_part {		/* what a thread comes back to */
	struct bob_sync_team *team;
	uint64_t rounds;
};
struct bob_sync_team *bob_sync_fork(const struct bob_sync *s);
void bob_sync_part_begins(const struct bob_sync *s, struct bob_sync_team *team,
			  struct bob_sync_part *before);
void bob_sync_part_ends(const struct bob_sync *s, const struct bob_sync_part *before);
void bob_sync_fork_ends(const struct bob_sync *s, struct bob_sync_team *team);

#endif
