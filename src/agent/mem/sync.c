/* SPDX-License-Identifier: BSD-3-Clause */
/* Synchronisation marks (mem/sync.h). Trampolines at the entries of synchronisation functions lead
 * to arch/x86_64/sync.S, which calls this file before the function and, where needed, after it.
 *
 * Threads are numbered by their parent, in the order of creation. Functions passed to
 * pthread_create and GOMP_parallel are replaced by functions of the agent, which put a mark at the
 * beginning of the thread or part and call the original. */
#include "agent/thread_area.h"
#include "agent/mem/mem.h"

#include <string.h>

#include "agent/os.h"
#include "agent/waits.h"

BOB_STATIC_ASSERT(sizeof(struct bob_sync_call) == 40 && sizeof(struct bob_regs) == 72,
		  "frame of sync.S");

#define STARTS 1024u		/* threads being created at the same time */
#define FUTEX 202u		/* system call, x86-64 */
#define LIBC_SIGNALS (3ul << 31) /* 32 and 33: never blocked in a new thread */

/* A thread that has been created and has not begun. */
static struct start {
	uint64_t used;
	uint64_t function, argument;
	uint64_t number;
	unsigned long signals;	/* its initial signal mask */
} starts[STARTS];

static struct bob_syncs syncs __attribute__((aligned(BOB_PAGE)));
/* This thread's number + 1, if it was assigned before its first record. */
static __thread uint32_t given;

/* --- numbers --- */

uint32_t mem_thread_number(void)
{
	return given ? given - 1 : bob_process.streams++;
}

/* A thread without a per-thread area is not recorded. */
static struct bob_sync_thread *own(void)
{
	static struct bob_sync_thread unowned;
	struct bob_thread_area *a = area_get();

	return a ? &a->sync : &unowned;
}

void mem_sync_begin(uint32_t number)
{
	own()->number = number;
}

/* In a fork child: the parent's other threads do not exist, and turns restart. */
void mem_sync_after_fork(void)
{
	os_drop_pages(&syncs, sizeof(syncs) & ~(size_t)(BOB_PAGE - 1));
	/* the last page contains other data, too */
	memset(syncs.barrier, 0, sizeof(syncs.barrier));
	memset(starts, 0, sizeof(starts));
	memset(own(), 0, sizeof(*own()));
	given = 0;
}

/* --- marks --- */

/* Whether this thread is recorded; ensures that it has a buffer. */
static bool is_ready(void)
{
	if (bob_mem_slots.cursor >= bob_mem_slots.limit)
		bob_mem_full();
	return mem_is_recorded();
}

static void put(void *unused, enum bob_sync_kind kind, const uint64_t *word, uint32_t words)
{
	uint64_t header = BOB_MEM_HEADER | mem_sync_desc(kind);

	(void)unused;
	while (!bob_mem_mark(header, word[0], words > 1 ? word[1] : 0, words)) {
		bob_mem_full();
		if (!mem_is_recorded())
			return;
	}
}

static struct bob_sync of_thread(void)
{
	return (struct bob_sync){ &syncs, own(), put, NULL };
}

/* --- threads --- */

static struct start *take_start(void)
{
	for (uint32_t i = 0; i < STARTS; i++) {
		uint64_t was = 0;

		if (__atomic_compare_exchange_n(&starts[i].used, &was, 1, 0, __ATOMIC_ACQ_REL,
						__ATOMIC_RELAXED))
			return &starts[i];
	}
	return NULL;
}

static void drop_start(struct start *p)
{
	__atomic_store_n(&p->used, 0, __ATOMIC_RELEASE);
}

/* pthread_create(thread, attributes, function, argument). Signals are blocked until the new thread
 * has its number, because a handler may record something, too. */
static enum bob_around_way enter_create(struct bob_regs *r, struct bob_sync_call *call)
{
	struct start *p = take_start();

	if (!p)
		return BOB_AROUND_PASS; /* the thread gets a number at its first record */
	lock_process();
	p->number = bob_process.streams++;
	unlock_process();
	p->signals = os_block_signals();
	/* setuid needs its signals in all threads */
	os_restore_signals(os_block_signals() & ~LIBC_SIGNALS);
	p->function = r->rdx;
	p->argument = r->rcx;
	r->rdx = (uint64_t)(uintptr_t)bob_sync_thread_entry;
	r->rcx = (uint64_t)(uintptr_t)p;
	*call = (struct bob_sync_call){
		BOB_HOOK_CREATE, { p->number, (uint64_t)(uintptr_t)p, r->rdi, p->signals }
	};
	return BOB_AROUND_CALL;
}

static void leave_create(const struct bob_sync *s, const struct bob_sync_call *call,
			 uint64_t result)
{
	uint64_t handle;

	os_restore_signals((unsigned long)call->word[3]);
	if ((uint32_t)result) {
		drop_start((struct start *)(uintptr_t)call->word[1]);
		return;
	}
	memcpy(&handle, (const void *)(uintptr_t)call->word[2], sizeof(handle));
	bob_sync_handle(s->all, handle, call->word[0]);
	bob_sync_created(s, call->word[0]);
}

