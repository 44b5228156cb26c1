/* SPDX-License-Identifier: BSD-3-Clause */
/* Internal to parts of a growing trace file (more.c): write-once metadata, which a process writes
 * when it begins and never again (command, environment, configuration). The first part with the
 * process contains it; later ones may omit it (docs/format.md, A TRACE file that grows). */
#ifndef BOB_ARCHIVE_WRITE_ONCE_H
#define BOB_ARCHIVE_WRITE_ONCE_H

#include "archive/reader.h"

int bob_is_write_once(uint32_t kind);
/* Are all records of this META payload write-once? */
int bob_are_write_once(const uint8_t *bytes, uint64_t len);
/* `f` is the newest file of a process, inside a TRACE file. Adds a chunk with the write-once
 * records that it lacks, from before[0..count), oldest first. The memory belongs to the trace.
 * Errors: BOB_ERR_NOMEM. */
bob_status bob_write_once_inherit(struct bob_trace *t, struct bob_file *f,
				  struct bob_file *const *before, size_t count);

#endif
