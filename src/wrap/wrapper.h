/* SPDX-License-Identifier: BSD-3-Clause */
/* Run time of the wrappers that `bobbin wrap` generates: docs/wrap.md. Each source file that
 * includes this becomes a separate library.
 *
 * A wrapper begins the function's event, calls the function, and ends the event, also when an
 * exception leaves it. A function whose parameters C cannot pass on ("..." or "()"), or whose
 * callers know which registers it preserves, is entered through a stub (stubs.h).
 *
 * Threads: any. errno is preserved, except by the user's blocks. */
#ifndef BOBBIN_WRAPPER_H
#define BOBBIN_WRAPPER_H

#if !defined(__x86_64__) || !defined(__GNUC__)
#error "wrappers are for gcc or clang on x86-64"
#endif

#include <errno.h>
#include <stddef.h>
#include <stdint.h>

#include "bobbin/events.h"

#pragma GCC diagnostic ignored "-Wignored-qualifiers" /* prototypes are used as written */

#define BOB_THREAD static __thread __attribute__((tls_model("initial-exec"), unused))
#define BOB_INLINE static inline __attribute__((always_inline, unused))
#define BOB_UNUSED __attribute__((unused))

struct bob_stub_call;
struct bob_stub_result;

struct bob_wrapper {
	const char *symbol;
	const char *name;		/* NULL: no event, only blocks */
	/* for bob_event_register; "?": a type that only the compiler knows */
	const char *parameters;
	const char *types;		/* BOB_TYPE of each "?" */
	void *next;			/* the function itself; NULL: not looked up yet */
	/* where the function must jump to, if it cannot be interposed; NULL: it can */
	void *patch;
	uint64_t address;		/* with `patch`: its link address ... */
	const char *program;		/* ... in this file */
	bob_event_id event;
	uint32_t has_blocks;
	/* functions with a stub: values for the event, from registers and stack */
	uint32_t (*begin)(struct bob_wrapper *w, struct bob_stub_call *c, union bob_arg *in);
	uint32_t (*end)(struct bob_wrapper *w, struct bob_stub_result *r, union bob_arg *out);
	const char *when;		/* for bob_event_when; NULL: none */
	/* functions of the program that have blocks */
	void *inner;			/* the wrapper in C */
	/* upper bound of bytes passed on the stack, a multiple of 16 */
	uint32_t stack;
	uint32_t result;		/* BOB_RESULT_REGISTERS */
	/* the function is in a library that was opened with RTLD_LOCAL, or in none */
	/* `next` is valid while no library has been unloaded since ... */
	uint32_t may_go;
	uint32_t complained;
	uint64_t unloaded;		/* ... this number had been */
	/* the wrapper, if it has the function's name; else NULL */
	void *entry;
};

/* --- values --- */

/* A letter for each type that has a numeric value, 'p' for pointers, 0 for all others. */
#define BOB_TYPE(x)                                                                                \
	_Generic((x), _Bool                                                                        \
		 : 'B', char                                                                       \
		 : 'c', signed char                                                                \
		 : 'b', unsigned char                                                              \
		 : 'B', short                                                                      \
		 : 'h', unsigned short                                                             \
		 : 'H', int                                                                        \
		 : 'i', unsigned int                                                               \
		 : 'I', long                                                                       \
		 : 'l', unsigned long                                                              \
		 : 'L', long long                                                                  \
		 : 'l', unsigned long long                                                         \
		 : 'L', float                                                                      \
		 : 'f', double                                                                     \
		 : 'd', long double                                                                \
		 : 'x', default                                                                    \
		 : __builtin_classify_type(x) == 5 ? 'p' : 0)
#define BOB_IS_REAL(x) (BOB_TYPE(x) == 'f' || BOB_TYPE(x) == 'd' || BOB_TYPE(x) == 'x')

BOB_INLINE union bob_arg bob_value(int type, const void *at)
{
	switch (type) {
	case 'B':
		return bob_int(*(const uint8_t *)at);
	case 'b':
		return bob_int(*(const int8_t *)at);
	case 'c':
		return bob_int(*(const char *)at);
	case 'h':
		return bob_int(*(const int16_t *)at);
	case 'H':
		return bob_int(*(const uint16_t *)at);
	case 'i':
		return bob_int(*(const int32_t *)at);
	case 'I':
		return bob_int(*(const uint32_t *)at);
	case 'f':
		return bob_real((double)*(const float *)at);
	case 'd':
		return bob_real(*(const double *)at);
	case 'x':
		return bob_real((double)*(const long double *)at);
	case 'p':
		return bob_int(*(void *const *)at != NULL);
	default:
		return bob_int(*(const int64_t *)at);
	}
}

