/* SPDX-License-Identifier: BSD-3-Clause */
/* Selects the names of an image that a trace of events with values needs. Such a trace has a few
 * kilobytes, and the names of all functions of a large library have a megabyte. Which functions are
 * kept, and how readers detect that others are omitted: docs/format.md, IMAGE payload. */
#ifndef BOB_CLI_NAMES_USED_H
#define BOB_CLI_NAMES_USED_H

#include <stddef.h>
#include <stdint.h>

#include "cli/names_cache.h"

/* Into *out, an image's file with the functions and lines of these instructions (ascending) out of
 * `whole`, one with all: `made` is the aux of its SOURCE chunk. Variables, sections and what
 * accesses go through are left out. 0, and out->at is the caller's to be freed; or -1, and *out is
 * empty: `whole` is not such a file, no memory, or nothing is gained. */
int cli_names_used(const struct cli_buffer *whole, const uint64_t *pc, size_t count, uint64_t made,
		   struct cli_buffer *out);

#endif
