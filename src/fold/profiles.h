/* SPDX-License-Identifier: BSD-3-Clause */
/* Differences between participants that are neither zero nor affine (group.h). A row of numbers
 * minus its first one is a *profile* of the row's set of parts. Many rows have equal profiles: the
 * addresses at which the system put the stack, the heap, an image of each process. So each profile
 * is stored once, as a series. Similar profiles (the first rank takes another path; the second
 * threads of the processes) are stored as the difference to their *base*, an earlier profile
 * without a base. A base has one value per process, which is the upper half of participants' ids:
 * the value of its first member there.
 *
 * Values are read sequentially from the first, because there may be a million. */
#ifndef BOB_FOLD_PROFILES_H
#define BOB_FOLD_PROFILES_H

#include "fold/buffer.h"
#include "fold/list.h"
#include "fold/series.h"

struct bob_folded;

struct bob_fold_profile {
	/* one number per member, the first one 0, minus those of the base */
	struct bob_fold_bytes series;
	uint32_t set;			/* number */
	/* number + 1; has members of all processes of this profile; 0: none */
	uint32_t base;
	uint32_t uses, trips;		/* rows that refer to it: of words, of trip counts */
	const uint64_t *value;		/* by member; NULL unless bob_profiles_list computed them */
};

/* Reads the values of a base for the members of another set, by their processes. */
struct bob_base_reader {
	const struct bob_folded *f;
	struct bob_series_reader series;
	const struct bob_list *set;	/* of the base */
	struct bob_list_walk own,
		members; /* of the other set; of the base's set, after `process` */
	uint64_t process, value;	/* current process and value of the base */
	uint64_t first;			/* value for the first member */
	uint32_t left;			/* remaining members of the base */
	int has_begun, has_first;
};

struct bob_profile_reader {
	struct bob_series_reader series;
	struct bob_base_reader base;
	int has_base;
};

/* Opens a reader of a profile's values; the first one is 0. Close it in any case. */
bob_status bob_profile_open(struct bob_profile_reader *r, const struct bob_folded *f,
			    uint32_t profile);
/* Call at most once per member. Errors: BOB_ERR_CORRUPT, BOB_ERR_NOMEM. */
bob_status bob_profile_next(struct bob_profile_reader *r, uint64_t *value);
void bob_profile_close(struct bob_profile_reader *r);
/* The value of one member. Work: all members before it, unless bob_profiles_list was called
 * (listing.h). */
bob_status bob_profile_value(const struct bob_folded *f, uint32_t profile, uint32_t member,
			     uint64_t *value);

/* --- construction --- */

struct bob_known_profile {
	struct bob_fold_bytes whole;	/* series of the values, not relative to a base */
	uint64_t hash;
	uint32_t next;			/* next profile of the same hash slot, + 1 */
};

struct bob_profiles {
	struct bob_alloc alloc;
	struct bob_folded *f;		/* receives the profiles */
	uint32_t set;			/* of the following rows */
	uint32_t of_trips;		/* 1: the rows have trip counts */
	struct bob_known_profile *known; /* per profile of `f` */
	uint32_t known_capacity;
	uint32_t *slot;			/* hash table of profiles: number + 1 */
	uint32_t slots;
	uint32_t *base;			/* profiles that can be bases */
	uint32_t base_count, base_capacity;
	struct bob_buffer series, less, best;
};

void bob_profiles_init(struct bob_profiles *p, const struct bob_alloc *alloc, struct bob_folded *f);
void bob_profiles_free(struct bob_profiles *p);
/* Finds or adds the profile with these values, one per part of the set, the first of them 0. */
bob_status bob_profiles_find(struct bob_profiles *p, const uint64_t *value, uint32_t *number);
/* Counts a row that refers to the profile. */
void bob_profiles_use(struct bob_profiles *p, uint32_t number);

#endif
