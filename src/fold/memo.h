/* SPDX-License-Identifier: BSD-3-Clause */
/* Memoisation: a map from sequences of 64-bit words to numbers. A struct with `alloc` set and the
 * rest zero is empty. One thread. */
#ifndef BOB_FOLD_MEMO_H
#define BOB_FOLD_MEMO_H

#include "fold/arena.h"

struct bob_memo_entry {
	uint64_t hash;
	uint32_t begin, len;	/* of its words in `word` */
	uint32_t next;		/* of the same hash slot, + 1 */
	uint32_t number;
};

struct bob_memo {
	struct bob_alloc alloc;
	uint64_t *word;
	struct bob_memo_entry *entry;
	uint32_t *slot;
	uint32_t word_count, word_capacity, entry_count, entry_capacity, slots;
};

/* Returns 1 and *number if the sequence is known. */
int bob_memo_find(const struct bob_memo *m, const uint64_t *row, uint32_t len, uint32_t *number);
/* Adds a sequence that is not yet known. Errors: BOB_ERR_NOMEM. */
bob_status bob_memo_add(struct bob_memo *m, const uint64_t *row, uint32_t len, uint32_t number);
void bob_memo_free(struct bob_memo *m);

#endif
