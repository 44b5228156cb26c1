/* SPDX-License-Identifier: BSD-3-Clause */
/* Words for events with values in messages that count them. Threads: any. */
#ifndef CLI_EVENT_WORDS_H
#define CLI_EVENT_WORDS_H

#include "bobbin/trace.h"

/* "MPI calls", "events" (of the program), or "MPI calls and events", depending on the trace's
 * contents; singular for a count of 1. Constant. */
const char *cli_event_words(const struct bob_trace *t, uint64_t count);
/* Whether the trace has events of the program, but no MPI calls. */
int cli_event_only_own(const struct bob_trace *t);

#endif
