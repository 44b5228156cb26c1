/* SPDX-License-Identifier: BSD-3-Clause */
/* Differences between participants, where they are neither zero nor affine (group.h): a row of
 * numbers less its first one is a *profile* of the row's set of parts. Many rows have the same one:
 * where the system put the stack, the heap, an image of each process. So each is kept once, as a
 * series. Similar ones -- the first rank takes another path, or the second threads of the processes
 * -- are kept as the difference to their *base*, an earlier profile that has no base itself. A base
 * has one value per process, which is the upper half of participants' ids: the value of its first
 * member there.
 *
 * Values are read sequentially, from the first: there may be a million. */
#ifndef BOB_FOLD_PROFILES_H
#define BOB_FOLD_PROFILES_H

#include "fold/buffer.h"
#include "fold/list.h"
#include "fold/series.h"

struct bob_folded;

struct bob_fold_profile {
	/* one number a member, the first one 0; less those of the base */
	struct bob_fold_bytes series;
	uint32_t set;			/* number */
	/* number + 1; it has members of all processes that this has; 0: none */
	uint32_t base;
	uint32_t uses, trips;		/* rows that name it, of words and of trip counts */
	const uint64_t *value;		/* by member, if they have been listed */
};

/* What members of a set, one after the other, have in a profile of perhaps another set, by their
 * processes. */
struct bob_base_reader {
	const struct bob_folded *f;
	struct bob_series_reader series;
	const struct bob_list *set;	/* of the base */
	struct bob_list_walk own,
		members; /* of the set that is asked for; of the base's set, after `process` */
	uint64_t process, value;	/* of the base, where it is now */
	uint64_t first;			/* what the first member has */
	uint32_t left;			/* members of the base after that */
	int has_begun, has_first;
};

struct bob_profile_reader {
	struct bob_series_reader series;
	struct bob_base_reader base;
	int has_base;
};

/* The values of a profile's members, from the first on, which is 0. Close it whatever comes
 * back. */
bob_status bob_profile_open(struct bob_profile_reader *r, const struct bob_folded *f,
			    uint32_t profile);
/* Not more often than there are members. BOB_ERR_CORRUPT, BOB_ERR_NOMEM. */
bob_status bob_profile_next(struct bob_profile_reader *r, uint64_t *value);
void bob_profile_close(struct bob_profile_reader *r);
/* That of member number `member`. Work: the members before it, unless they have been listed
 * (listing.h). */
bob_status bob_profile_value(const struct bob_folded *f, uint32_t profile, uint32_t member,
			     uint64_t *value);

/* --- while a trace is made --- */

struct bob_known_profile {
	struct bob_fold_bytes whole;	/* series without a base */
	uint64_t hash;
	uint32_t next;			/* of the same slot, + 1 */
};

struct bob_profiles {
	struct bob_alloc alloc;
	struct bob_folded *f;		/* which gets them */
	uint32_t set;			/* of the rows to come */
	uint32_t of_trips;		/* 1: they are of trip counts */
	struct bob_known_profile *known; /* one a profile of `f` */
	uint32_t known_capacity;
	uint32_t *slot;			/* of profiles by hash, number + 1 */
	uint32_t slots;
	uint32_t *base;			/* those without base */
	uint32_t base_count, base_capacity;
	struct bob_buffer series, less, best;
};

void bob_profiles_init(struct bob_profiles *p, const struct bob_alloc *alloc, struct bob_folded *f);
void bob_profiles_free(struct bob_profiles *p);
/* The number of the profile with these values, one for each part of the set and the first of them
 * 0; a new one if need be. */
bob_status bob_profiles_find(struct bob_profiles *p, const uint64_t *value, uint32_t *number);
/* One row more has it. */
void bob_profiles_use(struct bob_profiles *p, uint32_t number);

#endif
