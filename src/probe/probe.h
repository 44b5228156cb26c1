/* SPDX-License-Identifier: BSD-3-Clause */
/* Inside a traced process: what bobbin/probe.h finds. Part of the libraries that record events
 * (src/events), of which a process has one. docs/source.md says what is recorded.
 *
 *   begin.c   files become known: their descriptors and their image
 *   image.c   the image's file in the trace: units, variables, lines
 *   places.c  where traced variables are now; asleep.c those that come and go; box.c what is wanted of them
 *   record.c  probes
 *   untraced.c  per-site cache of address ranges known not to be traced
 *   shapes.c  what bounds they have
 *   count.c   how many accesses were of nothing to be recorded
 *
 * Threads: any may call any probe. What is kept of a file is made once and stays. */
#ifndef BOB_PROBE_PROBE_H
#define BOB_PROBE_PROBE_H

#include <stdbool.h>

#include "agent/streams.h"
#include "bobbin/probe.h"
#include "mem/record.h"

/* Link addresses: site k has k + 1 (a site is an instruction), element 0 of variable v has (v + 1)
 * << 36. Process addresses: these, and the image's bias, (number of the file + 1) << 49. */
#define BOB_PR_VARIABLE_SHIFT 36
#define BOB_PR_FILE_SHIFT 49
#define BOB_PR_FILES_MAX 16000u

#define BOB_PR_SHAPES_MAX 16u /* of a variable; more are not recorded */

/* The bounds of a variable that were recorded. */
struct bob_pr_shape {
	uint32_t count;
	uint64_t key[BOB_PR_SHAPES_MAX]; /* 0: could not be recorded */
};

/* Of each site of a file. */
struct bob_pr_untraced {
	const struct bob_probe_untraced **untraced;
	uint8_t *entered;	/* it has, or had, one that is not empty */
};

/* What the recorder keeps of a file, as its `own`. */
struct bob_pr_file {
	/* descriptor of site 0; those of nests follow, two for each: see begin.c */
	uint32_t first;
	uint64_t bias;
	struct bob_pr_shape *shape; /* of each variable; NULL: no memory */
	struct bob_pr_untraced untraced;
};

/* Where element 0 of a variable lies, in the trace. */
static inline uint64_t bob_pr_address(const struct bob_pr_file *own, uint32_t variable)
{
	return own->bias + ((uint64_t)(variable + 1) << BOB_PR_VARIABLE_SHIFT);
}

/* Which of the nest's steps each of its accesses has; how many there are. of[k] is at most k. */
static inline uint32_t bob_pr_steps(const struct bob_probe_site *first, uint32_t count, uint8_t *of)
{
	uint32_t steps = 0;

	for (uint32_t k = 0; k < count; k++)
		of[k] = first[k].like ? of[k - first[k].like] : (uint8_t)steps++;
	return steps;
}

extern const struct bob_agent_streams *bob_pr_agent; /* NULL: nothing is recorded */

/* --- image.c --- */
/* The image's file; *bytes are the caller's to free. Returns how many; 0: no memory. */
size_t bob_pr_image(const struct bob_probe_file *f, uint64_t key, uint8_t **bytes);
/* i<key>.bob in directory `dir`, unless it is there. */
void bob_pr_image_save(const struct bob_probe_file *f, uint64_t key, const char *dir);
/* The number of functions of the image: one for each unit, and one more where a unit continues
 * after another unit that it contains. */
uint32_t bob_pr_image_functions(const struct bob_probe_file *f);

/* --- shapes.c --- */
/* Records of the variables whose bounds the source says; *bytes are the caller's to free. Returns
 * how many bytes. */
size_t bob_pr_shapes(const struct bob_probe_file *f, struct bob_pr_file *own, uint8_t **bytes);
/* The variable has these bounds now. If they were recorded before, costs a hash and comparisons. */
void bob_pr_shape_report(const struct bob_probe_file *f, uint32_t variable,
			 const int64_t (*bounds)[2]);

/* --- places.c --- */
/* A variable lies at [base, base + its bytes) and element 0 has this address in the trace. Ignored:
 * no elements, too many places, no memory. */
void bob_pr_declare(const struct bob_probe_variable *v, const void *base,
		    const int64_t (*bounds)[2], uint64_t address);
