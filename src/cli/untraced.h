/* SPDX-License-Identifier: BSD-3-Clause */
/* What could not be traced, and why: functions by reason, whole images. */
#ifndef BOB_CLI_UNTRACED_H
#define BOB_CLI_UNTRACED_H

#include <stdio.h>

#include "cli/session.h"

struct cli_untraced {
	uint64_t functions;		/* in the images that were chosen */
	uint64_t by_reason[32];		/* [0]: traced */
	uint32_t images_left_out;	/* by the user's choice */
	uint32_t images_failed;		/* for another reason */
};

void cli_untraced_count(const struct cli_session *s, struct cli_untraced *out);
void cli_untraced_print(const struct cli_session *s, FILE *out);

#endif
