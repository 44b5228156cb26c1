/* SPDX-License-Identifier: BSD-3-Clause */
/* Selection of elements of a variable: "a", "a[0..9][3]", "a(1:5,*)" (a box). */
#ifndef BOB_CLI_ARRAY_BOX_H
#define BOB_CLI_ARRAY_BOX_H

#include "analysis/arrays/arrays.h"

#define CLI_ARRAY_NAME_MAX 256u

/* Sets w->variable to `name`, and w->rank and w->box to the brackets' contents. 0, or 2 after a
 * complaint. */
int cli_array_box(const char *verb, const char *arg, char name[CLI_ARRAY_NAME_MAX],
		  struct bob_arrays_wanted *w);

#endif