struct mem_thread_start mem_sync_thread(void *start)
{
	struct start p = *(struct start *)start;
	struct bob_sync s = of_thread();
	unsigned long mask = os_block_signals(), all;

	drop_start(start);
	if (!given)
		given = (uint32_t)p.number + 1;
	if (is_ready())
		bob_sync_begins(&s);
	/* is the mask the one that we passed on, or one from the thread's attributes? A full one
	 * contains SIGTRAP, too */
	all = os_block_signals() & ~LIBC_SIGNALS;
	os_restore_signals(mask == all ? p.signals & ~LIBC_SIGNALS : mask);
	return (struct mem_thread_start){ p.function, p.argument };
}

/* --- parallel regions --- */

/* Passed to run_part instead of the region's data; stored in struct bob_sync_call. */
struct region {
	/* first word of the data: libgomp reads it if there are task reductions */
	uint64_t first;
	uint64_t function, data;
	uint64_t team;
};
BOB_STATIC_ASSERT(sizeof(struct region) == sizeof(((struct bob_sync_call *)0)->word),
		  "a region lies in its call");

/* Runs in each thread of a region, instead of the region's function. */
static void run_part(const struct region *region)
{
	void (*function)(void *) = (void (*)(void *))(uintptr_t)region->function;
	void *data = (void *)(uintptr_t)region->data;
	struct bob_sync_part before;
	struct bob_sync s = of_thread();

	if (!is_ready()) {
		function(data);
		return;
	}
	bob_sync_part_begins(&s, (struct bob_sync_team *)(uintptr_t)region->team, &before);
	function(data);
	bob_sync_part_ends(&s, &before);
}

static bool is_region(uint64_t hook)
{
	return hook == BOB_HOOK_PARALLEL || hook == BOB_HOOK_REDUCTIONS;
}

static enum bob_around_way enter_parallel(const struct bob_sync *s, enum bob_sync_hook hook,
					  struct bob_regs *r, struct bob_sync_call *call)
{
	struct bob_sync_team *team = bob_sync_fork(s);
	struct region region = { 0, r->rdi, r->rsi, (uint64_t)(uintptr_t)team };

	if (!team)
		return BOB_AROUND_PASS;
	if (hook == BOB_HOOK_REDUCTIONS)
		memcpy(&region.first, (const void *)(uintptr_t)r->rsi, sizeof(region.first));
	call->hook = hook;
	memcpy(call->word, &region, sizeof(region));
	r->rdi = (uint64_t)(uintptr_t)run_part;
	/* stays valid until all threads have ended their parts */
	r->rsi = (uint64_t)(uintptr_t)call->word;
	return BOB_AROUND_CALL_WITH_STACK;
}

static void leave_parallel(const struct bob_sync *s, const struct bob_sync_call *call)
{
	struct region region;

	memcpy(&region, call->word, sizeof(region));
	bob_sync_fork_ends(s, (struct bob_sync_team *)(uintptr_t)region.team);
}

/* --- calls --- */

static enum bob_sync_caller caller_of(uint64_t address)
{
	const struct bob_image *im = image_at(address);

	return im ? im->sync_caller : BOB_SYNC_PROGRAM;
}

enum bob_around_way bob_sync_called(uint32_t id, struct bob_regs *r, struct bob_sync_call *call,
				    uint64_t caller)
{
	const uint64_t arg[3] = { r->rdi, r->rsi, r->rdx };
	uint32_t what = special_what(id);
	enum bob_sync_hook hook = (enum bob_sync_hook)(what - BOB_SPECIAL_SYNC);
	struct bob_sync s;

	if (bob_special_is_wait(what))
		return waits_called(id, what, r, call);
	if (what == BOB_SPECIAL_SYSCALL) {
		if (r->rdi != FUTEX) {
			bob_special(id, r); /* a fork: a buffer cannot be requested afterwards */
			return BOB_AROUND_PASS;
		}
		hook = BOB_HOOK_SYSCALL;
	}
	if (hook <= BOB_HOOK_NONE || hook >= BOB_HOOKS || !os_allowed() ||
	    !bob_sync_counts(caller_of(caller), hook) || !is_ready())
		return BOB_AROUND_PASS;
	s = of_thread();
	if (hook == BOB_HOOK_CREATE)
		return enter_create(r, call);
	if (is_region(hook))
		return enter_parallel(&s, hook, r, call);
	if (!bob_sync_enter(&s, hook, arg, call))
		return BOB_AROUND_PASS;
	return hook == BOB_HOOK_SYSCALL ? BOB_AROUND_CALL_WITH_STACK : BOB_AROUND_CALL;
}

void bob_sync_returned(const struct bob_sync_call *call, uint64_t result)
{
	struct bob_sync s;

	if (waits_own(call)) {
		waits_returned(call, result);
		return;
	}
	s = of_thread();
	if (call->hook != BOB_HOOK_CREATE && !is_ready())
		return;
	if (call->hook == BOB_HOOK_CREATE)
		leave_create(&s, call, result);
	else if (is_region(call->hook))
		leave_parallel(&s, call);
	else
		bob_sync_leave(&s, call, result);
}
