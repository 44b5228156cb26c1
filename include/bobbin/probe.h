/* SPDX-License-Identifier: BSD-3-Clause */
/* What instrumented sources call: docs/source.md. `bobbin instrument` writes the calls; users need
 * not.
 *
 * An instrumented file describes itself once -- *units* (functions, subroutines), *variables* (what
 * is traced), *sites* (places in its text where something may be accessed), *nests* (loops whose
 * accesses are reported at once) -- and is made known before its code runs. A probe passes a site
 * and an address. The recorder decides whether a traced variable lies there, by a table of the
 * current places of variables; so aliases of any kind (arguments, COMMON, EQUIVALENCE, pointers)
 * are distinguished exactly.
 *
 * What is in this header needs no library: without `bobbin record --source` a probe costs a load
 * and a branch, and with it little more where nothing is traced: such accesses are counted here,
 * per thread. C11 and C++11. Threads: any. Nothing here fails visibly, changes errno or frees
 * memory of the program. The tables are read as long as the file's code is mapped. */
#ifndef BOBBIN_PROBE_H
#define BOBBIN_PROBE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define BOB_PROBE_DIMENSIONS_MAX 15u
#define BOB_PROBE_VARIABLES_MAX 4095u /* of a file */
#define BOB_PROBE_NEST_ACCESSES_MAX 31u /* of one iteration, if each has steps of its own */
#define BOB_PROBE_NEST_LAID_MAX 56u /* ... if not: see bob_probe_site.like */
#define BOB_PROBE_NEST_WORDS_MAX                                                                   \
	62u /* accesses of one iteration, and those with steps of their own, together */
#define BOB_PROBE_NEST_DEPTH_MAX 8u

/* The memory at the address is not read: it may have no value yet. */
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 11
#define BOB_PROBE_UNREAD(parameter) __attribute__((access(none, parameter)))
#else
#define BOB_PROBE_UNREAD(parameter)
#endif

enum bob_probe_kind {
	BOB_PROBE_READ = 0,
	BOB_PROBE_WRITE = 1,
	BOB_PROBE_UPDATE = 2	/* a read, then a write of the same place */
};

/* A place in the text, in the order of the text. */
struct bob_probe_site {
	uint32_t line;
	uint16_t column;	/* bytes from 1; 0: not known */
	uint8_t kind;		/* enum bob_probe_kind */
	uint8_t file;		/* 0: the file; else 1 + the header */
	uint32_t unit;		/* index */
	uint16_t size;		/* bytes that are accessed, not 0 */
	/* in a nest: distance back to an access with the same steps in all loops; 0: unknown */
	uint16_t like;
};

/* The innermost accesses in loops without calls: sites first..first+count-1, in order, in each
 * iteration. */
struct bob_probe_nest {
	uint32_t first, count;
	uint32_t depth;		/* loops around */
};

struct bob_probe_variable {
	const char *name;	/* as people call it: "a", "u in solve", "/blk/x" */
	uint32_t element;	/* bytes; of a scalar its own */
	uint32_t rank;		/* dimensions */
	/* Of each dimension, the fastest one first: lower bound, extent. Extents of 0: unknown
	 * before it is declared. */
	const int64_t (*bounds)[2];
	/* What is requested of each dimension: first and last subscript; NULL: everything. */
	const int64_t (*wanted)[2];
	uint32_t rows_first;	/* C: subscripts are written with the fastest last */
	/* BOB_PROBE_OWN: each declaration begins its lifetime, on a stack, and ends that of earlier
	 * such variables at the same place, also of those that were left by longjmp.
	 * BOB_PROBE_OWN_AGAIN: the same variable as in the row before. 0: neither. */
	uint32_t own;
};
#define BOB_PROBE_OWN 1u
#define BOB_PROBE_OWN_AGAIN 2u

/* `size` addresses from lo on. Constant. */
struct bob_probe_untraced {
	uintptr_t lo, size;
};

struct bob_probe_table;

