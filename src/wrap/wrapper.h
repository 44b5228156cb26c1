/* SPDX-License-Identifier: BSD-3-Clause */
/* What the wrappers that `bobbin wrap` writes stand on: docs/wrap.md. Each source file that includes this is a library of its own.
 *
 * A wrapper lets its function's event begin, calls the function, and lets the event end, also when it is left by an exception. A function
 * whose parameters C cannot pass on ("..." or "()"), or whose callers know which registers it leaves alone, is entered through a stub (stubs.h).
 *
 * Threads: any. errno is left alone, but by blocks of the user. */
#ifndef BOBBIN_WRAPPER_H
#define BOBBIN_WRAPPER_H

#if !defined(__x86_64__) || !defined(__GNUC__)
#error "wrappers are for gcc or clang on x86-64"
#endif

#include <errno.h>
#include <stddef.h>
#include <stdint.h>

#include "bobbin/events.h"

#pragma GCC diagnostic ignored "-Wignored-qualifiers" /* prototypes are as they are */

#define BOB_THREAD static __thread __attribute__((tls_model("initial-exec"), unused))
#define BOB_INLINE static inline __attribute__((always_inline, unused))
#define BOB_UNUSED __attribute__((unused))

struct bob_stub_call;
struct bob_stub_result;

struct bob_wrapper {
	const char *symbol;
	const char *name;		/* of the event; NULL: it has none, only blocks */
	const char *
		parameters; /* for bob_event_register; "?": of a type that only the compiler knows */
	const char *types;		/* BOB_TYPE of each of these */
	void *next;			/* the function itself; NULL: to be looked up */
	void *patch;			/* what the function is to jump to, where it cannot be stood before; NULL: it can */
	uint64_t address;		/* then: its link address ... */
	const char *program;		/* ... in this file */
	bob_event_id event;
	uint32_t has_blocks;
	/* of functions with a stub: values for the event, from registers and stack */
	uint32_t (*begin)(struct bob_wrapper *w, struct bob_stub_call *c, union bob_arg *in);
	uint32_t (*end)(struct bob_wrapper *w, struct bob_stub_result *r, union bob_arg *out);
	const char *when;		/* for bob_event_when; NULL: none */
	/* of functions of the program that have blocks */
	void *inner;			/* the wrapper in C */
	uint32_t stack;			/* at most so many bytes are passed on the stack, a multiple of 16 */
	uint32_t result;		/* BOB_RESULT_REGISTERS */
	/* of what is in a library that was opened for its own names only, or nowhere */
	uint32_t may_go;		/* `next` is right while no library has been unloaded since ... */
	uint32_t complained;
	uint64_t unloaded;		/* ... so many were */
};

/* --- values --- */

/* What a value is: a letter for each type that has a number, 'p' for pointers, 0 for all others. */
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

/* Values on their way to an event. */
#define BOB_PUT(value) bob_values[bob_count++] = (value)
#define BOB_PUT_ANY(x)                                                                             \
	do {                                                                                       \
		if (BOB_TYPE(x))                                                                   \
			bob_values[bob_count++] = bob_value(BOB_TYPE(x), &(x));                    \
	} while (0)

/* --- whose call it is --- */

/* Something of ours is at work in this thread: what it calls is not recorded. */
BOB_THREAD volatile int bob_busy;
/* The frame of a wrapper whose block of the user's is at work: neither is what that calls. Frames below an older one have ended (longjmp). */
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

/* The wrapper is left in another way than by its end. */
static BOB_UNUSED void bob_call_leave(struct bob_call *c)
{
	if (c->wrapper)
		bob_call_end(c, NULL, 0);
}
#define BOB_CALL __attribute__((cleanup(bob_call_leave)))

/* --- blocks of the user --- */

