/* SPDX-License-Identifier: BSD-3-Clause */
/* Synchronisation between threads, as marks in their streams (BOB_MEM_SYNC, mem/record.h). An
 * engine calls bob_sync_enter when the program enters one of the functions of bob_sync_hook_of, and
 * bob_sync_leave when it returns. Their meaning is decided here, so that all engines record the
 * same. docs/memory.md has the rules by which a reader reconstructs the order between threads.
 *
 * A mark has one word or two: an object, and a number. The rule of the mark's kind defines the
 * number. Numbers are chosen so that regular programs have regular ones: operations of all threads
 * of a team have the same words in each thread.
 *
 * Freestanding. Threads: struct bob_syncs is shared. struct bob_sync_thread belongs to its thread,
 * except its teams, which the threads of the team use during their region. Nothing here waits or
 * makes a system call. */
#ifndef BOB_MEM_SYNC_H
#define BOB_MEM_SYNC_H

#include <stddef.h>
#include <stdint.h>

/* How marks of different threads are ordered. */
enum bob_sync_rule {
	BOB_SYNC_NOTE = 0,	/* not at all */
	/* Marks whose objects have the same place (bob_sync_place) happened in the order of their
	 * numbers, which count from 0. */
	BOB_SYNC_TURN = 1,
	/* Increments the counter of the object (in the group of the kind). */
	BOB_SYNC_GIVE = 2,
	/* Happens after the counter of the object has reached the number; without a number, 1. */
	BOB_SYNC_AWAIT = 3
};

/* Counters of GIVE and AWAIT are identified by group and object. */
enum bob_sync_group {
	BOB_SYNC_NO_GROUP = 0,
	BOB_SYNC_THREADS = 1,	/* object: number of a thread; it was created */
	BOB_SYNC_ENDS = 2,	/* the same; it has ended: incremented by the end of the stream */
	BOB_SYNC_BARRIERS = 3,
	BOB_SYNC_REGIONS = 4,	/* object: a team; number of parallel regions begun */
	BOB_SYNC_REGION_ENDS = 5, /* object: a team; threads that reached the end of a region */
	BOB_SYNC_TEAM_BARRIERS = 6
};

/* kind, rule, group, words, name as printed by `show` */
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
	X(TEAM_BEGIN, AWAIT, REGIONS, 2, "thread enters region")                                   \
	X(TEAM_END, GIVE, REGION_ENDS, 1, "thread leaves region")                                  \
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
	X(SHARE, NOTE, NO_GROUP, 1, "worksharing")                                                 \
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
	uint8_t words;		/* number of words of its marks */
	char name[37];
};
/* By kind; kind 0 is not used. */
extern const struct bob_sync_kind_info bob_sync_kinds[BOB_SYNC_KIND_COUNT];

#define BOB_SYNC_PLACES 4096u
/* Hash of an object whose kind has the rule TURN. Objects with the same hash share a sequence of
 * numbers, so their marks are ordered, too. */
static inline uint32_t bob_sync_place(uint64_t object)
{
	return (uint32_t)(object * 0x9e3779b97f4a7c15ull >> 52);
}

/* --- state of engines --- */

/* of pthread_barrier_init; further ones are recorded as ARRIVED and LEFT */
#define BOB_SYNC_BARRIERS_MAX 256u
#define BOB_SYNC_TEAMS 8u	/* nested parallel regions begun by one thread */

struct bob_sync_barrier {
	uint64_t object;	/* 0: free */
	uint64_t count;		/* number of arrivals when `count` was set */
	uint64_t arrived;	/* number of arrivals so far */
	uint64_t before;	/* value of `arrived` when `count` was set */
};

/* The threads that run a parallel region. The next region of the same master uses the same team. */
struct bob_sync_team {
	/* number of the master * BOB_SYNC_TEAMS + number of enclosing regions */
	uint64_t object;
	uint64_t forks;		/* regions so far */
	uint64_t ends;		/* threads that reached the end, of completed regions */
	uint64_t arrivals;	/* at barriers, of completed regions */
	uint64_t begun;		/* threads in this region */
	uint64_t rounds;	/* barriers in this region */
};

