/* SPDX-License-Identifier: BSD-3-Clause */
/* `bobbin instrument --compile`: runs instead of a compiler, for make, CMake and the like. One
 * thread. */
#ifndef BOB_CLI_INSTRUMENT_COMPILE_H
#define BOB_CLI_INSTRUMENT_COMPILE_H

#include "source/instrument.h"

/* Runs the compiler `argv` (argv[0], ..., a NULL), with copies that have probes in the place of
 * those C files that the commands name; `commands`: the file that they are in; names of files in
 * them are relative to its folder; flags in `o` are not looked at. Nothing is left of the copies.
 * Returns the compiler's exit status, 128 and a signal that ended it; 1 after a complaint; 127: it
 * cannot be run. */
int cli_instrument_compile(const char *verb, const struct bob_request_file *files,
			   const char *commands, const struct bob_source_options *o, char **argv);

#endif
