/* SPDX-License-Identifier: BSD-3-Clause */
/* The per-thread area: memory that a thread has in addition to its stack. The program's stacks may
 * be as small as 16 KB, and static TLS is allocated on them. So the agent's per-thread state is in
 * a separate mapping. Rare code that needs a deep stack (the first event of a thread, an event from
 * a new place) runs on a stack in that mapping:
 *
 *     the stack, struct bob_thread_area
 *
 * A thread gets the mapping when it first needs it. It is never unmapped: a thread that needs one
 * asks the kernel whether the owners of two older ones have ended, as thread.c does with thread
 * blocks, and takes the first free one. So the number of mappings is the maximum number of
 * concurrent threads. */
#include "agent/thread_area.h"

#include <string.h>

#include "agent/agent.h"
#include "agent/os.h"

#define STACK_BYTES (64u << 10)
#define HEAD_BYTES ((sizeof(struct bob_thread_area) + BOB_PAGE - 1) & ~(size_t)(BOB_PAGE - 1))
#define ASK 2			/* older areas checked when one is needed */
#define SHARED 64u
/* The bounds of a thread's stack are looked up, which takes some 30 us, only after this many runs
 * on its area. */
#define RUNS_KNOWN 4u
/* A stack is large if it has this much below the stack pointer. */
#define ROOMY (1u << 20)
/* Size of the thread control block and static TLS at the top of a thread's stack. */
#define TOP_BYTES (64u << 10)

__thread struct bob_thread_area *bob_thread_area;
/* Lock-free: hundreds of threads may start at once, and mapping memory is slow. The list only
 * grows. asked: the next area to be checked. */
static struct bob_thread_area *all, *asked;

void bob_call_on_stack(void (*fn)(void *), void *arg, void *top);

/* --- ownership --- */

/* owner: the thread's number in the low half, a count of owners in the high half, because thread
 * numbers are reused. */
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

/* The pid differs in a vfork child, which has its parent's thread pointer, and in a fork child that
 * the agent has not initialised yet: these get no area. */
static struct bob_thread_area *take(void)
{
	struct bob_thread_area *a;
	unsigned long signals;

	if (!os_allowed() || os_pid() != bob_process.pid)
		return NULL;
	signals = os_block_signals(); /* a handler would re-enter this code */
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

/* Whether it is the stack on which the thread began. Others (coroutines, arrays) may be in a
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

/* A task created by clone with CLONE_VM alone has its parent's thread pointer, and runs
 * concurrently with the parent, which may be using that stack (thread_shared). A fork child has its
 * own copy. */
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

/* Without a per-thread area: storage shared by all threads. */
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
