/* SPDX-License-Identifier: BSD-3-Clause */
/* Selects the names of an image that a trace of events with values needs. Such a trace has a few
 * kilobytes, while the names of all functions of a large library take a megabyte. docs/format.md,
 * IMAGE payload, defines which functions are kept, and how readers detect that others were
 * omitted. */
#ifndef BOB_CLI_NAMES_USED_H
#define BOB_CLI_NAMES_USED_H

#include <stddef.h>
#include <stdint.h>

#include "cli/names_cache.h"

/* Sets *out to an image's file with the functions, lines and inlined calls of the instructions `pc`
 * (ascending) from `whole`, a file with all of them; `made` is the aux of its SOURCE chunk.
 * Variables, sections and descriptions of accesses are omitted. 0: free out->at. -1: *out is empty;
 * `whole` is not such a file, memory ran out, or the result would not be smaller. */
int cli_names_used(const struct cli_buffer *whole, const uint64_t *pc, size_t count, uint64_t made,
		   struct cli_buffer *out);

#endif
