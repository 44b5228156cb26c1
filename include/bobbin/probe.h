/* SPDX-License-Identifier: BSD-3-Clause */
/* The interface that instrumented sources call: docs/source.md. `bobbin instrument` writes the
 * calls; users need not.
 *
 * An instrumented file has a description: *units* (functions, subroutines), *variables* (what is
 * traced), *sites* (places in its text with an access that may be traced), *nests* (loops whose
 * accesses are reported at once). It is registered before its code runs. A probe passes a site and
 * an address. The recorder decides whether a traced variable is there, by a table of the current
 * places of variables; so aliases of any kind (arguments, COMMON, EQUIVALENCE, pointers) are
 * distinguished exactly.
 *
 * This header needs no library. Without `bobbin record --source` a probe costs a load and a branch.
 * With it, it costs little more where nothing is traced: such accesses are only counted here, per
 * thread. C11 and C++11. Threads: any. No function here reports errors to the program, changes
 * errno or frees memory of the program. The tables may be read as long as the file's code is
 * mapped. */
#ifndef BOBBIN_PROBE_H
#define BOBBIN_PROBE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define BOB_PROBE_DIMENSIONS_MAX 15u
#define BOB_PROBE_VARIABLES_MAX 4095u /* of a file */
#define BOB_PROBE_NEST_ACCESSES_MAX 31u /* in one iteration, if each has steps of its own */
#define BOB_PROBE_NEST_LAID_MAX 56u /* ... if not: see bob_probe_site.like */
#define BOB_PROBE_NEST_WORDS_MAX                                                                   \
	62u /* accesses in one iteration, plus those with steps of their own */
#define BOB_PROBE_NEST_DEPTH_MAX 8u

/* For compilers: the memory at the address is not read, and may be uninitialised. */
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 11
#define BOB_PROBE_UNREAD(parameter) __attribute__((access(none, parameter)))
#else
#define BOB_PROBE_UNREAD(parameter)
#endif

enum bob_probe_kind {
	BOB_PROBE_READ = 0,
	BOB_PROBE_WRITE = 1,
	BOB_PROBE_UPDATE = 2	/* a read, followed by a write of the same place */
};

/* A place in the text, in the order of the text. */
struct bob_probe_site {
	uint32_t line;
	uint16_t column;	/* in bytes, from 1; 0: unknown */
	uint8_t kind;		/* enum bob_probe_kind */
	uint8_t file;		/* 0: the file itself; else 1 + index of the header */
	uint32_t unit;		/* index */
	uint16_t size;		/* bytes accessed, not 0 */
	/* in a nest: distance back to an access with the same steps in all loops; 0: unknown */
	uint16_t like;
};

/* The innermost accesses in loops without calls: sites first..first+count-1, in order, in each
 * iteration. */
struct bob_probe_nest {
	uint32_t first, count;
	uint32_t depth;		/* number of nested loops */
};

struct bob_probe_variable {
	const char *name;	/* name for display: "a", "u in solve", "/blk/x" */
	uint32_t element;	/* bytes of an element, or of the scalar */
	uint32_t rank;		/* dimensions */
	/* Lower bound and extent of each dimension, the fastest one first. Extents of 0: unknown
	 * before it is declared. */
	const int64_t (*bounds)[2];
	/* First and last requested subscript of each dimension; NULL: everything. */
	const int64_t (*wanted)[2];
	uint32_t rows_first;	/* C: the source writes the fastest subscript last */
	/* BOB_PROBE_OWN: each declaration begins its lifetime, on a stack, and ends that of earlier
	 * such variables at the same place, including those left by longjmp. BOB_PROBE_OWN_AGAIN:
	 * the same variable as in the previous row. 0: neither. */
	uint32_t own;
};
#define BOB_PROBE_OWN 1u
#define BOB_PROBE_OWN_AGAIN 2u

/* `size` addresses beginning with lo. Immutable. */
struct bob_probe_untraced {
	uintptr_t lo, size;
};

struct bob_probe_table;