#define BOB_PR_ANY UINT64_MAX
/* The variable of this address (BOB_PR_ANY: each) that begins at `base` lies there no longer. */
void bob_pr_forget(const void *base, uint64_t address);
/* Addresses of which the same can be said, as long as the version is this one. */
struct bob_pr_stretch {
	uint64_t version;
	uintptr_t lo, hi;
	uint64_t shift;		/* to be added for the address in the trace */
	bool wanted;
	bool asleep;		/* of a variable that ended and may come back */
};
extern uint64_t bob_pr_version;
/* The stretch around `at`. */
struct bob_pr_stretch bob_pr_find(uintptr_t at);
/* How many of `trips` (above 0) addresses, `step` apart, from `at` on, lie in the stretch that `at`
 * lies in: at least 1. */
static inline uint64_t bob_pr_within(const struct bob_pr_stretch *s, uintptr_t at, int64_t step,
				     uint64_t trips)
{
	const uintptr_t last = at + (uint64_t)step * (trips - 1);

	if (last >= s->lo && last < s->hi)
		return trips;
	return 1 +
	       (step < 0 ? (at - s->lo) / (0 - (uint64_t)step) : (s->hi - 1 - at) / (uint64_t)step);
}
/* How many of `trips` addresses (above 0), `step` apart, from `at` on have the same said of them:
 * at least 1. *wanted: they are, and lie `step` apart in the trace, too, from *address on; else
 * none is. */
uint64_t bob_pr_find_row(uintptr_t at, int64_t step, uint64_t trips, uint64_t *address,
			 bool *wanted);
/* Before a fork, and after it in both processes. */
void bob_pr_places_lock(void);
void bob_pr_places_unlock(void);

/* --- record.c --- */
void bob_pr_access(struct bob_probe_file *f, uint32_t site, const volatile void *at);
void bob_pr_nest(struct bob_probe_file *f, uint32_t n, const int64_t *trips,
		 const volatile void *const *at, const int64_t *step);
void bob_pr_uneven(struct bob_probe_file *f, uint32_t n, const int64_t *span, const int64_t *slope,
		   const int64_t *by, const volatile void *const *at, const int64_t *step);

/* What the calling thread remembers of its sites, zeros at first; NULL: nothing. It may have been
 * that of a thread that has ended. */
struct bob_pr_memory;
size_t bob_pr_memory_bytes(void);
void bob_pr_memory_is(struct bob_pr_memory *m);

/* --- untraced.c --- */
/* queries of a thread in one stretch before the site gets an untraced range */
#define BOB_PR_ASKS 8u
/* Once, before all others. Without memory probes always ask. */
void bob_pr_untraced_begin(void);
/* Of a new file; they stay, once one was aimed. False: no memory. */
bool bob_pr_untraced_open(struct bob_pr_untraced *of, uint32_t sites);
void bob_pr_untraced_drop(struct bob_pr_untraced *of);
/* The addresses around `at` are not traced: sets the site's untraced range to them. `last`: the
 * thread's last range of the site; NULL at first. Returns the number of queries, beyond
 * BOB_PR_ASKS, before the next attempt. */
uint32_t bob_pr_untraced_aim(struct bob_pr_untraced *of, uint32_t site, uintptr_t at,
			     const struct bob_probe_untraced **last);
/* Something is where nothing was: all probes ask. Under the lock of places.c, before the table is
 * even again. */
void bob_pr_untraced_close(void);

/* --- count.c --- */
void bob_pr_count_begin(void);
extern __thread uint64_t *bob_pr_outside; /* the thread's counter; NULL: not yet, or none */
void bob_pr_count_first(uint64_t outside);
static inline void bob_pr_count(uint64_t outside)
{
	uint64_t *own = bob_pr_outside;

	if (__builtin_expect(own != NULL, 1))
		*own += outside;
	else
		bob_pr_count_first(outside);
}
/* The thread's counter, NULL: there is none at the moment. */
uint64_t *bob_pr_count_own(void);
/* At the end of the process. */
void bob_pr_count_report(void);
/* In the child, which begins with nothing; the counter of its thread stays where it was. */
void bob_pr_count_after_fork(void);

#endif
