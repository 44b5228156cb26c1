/* SPDX-License-Identifier: BSD-3-Clause */
/* Guard of user code against exceptions. The personality function of this file catches them, and
 * needs nothing of the language that throws. In the search for a handler (phase 1 of the Itanium
 * C++ ABI) it names bob_ev_guard as the handler; in the cleanup (phase 2) it destroys the exception
 * and jumps back. It calls none of the unwinder's functions, so they may be absent if nothing
 * throws. Forced unwinding (pthread_exit, pthread_cancel) continues, and the thread ends. */
#define _GNU_SOURCE
#include "events/guard.h"

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unwind.h>

#include "events/recorder.h"

/* Guards that the thread is within, the innermost last. */
struct guard {
	const uint8_t *frame;
	const volatile uint64_t *marks;	/* in the frame */
	uint32_t what;		/* bits of enum bob_ev_guarded */
	void *back[5];		/* for __builtin_setjmp */
};

#define MARKS 64u
#define MARK 0x626f626775617264ull

static __thread struct guard guards[BOB_EV_GUARDS];
static __thread uint32_t depth;
static __thread uint32_t left;	/* guards left by a jump: bits of enum bob_ev_guarded */

/* A program may have unmapped stacks that it made itself. */
static bool is_mapped(const volatile void *p)
{
	const int saved = errno;
	unsigned char resident;
	bool is_there;

	if (!bob_ev_agent->allowed())
		return true;
	is_there = mincore((void *)((uintptr_t)p & ~(uintptr_t)4095), 1, &resident) == 0;
	errno = saved;
	return is_there;
}

/* Whether a jump has left the guard: the stack is shorter than it was, or its frame has been
 * overwritten (undetected only if the marks are in an unwritten part of a later frame). */
static bool is_left(const struct guard *g, const uint8_t *here)
{
	if (here > g->frame || !is_mapped(g->marks) || !is_mapped(g->marks + MARKS - 1))
		return true;
	for (uint32_t i = 0; i < MARKS; i++)
		if (g->marks[i] != (MARK ^ (uintptr_t)&g->marks[i]))
			return true;
	return false;
}

/* Removes guards that a jump has left. A signal handler's stack may lie above a frame that is in
 * use. */
static void look(void)
{
	const uint8_t *here = __builtin_frame_address(0);

	if (!depth || !is_left(&guards[depth - 1], here) || bob_ev_is_in_handler())
		return;
	do
		left |= guards[--depth].what;
	while (depth && is_left(&guards[depth - 1], here));
}

bool bob_ev_guard_is_inside(enum bob_ev_guarded what)
{
	look();
	for (uint32_t i = 0; i < depth; i++)
		if (guards[i].what & what)
			return true;
	return false;
}

uint32_t bob_ev_guards_left(void)
{
	uint32_t which;

	look();
	which = left;
	left = 0;
	return which;
}

/* --- an exception --- */

typedef void *begin_catch_fn(void *exception);
typedef void end_catch_fn(void);

/* Lets the C++ run time catch the exception, since it counts uncaught ones. The run time that
 * cleans up may be one that only a plug-in has. */
static bool is_caught_by_runtime(struct _Unwind_Exception *e)
{
	begin_catch_fn *begin;
	end_catch_fn *end;
	Dl_info info;
	void *lib;

	if ((e->exception_class & ~0xffull) != 0x474e5543432b2b00ull || /* GNUCC++ */
	    !dladdr((void *)(uintptr_t)e->exception_cleanup, &info) || !info.dli_fname)
		return false;
	lib = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
	if (!lib)
		return false;
	begin = (begin_catch_fn *)(uintptr_t)dlsym(lib, "__cxa_begin_catch");
	end = (end_catch_fn *)(uintptr_t)dlsym(lib, "__cxa_end_catch");
	if (begin && end) {
		begin(e);
		end();
	}
	dlclose(lib);
	return begin && end;
}

static void destroy(struct _Unwind_Exception *e)
{
	if (e->exception_cleanup && !is_caught_by_runtime(e))
		e->exception_cleanup(_URC_FOREIGN_EXCEPTION_CAUGHT, e);
}

/* Personality of bob_ev_guard's frame. */
__attribute__((used, visibility("hidden"))) _Unwind_Reason_Code
bob_ev_guard_personality(int version, _Unwind_Action actions, uint64_t class,
			 struct _Unwind_Exception *e, struct _Unwind_Context *context);

_Unwind_Reason_Code bob_ev_guard_personality(int version, _Unwind_Action actions, uint64_t class,
					     struct _Unwind_Exception *e,
					     struct _Unwind_Context *context)
{
	(void)class;
	(void)context;
	if (version != 1 || actions & _UA_FORCE_UNWIND)
		return _URC_CONTINUE_UNWIND;
	if (actions & _UA_SEARCH_PHASE)
		look(); /* guards left by a jump are not between throw and handler */
	if (!depth)
		return _URC_CONTINUE_UNWIND;
	if (actions & _UA_SEARCH_PHASE)
		return _URC_HANDLER_FOUND;
	if (!(actions & _UA_HANDLER_FRAME))
		return _URC_CONTINUE_UNWIND;
	destroy(e);
	__builtin_longjmp(guards[depth - 1].back, 1);
}

/* --- the frame --- */

/* Removes the guards within this one, and this one, unless it has been taken for left. */
static void come_out(uint32_t outside)
{
	if (depth > outside)
		depth = outside;
}

__attribute__((noinline)) bool bob_ev_guard(enum bob_ev_guarded what, void (*work)(void *arg),
					    void *arg)
{
	/* 0x1b: DW_EH_PE_pcrel | DW_EH_PE_sdata4 */
	__asm__ volatile(".cfi_personality 0x1b, bob_ev_guard_personality");
	volatile uint64_t marks[MARKS];
	volatile uint32_t outside;

	look();
	if (depth == BOB_EV_GUARDS)
		return false;
	outside = depth;
	for (uint32_t i = 0; i < MARKS; i++)
		marks[i] = MARK ^ (uintptr_t)&marks[i];
	guards[depth].marks = marks;
	if (__builtin_setjmp(guards[depth].back)) {
		come_out(outside);
		return false;
	}
	guards[depth].frame = __builtin_frame_address(0);
	guards[depth++].what = what | (bob_ev_depth ? BOB_EV_GUARDED_WITHIN : 0u);
	work(arg);
	come_out(outside);
	return true;
}
