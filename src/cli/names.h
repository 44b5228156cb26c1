/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of functions for output: demangled if a C++ run time is available, image+0xaddress for
 * functions without a name. Names are computed on first use and cached. */
#ifndef BOB_CLI_NAMES_H
#define BOB_CLI_NAMES_H

#include "analysis/analysis.h"

struct cli_names;

/* `f` must outlive it. NULL: out of memory. */
struct cli_names *cli_names_create(const struct bob_functions *f, int demangle);
void cli_names_destroy(struct cli_names *n);
/* Never NULL; borrowed. Knows BOB_CALLER_NONE and BOB_CALLER_SIGNAL too. */
const char *cli_names_get(struct cli_names *n, uint32_t number);
/* The same as a callback: `names` is a struct cli_names. */
static inline const char *cli_names_of(void *names, uint32_t number)
{
	return cli_names_get(names, number);
}

/* A symbol of the trace, demangled in the same way. Borrowed until the next call of this function
 * or of cli_names_place; never NULL. */
const char *cli_names_symbol(struct cli_names *n, const char *symbol);
/* The text that cli_place_print prints; borrowed in the same way. */
const char *cli_names_place(struct cli_names *n, const struct bob_trace *t, uint32_t process,
			    uint32_t image, uint64_t pc);
/* Short name of the function's image, "" if unknown. */
const char *cli_names_image(const struct cli_names *n, uint32_t number);
/* Whether `pattern` (a shell pattern, else the whole name) matches the plain or the demangled
 * name. */
int cli_names_match(struct cli_names *n, uint32_t number, const char *pattern);
/* The same for a symbol of the trace that is not in the table of functions. */
int cli_names_symbol_match(struct cli_names *n, const char *symbol, const char *pattern);
/* Whether `pattern` matches the image's short name or path. */
int cli_names_image_match(const struct bob_function_image *image, const char *pattern);

#endif
