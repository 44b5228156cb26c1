/* SPDX-License-Identifier: BSD-3-Clause */
/* Reports what has no probe: a line for each reason of a file, and one line for the system headers
 * of all files, which are never changed and are many. Owner: the caller, who must call
 * cli_refusals_end. One thread. */
#ifndef CLI_SOURCE_INSTRUMENT_REFUSALS_H
#define CLI_SOURCE_INSTRUMENT_REFUSALS_H

#include <stdint.h>

#include "source/instrument.h"

/* All zero: nothing yet. */
struct cli_refusals {
	char **headers;		/* of the system, each once */
	uint32_t header_count, files, places;
	char *file;		/* the first one with such */
	int is_failed;		/* no memory */
};

typedef void (*cli_refusals_say_fn)(void *ctx, const char *line);
/* Says all but headers of the system, which are noted. */
void cli_refusals_put(struct cli_refusals *to, const char *path, const struct bob_source_result *r,
		      cli_refusals_say_fn say, void *ctx);
/* Says these, if there are, and frees what `to` has. */
void cli_refusals_end(struct cli_refusals *to, cli_refusals_say_fn say, void *ctx);

/* A mistake that reading a source found: "COMMANDS:line:column: " before it where it is one of the
 * commands. Returns `to`. */
const char *cli_complaint_print(const char *commands, bob_status st,
				const struct bob_source_complaint *why, char *to, size_t size);

#endif
