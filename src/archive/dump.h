/* SPDX-License-Identifier: BSD-3-Clause */
/* Private to the textual form (docs/format.md, "Dump"): functions that its files share. */
#ifndef BOB_ARCHIVE_DUMP_H
#define BOB_ARCHIVE_DUMP_H

#include "archive/reader.h"

/* Text from a file: what is not printable ASCII or UTF-8 beyond it is written \xNN. */
void bob_dump_safe(const char *text, FILE *to);
/* image+0xaddress, as `process` has them; 0xaddress: in no image. */
void bob_dump_address(const struct bob_trace *t, uint32_t process, uint32_t image, uint64_t pc,
		      FILE *to);
/* dump_events.c: a thread's events with values. BOB_ERR_NOMEM. */
bob_status bob_dump_values(const struct bob_trace *t, uint32_t thread, FILE *to);
/* The same; when they began and ended. */
bob_status bob_dump_spans(const struct bob_trace *t, uint32_t thread, FILE *to);

#endif
