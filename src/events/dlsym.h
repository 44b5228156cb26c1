/* SPDX-License-Identifier: BSD-3-Clause */
/* Interposes the loader's dlsym. A program that looks up a function through the handle of a library
 * gets the library's own definition, not a preloaded one. The library that includes this header
 * defines what the program gets instead:
 *
 *     static void *by_handle(void *handle, const char *name);
 *     BOB_INTERPOSE_DLSYM(by_handle);
 *
 * RTLD_DEFAULT and RTLD_NEXT find the preloaded function anyway, and the result depends on the
 * caller: these requests jump to dlsym itself, which keeps the caller's return address.
 *
 * Look-ups read the symbol tables of libraries, and call no function: a sanitizer may look up the
 * functions that it interposes while it starts. Threads: any. errno and dlerror's text are as dlsym
 * itself leaves them. */
#ifndef BOBBIN_DLSYM_H
#define BOBBIN_DLSYM_H

#include <stddef.h>
#include <stdint.h>

#ifndef BOB_UNUSED
#define BOB_UNUSED __attribute__((unused))
#endif

/* Start of this library. */
extern const char bob_this_library[] __asm__("__ehdr_start") __attribute__((visibility("hidden")));

/* --- symbols of a library --- */

struct bob_elf_symbol {
	uint32_t name;
	unsigned char info, other;
	uint16_t section;
	uint64_t value, size;
};

/* Symbol tables that a dynamic section leads to. */
struct bob_symbols {
	const struct bob_elf_symbol *symbol;
	const char *text, *soname;
	const uint32_t *gnu, *sysv; /* hash tables; one of them is enough */
	const uint16_t *version; /* NULL: no versions */
};

enum { BOB_TYPE_IFUNC = 10, BOB_HIDDEN_VERSION = 0x8000 };

/* `d` is the library's dynamic section. */
static BOB_UNUSED struct bob_symbols bob_symbols_of(uintptr_t base, const uint64_t *d)
{
	struct bob_symbols s = { 0 };
	uint64_t soname = 0;

	for (; d && d[0]; d += 2) {
		/* some loaders relocate these addresses, others leave offsets */
		const uintptr_t at = d[1] < base ? base + d[1] : d[1];

		s.sysv = d[0] == 4 ? (const uint32_t *)at : s.sysv;
		s.text = d[0] == 5 ? (const char *)at : s.text;
		soname = d[0] == 14 ? d[1] : soname;
		s.symbol = d[0] == 6 ? (const struct bob_elf_symbol *)at : s.symbol;
		s.gnu = d[0] == 0x6ffffef5 ? (const uint32_t *)at : s.gnu;
		s.version = d[0] == 0x6ffffff0 ? (const uint16_t *)at : s.version;
	}
	s.soname = s.text && soname ? s.text + soname : NULL;
	return s;
}

/* strcmp may be wrapped, or belong to a sanitizer that is not initialised yet. */
static BOB_UNUSED int bob_same(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return *a == *b;
}

/* Whether symbol i is a function of this name; of several versions only the default one. */
static BOB_UNUSED int bob_is_symbol(const struct bob_symbols *s, uint32_t i, const char *name)
{
	const struct bob_elf_symbol *e = &s->symbol[i];
	const unsigned type = e->info & 15u;

	return e->section && e->value && (type == 0 || type == 2 || type == BOB_TYPE_IFUNC) &&
	       (!s->version || !(s->version[i] & BOB_HIDDEN_VERSION)) &&
	       bob_same(s->text + e->name, name);
}

static BOB_UNUSED uint32_t bob_find_gnu(const struct bob_symbols *s, const char *name)
{
	const uint32_t buckets = s->gnu[0], first = s->gnu[1], words = s->gnu[2];
	const uint32_t *bucket = s->gnu + 4 + 2 * words, *chain = bucket + buckets;
	uint32_t h = 5381, i;

	for (const char *c = name; *c; c++)
		h = h * 33 + (unsigned char)*c;
	i = buckets ? bucket[h % buckets] : 0;
	if (i < first)
		return 0;
	for (;; i++) {
		if ((chain[i - first] | 1) == (h | 1) && bob_is_symbol(s, i, name))
			return i;
		if (chain[i - first] & 1)
			return 0;
	}
}

