/* SPDX-License-Identifier: BSD-3-Clause */
/* The recorder of source-level probes, inside a traced process: the functions that bobbin/probe.h
 * looks up. Part of the libraries that record events (src/events), of which a process has one.
 * docs/source.md says what is recorded.
 *
 *   begin.c     registration of files: their descriptors and their image
 *   image.c     the image's file in the trace: units, variables, lines
 *   places.c    addresses of traced variables; asleep.c: variables that come and go;
 *               subscript_range.c: selected elements
 *   record.c    probes
 *   negative_cache.c  per-site cache of address ranges known not to be traced
 *   shapes.c    bounds of variables
 *   count_untraced.c     number of accesses that are not recorded
 *
 * Threads: any may call any probe. The state of a file is created once and never freed. */
#ifndef BOB_PROBE_PROBE_H
#define BOB_PROBE_PROBE_H

#include <stdbool.h>

#include "agent/streams.h"
#include "bobbin/probe.h"
#include "mem/record.h"

/* Link addresses: site k has k + 1 (a site is like an instruction), element 0 of variable v has (v
 * + 1) << 36. Process addresses are link addresses plus the image's bias, (number of the file + 1)
 * << 49. */
#define BOB_PR_VARIABLE_SHIFT 36
#define BOB_PR_FILE_SHIFT 49
#define BOB_PR_FILES_MAX 16000u

#define BOB_PR_SHAPES_MAX 16u /* of a variable; further ones are not recorded */

/* Hashes of the bounds of a variable that have been recorded. */
struct bob_pr_shape {
	uint32_t count;
	uint64_t key[BOB_PR_SHAPES_MAX]; /* 0: could not be recorded */
};

/* Untraced ranges of the sites of a file. */
struct bob_pr_untraced {
	const struct bob_probe_untraced **untraced;
	uint8_t *entered;	/* per site: whether it is listed for bob_pr_untraced_close */
};

/* The recorder's state of a file (its `own`). */
struct bob_pr_file {
	/* descriptor of site 0; the sites' are followed by two for each nest: see begin.c */
	uint32_t first;
	uint64_t bias;
	struct bob_pr_shape *shape; /* of each variable; NULL: no memory */
	struct bob_pr_untraced untraced;
};

/* The address of element 0 of a variable in the trace. */
static inline uint64_t bob_pr_address(const struct bob_pr_file *own, uint32_t variable)
{
	return own->bias + ((uint64_t)(variable + 1) << BOB_PR_VARIABLE_SHIFT);
}

/* of[k] is the index of the step of access k among the different steps of the nest, at most k.
 * Returns the number of different steps. */
static inline uint32_t bob_pr_steps(const struct bob_probe_site *first, uint32_t count, uint8_t *of)
{
	uint32_t steps = 0;

	for (uint32_t k = 0; k < count; k++)
		of[k] = first[k].like ? of[k - first[k].like] : (uint8_t)steps++;
	return steps;
}

extern const struct bob_agent_streams *bob_pr_agent; /* NULL: nothing is recorded */

/* --- image.c --- */
/* Make the image's file. The caller frees *bytes. Returns the length; 0: no memory. */
size_t bob_pr_image(const struct bob_probe_file *f, uint64_t key, uint8_t **bytes);
/* Write i<key>.bob to directory `dir`, unless it exists. */
void bob_pr_image_save(const struct bob_probe_file *f, uint64_t key, const char *dir);
/* The number of functions of the image: one for each unit, and one more where a unit continues
 * after another unit that it contains. */
uint32_t bob_pr_image_functions(const struct bob_probe_file *f);

/* --- shapes.c --- */
/* Records of the variables whose bounds are constant in the source. The caller frees *bytes.
 * Returns the length. */
size_t bob_pr_shapes(const struct bob_probe_file *f, struct bob_pr_file *own, uint8_t **bytes);
/* Record the present bounds of the variable. If they were recorded before, costs a hash and
 * comparisons. */
void bob_pr_shape_report(const struct bob_probe_file *f, uint32_t variable,
			 const int64_t (*bounds)[2]);

/* --- places.c --- */
/* Declare a variable at [base, base + its bytes) whose element 0 has this address in the trace.
 * Ignored if it has no elements, or there are too many places, or there is no memory. */
void bob_pr_declare(const struct bob_probe_variable *v, const void *base,
		    const int64_t (*bounds)[2], uint64_t address);
