/* SPDX-License-Identifier: BSD-3-Clause */
/* The part of wrapper.h that finds the function that a wrapper replaces, and registers the wrapper
 * when its library starts. */
#ifndef BOBBIN_LOOKUP_H
#define BOBBIN_LOOKUP_H

#ifndef BOBBIN_WRAPPER_H /* generated sources include it under another name */
#include "wrap/wrapper.h"
#include "events/dlsym.h"
#endif

/* --- the next definition --- */

extern void *bob_dl_sym(void *handle, const char *name) __asm__("dlsym") __attribute__((weak));

/* Prints by a system call, because `write` itself may be wrapped here. */
static BOB_UNUSED void bob_complain(const char *text, size_t n)
{
	long r = 1;

	__asm__ volatile("syscall" : "+a"(r) : "D"(2L), "S"(text), "d"(n) : "rcx", "r11", "memory");
}

/* Called in place of a function that no library defines: returns 0 in all result registers. */
static __attribute__((naked, unused)) void bob_absent(void)
{
	__asm__("xorl %eax, %eax\n\txorl %edx, %edx\n\tpxor %xmm0, %xmm0\n\t"
		"pxor %xmm1, %xmm1\n\tret");
}

static __attribute__((noinline, cold, unused)) void *bob_missing(struct bob_wrapper *w)
{
	static const char before[] = "bobbin: a wrapped function was called that no library has: ",
			  suffix[] = "; it gives 0\n";
	size_t n = 0;

	if (!__atomic_exchange_n(&w->complained, 1, __ATOMIC_RELAXED)) {
		while (w->symbol[n])
			n++;
		bob_complain(before, sizeof(before) - 1);
		bob_complain(w->symbol, n);
		bob_complain(suffix, sizeof(suffix) - 1);
	}
	return (void *)bob_absent;
}

/* --- symbols of libraries --- dlsym finds symbols in the global scope. For other libraries, their
 * symbol tables are read here: dlopen would count as another reference, and leave a text for
 * dlerror. */

/* A loaded library, as dl_iterate_phdr reports it. */
struct bob_segment {
	uint32_t type, flags;
	uint64_t offset, address, physical, file_bytes, bytes, align;
};
struct bob_library {
	uintptr_t base;
	const char *name;
	const struct bob_segment *segment;
	uint16_t segments;
	unsigned long long loaded, unloaded;
};
extern int bob_dl_libraries(int (*each)(struct bob_library *l, size_t size, void *ctx),
			    void *ctx) __asm__("dl_iterate_phdr") __attribute__((weak));

enum { BOB_PT_DYNAMIC = 2 };

static BOB_UNUSED const uint64_t *bob_dynamic_of(const struct bob_library *l)
{
	for (uint16_t i = 0; i < l->segments; i++)
		if (l->segment[i].type == BOB_PT_DYNAMIC)
			return (const uint64_t *)(l->base + l->segment[i].address);
	return NULL;
}

struct bob_search {
	const char *name;
	int is_after;			/* this library has been visited */
	void *found;
	int is_resolver;		/* the symbol is a resolver (IFUNC) */
	uint64_t unloaded;		/* libraries unloaded so far */
};

/* Searches the libraries after this one; the loader also searches those before it first. */
static BOB_UNUSED int bob_visit(struct bob_library *l, size_t size, void *ctx)
{
	struct bob_search *search = ctx;
	struct bob_symbols s;
	uint32_t i;

	search->unloaded = size >= sizeof(*l) ? l->unloaded : 0;
	if (!search->is_after) {
		search->is_after = l->base == (uintptr_t)bob_this_library;
		return 0;
	}
	s = bob_symbols_of(l->base, bob_dynamic_of(l));
	i = bob_find_symbol(&s, search->name);
	if (!i)
		return 0;
	search->found = (void *)(l->base + s.symbol[i].value);
	search->is_resolver = (s.symbol[i].info & 15) == BOB_TYPE_IFUNC;
	return 1;
}

static __attribute__((noinline, cold, unused)) void *bob_find(const char *name, uint64_t *unloaded)
{
	struct bob_search s = { .name = name };

	if (bob_dl_libraries)
		(void)bob_dl_libraries(bob_visit, &s);
	if (s.found && s.is_resolver)
		s.found = ((void *(*)(void))s.found)();
	*unloaded = s.unloaded;
	return s.found;
}

