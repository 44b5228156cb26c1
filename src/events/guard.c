/* SPDX-License-Identifier: BSD-3-Clause */
/* An exception is caught by a personality of our own, which needs nothing of the language that throws: looking for who catches (phase 1), the unwinder is told that it is bob_ev_guard; once it has cleaned up to there
 * (phase 2), the exception is destroyed and a jump leads back. The unwinder's own functions are not called, so none need be there when nobody throws. What unwinds by force (pthread_exit, pthread_cancel)
 * goes on: the thread ends. */
#define _GNU_SOURCE
#include "events/guard.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <unwind.h>

/* The one whose frame is there. */
struct guard {
	const uint8_t *frame;	/* NULL: there is none */
	void *back[5];		/* __builtin_setjmp */
};

static __thread struct guard now;
static __thread bool was_left;

/* A jump has left it: then the stack is shorter than it was. */
static void look(void)
{
	if (now.frame && (const uint8_t *)__builtin_frame_address(0) > now.frame) {
		now.frame = NULL;
		was_left = true;
	}
}

bool bob_ev_guard_is_inside(void)
{
	look();
	return now.frame != NULL;
}

bool bob_ev_guard_was_left(void)
{
	bool it_was;

	look();
	it_was = was_left;
	was_left = false;
	return it_was;
}

/* --- an exception --- */

typedef void *begin_catch_fn(void *exception);
typedef void end_catch_fn(void);

/* C++ counts exceptions that nobody has caught yet. Its run time may be one that only a plug-in has: that which cleans up. */
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

/* Named in the frame of bob_ev_guard. */
__attribute__((used, visibility("hidden"))) _Unwind_Reason_Code
bob_ev_guard_personality(int version, _Unwind_Action actions, uint64_t class,
			 struct _Unwind_Exception *e, struct _Unwind_Context *context);

_Unwind_Reason_Code bob_ev_guard_personality(int version, _Unwind_Action actions, uint64_t class,
					     struct _Unwind_Exception *e,
					     struct _Unwind_Context *context)
{
	(void)class;
	(void)context;
	if (version != 1 || actions & _UA_FORCE_UNWIND || !now.frame)
		return _URC_CONTINUE_UNWIND;
	if (actions & _UA_SEARCH_PHASE)
		return _URC_HANDLER_FOUND;
	if (!(actions & _UA_HANDLER_FRAME))
		return _URC_CONTINUE_UNWIND;
	destroy(e);
	__builtin_longjmp(now.back, 1);
}

/* --- the frame --- */

__attribute__((noinline)) bool bob_ev_guard(void (*work)(void *arg), void *arg)
{
	/* 0x1b: as a distance of four bytes */
	__asm__ volatile(".cfi_personality 0x1b, bob_ev_guard_personality");
	if (__builtin_setjmp(now.back)) {
		now.frame = NULL;
		return false;
	}
	now.frame = __builtin_frame_address(0);
	work(arg);
	now.frame = NULL;
	return true;
}