struct bob_probe_file {
	uint32_t size;		/* of this struct; later versions append members */
	uint32_t reserved;
	const char *path;	/* path of the source as given by the user */
	uint64_t digest;	/* hash of its text and of the request: a different one is a
				 * different image */
	const char *const *unit;
	const struct bob_probe_variable *variable;
	const struct bob_probe_site *site;
	const struct bob_probe_nest *nest;
	uint32_t units, variables, sites, nests;
	/* The rest belongs to the recorder; NULL: nothing is recorded. */
	void (*access)(struct bob_probe_file *f, uint32_t site, const volatile void *at)
		BOB_PROBE_UNREAD(3);
	const struct bob_probe_table *recorder;
	void *own;
	/* Negative cache: for each site, a range of addresses known to be untraced. Probes only
	 * count accesses there. NULL: `access` is NULL, too. */
	const struct bob_probe_untraced *const *untraced;
	/* Requests without a probe, a line each, without newline; NULL-terminated. NULL: none. */
	const char *const *missing;
	/* A line with the prediction of `bobbin instrument`; NULL: none. */
	const char *predicted;
	/* Headers that contain sites; NULL-terminated. NULL: none. Files of earlier versions end
	 * here. */
	const char *const *headers;
};

/* The copies of this header that `bobbin instrument` writes define it at their end. */
#define BOBBIN_PREDICTED NULL

#define BOB_PROBE_TABLE "bobbin_probe_1"
struct bob_probe_table {
	uint32_t size;
	uint32_t reserved;
	/* Register a file, once. If anything is recorded, probes call f->access afterwards. */
	void (*begin)(struct bob_probe_file *f);
	/* Variable `v` is at `base` from now on. `bounds` as in struct bob_probe_variable, NULL:
	 * the constant ones. A variable without elements has no place. */
	void (*declare)(struct bob_probe_file *f, uint32_t v, const volatile void *base,
			const int64_t (*bounds)[2]) BOB_PROBE_UNREAD(3);
	/* Variable `v` has no place from now on. */
	void (*forget)(struct bob_probe_file *f, uint32_t v, const volatile void *base)
		BOB_PROBE_UNREAD(3);
	/* Report that nest `n` runs now: `trips` are the trip counts of its loops, outermost first.
	 * For each access, `at` is the address in the first iteration, and step[access * depth +
	 * loop] the distance in bytes to the next iteration of each loop. */
	void (*nest)(struct bob_probe_file *f, uint32_t n, const int64_t *trips,
		     const volatile void *const *at, const int64_t *step);
	/* The memory at `base` is freed: variables of any file that begin there end. */
	void (*gone)(const volatile void *base) BOB_PROBE_UNREAD(1);
	/* As `nest`, for loops whose trip counts depend on enclosing loops. In iteration i[0],
	 * i[1], ... (from 0) of these, loop d has span[d] + the sum of slope[d * depth + e] * i[e]
	 * over e < d values, and executes every by[d]-th of them: none if that is not above 0.
	 * at[k] is the address of access k with all i[] = 0, which need not occur; step[k * depth +
	 * d] is the distance to the next iteration of loop d, with its inner loops at their
	 * beginning. */
	void (*uneven)(struct bob_probe_file *f, uint32_t n, const int64_t *span,
		       const int64_t *slope, const int64_t *by, const volatile void *const *at,
		       const int64_t *step);
	/* The calling thread's counter of accesses for which `access` is not called. It is never
	 * freed, and has the same address in a fork child. NULL: not available at present. */
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

/* Count accesses to untraced data. Code that may be loaded later uses no thread-local variable for
 * that, because its first use in a thread may allocate memory. */
#if defined(__PIC__) && !defined(__PIE__)
static inline void bob_probe_count(const struct bob_probe_file *f, uint64_t more)
{
	uint64_t *n = f->recorder->outside();

	if (__builtin_expect(n != NULL, 1))
		*n += more;
}
#else
static __thread uint64_t *bob_probe_outside; /* NULL: not initialised yet, or not available */

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

/* The probe of one access. Returns the address, so that it can be used within an expression. */
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
 * They are loaded before the loop, and accesses within them are counted in registers. The loop
 * could not correctly access a variable that another thread declares meanwhile, without waiting for
 * it. */
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

/* As bob_probe_at; `untraced` is the range that the loop holds for the site. Returns the range to
 * hold from now on. */
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

/* To be called when the loop is left, in any way. */
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

/* Declare the target of a pointer, in new memory of this size: the extent of the slowest dimension
 * of `v` results from the size. */
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

/* Whether all addresses of a nest's access are in the untraced range of its site. The trip counts
 * are above 0. */
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

/* Report a nest. If none of its accesses is traced, they are only counted. */
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

/* The lvalue x, with a report of its access: BOB_PROBE_X(site, x) = 1. The file's struct is named
 * bob_probe_here. Evaluates x once. */
#define BOB_PROBE_X(site, x)                                                                       \
	(*(__typeof__(&(x)))(uintptr_t)bob_probe_at(&bob_probe_here, (site), &(x)))

#ifdef __cplusplus
}
#endif

#endif
