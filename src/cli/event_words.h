/* SPDX-License-Identifier: BSD-3-Clause */
/* Words for events with values in messages that count them. Threads: any. */
#ifndef CLI_EVENT_WORDS_H
#define CLI_EVENT_WORDS_H

#include "bobbin/trace.h"

/* "MPI calls", "events" (of the program's own), or "MPI calls and events", whatever the trace has;
 * of one only without the s. Constant. */
const char *cli_event_words(const struct bob_trace *t, uint64_t count);
/* The trace has no calls of MPI, but events. */
int cli_event_only_own(const struct bob_trace *t);

#endif
