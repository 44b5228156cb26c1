/* SPDX-License-Identifier: BSD-3-Clause */
/* Converts calls of synchronisation functions to marks. Ordering: the number of a turn is taken
 * while the thread owns what it waited for, or still owns what it is about to release. So the
 * numbers are in the order in which the operations took effect. */
#include "mem/sync.h"

#define FUTEX 202u		/* system call number, x86-64 */
#define FUTEX_COMMAND 0x7fu	/* an operation without its flags */
#define EPERM 1u
#define EINVAL 22u
#define EOWNERDEAD 130u
#define SERIAL UINT32_MAX	/* PTHREAD_BARRIER_SERIAL_THREAD */

#define PROBES 64u		/* maximum probe length in the table of handles */

/* Pseudo-objects of operations that have no address. */
#define CRITICAL 1u		/* the unnamed section */
#define ATOMIC 2u

const struct bob_sync_kind_info bob_sync_kinds[BOB_SYNC_KIND_COUNT] = {
	{ 0, 0, 0, "" },
#define X(kind, rule, group, words, name) { BOB_SYNC_##rule, BOB_SYNC_##group, words, name },
	BOB_SYNC_KINDS(X)
#undef X
};

/* --- marks --- */

static void put_one(const struct bob_sync *s, enum bob_sync_kind kind, uint64_t object)
{
	s->put(s->ctx, kind, &object, 1);
}

static void put_two(const struct bob_sync *s, enum bob_sync_kind kind, uint64_t object,
		    uint64_t number)
{
	const uint64_t word[2] = { object, number };

	s->put(s->ctx, kind, word, 2);
}

static void put_turn(const struct bob_sync *s, enum bob_sync_kind kind, uint64_t object)
{
	uint64_t *next = &s->all->place[bob_sync_place(object)].next;

	put_two(s, kind, object, __atomic_fetch_add(next, 1, __ATOMIC_ACQ_REL));
}

/* --- barriers of threads --- */

/* The barrier at `object`, added if `make`. NULL: unknown, or the table is full. */
static struct bob_sync_barrier *find_barrier(struct bob_syncs *all, uint64_t object, int make)
{
	uint32_t at = bob_sync_place(object) % BOB_SYNC_BARRIERS_MAX;

