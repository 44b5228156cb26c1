/* SPDX-License-Identifier: BSD-3-Clause */
/* A file that stays as it is: what comes of one that could not be read as its language. For
 * instrument_c.c. One thread. */
#ifndef BOB_SOURCE_LEFT_H
#define BOB_SOURCE_LEFT_H

#include "source/instrument.h"

/* The file's own bytes; `why` is copied. On BOB_OK *out is the caller's (bob_source_close), else
 * untouched: BOB_ERR_NOENT, BOB_ERR_IO, BOB_ERR_NOMEM. */
bob_status bob_source_leave(const char *path, const char *why, struct bob_source_result **out);

#endif
