/* SPDX-License-Identifier: BSD-3-Clause */
/* The per-thread area: memory that a thread has in addition to its stack. The program's stacks are
 * as large as the program needs them, 16 KB or less, and static TLS is carved out of them, too. So
 * per-thread state of the agent lies in a mapping of its own. Rare code that needs a deep stack
 * (the first event of a thread, an event from a new place) runs on a stack in that mapping:
 *
 *     the stack, struct bob_thread_area
 *
 * A thread gets the mapping when it first needs it. It is never unmapped: a thread that needs one
 * asks the kernel whether the owners of two older ones have ended, as thread.c does with thread
 * blocks, and takes the first that is free. So there are as many mappings as threads at a time. */
#include "agent/thread_area.h"

#include <string.h>

#include "agent/agent.h"
#include "agent/os.h"

#define STACK_BYTES (64u << 10)
#define HEAD_BYTES ((sizeof(struct bob_thread_area) + BOB_PAGE - 1) & ~(size_t)(BOB_PAGE - 1))
#define ASK 2			/* older ones that are looked at when one is needed */
#define SHARED 64u
/* A thread's stack is looked up when the thread has run so often beside it: it takes some 30 us. */
#define RUNS_KNOWN 4u
/* A large stack has so much below the stack pointer. */
#define ROOMY (1u << 20)
/* At the top of a thread's stack the C library has the thread control block and static TLS. */
#define TOP_BYTES (64u << 10)

__thread struct bob_thread_area *bob_thread_area;
/* No lock: hundreds of threads may begin at once, and mapping memory takes long. The list only
 * grows; asked: the next to be looked at. */
static struct bob_thread_area *all, *asked;

void bob_call_on_stack(void (*fn)(void *), void *arg, void *top);

/* --- whose it is --- */

/* The number of the thread, in the low half; the high half counts owners: thread numbers come
 * again. */
static bool claim(struct bob_thread_area *a)
{
	uint64_t was = __atomic_load_n(&a->owner, __ATOMIC_ACQUIRE);
	const uint64_t is = ((was >> 32) + 1) << 32 | os_tid();

	return !os_thread_alive(bob_process.pid, (uint32_t)was) &&
	       __atomic_compare_exchange_n(&a->owner, &was, is, false, __ATOMIC_ACQ_REL,
					   __ATOMIC_RELAXED);
}

static struct bob_thread_area *find_free(void)
{
	for (int i = 0; i < ASK; i++) {
		struct bob_thread_area *a = __atomic_load_n(&asked, __ATOMIC_ACQUIRE);

		if (!a)
			a = __atomic_load_n(&all, __ATOMIC_ACQUIRE);
		if (!a)
			return NULL;
		__atomic_store_n(&asked, a->next, __ATOMIC_RELEASE);
		if (claim(a))
			return a;
	}
	return NULL;
}

static struct bob_thread_area *map_one(void)
{
	uint8_t *p = os_map(STACK_BYTES + HEAD_BYTES);
	struct bob_thread_area *a;

	if (!p)
		return NULL;
	a = (struct bob_thread_area *)(void *)(p + STACK_BYTES);
	a->owner = os_tid();
	a->next = __atomic_load_n(&all, __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(&all, &a->next, a, true, __ATOMIC_ACQ_REL,
					    __ATOMIC_RELAXED))
		;
	return a;
}

/* The process's number is another one in a vfork child, which has its parent's thread pointer, and
 * in a fork child that the agent has not noticed yet: these get none. */
static struct bob_thread_area *take(void)
{
	struct bob_thread_area *a;
	unsigned long signals;

	if (!os_allowed() || os_pid() != bob_process.pid)
		return NULL;
	signals = os_block_signals(); /* a handler would come here, too */
	a = bob_thread_area ? bob_thread_area : find_free();
	if (a && !bob_thread_area) {
		memset(&a->sync, 0, sizeof(a->sync));
		a->runs = 0;
		a->roomy_size = 0;
	}
	bob_thread_area = a ? a : map_one();
	os_restore_signals(signals);
	return bob_thread_area;
}

struct bob_thread_area *area_get(void)
{
	return bob_thread_area ? bob_thread_area : take();
}

void area_after_fork(void)
{
	asked = NULL;
	all = bob_thread_area;
	if (!bob_thread_area)
		return;
	bob_thread_area->next = NULL;
	bob_thread_area->owner = os_allowed() ? os_tid() : 0;
}

/* --- its stack --- */

bool area_holds(uint64_t rsp)
{
	return bob_thread_area && (uint64_t)(uintptr_t)bob_thread_area - rsp < STACK_BYTES;
}

void area_run(void (*fn)(void *), void *arg)
{
	struct bob_thread_area *a = area_get();

	if (!a || area_holds((uint64_t)(uintptr_t)__builtin_frame_address(0)))
		fn(arg);
	else
		bob_call_on_stack(fn, arg, a);
}

/* Is it the stack that the thread began on? Others (coroutines, pieces of an array) may lie in a
 * mapping that is larger than they are. */
static bool is_first_stack(const struct bob_thread_area *a, uint64_t lo, uint64_t hi)
{
	const uint64_t marker = (uint64_t)(uintptr_t)bob_process.argv;

	if (marker - lo < hi - lo)
		return (uint32_t)a->owner == bob_process.pid;
	return hi - thread_pointer() <= TOP_BYTES;
}

static void look_up(void *rsp)
{
	struct bob_thread_area *a = bob_thread_area;
	uint64_t lo, size;

	if (!stacks_bounds((uint64_t)(uintptr_t)rsp, &lo, &size) || size <= ROOMY ||
	    !is_first_stack(a, lo, lo + size))
		return;
	a->roomy_lo = lo + ROOMY;
	a->roomy_size = size - ROOMY;
}

/* A task made by clone with CLONE_VM alone has its parent's thread pointer, and runs beside the
 * parent, which may be on that stack at the moment (thread_shared). A fork child has a copy of its
 * own. */
static bool is_anothers(const struct bob_thread_area *a)
{
	return a && !process_is_child() && (uint32_t)a->owner != os_tid();
}

static bool is_large(const struct bob_thread_area *a, const void *rsp)
{
	return a && (uint64_t)(uintptr_t)rsp - a->roomy_lo < a->roomy_size;
}

void area_run_blocked(void (*fn)(void *), void *arg)
{
	void *const here = __builtin_frame_address(0);
	unsigned long signals;

	if (!os_allowed() || is_large(bob_thread_area, here) || is_anothers(bob_thread_area)) {
		fn(arg);
		return;
	}
	signals = os_block_signals();
	area_run(fn, arg);
	if (bob_thread_area && !area_holds((uint64_t)(uintptr_t)here) &&
	    ++bob_thread_area->runs == RUNS_KNOWN)
		area_run(look_up, here);
	os_restore_signals(signals);
}

/* --- arguments --- */

/* Where there is no memory: one for all threads. */
static void *shared_argument(void)
{
	static uint8_t shared[SHARED][BOB_AREA_ARGUMENT_BYTES] __attribute__((aligned(16)));
	static uint32_t turn;

	return shared[__atomic_fetch_add(&turn, 1, __ATOMIC_RELAXED) % SHARED];
}

void *area_argument(const void *from, size_t bytes)
{
	struct bob_thread_area *a = area_get();
	void *to = a ? a->argument[a->turn++ % BOB_AREA_ARGUMENTS] : shared_argument();

	memcpy(to, from, bytes);
	return to;
}
