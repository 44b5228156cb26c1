/* SPDX-License-Identifier: BSD-3-Clause */
/* The version of the headers (macros) and of the library that the program runs with (functions).
 * The build takes its version from here. Compatibility: docs/library.md. */
#ifndef BOBBIN_VERSION_H
#define BOBBIN_VERSION_H

#include <stdint.h>

#include "bobbin/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BOB_VERSION_MAJOR 0
#define BOB_VERSION_MINOR 1
#define BOB_VERSION_PATCH 0

#define BOB_VERSION_TEXT_OF_(major, minor, patch) #major "." #minor "." #patch
#define BOB_VERSION_TEXT_(major, minor, patch) BOB_VERSION_TEXT_OF_(major, minor, patch)
/* "0.1.0" */
#define BOB_VERSION BOB_VERSION_TEXT_(BOB_VERSION_MAJOR, BOB_VERSION_MINOR, BOB_VERSION_PATCH)
/* One number, for comparisons in the preprocessor: 100 for 0.1.0, 10203 for 1.2.3. */
#define BOB_VERSION_NUMBER (BOB_VERSION_MAJOR * 10000 + BOB_VERSION_MINOR * 100 + BOB_VERSION_PATCH)

/* The library's own BOB_VERSION and BOB_VERSION_NUMBER. The text is constant. */
BOB_API const char *bob_version(void);
BOB_API uint32_t bob_version_number(void);

#ifdef __cplusplus
}
#endif
#endif
