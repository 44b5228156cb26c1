/* SPDX-License-Identifier: BSD-3-Clause */
/* How participants differ, where that is neither nothing nor affine (group.h): a row of numbers less its first one is a *profile*
 * of the row's set of parts. Many rows have the same one: where the system put the stack, the heap, an image of each process.
 * So each is kept once, as a series. Others differ from such a one by little -- the first rank goes another way, or they are of
 * each process's second thread -- and are kept as the difference to it, their *base*, a profile before it that has none itself. A base
 * holds for processes: the upper half of participants' ids. Its value for one is that of its first member there. */
#ifndef BOB_FOLD_PROFILES_H
#define BOB_FOLD_PROFILES_H

#include "fold/buffer.h"

struct bob_folded;

struct bob_fold_profile {
	struct bob_fold_bytes
		series; /* one number a member, the first one 0; less those of the base */
	uint32_t set;			/* number */
	uint32_t base;			/* number + 1; it has members of all processes that this has; 0: none */
	uint32_t uses, trips;		/* rows that name it, of words and of trip counts */
};

/* The value of the set's member number `member`. BOB_ERR_CORRUPT. Work: the members before it. */
bob_status bob_profile_value(const struct bob_folded *f, uint32_t profile, uint32_t member,
			     uint64_t *value);

/* --- while a trace is made --- */

struct bob_known_profile {
	struct bob_fold_bytes whole;	/* series without a base */
	uint64_t *value;		/* of the series if there is none; else NULL */
};

struct bob_profiles {
	struct bob_alloc alloc;
	struct bob_folded *f;		/* which gets them */
	uint32_t set;			/* of the rows to come */
	uint32_t of_trips;		/* 1: they are of trip counts */
	struct bob_known_profile *known; /* one a profile of `f` */
	uint32_t known_room;
	uint32_t *base;			/* those without base */
	uint32_t base_count, base_room;
	struct bob_buffer series, less, best;
	uint64_t *scratch, *first_value;
	uint32_t *first;
	uint32_t scratch_room, first_value_room, first_room;
};

void bob_profiles_init(struct bob_profiles *p, const struct bob_alloc *alloc, struct bob_folded *f);
void bob_profiles_free(struct bob_profiles *p);
/* For bob_group_put: the number of the profile with these values, the first of which is 0; a new one if need be. `ctx` is
 * the struct bob_profiles. */
bob_status bob_profiles_find(void *ctx, const uint64_t *value, uint32_t n, uint32_t *number);

#endif
