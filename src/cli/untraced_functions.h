/* SPDX-License-Identifier: BSD-3-Clause */
/* What could not be traced, and why: functions by reason, whole images. */
#ifndef BOB_CLI_UNTRACED_FUNCTIONS_H
#define BOB_CLI_UNTRACED_FUNCTIONS_H

#include <stdio.h>

#include "cli/session.h"

struct cli_untraced {
	uint64_t functions;		/* in the chosen images */
	uint64_t by_reason[32];		/* [0]: traced */
	uint32_t images_left_out;	/* by the user's choice */
	uint32_t images_failed;		/* for another reason */
};

/* Zeros for a trace of events with values alone. */
void cli_untraced_count(const struct cli_session *s, struct cli_untraced *out);
/* Prints untraced calls, or memory accesses where these were recorded. */
void cli_untraced_print(const struct cli_session *s, FILE *out);

/* The same for memory accesses. */
struct cli_unrecorded {
	uint64_t functions, bytes;	/* of code in the chosen images */
	uint64_t missing, missing_bytes;
	uint64_t by_reason[32];
};
void cli_unrecorded_count(const struct bob_trace *t, struct cli_unrecorded *out);

#endif
