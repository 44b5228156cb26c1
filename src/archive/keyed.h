/* SPDX-License-Identifier: BSD-3-Clause */
/* Index of a trace's files or processes by key.
 *
 * Owner: the caller, who fills, sorts and frees it. Keys are hashes: callers must compare the
 * entries of equal keys. */
#ifndef BOB_ARCHIVE_KEYED_H
#define BOB_ARCHIVE_KEYED_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/search.h"

struct bob_keyed_entry {
	uint64_t key;		/* a hash */
	size_t number;
};

struct bob_keyed {
	struct bob_keyed_entry *entry; /* malloc'ed; sorted by key, then by number */
	size_t count;
};

struct bob_trace;

/* Reserves capacity for `most` entries. Returns 0 if memory is exhausted. */
int bob_keyed_begin(struct bob_keyed *k, size_t most);
void bob_keyed_add(struct bob_keyed *k, uint64_t key, size_t number);
void bob_keyed_sort(struct bob_keyed *k);
void bob_keyed_free(struct bob_keyed *k);

uint64_t bob_key_of_text(const char *text);
uint64_t bob_key_of_pid(uint32_t pid, const char *host);
/* Builds the sorted index of all processes by pid and host. Returns 0 if memory is exhausted. */
int bob_keyed_pids(struct bob_keyed *k, const struct bob_trace *t);

/* Iteration over the entries of a key, by number: `for (e = first; bob_keyed_is(k, e, key);
 * e++)`. */
static inline const struct bob_keyed_entry *bob_keyed_first(const struct bob_keyed *k, uint64_t key)
{
	return k->entry + BOB_COUNT_BELOW(k->entry, k->count, struct bob_keyed_entry, key, key);
}

static inline int bob_keyed_is(const struct bob_keyed *k, const struct bob_keyed_entry *e,
			       uint64_t key)
{
	return e < k->entry + k->count && e->key == key;
}

#endif