struct bob_sync_thread {
	uint64_t number;	/* of the thread, in the process */
	struct bob_sync_team team[BOB_SYNC_TEAMS];
	uint32_t depth;		/* teams in use */
	struct bob_sync_team *now; /* team of the innermost region of this thread; NULL: none */
	uint64_t rounds;	/* barriers passed in that region */
};

/* of threads; if there are more threads, some joins are not recorded */
#define BOB_SYNC_HANDLES 4096u

/* Shared state of a process. Initially zeroed. */
struct bob_syncs {
	struct {
		uint64_t next;
		uint64_t apart[7]; /* one per cache line, to avoid false sharing */
	} place[BOB_SYNC_PLACES];
	struct {
		uint64_t handle; /* pthread_t; 0: free */
		uint64_t number; /* of the last thread with this handle */
	} thread[BOB_SYNC_HANDLES];
	struct bob_sync_barrier barrier[BOB_SYNC_BARRIERS_MAX];
};

/* Puts a mark into the calling thread's stream at once. It has the first `words` of `word`. */
typedef void (*bob_sync_put_fn)(void *ctx, enum bob_sync_kind kind, const uint64_t *word,
				uint32_t words);

struct bob_sync {		/* arguments common to all functions; borrowed */
	struct bob_syncs *all;
	struct bob_sync_thread *thread;
	bob_sync_put_fn put;
	void *ctx;
};

/* Operations of the watched functions. */
enum bob_sync_hook {
	BOB_HOOK_NONE = 0,
	/* Handled by the engine, see below. */
	BOB_HOOK_CREATE,	/* pthread_create */
	BOB_HOOK_PARALLEL,	/* GOMP_parallel and others with the same first two arguments */
	/* GOMP_parallel_reductions: the same, and it reads the first word at the address in its
	 * second argument */
	BOB_HOOK_REDUCTIONS,
	/* Handled by bob_sync_enter. */
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

/* Classifies a caller by its file name. The loader's calls do not count: it locks its list whenever
 * a thread is created. Nor do calls of MPI and its transport libraries, which take locks for each
 * message; but threads that they create count. */
enum bob_sync_caller { BOB_SYNC_PROGRAM, BOB_SYNC_TRANSPORT, BOB_SYNC_LOADER };
enum bob_sync_caller bob_sync_caller_of(const char *base_name);
static inline int bob_sync_counts(enum bob_sync_caller caller, enum bob_sync_hook hook)
{
	return caller == BOB_SYNC_PROGRAM ||
	       (caller == BOB_SYNC_TRANSPORT && hook == BOB_HOOK_CREATE);
}

/* Whether functions of the library with this soname are watched; and the operation of a function.
 * BOB_HOOK_NONE: not watched. */
int bob_sync_is_library(const char *soname);
enum bob_sync_hook bob_sync_hook_of(const char *name);

/* State of a call between its entry and its return. */
struct bob_sync_call {
	uint64_t hook;
	uint64_t word[4];
};

/* A watched function was entered with these first three arguments. Returns 0 if its return is not
 * needed. */
int bob_sync_enter(const struct bob_sync *s, enum bob_sync_hook hook, const uint64_t arg[3],
		   struct bob_sync_call *call);
/* The function returned `result`. */
void bob_sync_leave(const struct bob_sync *s, const struct bob_sync_call *call, uint64_t result);

/* The parent has created thread number `child`; the thread begins; its handle for join has become
 * known. */
void bob_sync_created(const struct bob_sync *s, uint64_t child);
void bob_sync_handle(struct bob_syncs *all, uint64_t handle, uint64_t number);
void bob_sync_begins(const struct bob_sync *s);

/* A parallel region: the master forks it (NULL: nested too deeply, not recorded), each thread of
 * the team begins and ends its part, then the master leaves the region. */
struct bob_sync_part {		/* what the thread did before, restored at the end */
	struct bob_sync_team *team;
	uint64_t rounds;
};
struct bob_sync_team *bob_sync_fork(const struct bob_sync *s);
void bob_sync_part_begins(const struct bob_sync *s, struct bob_sync_team *team,
			  struct bob_sync_part *before);
void bob_sync_part_ends(const struct bob_sync *s, const struct bob_sync_part *before);
void bob_sync_fork_ends(const struct bob_sync *s, struct bob_sync_team *team);

#endif
