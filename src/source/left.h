/* SPDX-License-Identifier: BSD-3-Clause */
/* The result for a file that cannot be parsed: its unchanged text, with the reason. For
 * instrument_c.c. One thread. */
#ifndef BOB_SOURCE_LEFT_H
#define BOB_SOURCE_LEFT_H

#include "source/instrument.h"

/* Reads the file's bytes; `why` is copied. On BOB_OK *out belongs to the caller (bob_source_close),
 * else it is unchanged: BOB_ERR_NOENT, BOB_ERR_IO, BOB_ERR_NOMEM. */
bob_status bob_source_leave(const char *path, const char *why, struct bob_source_result **out);

#endif
