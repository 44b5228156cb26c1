/* SPDX-License-Identifier: BSD-3-Clause */
/* How much of a long test a build does. Builds with a sanitizer look at the same code as the
 * release build, several times as slowly; of what takes long and is exhaustive or made by a
 * generator they take a share: one case in BOB_TEST_SHARE, the first one included, so always the
 * same ones. What is in the share is said where it is taken. BOBBIN_TEST_LONG=1: all of it, in any
 * build. */
#ifndef BOB_TESTS_SHARE_H
#define BOB_TESTS_SHARE_H

#include <stdlib.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define BOB_TEST_SHARE 5u
#else
#define BOB_TEST_SHARE 1u
#endif

static inline int share_is_long(void)
{
	const char *v = getenv("BOBBIN_TEST_LONG");

	return v && *v == '1';
}

static inline unsigned share_every(void)
{
	return share_is_long() ? 1 : BOB_TEST_SHARE;
}

/* Is case `number` one of those? 5 divides neither the sizes of alphabets nor the steps of loops in
 * tests, so each letter and each kind of case is among them. */
static inline int share_has(unsigned long number)
{
	return number % share_every() == 0;
}

#endif
