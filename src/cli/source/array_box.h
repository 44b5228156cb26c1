/* SPDX-License-Identifier: BSD-3-Clause */
/* "a", "a[0..9][3]", "a(1:5,*)": a selection of elements of a variable. */
#ifndef BOB_CLI_ARRAY_BOX_H
#define BOB_CLI_ARRAY_BOX_H

#include "analysis/arrays/arrays.h"

#define CLI_ARRAY_NAME_MAX 256u

/* w->variable becomes `name`, and w->rank and w->box what is in brackets. 0, or 2 after a
 * complaint. */
int cli_array_box(const char *verb, const char *arg, char name[CLI_ARRAY_NAME_MAX],
		  struct bob_arrays_wanted *w);

#endif
