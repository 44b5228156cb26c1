/* SPDX-License-Identifier: BSD-3-Clause */
/* Everything that libbobbin offers: reading traces, and folding. docs/library.md says how to link
 * it, and what stays compatible.
 *
 * Structs come in three kinds; the comment of each struct that is not borrowed says which it is.
 *
 *   Borrowed  The library owns it and hands out a const pointer. It may grow at its end: do not
 *             copy it, make arrays of it or use its sizeof.
 *   Sized     It lies in the caller's memory and may grow at its end. Its size travels with each
 *             call: an inline function passes sizeof, as the program was compiled, to the exported
 *             function of the same name with the suffix _sized. The library accesses no more bytes
 *             than that. Other languages call the _sized function with the size of their struct.
 *   Fixed     It lies in the caller's memory or in arrays and does not change as long as the SONAME
 *             is the same. What is new comes with a new function.
 *
 * Enums may gain values; programs should treat unknown ones as "something else". */
#ifndef BOBBIN_BOBBIN_H
#define BOBBIN_BOBBIN_H

#include "bobbin/fold.h"
#include "bobbin/status.h"
#include "bobbin/trace.h"
#include "bobbin/version.h"

#endif