#define BOB_PR_ANY UINT64_MAX
/* Remove the variable with this address (BOB_PR_ANY: each one) that begins at `base`. */
void bob_pr_forget(const void *base, uint64_t address);
/* A range of addresses with the same properties, valid while the version is unchanged. */
struct bob_pr_stretch {
	uint64_t version;
	uintptr_t lo, hi;
	uint64_t shift;		/* address in the trace minus address in the process */
	bool wanted;
	bool asleep;		/* of a variable whose lifetime ended and that may return */
};
extern uint64_t bob_pr_version;
/* The stretch around `at`. */
struct bob_pr_stretch bob_pr_find(uintptr_t at);
/* The number of addresses at, at + step, ... of `trips` (> 0) ones that are in the stretch of `at`:
 * at least 1. */
static inline uint64_t bob_pr_within(const struct bob_pr_stretch *s, uintptr_t at, int64_t step,
				     uint64_t trips)
{
	const uintptr_t last = at + (uint64_t)step * (trips - 1);

	if (last >= s->lo && last < s->hi)
		return trips;
	return 1 +
	       (step < 0 ? (at - s->lo) / (0 - (uint64_t)step) : (s->hi - 1 - at) / (uint64_t)step);
}
/* The number of addresses at, at + step, ... of `trips` (> 0) ones that are treated alike: at least
 * 1. *wanted: they are recorded, and are `step` apart in the trace, too, beginning with *address;
 * else none is recorded. */
uint64_t bob_pr_find_row(uintptr_t at, int64_t step, uint64_t trips, uint64_t *address,
			 bool *wanted);
/* Called before a fork, and after it in both processes. */
void bob_pr_places_lock(void);
void bob_pr_places_unlock(void);

/* --- record.c --- */
void bob_pr_access(struct bob_probe_file *f, uint32_t site, const volatile void *at);
void bob_pr_nest(struct bob_probe_file *f, uint32_t n, const int64_t *trips,
		 const volatile void *const *at, const int64_t *step);
void bob_pr_uneven(struct bob_probe_file *f, uint32_t n, const int64_t *span, const int64_t *slope,
		   const int64_t *by, const volatile void *const *at, const int64_t *step);

/* Use `m` for the cached look-ups of the calling thread; NULL: no cache. It is zeroed, or that of a
 * thread that has ended. */
struct bob_pr_memory;
size_t bob_pr_memory_bytes(void);
void bob_pr_memory_is(struct bob_pr_memory *m);

/* --- negative_cache.c --- */
/* number of a thread's queries in one stretch before the site gets an untraced range */
#define BOB_PR_ASKS 8u
/* Called once, before the others. Without memory, probes always query the recorder. */
void bob_pr_untraced_begin(void);
/* Initialise the sites of a new file; they must stay valid after a range was set. False: no
 * memory. */
bool bob_pr_untraced_open(struct bob_pr_untraced *of, uint32_t sites);
void bob_pr_untraced_drop(struct bob_pr_untraced *of);
/* Set the site's untraced range to the addresses around `at`, which are not traced. `last`: the
 * thread's last range of the site; NULL at first. Returns the number of queries, beyond
 * BOB_PR_ASKS, before the next attempt. */
uint32_t bob_pr_untraced_aim(struct bob_pr_untraced *of, uint32_t site, uintptr_t at,
			     const struct bob_probe_untraced **last);
/* Reset all ranges, because a variable was declared in untraced memory: all probes query the
 * recorder again. Called under the lock of places.c, before the version becomes even again. */
void bob_pr_untraced_close(void);

/* --- count_untraced.c --- */
void bob_pr_count_begin(void);
extern __thread uint64_t *bob_pr_outside; /* the thread's counter; NULL: not allocated yet, or none
					   * is available */
void bob_pr_count_first(uint64_t outside);
static inline void bob_pr_count(uint64_t outside)
{
	uint64_t *own = bob_pr_outside;

	if (__builtin_expect(own != NULL, 1))
		*own += outside;
	else
		bob_pr_count_first(outside);
}
/* The thread's counter; NULL if none is available at present. */
uint64_t *bob_pr_count_own(void);
/* Called at the end of the process. */
void bob_pr_count_report(void);
/* Called in the child, which starts from zero; the counter of its thread keeps its address. */
void bob_pr_count_after_fork(void);

#endif