/* Reads the number of libraries unloaded so far from the first one that is visited. */
static BOB_UNUSED int bob_library_count(struct bob_library *l, size_t size, void *ctx)
{
	*(uint64_t *)ctx = size >= sizeof(*l) ? l->unloaded : 0;
	return 1;
}

/* --- allocation during look-up --- dlsym allocates and frees memory: the text of an error, more in
 * some libraries. If these functions are wrapped and not looked up yet, the look-up would call
 * their wrappers and recurse without end. So they are looked up first, and what a look-up allocates
 * through a function that is not known yet comes from a static buffer. `free` and `realloc`
 * recognise that memory at any later time. */
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

/* Zeroed, aligned to BOB_EARLY_ALIGN, with its size stored before it; NULL: the buffer is full. */
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

/* Leaks memory that the function itself returned before it was known here: the text of an error. */
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

/* Replacement of a function of this name until it is known; NULL: it does not allocate. */
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
		if (bob_same(symbol, all[i].symbol))
			return all[i].function;
	return NULL;
}

/* The function is known: `free` and `realloc` go through code that recognises early memory. */
BOB_INLINE void *bob_keep_early(void *early, void *next)
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

/* The next definition after this library (its default version), else one in any library. */
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
	else if ((next = bob_find(w->symbol, &w->unloaded)))
		w->may_go = 1;
	bob_busy = busy;
	bob_looking_up--;
	if (next) {
		next = bob_keep_early(early, next);
		__atomic_store_n(&w->next, next, __ATOMIC_RELEASE);
	}
	errno = error;
	return next;
}

/* The function is unknown, or its library may have been unloaded since. */
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

/* Looks up the functions that allocate, before all others. */
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

/* --- start of the library --- */

/* Copies the list of parameters. A "?" is replaced by the compiler's type; parameters of types
 * without a numeric value are dropped. */
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

/* In the agent (redirect.c): replaces the function's first instructions by a jump to `to`;
 * *original continues after them. */
typedef int (*bob_redirect_fn)(const char *program, const char *symbol, uint64_t address, void *to,
			       void **original);

/* Whether the system has enabled xsave, which stubs use. */
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
							     bob_dl_sym(NULL,
									"bob_agent_redirect_1") :
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

/* --- dlsym (dlsym.h) --- */

static BOB_UNUSED void *bob_instead_of(void *found, struct bob_wrapper *w)
{
	void *next = __atomic_load_n(&w->next, __ATOMIC_ACQUIRE);

	if (!w->entry || found == w->entry)
		return found;
	if (!next || next == (void *)bob_absent || w->may_go)
		next = bob_look_up(w);
	return next == found ? w->entry : found;
}

static BOB_UNUSED void *bob_dlsym(void *handle, const char *name, struct bob_wrapper *const *all,
				  size_t count)
{
	void *found = bob_dlsym_itself()(handle, name);

	for (size_t i = 0; found && name && i < count; i++)
		if (bob_same(all[i]->symbol, name))
			return bob_instead_of(found, all[i]);
	return found;
}

#define BOB_WRAPPERS_BEFORE_DLSYM(all)                                                             \
	__attribute__((used)) static void *bob_dlsym_by_handle(void *handle, const char *name)     \
	{                                                                                          \
		return bob_dlsym(handle, name, all, sizeof(all) / sizeof(*(all)));                 \
	}                                                                                          \
	BOB_INTERPOSE_DLSYM(bob_dlsym_by_handle)

static BOB_UNUSED void bob_start_all(struct bob_wrapper *const *all, size_t count)
{
	for (size_t i = 0; i < count; i++)
		bob_look_up_early(all[i]);
	for (size_t i = 0; i < count; i++)
		bob_enroll(all[i]);
}

/* `all` is the array of the wrappers to start when the library is loaded. */
#define BOB_WRAPPERS_START(all)                                                                    \
	__attribute__((constructor)) static void bob_wrappers_start(void)                          \
	{                                                                                          \
		bob_start_all(all, sizeof(all) / sizeof(*(all)));                                  \
	}

#endif
