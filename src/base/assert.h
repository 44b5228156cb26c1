/* SPDX-License-Identifier: BSD-3-Clause */
/* Assertions at three costs. They check the program's own logic; invalid bytes from a file are not
 * asserted on but give BOB_ERR_CORRUPT.
 *   BOB_ASSERT(c)     own logic; debug and test builds (BOB_DEBUG)
 *   BOB_EXPENSIVE(c)  walks a whole structure; only with BOB_DEBUG >= 2
 *   BOB_PRE(c)        precondition, the caller's responsibility: stops in debug builds, returns
 *                     BOB_ERR_INVAL in release builds */
#ifndef BOB_BASE_ASSERT_H
#define BOB_BASE_ASSERT_H

#include "bobbin/status.h"

#ifndef BOB_DEBUG
#define BOB_DEBUG 0
#endif

#if BOB_DEBUG
#define BOB_ASSERT(c) ((c) ? (void)0 : __builtin_trap())
#define BOB_PRE(c) BOB_ASSERT(c)
#else
#define BOB_ASSERT(c) ((void)sizeof(c))
#define BOB_PRE(c)                                                                                 \
	do {                                                                                       \
		if (!(c))                                                                          \
			return BOB_ERR_INVAL;                                                      \
	} while (0)
#endif

#if BOB_DEBUG >= 2
#define BOB_EXPENSIVE(c) BOB_ASSERT(c)
#else
#define BOB_EXPENSIVE(c) ((void)sizeof(c))
#endif

#endif
