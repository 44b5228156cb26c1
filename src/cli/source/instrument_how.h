/* SPDX-License-Identifier: BSD-3-Clause */
/* bobbin instrument: writes the output files, and prints how to compile them. One thread. */
#ifndef BOB_CLI_INSTRUMENT_HOW_H
#define BOB_CLI_INSTRUMENT_HOW_H

#include "source/instrument.h"

/* The name without folders. */
const char *cli_instrument_base(const char *path);
/* Name of the C file that belongs to an instrumented one: "adi_probes.c" for "adi.f". Returns
 * `to`. */
const char *cli_instrument_beside(const char *path, char *to, size_t size);
/* Prints the commands for all files, which are in `output`. */
void cli_instrument_how(const struct bob_requests *w, const struct bob_source_options *o,
			const char *output);
/* Writes the new text and the C file that belongs to it into `dir`. 0, or 1 after a complaint. */
int cli_instrument_write(const char *verb, const char *dir, const char *path,
			 const struct bob_source_result *r);

#endif
