/* SPDX-License-Identifier: BSD-3-Clause */
/* IS, the integer sort of the NAS Parallel Benchmarks, by its specification: input and expected
 * results. */
#ifndef IS_KEYS_H
#define IS_KEYS_H

#include <stdint.h>

#define IS_ROUNDS 10
#define IS_TESTS 5	/* keys whose ranks are known */

struct is_class {
	char name;
	int keys_log2, limit_log2, buckets_log2;	/* keys; each is below 1 << limit_log2 */
	int at[IS_TESTS];	/* positions of the tested keys in the whole sequence */
	int rank[IS_TESTS];
	int rising; /* number of test ranks that rise with the rounds; the others fall */
	int rising_less, falling_less;
};

/* NULL: no such class. */
const struct is_class *is_class_of(char name);

/* Keys `first` .. first + count - 1 of the whole sequence. */
void is_draw_keys(const struct is_class *c, int64_t first, int count, int *key);

/* The expected rank of test `i` in `round`, from 1. */
int is_expected_rank(const struct is_class *c, int i, int round);

#endif
