/* SPDX-License-Identifier: BSD-3-Clause */
/* `bobbin instrument --compile`: a compiler wrapper for make, CMake and similar tools. One
 * thread. */
#ifndef BOB_CLI_INSTRUMENT_COMPILE_H
#define BOB_CLI_INSTRUMENT_COMPILE_H

#include "source/instrument.h"

/* Runs the compiler `argv` (argv[0], ..., a NULL) on copies with probes of the C files that the
 * commands name. `commands` is their file; names in it are relative to its folder. Flags in `o` are
 * ignored. The copies are removed. Returns the compiler's exit status, or 128 + the signal that
 * killed it; 1 after a complaint; 127: it cannot be run. */
int cli_instrument_compile(const char *verb, const struct bob_request_file *files,
			   const char *commands, const struct bob_source_options *o, char **argv);

#endif
