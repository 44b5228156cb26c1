/* SPDX-License-Identifier: BSD-3-Clause */
/* What instrumented sources call: docs/source.md. `bobbin instrument` writes the calls; nobody else
 * has to.
 *
 * An instrumented file describes itself once -- *units* (functions, subroutines), *variables* (what
 * is traced), *sites* (places in its text where something may be accessed), *nests* (loops whose
 * accesses are told at once) -- and is made known before its code runs. A probe passes a site and
 * an address. Whether something traced lies there the recorder decides, by a table of variables
 * where they are at the time; so aliases of any kind (arguments, COMMON, EQUIVALENCE, pointers) are
 * told apart exactly.
 *
 * What is in this header needs no library: without `bobbin record --source` a probe costs a load
 * and a branch, and with it little more where nothing is wanted: that is counted here, each thread
 * for itself. C11 and C++11.
 * Threads: any. Nothing here fails visibly, changes errno or frees what is the program's. The
 * tables are read as long as the file's code is there. */
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

/* What lies there is not looked at: it may have no value yet. */
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
	/* in a nest: the access so many before has the same steps in all loops; 0: none is known
	 * to */
	uint16_t like;
};

/* All that is innermost in loops without calls: sites first..first+count-1, in order, in each
 * iteration. */
struct bob_probe_nest {
	uint32_t first, count;
	uint32_t depth;		/* loops around */
};

struct bob_probe_variable {
	const char *name;	/* as people call it: "a", "u in solve", "/blk/x" */
	uint32_t element;	/* bytes; of a scalar its own */
	uint32_t rank;		/* dimensions */
	/* Of each dimension, that which varies fastest first: lower bound, extent. Extents of 0:
	 * not known before it is declared. */
	const int64_t (*bounds)[2];
	/* What is wanted of each dimension: first and last subscript; NULL: everything. */
	const int64_t (*wanted)[2];
	uint32_t rows_first;	/* C: subscripts are written with the fastest last */
	/* BOB_PROBE_OWN: each time it is declared it begins to live, on a stack; such variables
	 * there that it lies over are over, and names of them, however they were left (longjmp).
	 * BOB_PROBE_OWN_AGAIN: the same variable once more, as the row before. 0: neither. */
	uint32_t own;
};
#define BOB_PROBE_OWN 1u
#define BOB_PROBE_OWN_AGAIN 2u

/* Addresses from lo on, so many. It stays as it is. */
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
	/* The rest is the recorder's; NULL: nothing is recorded. */
	void (*access)(struct bob_probe_file *f, uint32_t site, const volatile void *at)
		BOB_PROBE_UNREAD(3);
	const struct bob_probe_table *recorder;
	void *own;
	/* Of each site, where nothing is wanted, as far as is known: probes need not ask there, but
	 * count. NULL: `access` is not, either. */
	const struct bob_probe_untraced *const *untraced;
	/* What was asked for and has no probe, a line each, without its end; NULL is behind the
	 * last. NULL: nothing. */
	const char *const *missing;
	/* A line of what `bobbin instrument` predicted; NULL: none. */
	const char *predicted;
	/* Headers that sites are in; NULL is behind the last. NULL: none. Files of before end
	 * here. */
	const char *const *headers;
};

/* The copies of this header that `bobbin instrument` writes say it at their end. */
#define BOBBIN_PREDICTED NULL

#define BOB_PROBE_TABLE "bobbin_probe_1"
struct bob_probe_table {
	uint32_t size;
	uint32_t reserved;
	/* From now on f->access is what probes call, if anything is recorded. Once for each
	 * file. */
	void (*begin)(struct bob_probe_file *f);
	/* Variable `v` lies at `base` from now on. `bounds` as in struct bob_probe_variable, NULL:
	 * as there. One without elements lies nowhere. */
	void (*declare)(struct bob_probe_file *f, uint32_t v, const volatile void *base,
			const int64_t (*bounds)[2]) BOB_PROBE_UNREAD(3);
	/* No longer. */
	void (*forget)(struct bob_probe_file *f, uint32_t v, const volatile void *base)
		BOB_PROBE_UNREAD(3);
	/* Nest `n` runs now: `trips` of its loops, outermost first; for each access where its first
	 * iteration goes and, for each loop, how far the next one is from there, bytes:
	 * step[access * depth + loop]. */
	void (*nest)(struct bob_probe_file *f, uint32_t n, const int64_t *trips,
		     const volatile void *const *at, const int64_t *step);
	/* The memory at `base` is given back: variables of any file that begin there lie there no
	 * longer. */
	void (*gone)(const volatile void *base) BOB_PROBE_UNREAD(1);
	/* As `nest`, of loops whose trips depend on those around them. In iteration i[0], i[1], ...
	 * (from 0) of these, loop d has span[d] + the sum of slope[d * depth + e] * i[e] over e < d
	 * values before it, of which it takes each by[d]-th: none if that is not above 0. at[k] is
	 * where access k would go with all i[] = 0, which need not happen; step[k * depth + d] how
	 * far it is from there in the next iteration of loop d with the loops in it at their
	 * beginning. */
	void (*uneven)(struct bob_probe_file *f, uint32_t n, const int64_t *span,
		       const int64_t *slope, const int64_t *by, const volatile void *const *at,
		       const int64_t *step);
	/* The calling thread's count of accesses that `access` is not asked about. It may be added
	 * to for ever, and is the same in a fork child. NULL: there is none at the moment. */
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

/* Nothing that is wanted was accessed. What may be loaded later has no variable of its own for
 * that: its first use in a thread may allocate. */
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

/* Gives the address back, so that it can stand within an expression. */
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

/* A loop that calls nothing, waits for nobody and declares nothing *holds* the gaps of its sites:
 * they are looked up before it, and what lies in them is counted in registers. What another thread
 * declares meanwhile it could not get at without waiting for it. */
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

/* As bob_probe_at; `untraced` is what the loop holds of the site. Gives what it holds from now on. */
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

/* However the loop was left. */
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

/* Declares what a pointer leads to, in new memory of so many bytes: the slowest dimension of `v` is
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

/* Does all that a nest's access gets to lie in the gap of its site? The trips are above 0. */
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

/* What misses everything that is wanted is counted here. */
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

/* The lvalue x, whose access is told: BOB_PROBE_X(site, x) = 1. The file's struct is called
 * bob_probe_here. Evaluates x once. */
#define BOB_PROBE_X(site, x)                                                                       \
	(*(__typeof__(&(x)))(uintptr_t)bob_probe_at(&bob_probe_here, (site), &(x)))

#ifdef __cplusplus
}
#endif

#endif