/* Appends values of an event. */
#define BOB_PUT(value) bob_values[bob_count++] = (value)
#define BOB_PUT_ANY(x)                                                                             \
	do {                                                                                       \
		if (BOB_TYPE(x))                                                                   \
			bob_values[bob_count++] = bob_value(BOB_TYPE(x), &(x));                    \
	} while (0)

/* --- which calls are recorded --- */

/* Bobbin's own code is running in this thread: its calls are not recorded. */
BOB_THREAD volatile int bob_busy;
/* Frame of the wrapper whose user block is running: its calls are not recorded either. Frames below
 * an older one have ended (longjmp). */
BOB_THREAD volatile uintptr_t bob_block_frame;

#define BOB_FRAME ((uintptr_t)__builtin_frame_address(0))

BOB_INLINE int bob_is_inner(uintptr_t frame)
{
	return bob_busy || frame < bob_block_frame;
}

BOB_INLINE int bob_is_recorded(const struct bob_wrapper *w, uintptr_t frame)
{
	return w->event && !bob_is_inner(frame);
}

struct bob_call {
	const struct bob_wrapper *wrapper; /* NULL: no event is open */
};

BOB_INLINE void bob_call_begin(struct bob_call *c, const struct bob_wrapper *w,
			       const union bob_arg *in, uint32_t count)
{
	bob_busy = 1;
	bob_event_begin_with(w->event, count, in);
	bob_busy = 0;
	c->wrapper = w;
}

BOB_INLINE void bob_call_end(struct bob_call *c, const union bob_arg *out, uint32_t count)
{
	bob_busy = 1;
	bob_event_end_with(c->wrapper->event, count, out);
	bob_busy = 0;
	c->wrapper = NULL;
}

/* The wrapper is left by an exception or longjmp. */
static BOB_UNUSED void bob_call_leave(struct bob_call *c)
{
	if (c->wrapper)
		bob_call_end(c, NULL, 0);
}
#define BOB_CALL __attribute__((cleanup(bob_call_leave)))

/* --- blocks of the user --- */

struct bob_block {
	uintptr_t frame, outer;
	int *error, saved;	/* errno is restored at the end, unless NULL */
};

BOB_INLINE struct bob_block bob_block_begin(uintptr_t frame, int *error)
{
	struct bob_block b = { frame, bob_block_frame, error, error ? *error : 0 };

	bob_block_frame = frame;
	return b;
}

static BOB_UNUSED void bob_block_end(struct bob_block *b)
{
	bob_block_frame = b->outer;
	if (b->error)
		*b->error = b->saved;
}
#define BOB_BLOCK __attribute__((cleanup(bob_block_end)))

/* Around proceed(): the function's own calls are recorded. */
BOB_INLINE void bob_block_pause(const struct bob_block *b)
{
	bob_block_frame = b->outer;
}

BOB_INLINE void bob_block_resume(const struct bob_block *b)
{
	bob_block_frame = b->frame;
}

/* --- stubs --- */

/* Arguments that a stub passes to C code: registers as the function finds them, of which the first
 * 176 bytes have the layout that va_arg expects, and the stack. */
struct bob_stub_call {
	uint64_t integer[6];
	double real[8][2];
	const void *stack;
};

struct bob_stub_result {
	uint64_t rax, rdx;
	double xmm0[2], xmm1[2];
};

/* Whether a result of this type is returned in memory, through a hidden first parameter. */
#define BOB_IS_HIDDEN(x)                                                                           \
	((__builtin_classify_type(x) == 12 || __builtin_classify_type(x) == 13) && sizeof(x) > 16)
/* Type of a result that these registers hold. */
#define BOB_RESULT_TYPE(x) (BOB_TYPE(x) == 'x' ? 0 : BOB_TYPE(x))

/* Reads parameters in order with va_arg; as structs, because float, short and so on have not been
 * promoted. */
BOB_INLINE void bob_stub_arguments(const struct bob_stub_call *c, int hidden, void *list)
{
	struct {
		uint32_t integers, reals;
		const void *stack, *registers;
	} l = { hidden ? 8 : 0, 48, c->stack, c };

	__builtin_memcpy(list, &l, sizeof(l));
}

#endif