struct bob_probe_file {
	uint32_t size;		/* of this struct: later versions append */
	uint32_t reserved;
	const char *path;	/* of the source as it was given */
	uint64_t digest;	/* of its text and of what is traced: another one, another image */
	const char *const *unit;
	const struct bob_probe_variable *variable;
	const struct bob_probe_site *site;
	const struct bob_probe_nest *nest;
	uint32_t units, variables, sites, nests;
	/* The recorder owns the rest; NULL: nothing is recorded. */
	void (*access)(struct bob_probe_file *f, uint32_t site, const volatile void *at)
		BOB_PROBE_UNREAD(3);
	const struct bob_probe_table *recorder;
	void *own;
	/* Negative cache: for each site, a range of addresses known to be untraced. Probes only
	 * count accesses there. NULL: `access` is NULL, too. */
	const struct bob_probe_untraced *const *untraced;
	/* Requests that have no probe, a line each, without the newline; NULL follows the last.
	 * NULL: nothing. */
	const char *const *missing;
	/* A line of what `bobbin instrument` predicted; NULL: none. */
	const char *predicted;
	/* Headers that sites are in; NULL follows the last. NULL: none. Files of earlier versions
	 * end here. */
	const char *const *headers;
};

/* The copies of this header that `bobbin instrument` writes define it at their end. */
#define BOBBIN_PREDICTED NULL

#define BOB_PROBE_TABLE "bobbin_probe_1"
struct bob_probe_table {
	uint32_t size;
	uint32_t reserved;
	/* Registers a file, once. If anything is recorded, probes call f->access from now on. */
	void (*begin)(struct bob_probe_file *f);
	/* Variable `v` lies at `base` from now on. `bounds` as in struct bob_probe_variable, NULL:
	 * as there. A variable without elements has no place. */
	void (*declare)(struct bob_probe_file *f, uint32_t v, const volatile void *base,
			const int64_t (*bounds)[2]) BOB_PROBE_UNREAD(3);
	/* Variable `v` has no place from now on. */
	void (*forget)(struct bob_probe_file *f, uint32_t v, const volatile void *base)
		BOB_PROBE_UNREAD(3);
	/* Nest `n` runs now: `trips` of its loops, outermost first; for each access the address in
	 * the first iteration and, for each loop, the distance to the next iteration in bytes:
	 * step[access * depth + loop]. */
	void (*nest)(struct bob_probe_file *f, uint32_t n, const int64_t *trips,
		     const volatile void *const *at, const int64_t *step);
	/* The memory at `base` is freed: variables of any file that begin there are no longer
	 * there. */
	void (*gone)(const volatile void *base) BOB_PROBE_UNREAD(1);
	/* As `nest`, of loops whose trips depend on those around them. In iteration i[0], i[1], ...
	 * (from 0) of these, loop d has span[d] + the sum of slope[d * depth + e] * i[e] over e < d
	 * values, of which it takes each by[d]-th: none if that is not above 0. at[k] is the
	 * address of access k with all i[] = 0, which need not occur; step[k * depth + d] is the
	 * distance from there in the next iteration of loop d, with its inner loops at their
	 * beginning. */
	void (*uneven)(struct bob_probe_file *f, uint32_t n, const int64_t *span,
		       const int64_t *slope, const int64_t *by, const volatile void *const *at,
		       const int64_t *step);
	/* The calling thread's count of accesses that `access` is not called for. It is never
	 * freed, and is at the same address in a fork child. NULL: not available at the moment. */
	uint64_t *(*outside)(void);
};

extern void *bob_probe_dlsym(void *handle, const char *name) __asm__("dlsym") __attribute__((weak));

static inline const struct bob_probe_table *bob_probe_recorder(void)
{
	const struct bob_probe_table *t = NULL;

	if (bob_probe_dlsym)
		t = (const struct bob_probe_table *)bob_probe_dlsym(NULL, BOB_PROBE_TABLE);
	return t && t->size >= sizeof(*t) ? t : NULL;
}

