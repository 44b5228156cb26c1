/* SPDX-License-Identifier: BSD-3-Clause */
/* The whole interface of libbobbin: reading traces, and folding. docs/library.md says how to link
 * it, and what stays compatible.
 *
 * There are three kinds of structs; the comment of each struct that is not borrowed names its
 * kind.
 *
 *   Borrowed  The library's memory, passed as a const pointer. It may grow at its end: do not copy
 *             it, make arrays of it or use its sizeof.
 *   Sized     The caller's memory; it may grow at its end. Each call passes its size: an inline
 *             function passes sizeof, as the program was compiled, to the exported function of the
 *             same name with the suffix _sized. The library does not access bytes beyond that size.
 *             Other languages call the _sized function with the size of their struct.
 *   Fixed     The caller's memory or arrays; it does not change while the SONAME is the same.
 *             Additions come as new functions.
 *
 * Enums may gain values; programs should treat unknown ones as "something else". */
#ifndef BOBBIN_BOBBIN_H
#define BOBBIN_BOBBIN_H

#include "bobbin/fold.h"
#include "bobbin/status.h"
#include "bobbin/trace.h"
#include "bobbin/version.h"

#endif