	for (uint32_t i = 0; i < BOB_SYNC_BARRIERS_MAX;
	     i++, at = (at + 1) % BOB_SYNC_BARRIERS_MAX) {
		struct bob_sync_barrier *b = &all->barrier[at];
		uint64_t was = __atomic_load_n(&b->object, __ATOMIC_ACQUIRE);

		if (!was && !make)
			return NULL;
		if (!was && __atomic_compare_exchange_n(&b->object, &was, object, 0,
							__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
			return b;
		if (was == object)
			return b;
	}
	return NULL;
}

/* POSIX guarantees that no thread waits at the barrier now. */
static void init_barrier(struct bob_syncs *all, uint64_t object, uint32_t count)
{
	struct bob_sync_barrier *b = count ? find_barrier(all, object, 1) : NULL;

	if (!b)
		return;
	b->before = __atomic_load_n(&b->arrived, __ATOMIC_ACQUIRE);
	__atomic_store_n(&b->count, count, __ATOMIC_RELEASE);
}

/* Arrival number c of all is in round (c - before) / count, because no thread gets to the next
 * round before all threads of this one have arrived. word[1] is the number of arrivals that
 * complete the round; 0: unknown. */
static void arrive(const struct bob_sync *s, uint64_t object, struct bob_sync_call *call)
{
	struct bob_sync_barrier *b = find_barrier(s->all, object, 0);
	uint64_t count = b ? __atomic_load_n(&b->count, __ATOMIC_ACQUIRE) : 0, arrived;

	call->word[0] = object;
	call->word[1] = 0;
	if (!count) {
		put_turn(s, BOB_SYNC_ARRIVED, object);
		return;
	}
	arrived = __atomic_fetch_add(&b->arrived, 1, __ATOMIC_ACQ_REL) - b->before;
	call->word[1] = b->before + (arrived / count + 1) * count;
	put_one(s, BOB_SYNC_ARRIVE, object);
}

/* --- teams --- */

struct bob_sync_team *bob_sync_fork(const struct bob_sync *s)
{
	struct bob_sync_thread *t = s->thread;
	struct bob_sync_team *team;

	if (t->depth == BOB_SYNC_TEAMS)
		return NULL;
	team = &t->team[t->depth];
	team->object = t->number * BOB_SYNC_TEAMS + t->depth++;
	team->forks++;
	team->begun = team->rounds = 0;
	put_one(s, BOB_SYNC_FORK, team->object);
	return team;
}

void bob_sync_part_begins(const struct bob_sync *s, struct bob_sync_team *team,
			  struct bob_sync_part *before)
{
	*before = (struct bob_sync_part){ s->thread->now, s->thread->rounds };
	s->thread->now = team;
	s->thread->rounds = 0;
	__atomic_fetch_add(&team->begun, 1, __ATOMIC_ACQ_REL);
	put_two(s, BOB_SYNC_TEAM_BEGIN, team->object, team->forks);
}

void bob_sync_part_ends(const struct bob_sync *s, const struct bob_sync_part *before)
{
	struct bob_sync_team *team = s->thread->now;

	if (team) {
		put_one(s, BOB_SYNC_TEAM_END, team->object);
		/* all threads of the team have passed the same number of barriers */
		__atomic_store_n(&team->rounds, s->thread->rounds, __ATOMIC_RELEASE);
	}
	s->thread->now = before->team;
	s->thread->rounds = before->rounds;
}

void bob_sync_fork_ends(const struct bob_sync *s, struct bob_sync_team *team)
{
	uint64_t begun = __atomic_load_n(&team->begun, __ATOMIC_ACQUIRE);

	team->ends += begun;
	team->arrivals += begun * __atomic_load_n(&team->rounds, __ATOMIC_ACQUIRE);
	s->thread->depth = (uint32_t)(team - s->thread->team);
	put_two(s, BOB_SYNC_TEAM_JOIN, team->object, team->ends);
}

/* When the first thread leaves a barrier, all threads of the team have begun. */
static void leave_team_barrier(const struct bob_sync *s)
{
	struct bob_sync_team *team = s->thread->now;

	if (!team)
		return;
	put_two(s, BOB_SYNC_TEAM_LEAVE, team->object,
		team->arrivals +
			__atomic_load_n(&team->begun, __ATOMIC_ACQUIRE) * ++s->thread->rounds);
}

/* A mark whose object is the team itself. */
static void put_of_team(const struct bob_sync *s, enum bob_sync_kind kind)
{
	if (!s->thread->now)
		return;
	if (bob_sync_kinds[kind].rule == BOB_SYNC_TURN)
		put_turn(s, kind, s->thread->now->object);
	else
		put_one(s, kind, s->thread->now->object);
}

/* --- threads --- */

void bob_sync_created(const struct bob_sync *s, uint64_t child)
{
	put_one(s, BOB_SYNC_CREATE, child);
}

void bob_sync_begins(const struct bob_sync *s)
{
	put_one(s, BOB_SYNC_BEGIN, s->thread->number);
}

void bob_sync_handle(struct bob_syncs *all, uint64_t handle, uint64_t number)
{
	uint32_t at = bob_sync_place(handle) % BOB_SYNC_HANDLES;

	for (uint32_t i = 0; i < PROBES; i++, at = (at + 1) % BOB_SYNC_HANDLES) {
		uint64_t was = 0;

		if (__atomic_compare_exchange_n(&all->thread[at].handle, &was, handle, 0,
						__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE) ||
		    was == handle) {
			__atomic_store_n(&all->thread[at].number, number, __ATOMIC_RELEASE);
			return;
		}
	}
}

/* Looks up the thread's number before the join: afterwards another thread may get the handle. */
static int enter_join(const struct bob_sync *s, uint64_t handle, struct bob_sync_call *call)
{
	uint32_t at = bob_sync_place(handle) % BOB_SYNC_HANDLES;

	for (uint32_t i = 0; i < PROBES; i++, at = (at + 1) % BOB_SYNC_HANDLES) {
		if (__atomic_load_n(&s->all->thread[at].handle, __ATOMIC_ACQUIRE) != handle)
			continue;
		call->word[0] = __atomic_load_n(&s->all->thread[at].number, __ATOMIC_ACQUIRE);
		return 1;
	}
	return 0;
}

/* --- calls --- */

/* syscall(SYS_futex, address, operation): a wake is recorded at its entry, a wait at its return. */
static int enter_futex(const struct bob_sync *s, const uint64_t arg[3])
{
	/* WAKE, REQUEUE, CMP_REQUEUE, WAKE_OP, UNLOCK_PI, WAKE_BITSET, CMP_REQUEUE_PI */
	const uint32_t wakes = 1u << 1 | 1u << 3 | 1u << 4 | 1u << 5 | 1u << 7 | 1u << 10 |
			       1u << 12;
	/* WAIT, LOCK_PI, TRYLOCK_PI, WAIT_BITSET, WAIT_REQUEUE_PI, LOCK_PI2 */
	const uint32_t waits = 1u << 0 | 1u << 6 | 1u << 8 | 1u << 9 | 1u << 11 | 1u << 13;
	uint32_t command = (uint32_t)arg[2] & FUTEX_COMMAND;

	if ((uint32_t)arg[0] != FUTEX || command > 31)
		return 0;
	if (wakes >> command & 1)
		put_turn(s, BOB_SYNC_FUTEX_WAKE, arg[1]);
	return (int)(waits >> command & 1);
}

static int enter_wait(const struct bob_sync *s, const uint64_t arg[3], struct bob_sync_call *call)
{
	put_turn(s, BOB_SYNC_COND_WAIT, arg[0]);
	put_turn(s, BOB_SYNC_UNLOCK, arg[1]);
	call->word[1] = arg[1];
	return 1;
}

int bob_sync_enter(const struct bob_sync *s, enum bob_sync_hook hook, const uint64_t arg[3],
		   struct bob_sync_call *call)
{
	/* Operations that only release, and the kind of their mark; its object is not 0. NAMED_END
	 * refers to a named section, all others to an object. */
	static const uint8_t gives[BOB_HOOKS] = {
		[BOB_HOOK_UNLOCK] = BOB_SYNC_UNLOCK,
		[BOB_HOOK_RW_UNLOCK] = BOB_SYNC_RW_UNLOCK,
		[BOB_HOOK_SPIN_UNLOCK] = BOB_SYNC_SPIN_UNLOCK,
		[BOB_HOOK_COND_SIGNAL] = BOB_SYNC_COND_SIGNAL,
		[BOB_HOOK_COND_BROADCAST] = BOB_SYNC_COND_BROADCAST,
		[BOB_HOOK_SEM_POST] = BOB_SYNC_SEM_POST,
		[BOB_HOOK_NAMED_END] = BOB_SYNC_CRITICAL_END,
	};
	static const uint8_t of_team[BOB_HOOKS] = {
		[BOB_HOOK_ORDERED_END] = BOB_SYNC_ORDERED_END,
		[BOB_HOOK_TASK] = BOB_SYNC_TASK,
		[BOB_HOOK_SHARE] = BOB_SYNC_SHARE,
		[BOB_HOOK_SINGLE] = BOB_SYNC_SINGLE,
	};

	*call = (struct bob_sync_call){ hook, { arg[0], 0, 0 } };
	if (gives[hook]) {
		put_turn(s, (enum bob_sync_kind)gives[hook], arg[0]);
		return 0;
	}
	if (of_team[hook]) {
		put_of_team(s, (enum bob_sync_kind)of_team[hook]);
		return 0;
	}
	switch (hook) {
	case BOB_HOOK_JOIN:
		return enter_join(s, arg[0], call);
	case BOB_HOOK_COND_WAIT:
		return enter_wait(s, arg, call);
	case BOB_HOOK_BARRIER_INIT:
		init_barrier(s->all, arg[0], (uint32_t)arg[2]);
		return 0;
	case BOB_HOOK_BARRIER_WAIT:
		arrive(s, arg[0], call);
		return 1;
	case BOB_HOOK_SYSCALL:
		call->word[0] = arg[1];
		return enter_futex(s, arg);
	case BOB_HOOK_TEAM_BARRIER:
		put_of_team(s, BOB_SYNC_TEAM_ARRIVE);
		return s->thread->now != NULL;
	case BOB_HOOK_CRITICAL_END:
		put_turn(s, BOB_SYNC_CRITICAL_END, CRITICAL);
		return 0;
	case BOB_HOOK_ATOMIC_END:
		put_turn(s, BOB_SYNC_ATOMIC_END, ATOMIC);
		return 0;
	default:
		return 1;	/* operations that acquire are recorded at their return */
	}
}

static int is_locked(uint64_t result)
{
	return !(uint32_t)result || (uint32_t)result == EOWNERDEAD;
}

static void leave_barrier(const struct bob_sync *s, const struct bob_sync_call *call,
			  uint64_t result)
{
	if ((uint32_t)result && (uint32_t)result != SERIAL)
		return;
	if (call->word[1])
		put_two(s, BOB_SYNC_LEAVE, call->word[0], call->word[1]);
	else
		put_turn(s, BOB_SYNC_LEFT, call->word[0]);
}

/* Whatever woke the thread, it has its mutex again. */
static void leave_wait(const struct bob_sync *s, const struct bob_sync_call *call, uint64_t result)
{
	if ((uint32_t)result == EPERM || (uint32_t)result == EINVAL)
		return;
	if (is_locked(result))
		put_turn(s, BOB_SYNC_COND_WOKEN, call->word[0]);
	put_turn(s, BOB_SYNC_LOCK, call->word[1]);
}

void bob_sync_leave(const struct bob_sync *s, const struct bob_sync_call *call, uint64_t result)
{
	/* Operations that acquire if they return 0, or the mutex of a dead owner. */
	static const uint8_t takes[BOB_HOOKS] = {
		[BOB_HOOK_LOCK] = BOB_SYNC_LOCK,
		[BOB_HOOK_READ_LOCK] = BOB_SYNC_READ_LOCK,
		[BOB_HOOK_WRITE_LOCK] = BOB_SYNC_WRITE_LOCK,
		[BOB_HOOK_SPIN_LOCK] = BOB_SYNC_SPIN_LOCK,
		[BOB_HOOK_SEM_WAIT] = BOB_SYNC_SEM_WAIT,
	};

	if (call->hook >= BOB_HOOKS)
		return;
	if (takes[call->hook]) {
		if (is_locked(result))
			put_turn(s, (enum bob_sync_kind)takes[call->hook], call->word[0]);
		return;
	}
	switch ((enum bob_sync_hook)call->hook) {
	case BOB_HOOK_JOIN:
		if (!(uint32_t)result)
			put_one(s, BOB_SYNC_JOIN, call->word[0]);
		break;
	case BOB_HOOK_COND_WAIT:
		leave_wait(s, call, result);
		break;
	case BOB_HOOK_BARRIER_WAIT:
		leave_barrier(s, call, result);
		break;
	case BOB_HOOK_SYSCALL: /* even if it did not wait: it has observed the value that it waited
			        * for */
		put_turn(s, BOB_SYNC_FUTEX_WAIT, call->word[0]);
		break;
	case BOB_HOOK_TEAM_BARRIER:
		leave_team_barrier(s);
		break;
	case BOB_HOOK_CRITICAL_BEGIN:
		put_turn(s, BOB_SYNC_CRITICAL_BEGIN, CRITICAL);
		break;
	case BOB_HOOK_NAMED_BEGIN:
		put_turn(s, BOB_SYNC_CRITICAL_BEGIN, call->word[0]);
		break;
	case BOB_HOOK_ATOMIC_BEGIN:
		put_turn(s, BOB_SYNC_ATOMIC_BEGIN, ATOMIC);
		break;
	case BOB_HOOK_ORDERED_BEGIN:
		put_of_team(s, BOB_SYNC_ORDERED_BEGIN);
		break;
	case BOB_HOOK_TASKWAIT:
		put_of_team(s, BOB_SYNC_TASKWAIT);
		break;
	default:
		break;
	}
}
