/* SPDX-License-Identifier: BSD-3-Clause */
/* The most frequent of some numbers (their mode): how often the code of a loop is executed,
 * although some of it is executed conditionally, or elsewhere, too. */
#ifndef BOB_ANALYSIS_USUAL_H
#define BOB_ANALYSIS_USUAL_H

#include <stdlib.h>

#include "base/order.h"

/* Of equally frequent numbers the largest; 0 if there are none. Sorts them. */
static inline uint64_t bob_usual(uint64_t *number, size_t count)
{
	uint64_t usual = 0;
	size_t run = 0, longest = 0;

	if (count)
		qsort(number, count, sizeof(*number), bob_compare_u64);
	for (size_t i = 0; i < count; i++) {
		run = i && number[i] == number[i - 1] ? run + 1 : 1;
		if (run >= longest) {
			longest = run;
			usual = number[i];
		}
	}
	return usual;
}

#endif
