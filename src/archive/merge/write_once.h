/* SPDX-License-Identifier: BSD-3-Clause */
/* Private to parts of a trace file that grows (more.c): write-once metadata, which a process writes
 * when it begins and never again -- command, environment, configuration. The first part that has
 * the process contains it; later ones need not (docs/format.md, A TRACE file that grows). */
#ifndef BOB_ARCHIVE_WRITE_ONCE_H
#define BOB_ARCHIVE_WRITE_ONCE_H

#include "archive/reader.h"

int bob_is_write_once(uint32_t kind);
/* Are all records of this payload of META write-once? */
int bob_are_write_once(const uint8_t *bytes, uint64_t len);
/* `f`, the newest of a process's files, which lies in a TRACE file, gets what it does not contain
 * from before[0..count), the oldest first, as an additional chunk. In memory of the trace.
 * BOB_ERR_NOMEM. */
bob_status bob_write_once_inherit(struct bob_trace *t, struct bob_file *f,
				  struct bob_file *const *before, size_t count);

#endif