static inline void bob_probe_begin(struct bob_probe_file *f)
{
	const struct bob_probe_table *t = bob_probe_recorder();

	if (t)
		t->begin(f);
}

/* Counts accesses to nothing that is traced. Code that may be loaded later has no thread-local
 * variable for that, because its first use in a thread may allocate. */
#if defined(__PIC__) && !defined(__PIE__)
static inline void bob_probe_count(const struct bob_probe_file *f, uint64_t more)
{
	uint64_t *n = f->recorder->outside();

	if (__builtin_expect(n != NULL, 1))
		*n += more;
}
#else
static __thread uint64_t *bob_probe_outside; /* NULL: not yet, or there is none */

__attribute__((noinline, cold)) static void bob_probe_count_first(const struct bob_probe_file *f,
								  uint64_t more)
{
	bob_probe_outside = f->recorder->outside();
	if (bob_probe_outside)
		*bob_probe_outside += more;
}

static inline void bob_probe_count(const struct bob_probe_file *f, uint64_t more)
{
	uint64_t *n = bob_probe_outside;

	if (__builtin_expect(n != NULL, 1))
		*n += more;
	else
		bob_probe_count_first(f, more);
}
#endif

/* Returns the address, so that it can be used within an expression. */
BOB_PROBE_UNREAD(3)
static inline const volatile void *bob_probe_at(struct bob_probe_file *f, uint32_t site,
						const volatile void *at)
{
	const struct bob_probe_untraced *const *untraced = f->untraced;

	if (__builtin_expect(untraced != NULL, 1)) {
		const struct bob_probe_untraced *g =
			__atomic_load_n(&untraced[site], __ATOMIC_RELAXED);

		if (__builtin_expect((uintptr_t)at - g->lo >= g->size, 0))
			f->access(f, site, at);
		else
			bob_probe_count(f, 1);
	}
	return at;
}

/* Hoisting: a loop without calls, waits and declarations *holds* the untraced ranges of its sites.
 * They are looked up before the loop, and accesses within them are counted in registers. The loop
 * could not access what another thread declares meanwhile without waiting for it. */
struct bob_probe_held {
	uint64_t all, asked;
};

static inline const struct bob_probe_untraced *bob_probe_untraced_of(const struct bob_probe_file *f,
								     uint32_t site)
{
	static const struct bob_probe_untraced everything = { 0, UINTPTR_MAX };
	const struct bob_probe_untraced *const *untraced = f->untraced;

	return untraced ? __atomic_load_n(&untraced[site], __ATOMIC_RELAXED) : &everything;
}

BOB_PROBE_UNREAD(3)
__attribute__((noinline)) static const struct bob_probe_untraced *
bob_probe_ask(struct bob_probe_file *f, uint32_t site, const volatile void *at)
{
	if (f->untraced)
		f->access(f, site, at);
	return bob_probe_untraced_of(f, site);
}

/* As bob_probe_at; `untraced` is what the loop holds of the site. Returns what it holds from now
 * on. */
BOB_PROBE_UNREAD(3)
static inline const struct bob_probe_untraced *
bob_probe_by(struct bob_probe_file *f, uint32_t site, const volatile void *at,
	     const struct bob_probe_untraced *untraced, struct bob_probe_held *held)
{
	held->all++;
	if (__builtin_expect((uintptr_t)at - untraced->lo < untraced->size, 1))
		return untraced;
	held->asked++;
	return bob_probe_ask(f, site, at);
}

/* At the end of the loop, however it is left. */
static inline void bob_probe_held_end(const struct bob_probe_file *f,
				      const struct bob_probe_held *held)
{
	const uint64_t outside = held->all - held->asked;

	if (outside && f->untraced)
		bob_probe_count(f, outside);
}

BOB_PROBE_UNREAD(3)
static inline void bob_probe_declare(struct bob_probe_file *f, uint32_t v,
				     const volatile void *base, const int64_t (*bounds)[2])
{
	if (f->recorder)
		f->recorder->declare(f, v, base, bounds);
}

