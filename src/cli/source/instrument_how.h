/* SPDX-License-Identifier: BSD-3-Clause */
/* bobbin instrument: prints what it writes, and how to compile that. One thread. */
#ifndef BOB_CLI_INSTRUMENT_HOW_H
#define BOB_CLI_INSTRUMENT_HOW_H

#include "source/instrument.h"

/* Its name without folders. */
const char *cli_instrument_base(const char *path);
/* The file in C that goes with an instrumented one: "adi.f" has "adi_probes.c". Returns `to`. */
const char *cli_instrument_beside(const char *path, char *to, size_t size);
/* Prints the commands for all files, which are in `output`. */
void cli_instrument_how(const struct bob_requests *w, const struct bob_source_options *o,
			const char *output);
/* The new text, and what goes with it, into `dir`. 0, or 1 after a complaint. */
int cli_instrument_write(const char *verb, const char *dir, const char *path,
			 const struct bob_source_result *r);

#endif
