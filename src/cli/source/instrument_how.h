/* SPDX-License-Identifier: BSD-3-Clause */
/* bobbin instrument: how what it wrote is compiled. One thread. */
#ifndef BOB_CLI_INSTRUMENT_HOW_H
#define BOB_CLI_INSTRUMENT_HOW_H

#include "source/instrument.h"

/* The file in C that goes with an instrumented one: "adi.f" has "adi_probes.c". Returns `to`. */
const char *cli_instrument_beside(const char *path, char *to, size_t size);
/* Prints the commands for all files, which are in `output`. */
void cli_instrument_how(const struct bob_wishes *w, const struct bob_source_options *o,
			const char *output);

#endif
