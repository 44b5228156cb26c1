/* SPDX-License-Identifier: BSD-3-Clause */
/* Variables as pictures: a square for each element, the darker the more often it was read and
 * written. */
#ifndef BOB_CLI_ARRAYS_SVG_H
#define BOB_CLI_ARRAYS_SVG_H

#include <stdio.h>

#include "analysis/arrays/arrays.h"

/* `count` variables, counted by element. Of two dimensions a picture as a matrix is written, first
 * subscripts down, second ones across; of more the two fastest in each, side by side; of one a
 * strip. A picture for each window. Squares stand for several elements where there are too many. */
void cli_arrays_svg(const struct bob_array *a, size_t count, const char *title, FILE *out);

#endif