BOB_PROBE_UNREAD(3)
static inline void bob_probe_forget(struct bob_probe_file *f, uint32_t v, const volatile void *base)
{
	if (f->recorder)
		f->recorder->forget(f, v, base);
}

/* Declares the target of a pointer, in new memory of so many bytes: the slowest dimension of `v` is
 * as long as they allow. */
BOB_PROBE_UNREAD(3)
static inline void bob_probe_block(struct bob_probe_file *f, uint32_t v, const volatile void *base,
				   size_t bytes)
{
	const struct bob_probe_variable *d = &f->variable[v];
	int64_t bounds[BOB_PROBE_DIMENSIONS_MAX][2];
	size_t rest = d->element;
	uint32_t i;

	if (!f->recorder || !base || !d->rank || d->rank > BOB_PROBE_DIMENSIONS_MAX)
		return;
	for (i = 0; i < d->rank; i++) {
		bounds[i][0] = d->bounds[i][0];
		bounds[i][1] = d->bounds[i][1];
		if (i + 1 < d->rank)
			rest *= (size_t)bounds[i][1];
	}
	bounds[d->rank - 1][1] = rest ? (int64_t)(bytes / rest) : 0;
	f->recorder->declare(f, v, base, (const int64_t(*)[2])bounds);
}

BOB_PROBE_UNREAD(2)
static inline void bob_probe_gone(struct bob_probe_file *f, const volatile void *base)
{
	if (f->recorder && base)
		f->recorder->gone(base);
}

/* Are all addresses of a nest's access in the untraced range of its site? The trips are above 0. */
static inline int bob_probe_misses(const struct bob_probe_file *f, uint32_t site, uint32_t depth,
				   const int64_t *trips, const volatile void *at,
				   const int64_t *step)
{
	const struct bob_probe_untraced *untraced = bob_probe_untraced_of(f, site);
	uintptr_t lo = (uintptr_t)at - untraced->lo, hi = lo;
	uint32_t d;

	for (d = 0; d < depth; d++) {
		const uintptr_t way = (uintptr_t)step[d] * (uintptr_t)(trips[d] - 1);

		if (step[d] < 0)
			lo += way;
		else
			hi += way;
	}
	return lo < untraced->size && hi < untraced->size;
}

/* Accesses to nothing that is traced are counted here. */
__attribute__((noinline, unused)) static void bob_probe_nest(struct bob_probe_file *f, uint32_t n,
							     const int64_t *trips,
							     const volatile void *const *at,
							     const int64_t *step)
{
	const struct bob_probe_nest *nest = &f->nest[n];
	uint64_t all = nest->count;
	uint32_t k = 0, d;

	if (!f->untraced)
		return;
	for (d = 0; d < nest->depth; d++) {
		if (trips[d] <= 0)
			return;
		all *= (uint64_t)trips[d];
	}
	while (k < nest->count && bob_probe_misses(f, nest->first + k, nest->depth, trips, at[k],
						   step + k * nest->depth))
		k++;
	if (k == nest->count)
		bob_probe_count(f, all);
	else
		f->recorder->nest(f, n, trips, at, step);
}

static inline void bob_probe_uneven(struct bob_probe_file *f, uint32_t n, const int64_t *span,
				    const int64_t *slope, const int64_t *by,
				    const volatile void *const *at, const int64_t *step)
{
	if (f->recorder)
		f->recorder->uneven(f, n, span, slope, by, at, step);
}

/* The lvalue x, whose access is reported: BOB_PROBE_X(site, x) = 1. The file's struct is called
 * bob_probe_here. Evaluates x once. */
#define BOB_PROBE_X(site, x)                                                                       \
	(*(__typeof__(&(x)))(uintptr_t)bob_probe_at(&bob_probe_here, (site), &(x)))

#ifdef __cplusplus
}
#endif

#endif