struct bob_block {
	uintptr_t frame, outer;
	int *error, saved;	/* errno is put back, if there is an address */
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

/* Around proceed(): what the function calls is recorded. */
BOB_INLINE void bob_block_pause(const struct bob_block *b)
{
	bob_block_frame = b->outer;
}

BOB_INLINE void bob_block_resume(const struct bob_block *b)
{
	bob_block_frame = b->frame;
}

/* --- the function itself --- */

extern void *bob_dl_sym(void *handle, const char *name) __asm__("dlsym")
	__attribute__((weak));
extern void *bob_dl_open(const char *name, int how) __asm__("dlopen") __attribute__((weak));
extern int bob_dl_close(void *handle) __asm__("dlclose") __attribute__((weak));

/* `write` itself may be wrapped here. */
static BOB_UNUSED void bob_complain(const char *text, size_t n)
{
	long r = 1;

	__asm__ volatile("syscall"
			 : "+a"(r)
			 : "D"(2L), "S"(text), "d"(n)
			 : "rcx", "r11", "memory");
}

/* What stands for a function that nobody has: 0 in all registers of results. */
static __attribute__((naked, unused)) void bob_absent(void)
{
	__asm__("xorl %eax, %eax\n\txorl %edx, %edx\n\tpxor %xmm0, %xmm0\n\t"
		"pxor %xmm1, %xmm1\n\tret");
}

static __attribute__((noinline, cold, unused)) void *bob_missing(struct bob_wrapper *w)
{
	static const char before[] = "bobbin: a wrapped function was called that no library has: ",
			  behind[] = "; it gives 0\n";
	size_t n = 0;

	if (!__atomic_exchange_n(&w->complained, 1, __ATOMIC_RELAXED)) {
		while (w->symbol[n])
			n++;
		bob_complain(before, sizeof(before) - 1);
		bob_complain(w->symbol, n);
		bob_complain(behind, sizeof(behind) - 1);
	}
	return (void *)bob_absent;
}

/* A loaded library, as dl_iterate_phdr has it. */
struct bob_library {
	uintptr_t base;
	const char *name;
	const void *segments;
	uint16_t segment_count;
	unsigned long long loaded, unloaded;
};
extern int bob_dl_libraries(int (*each)(struct bob_library *l, size_t size, void *ctx),
				 void *ctx) __asm__("dl_iterate_phdr") __attribute__((weak));
extern const char bob_this_library[] __asm__("__ehdr_start") __attribute__((visibility("hidden")));

#define BOB_LIBRARY_PATH 1024u	/* on stacks that may be small; a longer one is not asked */
struct bob_library_at {
	size_t left;			/* libraries before it */
	uint64_t unloaded;
	int is_other;			/* neither this one nor the program */
	char name[BOB_LIBRARY_PATH];
};

/* How many libraries were unloaded until now, of the first that is visited. */
static BOB_UNUSED int bob_library_count(struct bob_library *l, size_t size, void *ctx)
{
	*(uint64_t *)ctx = size >= sizeof(*l) ? l->unloaded : 0;
	return 1;
}

/* The name is copied: while a library is visited the loader holds a lock, under which none may be opened. */
static BOB_UNUSED int bob_library_visit(struct bob_library *l, size_t size, void *ctx)
{
	struct bob_library_at *at = ctx;
	size_t n = 0;

	(void)bob_library_count(l, size, &at->unloaded);
	if (at->left-- > 0)
		return 0;
	while (l->name && l->name[n] && n < BOB_LIBRARY_PATH - 1) {
		at->name[n] = l->name[n];
		n++;
	}
	at->name[n] = 0;
	at->is_other = n && !l->name[n] && l->base != (uintptr_t)bob_this_library;
	return 1;
}

/* The loader asks libraries that are open for everybody. One of the others may have it (dlopen without
 * RTLD_GLOBAL), or one that such a library needs: each is asked. */
static __attribute__((noinline, cold, unused)) void *bob_search(struct bob_wrapper *w)
{
	struct bob_library_at at;
	void *found = NULL, *handle;

	if (!bob_dl_libraries || !bob_dl_open || !bob_dl_close)
		return NULL;
	for (size_t i = 0; !found; i++) {
		at.left = i;
		if (!bob_dl_libraries(bob_library_visit, &at))
			break;
		handle = at.is_other ? bob_dl_open(at.name, 1 | 4) :
				       NULL; /* LAZY | NOLOAD */
		if (!handle)
			continue;
		found = bob_dl_sym(handle, w->symbol);
		bob_dl_close(handle);
	}
	w->unloaded = at.unloaded;
	return found;
}

/* --- allocation while functions are looked up ---
 * dlsym allocates and frees: the text of an error, in some libraries more. If these functions are
 * wrapped and not looked up yet, the look-up would call them and begin anew, without end. So they
 * are looked up before all others, and what a look-up allocates by one that is not known yet comes
 * from here. `free` and `realloc` know such memory at any later time. */
#define BOB_EARLY_BYTES 16384u
#define BOB_EARLY_ALIGN 64u

static struct {
	size_t used;
	void (*free)(void *);
	void *(*realloc)(void *, size_t);
	unsigned char bytes[BOB_EARLY_BYTES] __attribute__((aligned(BOB_EARLY_ALIGN)));
} bob_early BOB_UNUSED;
BOB_THREAD uint32_t bob_looking_up;

BOB_INLINE int bob_is_early(const void *p)
{
	return (uintptr_t)p - (uintptr_t)bob_early.bytes < BOB_EARLY_BYTES;
}

/* Zeros, aligned to BOB_EARLY_ALIGN, its size before it; NULL: there is no more. */
static BOB_UNUSED void *bob_early_malloc(size_t size)
{
	const size_t bytes = (size + 2 * BOB_EARLY_ALIGN - 1) & ~(size_t)(BOB_EARLY_ALIGN - 1);
	size_t at;

	if (size > BOB_EARLY_BYTES)
		return NULL;
	at = __atomic_fetch_add(&bob_early.used, bytes, __ATOMIC_RELAXED);
	if (at > BOB_EARLY_BYTES - bytes) /* it stays full: this is called a few times */
		return NULL;
	__builtin_memcpy(bob_early.bytes + at, &size, sizeof(size));
	return bob_early.bytes + at + BOB_EARLY_ALIGN;
}

static BOB_UNUSED void *bob_early_calloc(size_t n, size_t size)
{
	return size && n > BOB_EARLY_BYTES / size ? NULL : bob_early_malloc(n * size);
}

static BOB_UNUSED void *bob_early_aligned(size_t align, size_t size)
{
	return align > BOB_EARLY_ALIGN ? NULL : bob_early_malloc(size);
}

static BOB_UNUSED int bob_early_posix(void **to, size_t align, size_t size)
{
	void *p = bob_early_aligned(align, size);

	if (p)
		*to = p;
	return p ? 0 : ENOMEM;
}

/* Memory of the function itself that comes before it is known is lost: a text of an error. */
static BOB_UNUSED void bob_early_free(void *p)
{
	void (*const next)(void *) = __atomic_load_n(&bob_early.free, __ATOMIC_ACQUIRE);

	if (!bob_is_early(p) && next)
		next(p);
}

static BOB_UNUSED void *bob_early_realloc(void *p, size_t size)
{
	void *(*const next)(void *, size_t) = __atomic_load_n(&bob_early.realloc, __ATOMIC_ACQUIRE);
	size_t old = 0;
	void *q;

	if (p && !bob_is_early(p))
		return next ? next(p, size) : NULL;
	q = next ? next(NULL, size) : bob_early_malloc(size);
	if (p)
		__builtin_memcpy(&old, (const char *)p - BOB_EARLY_ALIGN, sizeof(old));
	if (p && q)
		__builtin_memcpy(q, p, old < size ? old : size);
	return q;
}

/* What stands for a function of this name while it is not known; NULL: it is none that
 * allocates. */
static BOB_UNUSED void *bob_early_function(const char *symbol)
{
	static const struct {
		const char *symbol;
		void *function;
	} all[] = {
		{ "malloc", (void *)bob_early_malloc },
		{ "calloc", (void *)bob_early_calloc },
		{ "realloc", (void *)bob_early_realloc },
		{ "free", (void *)bob_early_free },
		{ "posix_memalign", (void *)bob_early_posix },
		{ "aligned_alloc", (void *)bob_early_aligned },
		{ "memalign", (void *)bob_early_aligned },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (!__builtin_strcmp(symbol, all[i].symbol))
			return all[i].function;
	return NULL;
}

/* It is known: `free` and `realloc` go through what knows early memory. */
BOB_INLINE void *bob_behind_early(void *early, void *next)
{
	if (early == (void *)bob_early_free)
		__atomic_store_n(&bob_early.free, (void (*)(void *))next, __ATOMIC_RELEASE);
	else if (early == (void *)bob_early_realloc)
		__atomic_store_n(&bob_early.realloc, (void *(*)(void *, size_t))next,
				 __ATOMIC_RELEASE);
	else
		return next;
	return early;
}

/* The next one behind this library (its default version), else that of any library. */
static __attribute__((noinline, cold, unused)) void *bob_look_up(struct bob_wrapper *w)
{
	const int error = errno, busy = bob_busy;
	void *const early = bob_early_function(w->symbol);
	void *next;

	if (early && bob_looking_up)
		return early;
	bob_looking_up++;
	bob_busy = 1;
	next = bob_dl_sym ? bob_dl_sym((void *)-1L, w->symbol) : NULL;
	if (next)
		w->may_go = 0;
	else if (bob_dl_sym && (next = bob_search(w)))
		w->may_go = 1;
	bob_busy = busy;
	bob_looking_up--;
	if (next) {
		next = bob_behind_early(early, next);
		__atomic_store_n(&w->next, next, __ATOMIC_RELEASE);
	}
	errno = error;
	return next;
}

/* It is not known, or its library may have been unloaded meanwhile. */
static __attribute__((noinline, cold, unused)) void *bob_look_again(struct bob_wrapper *w)
{
	uint64_t unloaded;
	void *next = __atomic_load_n(&w->next, __ATOMIC_ACQUIRE);

	if (next && next != (void *)bob_absent && bob_dl_libraries &&
	    bob_dl_libraries(bob_library_count, &unloaded) && unloaded == w->unloaded)
		return next;
	next = bob_look_up(w);
	if (!next) {
		next = bob_missing(w);
		w->may_go = 1;
		__atomic_store_n(&w->next, next, __ATOMIC_RELEASE);
	}
	return next;
}

/* Functions that allocate are looked up first. */
static BOB_UNUSED void bob_look_up_early(struct bob_wrapper *w)
{
	if (!w->patch && !w->next && bob_early_function(w->symbol))
		(void)bob_look_up(w);
}

BOB_INLINE void *bob_next(struct bob_wrapper *w)
{
	void *next = __atomic_load_n(&w->next, __ATOMIC_ACQUIRE);

	if (__builtin_expect(!next || w->may_go, 0))
		next = bob_look_again(w);
	return next;
}
#define BOB_NEXT(f) ((__typeof__(bob_wrap_##f) *)bob_next(&bob_wrapper_##f))

/* "?" becomes what the compiler found, or goes with its parameter if that is nothing that has a number. */
static BOB_UNUSED void bob_parameters(const struct bob_wrapper *w, char *to)
{
	const char *from = w->parameters, *type = w->types;

	while (*from) {
		const char c = *from == '?' ? *type : 0;
		const char *text = c == 'f' || c == 'd' || c == 'x' ? "double" : "int";

		if (*from != '?') {
			*to++ = *from++;
			continue;
		}
		type++;
		from++;
		if (c) {
			while (*text)
				*to++ = *text++;
			continue;
		}
		while (*from && *from != ',' && *from != '-')
			from++;
		from += *from == ',' ? 2 : 0;
	}
	*to = 0;
}

/* Of the agent (redirect.c): the function's first instructions become a jump to `to`; *original goes on behind them. */
typedef int (*bob_redirect_fn)(const char *program, const char *symbol, uint64_t address, void *to,
			       void **original);

/* Has the system xsave switched on, which stubs use? */
static BOB_UNUSED int bob_has_xsave(void)
{
	unsigned a = 1, b, c = 0, d;

	__asm__("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
	return (c >> 27 & 1) != 0;
}

static BOB_UNUSED void bob_enroll(struct bob_wrapper *w)
{
	char text[1024];

	if (w->patch) {
		bob_redirect_fn redirect =
			(bob_redirect_fn)(uintptr_t)(bob_dl_sym ?
							     bob_dl_sym(
								     NULL, "bob_agent_redirect_1") :
							     NULL);

		if (!redirect || !bob_has_xsave() ||
		    redirect(w->program, w->symbol, w->address, w->patch, &w->next))
			return;
	} else if (!w->next) {
		(void)bob_look_up(w);
	}
	if (!w->name)
		return;
	bob_parameters(w, text);
	bob_busy = 1; /* registering takes a lock */
	w->event = bob_event_register(w->name, BOB_EVENT_WRAPPER, text);
	if (w->when)
		(void)bob_event_when(w->event, w->when);
	bob_busy = 0;
}

/* --- stubs --- */

/* What a stub gives C code: registers as the function finds them, the first 176 bytes as va_arg expects them; what is on the stack. */
struct bob_stub_call {
	uint64_t integer[6];
	double real[8][2];
	const void *stack;
};

struct bob_stub_result {
	uint64_t rax, rdx;
	double xmm0[2], xmm1[2];
};

/* Is a result of this type put where a hidden first parameter says? */
#define BOB_IS_HIDDEN(x)                                                                           \
	((__builtin_classify_type(x) == 12 || __builtin_classify_type(x) == 13) && sizeof(x) > 16)
/* The type of a result that is in a register of these. */
#define BOB_RESULT_TYPE(x) (BOB_TYPE(x) == 'x' ? 0 : BOB_TYPE(x))

/* Parameters, in order, by va_arg: as structs, because float, short and so on have not been promoted. */
BOB_INLINE void bob_stub_arguments(const struct bob_stub_call *c, int hidden, void *list)
{
	struct {
		uint32_t integers, reals;
		const void *stack, *registers;
	} l = { hidden ? 8 : 0, 48, c->stack, c };

	__builtin_memcpy(list, &l, sizeof(l));
}

#endif
