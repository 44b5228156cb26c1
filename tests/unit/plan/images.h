/* SPDX-License-Identifier: BSD-3-Clause */
/* The images of this machine that the planner's tests look at; those that are not there are passed
 * over, but the C library and the loader must be. */
#ifndef BOB_TEST_PLAN_IMAGES_H
#define BOB_TEST_PLAN_IMAGES_H

#include <stddef.h>

static const char *const test_images[] = {
	"/lib/x86_64-linux-gnu/libc.so.6",
	"/lib64/ld-linux-x86-64.so.2",
	"/usr/bin/python3.11",
	"/usr/lib/x86_64-linux-gnu/libstdc++.so.6",
	"/usr/lib/x86_64-linux-gnu/libmpi.so.40",
	"/usr/lib/x86_64-linux-gnu/libopen-pal.so.40",
	"/usr/lib/x86_64-linux-gnu/libcrypto.so.3",
	"/usr/lib/x86_64-linux-gnu/libgmp.so.10",
	"/usr/lib/x86_64-linux-gnu/libm.so.6",
	"/usr/lib/x86_64-linux-gnu/libgfortran.so.5",	/* has realigned stacks (AVX) */
	"/usr/lib/gcc/x86_64-linux-gnu/12/cc1plus",
};
#define TEST_IMAGES (sizeof(test_images) / sizeof(test_images[0]))

#endif
