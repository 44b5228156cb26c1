/* SPDX-License-Identifier: BSD-3-Clause */
/* Of wrapper.h: which function a wrapper stands for. */
#ifndef BOBBIN_LOOKUP_H
#define BOBBIN_LOOKUP_H

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

#endif
