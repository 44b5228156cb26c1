/* SPDX-License-Identifier: BSD-3-Clause */
/* Reports places that get no probe: a line for each reason and file, and one line for the system
 * headers of all files, which are never changed and are many. Owner: the caller, who must call
 * cli_refusals_end. One thread. */
#ifndef CLI_SOURCE_INSTRUMENT_REFUSALS_H
#define CLI_SOURCE_INSTRUMENT_REFUSALS_H

#include <stdint.h>

#include "source/instrument.h"

/* Initialise with zeros. */
struct cli_refusals {
	char **headers;		/* system headers, each once */
	uint32_t header_count, files, places;
	char *file;		/* the first file with such headers */
	int is_failed;		/* out of memory */
};

typedef void (*cli_refusals_say_fn)(void *ctx, const char *line);
/* Reports everything except places in system headers, which are collected. */
void cli_refusals_put(struct cli_refusals *to, const char *path, const struct bob_source_result *r,
		      cli_refusals_say_fn say, void *ctx);
/* Reports these, if any, and frees the contents of `to`. */
void cli_refusals_end(struct cli_refusals *to, cli_refusals_say_fn say, void *ctx);

/* Formats a mistake found while parsing a source, with "COMMANDS:line:column: " before it if it is
 * in the commands. Returns `to`. */
const char *cli_complaint_print(const char *commands, bob_status st,
				const struct bob_source_complaint *why, char *to, size_t size);

#endif
