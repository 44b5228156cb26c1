/* SPDX-License-Identifier: BSD-3-Clause */
/* Internal interface between the files that write the textual form (docs/format.md, "Dump"). */
#ifndef BOB_ARCHIVE_DUMP_H
#define BOB_ARCHIVE_DUMP_H

#include "archive/reader.h"

/* Writes text from a trace: bytes that are neither printable ASCII nor UTF-8 become \xNN. */
void bob_dump_safe(const char *text, FILE *to);
/* Writes image+0xaddress with the image of `process`, or 0xaddress if it is in no image. */
void bob_dump_address(const struct bob_trace *t, uint32_t process, uint32_t image, uint64_t pc,
		      FILE *to);
/* dump_events.c: writes a thread's events with values. Errors: BOB_ERR_NOMEM. */
bob_status bob_dump_values(const struct bob_trace *t, uint32_t thread, FILE *to);
/* Writes when they began and ended. Errors: BOB_ERR_NOMEM. */
bob_status bob_dump_spans(const struct bob_trace *t, uint32_t thread, FILE *to);

#endif