static BOB_UNUSED uint32_t bob_find_sysv(const struct bob_symbols *s, const char *name)
{
	const uint32_t buckets = s->sysv[0], *bucket = s->sysv + 2, *chain = bucket + buckets;
	uint32_t h = 0, i;

	for (const char *c = name; *c; c++) {
		h = (h << 4) + (unsigned char)*c;
		h = (h ^ (h >> 24 & 0xf0)) & 0x0fffffff;
	}
	for (i = buckets ? bucket[h % buckets] : 0; i; i = chain[i])
		if (bob_is_symbol(s, i, name))
			return i;
	return 0;
}

/* 0: no such function. */
static BOB_UNUSED uint32_t bob_find_symbol(const struct bob_symbols *s, const char *name)
{
	if (!s->symbol || !s->text || !(s->gnu || s->sysv))
		return 0;
	return s->gnu ? bob_find_gnu(s, name) : bob_find_sysv(s, name);
}

/* The list of libraries that debuggers read (struct link_map). */
struct bob_link {
	uintptr_t base;
	const char *name;
	const uint64_t *dynamic;
	struct bob_link *next, *previous;
};
extern struct {
	int version;
	struct bob_link *first;
} bob_libraries __asm__("_r_debug") __attribute__((weak));

typedef void *bob_dlsym_fn(void *handle, const char *name);

static void *bob_no_dlsym(void *handle, const char *name)
{
	(void)handle;
	(void)name;
	return NULL;
}

/* The next definition of dlsym after this library's. */
__attribute__((used)) static bob_dlsym_fn *bob_dlsym_itself(void)
{
	static bob_dlsym_fn *itself;
	bob_dlsym_fn *f = __atomic_load_n(&itself, __ATOMIC_RELAXED);
	const struct bob_link *l = f || !&bob_libraries ? NULL : bob_libraries.first;
	int is_after = 0;

	for (; l && !f; l = l->next) {
		const struct bob_symbols s = bob_symbols_of(l->base, l->dynamic);
		const uint32_t i = is_after ? bob_find_symbol(&s, "dlsym") : 0;

		is_after |= l->base == (uintptr_t)bob_this_library;
		f = i ? (bob_dlsym_fn *)(l->base + s.symbol[i].value) : NULL;
	}
	f = f ? f : bob_no_dlsym;
	__atomic_store_n(&itself, f, __ATOMIC_RELAXED);
	return f;
}

#define BOB_INTERPOSE_DLSYM(by_handle)                                                             \
	__asm__(".text\n"                                                                          \
		".weak dlsym\n"                                                                    \
		".type dlsym, @function\n"                                                         \
		"dlsym:\n"                                                                         \
		"\t.cfi_startproc\n"                                                               \
		"\tlea 1(%rdi), %rax\n"                                                            \
		"\tcmp $1, %rax\n" /* 0 and -1: RTLD_DEFAULT, RTLD_NEXT */                         \
		"\tja " #by_handle "\n"                                                            \
		"\tpush %rdi\n"                                                                    \
		"\t.cfi_adjust_cfa_offset 8\n"                                                     \
		"\tpush %rsi\n"                                                                    \
		"\t.cfi_adjust_cfa_offset 8\n"                                                     \
		"\tsub $8, %rsp\n"                                                                 \
		"\t.cfi_adjust_cfa_offset 8\n"                                                     \
		"\tcall bob_dlsym_itself\n"                                                        \
		"\tadd $8, %rsp\n"                                                                 \
		"\t.cfi_adjust_cfa_offset -8\n"                                                    \
		"\tpop %rsi\n"                                                                     \
		"\t.cfi_adjust_cfa_offset -8\n"                                                    \
		"\tpop %rdi\n"                                                                     \
		"\t.cfi_adjust_cfa_offset -8\n"                                                    \
		"\tjmp *%rax\n"                                                                    \
		"\t.cfi_endproc\n"                                                                 \
		".size dlsym, . - dlsym\n")

#endif
